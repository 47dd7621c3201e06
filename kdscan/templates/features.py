"""Features of prints that do not depend on illumination, and what all cells of a sheet share.

Backgrounds differ from cell to cell and average out; lines, shields and circles remain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import blur_widely, cielab, edges, median
from kdscan.imaging.picture import Bgr
from kdscan.rules.duel.board import CELLS

PATTERN_PX, PATTERN_MARGIN = 128, 0.625
"""Pixels per cell of the flat sheets whose cells are compared, and cells of margin around their
grid. The cells of the median of 78 sheets are located to 0.0031 cells (root mean square); with 96
pixels, to 0.0032, and sheets of pads learned that way were read a little worse."""
PERIOD_PX = 96
"""Pixels per cell of a `Pattern`."""
EDGE = 3
"""The channel of patterns that holds edges; it follows L, a and b."""

_NEAR = 0.12  # cells: variation on a wider scale is normalised out
_WIDE_PX = 16  # pixels per cell at which that wide variation is computed
_NOISE = 3.0  # grey levels: contrast below this is not amplified
_PATTERN_NEAR = 0.3  # cells within which a pattern's contrast is compared
_PATTERN_NOISE = 1.5  # CIELAB units: contrast below this is not amplified
_PATTERN_MOST = 3.0  # times the contrast nearby; so strokes of a pen count no more than that

Period = NDArray[np.float32]
"""(96, 96, ...): one cell of a pattern that repeats endlessly, so that the left side continues at
the right one. The cell's centre is in the middle."""


def normalize_contrast(bgr: Bgr, px: int) -> NDArray[np.uint8]:
    """(H, W) uint8 around 128: a picture's grey with normalised local mean and contrast.

    px: pixels per cell, a multiple of `_WIDE_PX`.
    """
    grey = cv2.GaussianBlur(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), (0, 0), 0.7).astype(np.float32)
    size = grey.shape[1::-1]
    away = grey - np.asarray(cv2.resize(_local_mean(grey, px), size), np.float32)
    spread = np.sqrt(_local_mean(away * away, px)) + _NOISE
    away *= cv2.resize(45 / spread, size)
    away += 128
    return np.asarray(np.clip(away, 0, 255, out=away), np.uint8)


def _local_mean(values: NDArray[np.float32], px: int) -> NDArray[np.float32]:
    """The mean nearby, computed at `_WIDE_PX` pixels per cell, which is fine enough."""
    scale = _WIDE_PX / px
    small = cv2.resize(values, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), _NEAR * _WIDE_PX), np.float32)


@dataclass(frozen=True, eq=False)
class Pattern:
    """A flat sheet without illumination and plain colour.

    channels: (H, W, 4) float32: L, a and b minus their local means, relative to the contrast
    nearby; and edges.
    """

    channels: NDArray[np.float32]

    @cached_property
    def cells(self) -> NDArray[np.float32]:
        """(34, 96, 96, 4): each cell except the castle's."""
        corners = [[round((i + PATTERN_MARGIN) * PERIOD_PX) for i in at] for at in CELLS]
        return np.stack([self.channels[y:, x:][:PERIOD_PX, :PERIOD_PX] for y, x in corners])


def period_of(cells: NDArray[np.float32]) -> Period:
    """(96, 96, 8), what all of some cells (N, 96, 96, 4) share: their median, the mean of their L,
    a and b, and how much these differ."""
    colours = cells[..., :EDGE]
    mean = colours.mean(axis=0)
    away = np.sqrt(np.square(colours - mean).mean(axis=0).sum(-1))
    return np.dstack([median(cells), mean, away]).astype(np.float32)


def pattern_of(bgr: Bgr) -> Pattern:
    """The pattern of a flat sheet, (H, W, 3), see `PERIOD_PX`."""
    lab = np.asarray(cv2.GaussianBlur(cielab(bgr), (0, 0), 0.6), np.float32)
    sigma = _PATTERN_NEAR * PERIOD_PX
    away = lab - blur_widely(lab, sigma)
    power = np.asarray((away * away).sum(-1), np.float32)
    spread = np.sqrt(blur_widely(power, sigma)) + _PATTERN_NOISE
    contrast = np.clip(away / spread[..., None], -_PATTERN_MOST, _PATTERN_MOST)
    return Pattern(np.dstack([contrast, edges(bgr, PERIOD_PX)]).astype(np.float32))


def peak_offset(profile: NDArray[Any], at: int) -> float:
    """Subpixel peak of a periodic profile near `at`, -.5 to .5: the vertex of the parabola through
    it and its neighbours."""
    before, here, after = (float(profile[(at + i) % len(profile)]) for i in (-1, 0, 1))
    curvature = before - 2 * here + after
    return float(np.clip((before - after) / (2 * curvature), -0.5, 0.5)) if curvature < 0 else 0.0
