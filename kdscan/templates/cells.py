"""Where a sheet's cells lie: registered with each other, to a hundredth of a cell, or as a person
says.

Shields and circles are printed alike in every cell, whatever the background. Each cell is matched
with the median of all, and a smooth surface (a homography and a cubic polynomial) is fitted
robustly to the matches, so that cells misled by ink or background are outvoted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import LayoutError
from kdscan.imaging.arrays import edges, median
from kdscan.imaging.picture import (
    CENTERS,
    Floats,
    Photo,
    RectifiedSheet,
    flatten,
    lattice_to_photo_homography,
    project,
    rectify,
    resolution,
    shift_cells,
)
from kdscan.rules.duel.board import CELLS, COLS, ROWS
from kdscan.templates.features import PATTERN_MARGIN, PATTERN_PX, peak_offset

PATCH = 1.5
"""Side in cells of a matched patch: a cell with a quarter of each neighbour."""
MAX_OFFSET = 0.25
"""Cells: largest offset that is searched."""
ROUNDS = 5
"""Iterations; the residual is stable after four."""
_SMOOTH = 0.012  # cells: standard deviation of the blur before edges are matched
_FAR = 0.15  # loss of correlation of the farthest shift against no shift
TERMS = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2), (3, 0), (0, 3))
"""Powers of x and y, both -1 to 1 over the sheet, of the polynomial that bends it."""
QUADRATIC, CUBIC = 6, 10
"""Numbers of these terms for a quadratic and a cubic polynomial."""
_CONVERGED = 1e-3  # change of weights below which another round moves nothing
_TOLERANCE = 0.02  # cells from the smooth surface at which a cell counts half

Patch = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class RegisteredCells:
    """A sheet with registered cells.

    centers_xy: (5, 7, 2) photo frame, on a smooth surface.
    likeness: median correlation of the cells with the median cell.
    residual: median distance of the matches from the surface, in cells.
    """

    centers_xy: Floats
    likeness: float
    residual: float


def smooth_sheet(
    points_xy: Floats, weights: Floats, terms: int, tolerance: float = _TOLERANCE
) -> tuple[Floats, Floats]:
    """Centres (5, 7, 2) on a smooth surface through measured ones, and the residuals (35,) in
    cells, by iteratively reweighted least squares.

    points_xy: (5, 7, 2) photo frame. weights: (5, 7), 0 for missing measurements.
    """
    cell = resolution(points_xy)
    source, target = CENTERS.reshape(-1, 2), points_xy.reshape(-1, 2)
    given = weights.ravel()
    weight, fitted_to = given.copy(), np.zeros(0, bool)
    unit = source / (COLS - 1) * 2 - 1
    basis = np.stack([unit[:, 0] ** i * unit[:, 1] ** j for i, j in TERMS[:terms]], 1)
    for _ in range(15):
        used = weight > 1e-3 * weight.max()
        if not np.array_equal(used, fitted_to):  # it takes half of a round
            plane: Any
            plane, _ = cv2.findHomography(source[used], target[used], 0)
            if plane is None:
                return points_xy, np.full(len(source), np.inf)
            flat, fitted_to = project(plane, source), used
        root = np.sqrt(weight)[:, None]
        bend, *_ = np.linalg.lstsq(basis * root, (target - flat) * root, rcond=None)
        fitted = flat + basis @ bend
        off = np.linalg.norm(target - fitted, axis=1) / cell
        scale = max(tolerance, 1.5 * float(median(off[given > 0])))
        before, weight = weight, given / (1 + (off / scale) ** 2) ** 2
        if np.abs(weight - before).max() < _CONVERGED:
            break
    return fitted.reshape(ROWS, COLS, 2), off


def smoothed(centers_xy: Floats) -> Floats:
    """(5, 7, 2): detected centres on a smooth surface, so that outliers are outvoted."""
    return smooth_sheet(centers_xy, np.ones((ROWS, COLS)), QUADRATIC, 0.05)[0]


def register_cells(photo: Photo, centers_xy: Floats) -> RegisteredCells:
    """Register the cells of a sheet, starting from centres (5, 7, 2), photo frame, with errors up
    to a quarter of a cell. The lattice as a whole may still be shifted; see `geometry`."""
    centers = smoothed(centers_xy)
    for turn in range(ROUNDS):
        edge = edges(flatten(photo, centers, PATTERN_PX, PATTERN_MARGIN), PATTERN_PX)
        patches = {at: _patch(edge, at) for at in CELLS}
        common = median(np.stack(list(patches.values())))
        smooth = np.asarray(cv2.GaussianBlur(common, (0, 0), _SMOOTH * PATTERN_PX), np.float32)
        off, weights = np.zeros((ROWS, COLS, 2)), np.zeros((ROWS, COLS))
        for at, patch in patches.items():
            off[at], weights[at] = _offset(patch, smooth, near=turn > 0)
        if not (weights > 0).any():
            break
        terms = QUADRATIC if turn < 2 else CUBIC
        centers, left = smooth_sheet(shift_cells(centers, off), weights, terms)
    known = weights[weights > 0]
    likeness = float(np.sqrt(np.median(known))) if len(known) else 0.0
    residual = float(np.median(left[weights.ravel() > 0])) if len(known) else np.inf
    return RegisteredCells(centers, likeness, residual)


def _patch(edge: Patch, at: tuple[int, int]) -> Patch:
    side = round(PATCH * PATTERN_PX)
    y, x = (round((i + 0.5 + PATTERN_MARGIN - PATCH / 2) * PATTERN_PX) for i in at)
    patch = edge[y : y + side, x : x + side]
    return np.asarray(cv2.GaussianBlur(patch, (0, 0), _SMOOTH * PATTERN_PX), np.float32)


def _offset(patch: Patch, common: Patch, near: bool) -> tuple[tuple[float, float], float]:
    """A cell's offset (x, y) in cells by template matching, and its weight: the squared
    correlation, or 0 if the best match is at the border of the search.

    common: the median cell, as smooth as the patches are. near: prefer small offsets.
    """
    reach = round(MAX_OFFSET * PATTERN_PX)
    inner = common[reach:-reach, reach:-reach]
    alike = cv2.matchTemplate(patch, inner, cv2.TM_CCOEFF_NORMED)
    steps = np.arange(-reach, reach + 1) / reach
    judged = alike - near * _FAR * np.hypot(steps[None], steps[:, None])
    _, _, _, (x, y) = cv2.minMaxLoc(judged)
    if not (0 < x < 2 * reach and 0 < y < 2 * reach):
        return (0.0, 0.0), 0.0
    best = float(alike[y, x])
    dx = peak_offset(judged[y], x)
    dy = peak_offset(judged[:, x], y)
    where = ((x - reach + dx) / PATTERN_PX, (y - reach + dy) / PATTERN_PX)
    return where, max(best, 0.0) ** 2


LEAST_CELL_PX = 20
"""Pixels per cell; closer corners are taken for a mistake."""


def rectify_by_corners(photo: Photo, corners_xy: Floats) -> RectifiedSheet:
    """The sheet whose grid has its corners at (4, 2) in the photo, in the order of `SheetOutline`.

    Raises LayoutError for corners that no sheet has, or that lie outside the photo.
    """
    if (corners_xy < 0).any() or (corners_xy > (photo.width, photo.height)).any():
        raise LayoutError(
            "these corners lie outside the photo, which has {width} × {height} pixels",
            width=photo.width,
            height=photo.height,
        )
    return rectify(photo, centers_within(corners_xy), confidence=1.0)


def centers_within(corners_xy: Floats) -> Floats:
    """(5, 7, 2): the centres of the cells of a grid with these corners, (4, 2). Raises LayoutError
    for corners that no sheet has: crossed, turned over, or too close together."""
    along = np.roll(corners_xy, -1, axis=0) - corners_xy
    after = np.roll(along, -1, axis=0)
    turns = along[:, 0] * after[:, 1] - along[:, 1] * after[:, 0]
    if not (np.isfinite(corners_xy).all() and (turns > 0).all()):
        raise LayoutError(
            "these corners do not form a sheet; give those of the grid clockwise, from the "
            "upper left"
        )
    centers = project(lattice_to_photo_homography(corners_xy), CENTERS)
    if resolution(centers) < LEAST_CELL_PX:
        raise LayoutError("these corners are too close together; give those of the whole grid")
    return centers


def shifted_to(measured_xy: Floats, given_xy: Floats) -> Floats:
    """Measured centres (5, 7, 2), shifted so that their mean is that of the centres that a person
    gave. Matching cells with each other gives their relative places, but not where a cell
    begins."""
    right = (given_xy[:, -1] - given_xy[:, 0]).mean(0) / (given_xy.shape[1] - 1)
    down = (given_xy[-1] - given_xy[0]).mean(0) / (given_xy.shape[0] - 1)
    off = (given_xy - measured_xy).reshape(-1, 2).mean(0)
    return shift_cells(measured_xy, np.linalg.solve(np.stack([right, down], axis=1), off))
