"""Samples of the marks network, made for a whole batch on the network's device: random views of
stored sheets with the errors of registration and cameras, and what `kdscan.marks.crops` makes of
them, with the targets.

Stored sheets have a margin of `WIDE_MARGIN`, views one of `FLAT_MARGIN`. Both have `FLAT_PX` pixels
per cell, the origin in the middle of the first pixel, and x before y.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.marks.crops import COARSE, COARSE_PX, CROP_CELLS, CROP_PX, INPUT_PX
from kdscan.rules.duel.board import CELLS, COLS, ROWS
from lab.synth.fields import LUMA, U8, Rng
from lab.training.dataset import WIDE_MARGIN
from lab.training.marks_networks import shield_positions
from lab.training.task import RandomTensors

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


VIEW_HW = tuple(round((n + 2 * FLAT_MARGIN) * FLAT_PX) for n in (ROWS, COLS))
"""Height and width of a view: 672 and 928 pixels."""

PAD_PX = (WIDE_MARGIN - FLAT_MARGIN) * FLAT_PX
"""Pixels by which a stored sheet is larger on each side."""

SLIP_SHARE, SLIPS_PX = 0.25, (2.4, 10.0)
"""Share of grids that are displaced as a whole, as happens on sheets without lines, and standard
deviations in pixels of the displacement of the other grids and of these."""

JITTERS_PX = (1.0, 3.0, 6.0)
"""Standard deviations in pixels of single cells' displacement, each for a third of the sheets."""


PHOTO_SEVERITY = 0.5
"""Severity with which photographed sheets are degraded; for others it is 1."""


def seeded_from(rng: Rng) -> RandomTensors:
    """A generator on the CPU, seeded from another one."""
    return RandomTensors(int(rng.integers(2**63 - 1)))


def as_batch(picture: U8) -> Tensor:
    """A picture (H, W, C) as (1, C, H, W) float32, 0..255."""
    return torch.from_numpy(np.ascontiguousarray(picture.transpose(2, 0, 1)))[None].float()


def as_picture(batch: Tensor) -> U8:
    """The picture (H, W, C) uint8 of a batch of one (1, C, H, W), 0..255."""
    return np.ascontiguousarray(batch[0].round().byte().numpy().transpose(1, 2, 0))


def random_maps(random: RandomTensors, count: int) -> Tensor:
    """(B, 672, 928, 2): for each pixel of a view its place on the stored sheet. Cells are slightly
    out of place: rotated, scaled and displaced, all together and each by itself."""
    height, width = VIEW_HW
    y = torch.arange(height, device=random.device).float().view(1, height, 1) - (height - 1) / 2
    x = torch.arange(width, device=random.device).float().view(1, 1, width) - (width - 1) / 2
    angle = 0.012 * random.normal(count, 1, 1)
    zoom = torch.exp(0.015 * random.normal(count, 2, 1, 1))
    u, v = x * zoom[:, 0], y * zoom[:, 1]
    cos, sin = torch.cos(angle), torch.sin(angle)
    turned = torch.stack([cos * u - sin * v, sin * u + cos * v], 1)
    jitter = torch.tensor(JITTERS_PX, device=random.device)[random.integers(len(JITTERS_PX), count)]
    own = resized(random.normal(count, 2, ROWS, COLS) * jitter.view(-1, 1, 1, 1), VIEW_HW)
    slip = torch.where(random.uniform(count, 1) < SLIP_SHARE, SLIPS_PX[1], SLIPS_PX[0])
    middle = torch.tensor([width - 1, height - 1], device=random.device) / 2 + PAD_PX
    together = (random.normal(count, 2) * slip + middle)[:, :, None, None]
    return (turned + own + together).permute(0, 2, 3, 1)


def warped(stored: Tensor, maps: Tensor) -> Tensor:
    """Views (B, C, 672, 928) float32 of stored pictures (B, C, H, W), bilinear."""
    height, width = stored.shape[2:]
    return _lookup(stored.float(), maps, height, width)


