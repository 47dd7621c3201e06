"""Samples of the marks network from stored sheets, for a whole batch on the network's device:
the output of `kdscan.marks.crops.segment` for a view, and the targets."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.marks.crops import COARSE, COARSE_PX, CROP_CELLS, CROP_PX, INPUT_PX
from kdscan.rules.duel.board import CELLS, COLS
from lab.training.dataset import WIDE_MARGIN
from lab.training.marks_networks import shield_positions
from lab.training.sheet_views import (
    PHOTO_SEVERITY,
    degraded,
    gaussian,
    grey,
    random_maps,
    resized,
    view_places,
    warped,
)
from lab.training.task import RandomTensors

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
    straight = Samples(ink, coarse, places, _spots(maps, sheets), _offsets(maps))
    return _turned(straight, random.integers(8, len(maps)))


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
    gain = 0.8 / _darkest(dark[:, ::3, ::3]).clamp(min=0.25).view(-1, 1, 1)
    ink = (1 - grey(relative(views))[:, 0]).clamp(min=0)
    color = ((coarse.amax(1) - coarse.amin(1)) * gain).clamp(0, 1)
    return ink * gain, dark * gain, color


def _darkest(dark: Tensor) -> Tensor:
    """(B,): the 99th percentiles of planes (B, H, W), interpolated linearly."""
    flat = dark.flatten(1)
    at = 0.99 * (flat.shape[1] - 1)
    top = flat.topk(flat.shape[1] - int(at), dim=1).values
    return top[:, -1] + (top[:, -2] - top[:, -1]) * (at - int(at))


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


def _offsets(maps: Tensor) -> Tensor:
    """(B, 35, 2): the cells' offsets from their crops' centres, in cells."""
    cells = _cells(maps.device)
    true = view_places(maps, _stored(cells).expand(len(maps), -1, -1))
    return (true + 0.5) / FLAT_PX - (cells + 0.5 + FLAT_MARGIN)


def _spots(maps: Tensor, sheets: Sheets) -> Tensor:
    """(B, 34, 16, 16): the parts of each shield's crop that its crosses cover; see `Samples`."""
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
    return torch.where(sheets.known.view(-1, 1, 1, 1), spots, -1.0)


def _turned(straight: Samples, ways: Tensor) -> Samples:
    """Each sheet rotated by 90° times its way (B,) modulo 4, and mirrored from way 4 on."""
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
