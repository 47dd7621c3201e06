"""Colours that occur nowhere else on the sheet: objects, hardly ever ink.

A die within a shield looks like a filled coat, and the occlusion network may mistake it for one.
But a sheet is drawn with one or two pens, and nothing else on it has the colour of the die.
`foreign` compares solid areas with everything drawn elsewhere, `unseen_colors` every pixel of a
cell with all pixels of the others.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.marks.crops import COARSE, crop_cell, relative_to_paper
from kdscan.records import CELLS
from kdscan.records.arrays import median, quantile
from kdscan.rules.grid import Cell

SOLID_PX, STROKE_PX = 9, 2
"""Pixels, of 64 a cell: least width of solid areas, wider than a stroke; and width by which drawn
areas are eroded to drop their blurred edges."""

MIN_AREA = 0.1
"""Least share of a cell that is solid, after erosion by `SOLID_PX`."""

MIN_CONTRAST = 0.35
"""Least distance from the paper's colour, in natural logarithms, of ink and objects."""

OVER_PRINT = 0.15
"""Least distance beyond the print, which is the lower quartile of the shields' distances."""

BLACK = 0.08
"""Share of the paper's light below which colours are noise; darker pixels are clipped to it."""

CHANCE, MIN_PIXELS = 0.02, 20
"""Share of other shields' pixels that may have the colour by chance; least number of pixels drawn
elsewhere for a comparison."""

UNSEEN_PX = 32
"""Pixels per cell at which cells' colours are compared."""

BINS, BIN_WIDTH, DARKEST = 24, 0.16, -2.8
"""Bins of a channel's histogram, their width and the first one's lower end, in natural logarithms.
The bins at both ends stay empty, because `BLACK` lies in the second one."""

MIN_SEEN = 2
"""Least number of pixels of a cell that show a colour."""


def foreign(bgr: NDArray[np.uint8]) -> dict[Cell, float]:
    """For shields with a solid area: the distance of its colour from everything drawn in others.

    bgr: (336, 464, 3) uint8, a rectified sheet at half its size (`crops.half_size`). Distances
    are Euclidean in the natural logarithms of the three channels.
    """
    tone = _tone(bgr)
    tones = np.stack([_inner_cell(tone, at) for at in CELLS])
    far = np.sqrt(np.einsum("nyxc,nyxc->nyx", tones, tones))
    printed = np.partition(far, len(CELLS) // 4, axis=0)[len(CELLS) // 4]
    there = ((far > MIN_CONTRAST) & (far > printed + OVER_PRINT)).astype(np.uint8)
    solid = [_eroded(one, SOLID_PX) for one in there]
    if not any(one.mean() >= MIN_AREA for one in solid):
        return {}
    drawn = [t[_eroded(one, STROKE_PX)][::2] for t, one in zip(tones, there, strict=True)]
    found = {}
    for i, at in enumerate(CELLS):
        if solid[i].mean() >= MIN_AREA:
            others = np.concatenate(drawn[:i] + drawn[i + 1 :])
            own = median(tones[i][solid[i]])
            distances = np.linalg.norm(others - own, axis=1)
            found[at] = float(quantile(distances, CHANCE)[0]) if len(others) >= MIN_PIXELS else 0.0
    return found


def unseen_colors(bgr: NDArray[np.uint8]) -> dict[Cell, float]:
    """For each shield: the share of its cell, 0..1, in colours that no other shield's cell shows.

    bgr: (336, 464, 3) uint8, as for `foreign`. A colour is shown by pixels in its bin or one beside
    it. Areas less than two pixels (of `UNSEEN_PX` a cell) wide do not count.
    """
    scale = UNSEEN_PX * COARSE / FLAT_PX
    tone = cv2.resize(_tone(bgr), None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    bins = np.clip(((tone - DARKEST) / BIN_WIDTH).astype(int), 1, BINS - 2)
    colors = np.ravel_multi_index(tuple(np.moveaxis(bins, -1, 0)), (BINS,) * 3)
    cells = [_whole_cell(colors, at) for at in CELLS]
    shown = np.stack([_shown(one) for one in cells])
    times = shown.sum(0, dtype=np.uint8)
    shares = {}
    for at, one, own in zip(CELLS, cells, shown, strict=True):
        unseen = (times[one] == own[one]).astype(np.uint8)
        wide = cv2.morphologyEx(unseen, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        shares[at] = float(wide.mean())
    return shares


def _shown(colors: NDArray[np.int64]) -> NDArray[np.uint8]:
    """(BINS ** 3,): 1 for each colour that a cell shows, or that lies beside one that it shows."""
    counts = np.bincount(colors.ravel(), minlength=BINS**3).reshape((BINS,) * 3)
    shown = (counts >= MIN_SEEN).astype(np.uint8)
    for axis in range(3):
        shown = shown | np.roll(shown, 1, axis) | np.roll(shown, -1, axis)
    return shown.ravel()


def _whole_cell(plane: NDArray[np.int64], at: Cell) -> NDArray[np.int64]:
    """A cell of a plane with `UNSEEN_PX` pixels per cell."""
    y, x = (round((n + FLAT_MARGIN) * UNSEEN_PX) for n in at)
    return plane[y : y + UNSEEN_PX, x : x + UNSEEN_PX]


def _tone(bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(H, W, 3): natural logarithms of the colours relative to the paper nearby."""
    return np.asarray(cv2.log(np.maximum(relative_to_paper(bgr), np.float32(BLACK))), np.float32)


def _inner_cell(plane: NDArray[np.float32], at: Cell) -> NDArray[np.float32]:
    """A cell without its margin."""
    crop = crop_cell(plane, *at)
    margin = round(len(crop) * FLAT_MARGIN / (1 + 2 * FLAT_MARGIN))
    return crop[margin:-margin, margin:-margin]


def _eroded(there: NDArray[np.uint8], px: int) -> NDArray[np.bool_]:
    return np.asarray(cv2.erode(there, np.ones((px, px), np.uint8)) > 0)