def view_places(maps: Tensor, stored_xy: Tensor) -> Tensor:
    """(B, N, 2): places in the views of places (B, N, 2) on stored sheets, both in pixels."""
    field, at = maps.permute(0, 3, 1, 2), stored_xy - PAD_PX
    for _ in range(4):  # fixed-point iteration: the maps hardly differ from a displacement
        at = at + stored_xy - _lookup(field, at[:, None], *VIEW_HW)[:, :, 0].transpose(1, 2)
    return at


def _lookup(pictures: Tensor, at: Tensor, height: int, width: int) -> Tensor:
    """Pictures (B, C, height, width) at pixels (B, h, w, 2): (B, C, h, w)."""
    size = torch.tensor([width, height], device=at.device)
    grid = 2 * (at + 0.5) / size - 1
    return F.grid_sample(
        pictures, grid, mode="bilinear", padding_mode="border", align_corners=False
    )


def degraded(random: RandomTensors, views: Tensor, severity: Tensor) -> Tensor:
    """Views (B, 3, H, W), 0..255, some of them made coarser, relit, noisy or compressed.

    severity: (B,), 1 for a rendered sheet, less for one that has been photographed.
    """
    views = _coarser(random, views, severity)
    # views (B, 3, H, W), 0..255, in different light and tone, 0..1
    chance = 0.8 * severity
    count = len(views)
    gamma = torch.exp(0.3 * random.normal(count, 1, 1, 1) * random.happens(0.5 * chance))
    tint = 0.12 * random.normal(count, 3, 1, 1) + 0.2 * random.normal(count, 1, 1, 1)
    tint = torch.exp(tint * random.happens(0.6 * chance))
    out = ((views / 255).clamp(min=1e-4) ** gamma * tint).clamp(0, 1)
    corners = (0.35 * random.normal(count, 1, 2, 2) - 0.1) * random.happens(0.3 * chance)
    light = torch.exp(corners).clamp(max=2)
    out = (out * resized(light, tuple(views.shape[2:]))).clamp(0, 1)
    some = random.chosen(torch.full((count,), 0.08, device=random.device))
    out[some] = grey(out[some]).expand(-1, 3, -1, -1)
    views = out
    views = _noisy(random, views, 0.8 * severity, severity)
    out = (views * 255).round().clamp(0, 255)
    some = random.chosen(0.2 * severity)
    if len(some):
        out[some] = jpeg(out[some], 45 + 45 * random.uniform(len(some)))
    return out


def _coarser(random: RandomTensors, views: Tensor, severity: Tensor) -> Tensor:
    """Some of the views reduced and enlarged again, by the same factor for the same severity."""
    views, size = views.clone(), views.shape[2:]
    some = random.chosen(0.3 * severity)
    for level in torch.unique(severity[some]).tolist():
        these = some[severity[some] == level]
        least = 1 - 0.65 * level
        scale = least + (0.95 - least) * float(random.uniform(1))
        small = F.interpolate(
            views[these],
            scale_factor=scale,
            mode="bilinear",
            antialias=True,
            align_corners=False,
            recompute_scale_factor=True,
        )
        views[these] = resized(small, tuple(size))
    return views


def _noisy(random: RandomTensors, views: Tensor, chance: Tensor, severity: Tensor) -> Tensor:
    """Views (B, 3, H, W) 0..1, some of them blurred, some with grain."""
    some = random.chosen(0.3 * chance)
    if len(some):
        sigma = 0.3 + (1.8 * severity[some] - 0.3) * random.uniform(len(some))
        views[some] = gaussian(views[some], sigma, 6)
    some = random.chosen(0.4 * chance)
    if len(some):
        grain = random.normal(len(some), 1, *views.shape[2:])
        soft = random.chosen(torch.full((len(some),), 0.4, device=random.device))
        if len(soft):
            grain[soft] = 2 * gaussian(grain[soft], torch.ones(len(soft), device=random.device), 3)
        views[some] += grain * (0.005 + 0.045 * random.uniform(len(some), 1, 1, 1))
    return views


