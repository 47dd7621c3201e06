"""The ink segmentation network: separates ink from print on unknown designs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.records import COLS, ROWS
from kdscan.records.arrays import Network
from kdscan.synth.fields import Rng
from kdscan.training.ink_examples import InkExample, ink_sample
from kdscan.training.networks import Residual, conv
from kdscan.training.task import Batch, Task

STRIDE = 4
"""Rectified pixels a pixel of the network's finest feature map."""

FLAT_HW = round((ROWS + 2 * FLAT_MARGIN) * FLAT_PX), round((COLS + 2 * FLAT_MARGIN) * FLAT_PX)
"""Height and width of the network's input: 672 × 928 pixels."""


class CellContext(nn.Module):
    """Adds to each pixel of a feature map (B, C, h, w), with `side` pixels a cell, the mean and
    standard deviation at the same place of all cells: what they have in common is print."""

    def __init__(self, channels: int, side: int = FLAT_PX // STRIDE) -> None:
        super().__init__()
        self.side, self.rim = side, round(FLAT_MARGIN * side)
        self.mix = nn.Conv2d(3 * channels, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        n, rim = self.side, self.rim
        inner = x[:, :, rim : rim + ROWS * n, rim : rim + COLS * n]
        cells = inner.reshape(x.shape[0], x.shape[1], ROWS, n, COLS, n)
        mean = cells.mean((2, 4))
        spread = (cells - mean[:, :, None, :, None]).square().mean((2, 4)).add(1e-4).sqrt()
        both = torch.cat([mean, spread], 1).repeat(1, 1, ROWS + 2, COLS + 2)
        start = n - rim
        tiled = both[:, :, start : start + x.shape[2], start : start + x.shape[3]]
        return torch.relu(x + self.mix(torch.cat([x, tiled], 1)))


class InkNet(nn.Module):
    """A U-Net (Ronneberger et al., arXiv:1505.04597) whose finest level is `STRIDE` pixels coarser
    than its input.

    Rectified sheets (B, 3, 672, 928) BGR 0..1 → logits (B, 1, 672, 928) of ink.
    """

    def __init__(self, widths: tuple[int, int, int, int] = (32, 48, 72, 80)) -> None:
        super().__init__()
        a, b, c, d = widths
        pixels = STRIDE * STRIDE
        self.to4 = nn.Sequential(conv(3 * pixels, a), conv(a, a))
        self.common = CellContext(a)
        self.to8 = nn.Sequential(conv(a, b, 2), conv(b, b))
        self.to16 = nn.Sequential(conv(b, c, 2), conv(c, c))
        self.to32 = nn.Sequential(conv(c, d, 2), Residual(d))
        self.up16 = conv(d + c, c)
        self.up8 = nn.Sequential(conv(c + b, b), conv(b, b))
        self.up4 = nn.Sequential(conv(b + a, a), conv(a, a))
        self.out = nn.Conv2d(a, pixels, 3, padding=1)
        nn.init.constant_(self.out.bias, -2.0)

    def forward(self, x: Tensor) -> Tensor:
        light = torch.log(x + 0.04)
        s4 = self.to4(F.pixel_unshuffle(light - light.mean((2, 3), keepdim=True), STRIDE))
        s4 = self.common(s4)
        s8 = self.to8(s4)
        s16 = self.to16(s8)
        y = self.to32(s16)
        for skip, merge in ((s16, self.up16), (s8, self.up8), (s4, self.up4)):
            y = F.interpolate(y, size=skip.shape[2:], mode="nearest")
            y = merge(torch.cat([y, skip], 1))
        ink: Tensor = F.pixel_shuffle(self.out(y), STRIDE)
        return ink


def batch(rng: Rng, examples: list[InkExample]) -> Batch:
    """Rectified sheets (B, 3, 672, 928) uint8 and their ink (B, 1, 672, 928) uint8."""
    seen, ink = zip(*(ink_sample(rng, e) for e in examples), strict=True)
    pictures = np.ascontiguousarray(np.stack(seen).transpose(0, 3, 1, 2))
    mask = np.round(np.stack(ink)[:, None] * 255).astype(np.uint8)
    return torch.from_numpy(pictures), torch.from_numpy(mask)


def loss(out: tuple[Tensor, ...], batch: Batch) -> dict[str, Tensor]:
    """Cross entropy of each pixel, and Dice loss."""
    logits, true = out[0].float(), batch[1].float() / 255
    p = torch.sigmoid(logits)
    shared = 2 * (p * true).sum((1, 2, 3)) + 100
    both = p.sum((1, 2, 3)) + true.sum((1, 2, 3)) + 100
    return {
        "ink": F.binary_cross_entropy_with_logits(logits, true),
        "dice": 0.3 * (1 - shared / both).mean(),
    }


TASK = Task(InkNet, batch, loss, size=3, steps=20_000, rate=2e-3)


def ink_figures(net: Network, examples: Sequence[InkExample], seed: int = 0) -> dict[str, float]:
    """Over all pixels: area under the ROC curve, intersection over union, true and false positive
    rates."""
    rng = np.random.default_rng(seed)
    drawn, blank = np.zeros(1001), np.zeros(1001)
    for example in examples:
        flat, ink = ink_sample(rng, example)
        (logits,) = net(flat.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255))
        p = np.round(1000 / (1 + np.exp(-np.clip(logits[0, 0], -30, 30)))).astype(int)
        drawn += np.bincount(p[ink > 0.5], minlength=1001)
        blank += np.bincount(p[ink < 0.05], minlength=1001)
    seen, wrong = drawn[501:].sum() / drawn.sum(), blank[501:].sum() / blank.sum()
    below = np.cumsum(blank) - blank / 2
    return {
        "auc": float((drawn * below).sum() / drawn.sum() / blank.sum()),
        "iou": float(drawn[501:].sum() / (drawn.sum() + blank[501:].sum())),
        "ink_seen": float(seen),
        "print_taken": float(wrong),
        "sheets": len(examples),
    }
