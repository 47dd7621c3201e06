"""The periodic pattern of a print: what all cells of a sheet share.

Backgrounds differ from cell to cell and average out; lines, shields and circles remain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import median
from kdscan.rules.duel.board import CELLS
from kdscan.templates.features import blur_widely, cielab, edges

PATTERN_PX, PATTERN_MARGIN = 128, 0.625
"""Pixels per cell of the flat sheets whose cells are compared and from which patterns are computed,
and cells of margin around their grid. The cells of the median of 78 sheets are located to 0.0031
cells (root mean square). With 96 pixels it is 0.0032, in half the time, but sheets of pads learned
that way were read a little worse: three sheets of each of nine pads had 18 rather than 15 wrong
shields, and 18 rather than 15 of them needed review."""
EDGE = 3
"""The channel of `Pattern.median` that holds edges; it follows L, a and b."""

_NEAR = 0.3  # cells within which contrast is compared
_NOISE = 1.5  # CIELAB units: contrast below this is not amplified
_MOST = 3.0  # times the contrast nearby; so strokes of a pen count no more than that

Period = NDArray[np.float32]
"""(128, 128, ...) float32: one cell of a pattern that repeats endlessly, so that the left side
continues at the right one. The cell's centre is in the middle."""


@dataclass(frozen=True, eq=False)
class Pattern:
    """A flat sheet without illumination and plain colour.

    contrast: (H, W, 3) float32, L, a and b minus their local means, relative to the contrast
    nearby.
    edge: (H, W) float32, see `kdscan.templates.features.edges`.
    """

    contrast: NDArray[np.float32]
    edge: NDArray[np.float32]

    @cached_property
    def median(self) -> Period:
        """(128, 128, 4): median over the cells of L, a, b and the edge."""
        edge = np.stack([self.cell(self.edge, at) for at in CELLS])
        return median(np.concatenate([self.cells, edge[..., None]], -1))

    @cached_property
    def mean(self) -> Period:
        """(128, 128, 3): mean over the cells of L, a and b, which also shows dotted lines."""
        return np.asarray(self.cells.mean(axis=0), np.float32)

    @cached_property
    def cells(self) -> NDArray[np.float32]:
        """(34, 128, 128, 3): the contrast in each cell except the castle's."""
        return np.stack([self.cell(self.contrast, at) for at in CELLS])

    def cell(self, of: NDArray[np.float32], at: tuple[int, int]) -> NDArray[np.float32]:
        y, x = (round((i + PATTERN_MARGIN) * PATTERN_PX) for i in at)
        return of[y : y + PATTERN_PX, x : x + PATTERN_PX]


def pattern_of(bgr: NDArray[np.uint8]) -> Pattern:
    """The pattern of a flat sheet, (H, W, 3), see `PATTERN_PX`."""
    lab = np.asarray(cv2.GaussianBlur(cielab(bgr), (0, 0), 0.8), np.float32)
    sigma = _NEAR * PATTERN_PX
    away = lab - blur_widely(lab, sigma)
    spread = np.sqrt(blur_widely(np.asarray((away * away).sum(-1), np.float32), sigma)) + _NOISE
    contrast = np.clip(away / spread[..., None], -_MOST, _MOST)
    return Pattern(np.asarray(contrast, np.float32), edges(bgr, PATTERN_PX))


def peak_offset(profile: NDArray[Any], at: int) -> float:
    """Subpixel peak of a periodic profile near `at`, -.5 to .5: the vertex of the parabola through
    it and its neighbours."""
    before, here, after = (float(profile[(at + i) % len(profile)]) for i in (-1, 0, 1))
    curvature = before - 2 * here + after
    return float(np.clip((before - after) / (2 * curvature), -0.5, 0.5)) if curvature < 0 else 0.0