SPOT_PX = 8
"""Radius of a cross in the auxiliary target, in pixels of a view."""
SPOT_STRIDE = 8
"""Input pixels per pixel of the auxiliary target of crosses."""


class Sheets(NamedTuple):
    """A batch of stored sheets.

    pictures: (B, 3, H, W) uint8 BGR. crossed: (B, N, 3), positions of crosses as in `SynthPhoto`,
    padded with shield -1. known: (B,) bool, whether they are known. photographed: (B,) bool.
    """

    pictures: Tensor
    crossed: Tensor
    known: Tensor
    photographed: Tensor


class Samples(NamedTuple):
    """Input and targets of the marks network.

    ink: (B, 35, 1, 128, 128), coarse: (B, 35, 3, 64, 64), as in `CellCrops`. places: (B, 34, 2),
    column and row of each shield relative to the castle. spots: (B, 34, 16, 16): 1 where a cross
    lies, else 0; -1 everywhere if that is unknown. offsets: (B, 35, 2), each cell's offset from its
    crop's centre, in cells, x before y.
    """

    ink: Tensor
    coarse: Tensor
    places: Tensor
    spots: Tensor
    offsets: Tensor


def samples(random: RandomTensors, sheets: Sheets) -> Samples:
    """Random views of the sheets, each mirrored and rotated by multiples of 90°: marks have no
    upright orientation."""
    maps = random_maps(random, len(sheets.pictures))
    severity = torch.where(sheets.photographed, PHOTO_SEVERITY, 1.0)
    views = degraded(random, warped(sheets.pictures, maps).round(), severity)
    ink, coarse = crops(views)
    places = shield_positions().to(random.device).expand(len(maps), -1, -1)
    # (B, 35, 2): the cells' offsets from their crops' centres, in cells
    cells = _cells(maps.device)
    true = view_places(maps, _stored(cells).expand(len(maps), -1, -1))
    # (B, 34, 16, 16): the parts of each shield's crop that its crosses cover; see `Samples`
    count = INPUT_PX // SPOT_STRIDE
    part = CROP_PX / count
    at = view_places(maps, _stored(sheets.crossed[..., 1:]))
    middles = (torch.arange(count, device=maps.device) + 0.5) * part - 0.5
    away = at[:, :, None, :, None] - (
        _cells(maps.device)[None, None, :-1, :, None] * FLAT_PX + middles
    )
    x, y = away[:, :, :, 0, None, :].square(), away[:, :, :, 1, :, None].square()
    own = sheets.crossed[..., :1].round() == torch.arange(len(CELLS), device=maps.device)
    spots = ((x + y < SPOT_PX**2) & own[..., None, None]).any(1).float()
    spots = torch.where(sheets.known.view(-1, 1, 1, 1), spots, -1.0)
    offsets = (true + 0.5) / FLAT_PX - (cells + 0.5 + FLAT_MARGIN)
    straight = Samples(ink, coarse, places, spots, offsets)
    # each sheet rotated by 90° times its way (B,) modulo 4, and mirrored from way 4 on
    ways = random.integers(8, len(maps))
    out = Samples(*(part.clone() for part in straight))
    for way in range(1, 8):
        these = torch.nonzero(ways == way)[:, 0]
        for part, of in zip(out[:2] + out[3:4], straight[:2] + straight[3:4], strict=True):
            turned = torch.rot90(of[these], way % 4, (-2, -1))
            part[these] = turned.flip(-1) if way >= 4 else turned
        for part, of in zip(
            (out.places, out.offsets), (straight.places, straight.offsets), strict=True
        ):
            xy = of[these]
            for _ in range(way % 4):
                xy = torch.stack([xy[..., 1], -xy[..., 0]], -1)
            part[these] = xy * xy.new_tensor([-1, 1]) if way >= 4 else xy
    return out


