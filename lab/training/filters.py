"""Blur and JPEG compression of batches of pictures, on any device."""

from __future__ import annotations

import math
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional as F

from lab.synth.fields import LUMA

_TO_YCC = torch.tensor([LUMA.tolist(), (0.5, -0.3313, -0.1687), (-0.0813, -0.4187, 0.5)])

LUMA_STEPS = torch.tensor(
    [
        (16, 11, 10, 16, 24, 40, 51, 61),
        (12, 12, 14, 19, 26, 58, 60, 55),
        (14, 13, 16, 24, 40, 57, 69, 56),
        (14, 17, 22, 29, 51, 87, 80, 62),
        (18, 22, 37, 56, 68, 109, 103, 77),
        (24, 35, 55, 64, 81, 104, 113, 92),
        (49, 64, 78, 87, 103, 121, 120, 101),
        (72, 92, 95, 98, 112, 100, 103, 99),
    ]
).float()
CHROMA_STEPS = torch.full((8, 8), 99.0)
CHROMA_STEPS[:4, :4] = torch.tensor(
    [(17, 18, 24, 47), (18, 21, 26, 66), (24, 26, 56, 99), (47, 66, 99, 99)]
)
"""Quantisation steps of quality 50 (ITU-T T.81, annex K)."""


def grey(bgr: Tensor) -> Tensor:
    """(B, 3, H, W) BGR → (B, 1, H, W) luma."""
    return (bgr * bgr.new_tensor(LUMA.tolist()).view(1, 3, 1, 1)).sum(1, keepdim=True)


def resized(pictures: Tensor, size_hw: tuple[int, ...]) -> Tensor:
    """Pictures (B, C, H, W) at another size, bilinear."""
    return F.interpolate(pictures, size=size_hw, mode="bilinear", align_corners=False)


def gaussian(pictures: Tensor, sigma: Tensor, radius: int) -> Tensor:
    """Blur pictures (B, C, H, W) by sigma (B,) pixels, with kernels of 2 radius + 1 pixels,
    reflected at the borders."""
    b, c, h, w = pictures.shape
    at = torch.arange(-radius, radius + 1, device=pictures.device).float()
    kernel = torch.exp(-(at**2) / (2 * sigma.clamp(min=0.05)[:, None] ** 2))
    kernel = (kernel / kernel.sum(1, keepdim=True)).repeat_interleave(c, 0)
    y = F.pad(pictures, (radius,) * 4, mode="reflect").flatten(0, 1)[None]
    y = F.conv2d(y, kernel[:, None, None, :], groups=b * c)
    return F.conv2d(y, kernel[:, None, :, None], groups=b * c).view(b, c, h, w)


def jpeg(bgr: Tensor, quality: Tensor) -> Tensor:
    """Pictures (B, 3, H, W), 0..255, H and W multiples of 16, after JPEG compression with quality
    (B,): baseline, chroma at half the size."""
    scale = (torch.where(quality < 50, 5000 / quality, 200 - 2 * quality) / 100)[:, None, None]
    luma, chroma = (
        torch.round(steps.to(bgr.device) * scale).clamp(1, 255)
        for steps in (LUMA_STEPS, CHROMA_STEPS)
    )
    turn = _TO_YCC.to(bgr.device)
    ycc = torch.einsum("ij,bjhw->bihw", turn, bgr)
    y = _quantised(ycc[:, :1] - 128, luma) + 128
    c = _quantised(F.avg_pool2d(ycc[:, 1:], 2), chroma)
    wide = resized(c, tuple(bgr.shape[2:]))
    out = torch.einsum("ij,bjhw->bihw", torch.linalg.inv(turn), torch.cat([y, wide], 1))
    return out.round().clamp(0, 255)


def _quantised(planes: Tensor, steps: Tensor) -> Tensor:
    """Planes (B, C, H, W) whose 8 × 8 blocks have cosine transforms in multiples of (B, 8, 8)."""
    b, c, h, w = planes.shape
    cosines = _cosines().to(planes.device)
    blocks = planes.reshape(b, c, h // 8, 8, w // 8, 8).transpose(3, 4)
    step = steps.view(b, 1, 1, 1, 8, 8)
    spectrum = torch.round(cosines @ blocks @ cosines.T / step) * step
    return (cosines.T @ spectrum @ cosines).transpose(3, 4).reshape(b, c, h, w)


@cache
def _cosines() -> Tensor:
    """(8, 8): the orthonormal discrete cosine transform, frequencies in rows."""
    k = torch.arange(8).float()
    basis = torch.cos((2 * k[None] + 1) * k[:, None] * math.pi / 16) / 2
    basis[0] /= math.sqrt(2)
    return basis
