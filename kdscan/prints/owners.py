"""Assigns circles that lie between two cells to one of them, by the ends of the sheet.

In a periodic pattern a circle half a cell right of the centre may as well belong to the next cell
on the right. Beyond the first or last column one of the two is missing, which decides it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdscan.prints.circles import Circles, derivatives
from kdscan.prints.pattern import EDGE, PATTERN_PX, Pattern
from kdscan.records import CASTLE, COLS, ROWS

_ANGLES = np.arange(24) * 2 * np.pi / 24


def presence(pattern: Pattern, circles: Circles) -> NDArray[np.float64]:
    """(N, 7, 9): response of each circle in each cell and in the cells beyond the sheet's ends,
    relative to its median; NaN outside the picture."""
    channel = pattern.edge if circles.channel == EDGE else pattern.contrast[..., circles.channel]
    steps, ridges = derivatives(channel)
    nx, ny = np.cos(_ANGLES) / circles.radii[0], np.sin(_ANGLES) / circles.radii[1]
    nx, ny = np.array([nx, ny]) / np.hypot(nx, ny)
    outward = (nx * nx, 2 * nx * ny, ny * ny) if circles.ridge else (nx, ny)
    weights = np.stack(outward)
    maps = ridges if circles.ridge else steps
    rim = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], -1) * circles.radii
    found = np.full((len(circles.xy), ROWS + 2, COLS + 2), np.nan)
    for i, xy in enumerate(circles.xy):
        for row in range(-1, ROWS + 1):
            for col in range(-1, COLS + 1):
                origin = (np.array([col, row]) + pattern.margin) * PATTERN_PX
                x, y = np.round(origin + xy + rim).astype(int).T
                inside = min(x.min(), y.min()) >= 0 and x.max() < channel.shape[1]
                if inside and y.max() < channel.shape[0] and (row, col) != CASTLE:
                    change = (weights * maps[:, y, x]).sum(0)
                    found[i, row + 1, col + 1] = circles.sign * float(np.median(change))
        found[i] /= max(float(np.nanmedian(found[i, 2:-2, 2:-2])), 1e-6)
    return found


def owners(shown: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.int_]:
    """By how many cells each circle's place along one axis has to be moved to lie in its own cell,
    (N,) -1, 0 or 1.

    shown: (N, cells along the axis + 2, cells across), from `presence`. places: (N,) cells from
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