def crops(views: Tensor) -> tuple[Tensor, Tensor]:
    """`segment` of views (B, 3, 672, 928), 0..255: ink (B, 35, 1, 128, 128) and coarse planes
    (B, 35, 3, 64, 64), the castle last."""
    ink, coarse_ink, color = _planes(views)
    shields = _cut(coarse_ink, FLAT_PX // COARSE)[:, :-1]
    common = shields.kthvalue(len(CELLS) // 4 + 1, dim=1).values
    fine = _cut(ink, FLAT_PX)
    half = F.avg_pool2d(fine, COARSE)
    printed = _softened(common)[:, None].expand_as(half)
    planes = torch.stack([half, printed, _cut(_softened(color), FLAT_PX // COARSE)], 2)
    return _reduced(fine, INPUT_PX)[:, :, None], _reduced(planes, COARSE_PX)


def cropped(plane: Tensor) -> Tensor:
    """Crops (B, 35, 128, 128) of a plane (B, 672, 928) of views, the castle last."""
    return _reduced(_cut(plane, FLAT_PX), INPUT_PX)


def _planes(views: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Ink (B, H, W), and ink and colour (B, H / 2, W / 2), normalised for light and pen."""
    half = F.avg_pool2d(views, COARSE).round()
    small = F.avg_pool2d(F.max_pool2d(half, 9, 1, 4), 4).round()
    light = gaussian(small, torch.full((len(views),), 8.0, device=views.device), 24).round() + 1

    def relative(bgr: Tensor) -> Tensor:
        return (bgr + 1) / resized(light, tuple(bgr.shape[2:]))

    coarse = relative(half)
    dark = (1 - grey(coarse)[:, 0]).clamp(min=0)
    # (B,): the 99th percentiles of planes (B, H, W), interpolated linearly
    flat = dark[:, ::3, ::3].flatten(1)
    at = 0.99 * (flat.shape[1] - 1)
    top = flat.topk(flat.shape[1] - int(at), dim=1).values
    darkest = top[:, -1] + (top[:, -2] - top[:, -1]) * (at - int(at))
    gain = 0.8 / darkest.clamp(min=0.25).view(-1, 1, 1)
    ink = (1 - grey(relative(views))[:, 0]).clamp(min=0)
    color = ((coarse.amax(1) - coarse.amin(1)) * gain).clamp(0, 1)
    return ink * gain, dark * gain, color


def _cut(plane: Tensor, px: int) -> Tensor:
    """Crops (B, 35, S, S), 1.25 cells wide, of planes (B, H, W) with `px` pixels per cell."""
    side = round((1 + 2 * FLAT_MARGIN) * px)
    every = plane.unfold(1, side, px).unfold(2, side, px).flatten(1, 2)
    return every[:, [row * COLS + col for row, col in CROP_CELLS]]


def _softened(planes: Tensor) -> Tensor:
    """Planes (B, H, W), smoothed as if doubled in size and halved again."""
    kernel = torch.tensor([0.125, 0.75, 0.125], device=planes.device)
    y = F.pad(planes[:, None], (1, 1, 1, 1), mode="replicate")
    return F.conv2d(F.conv2d(y, kernel.view(1, 1, 1, 3)), kernel.view(1, 1, 3, 1))[:, 0]


def _reduced(planes: Tensor, side: int) -> Tensor:
    """Squares (..., S, S) reduced to (side, side); each pixel is the mean of the area it covers."""
    weights = _areas(planes.shape[-1], side).to(planes.device)
    return weights @ planes @ weights.T


@cache
def _areas(size: int, side: int) -> Tensor:
    """(side, size): the share of each of `side` pixels that each of `size` pixels covers."""
    out, scale = torch.zeros(side, size), size / side
    for row in range(side):
        low, high = row * scale, (row + 1) * scale
        for at in range(int(low), min(size, math.ceil(high))):
            out[row, at] = (min(high, at + 1) - max(low, at)) / scale
    return out


def _cells(device: torch.device) -> Tensor:
    """(35, 2): the cells of the crops, column before row."""
    return torch.tensor([(col, row) for row, col in CROP_CELLS], device=device).float()


def _stored(lattice_xy: Tensor) -> Tensor:
    """Pixels of stored sheets for points given in cells from the first cell's centre."""
    return (lattice_xy + 0.5 + WIDE_MARGIN) * FLAT_PX - 0.5
