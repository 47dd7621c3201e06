"""Which of two neighbouring cells a circle between them belongs to.

The sheet's ends show it: there one of the two is missing, and its circles with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdscan.rules.duel.board import CASTLE, COLS, ROWS
from kdscan.templates.circles import Circles
from kdscan.templates.features import derivatives
from kdscan.templates.pattern import EDGE, PATTERN_MARGIN, PATTERN_PX, Pattern

_RIM_ANGLES = np.arange(24) * 2 * np.pi / 24


def rim_response(pattern: Pattern, circles: Circles) -> NDArray[np.float64]:
    """(N, 7, 9): response of each circle in each cell and in the cells beyond the sheet's ends,
    relative to its median; NaN outside the picture."""
    channel = pattern.edge if circles.channel == EDGE else pattern.contrast[..., circles.channel]
    maps = derivatives(channel)[circles.ridge]
    unit = np.stack([np.cos(_RIM_ANGLES), np.sin(_RIM_ANGLES)], -1)
    rim = unit * circles.radii
    nx, ny = (unit / circles.radii).T
    nx, ny = np.array([nx, ny]) / np.hypot(nx, ny)
    weights = np.stack((nx * nx, 2 * nx * ny, ny * ny) if circles.ridge else (nx, ny))
    found = np.full((len(circles.xy), ROWS + 2, COLS + 2), np.nan)
    for i, xy in enumerate(circles.xy):
        for row in range(-1, ROWS + 1):
            for col in range(-1, COLS + 1):
                origin = (np.array([col, row]) + PATTERN_MARGIN) * PATTERN_PX
                x, y = np.round(origin + xy + rim).astype(int).T
                inside = min(x.min(), y.min()) >= 0 and x.max() < channel.shape[1]
                if inside and y.max() < channel.shape[0] and (row, col) != CASTLE:
                    change = (weights * maps[:, y, x]).sum(0)
                    found[i, row + 1, col + 1] = circles.sign * float(np.median(change))
        found[i] /= max(float(np.nanmedian(found[i, 2:-2, 2:-2])), 1e-6)
    return found


def cell_shifts(shown: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.int_]:
    """Cells by which each circle has to be moved along one axis into the cell it belongs to,
    (N,) -1, 0 or 1.

    shown: (N, cells along the axis + 2, cells across), from `rim_response`. places: (N,) cells from
        the cell's centre, -.5 to .5.
    """
    by = np.zeros(len(places), int)
    for i, place in enumerate(places):
        ends = [
            float(np.median(row[np.isfinite(row)] if np.isfinite(row).any() else row))
            for row in shown[i]
        ]
        if place > 0:  # the first cell's, or the one's before it
            other, own, step = ends[0], ends[-2], -1
        else:
            other, own, step = ends[-1], ends[1], 1
        if np.clip(other, 0, 1) > np.clip(own, 0, 1):  # false where either is NaN
            by[i] = step
    return by
