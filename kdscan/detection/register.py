"""Stage: outline → every cell's centre, following curl and folds.

Iterative registration: a small network sees a coarse rectified view of the grid and predicts each
cell's offset from its place; the view is resampled and the step repeated. A homography is fitted
until it converges, then the offsets are applied cell by cell.
"""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.detection.locate import SheetOutline, legible_cells
from kdscan.imaging.picture import (
    CENTERS,
    GRID_CORNERS,
    Floats,
    Network,
    Photo,
    finest_decoded,
    fit_homography,
    flatten,
    lattice_to_photo_homography,
    median,
    project,
    resolution,
    shift_cells,
    sigmoid,
)
from kdscan.rules.duel.board import CASTLE, CELLS, COLS, ROWS

VIEW_PX = 32
"""Pixels per cell in the refining network's view: its stride."""
VIEW_MARGIN = 1.0
"""Cells of margin around the grid in the refining network's view."""

SURELY_PLACED = 0.9
"""A grid registered with less confidence is registered again from another start."""
MIN_RESTART = 0.05
"""From this confidence on, the plane on which most cells agree is used as another start. Of 1,000
photos 26 had a wrong grid, ten of them with low confidence; six of those converged correctly from
that plane. It is not used for cells smaller than `VIEW_PX`: a printed marker would then pass for a
map."""
MIN_LEGIBLE = 18
"""Least number of cells of a map, castle included, that the picture must show: half of it. Of 65
grids of cut-off maps that were right where visible, 55 instead of 32 are confident; of 28 wrong
ones one is, as before; of 76 cut-off grids in photos without a sheet none is."""
MAX_BENDS, BEND_TOLERANCE = 2, 0.08
"""If cells of a confident grid are still off by the second, in cells, offsets are applied again, at
most as often as the first says."""
PLANE_OUTLIER = 0.25
"""Cells: RANSAC's inlier threshold for the plane through the centres."""

MIN_UPRIGHT_LOGIT = 3.5
"""Below this logit the grid is also assessed turned by 180°: of 157 photos of upright maps 156 had
a larger logit, and the two that were upside down had 2.9 and 3.0."""
EDGE_PX = 4
"""Pixels, of `VIEW_PX`, along a cell's edges that are ignored: lines between cells lie there."""
FLAT_TOP = 0.3
"""Least log ratio between the strongest horizontal edges of the shields' two halves that identifies
their flat top: of 93 photos of heraldic shields 59 exceed it, and none is below -0.1."""

MAX_STEPS = 4
"""Most registration steps."""
CONVERGED = 0.03
"""Cells: a plane that moved by less has converged. On 149 photos this took 3.1 steps instead of 4
and placed as many shields; with 0.1 it took 2.2 steps, but 0.6% fewer photos were registered
confidently."""


def turned(centers_xy: Floats) -> Floats:
    """The same cells' centres, (5, 7, 2), with the lattice turned by 180°."""
    return np.ascontiguousarray(centers_xy[::-1, ::-1])


def register(photo: Photo, outline: SheetOutline, network: Network) -> tuple[Floats, float]:
    """Every cell's centre, (5, 7, 2), photo frame, which way is up, and the probability that all
    cells are in place: the best from one start after the other, until one is confident.

    The outline may be off by a cell, upside down or turned by 90°; and a row may have been mistaken
    for its neighbour although most cells are right.
    network: the view from above (1, 3, 224, 288), BGR 0..1 → offsets (1, 2, 5, 7) in cells (x, y:
        true place minus guess), logits (1, 1, 5, 7) that a cell is in its place, logit (1, 1) that
        the view is upright.
    """
    best: list[tuple[Floats, float]] = []
    for corners in (outline.corners_xy, np.roll(outline.corners_xy, 1, axis=0)):
        best.append(_align(photo, corners, network))
        centers, confidence = best[-1]
        if MIN_RESTART <= confidence < SURELY_PLACED and resolution(centers) >= VIEW_PX:
            best.append(_align(photo, project(_plane(centers), GRID_CORNERS), network))
        if best[-1][1] >= SURELY_PLACED:
            break
    return max(best, key=lambda aligned: aligned[1])


def _align(photo: Photo, corners_xy: Floats, network: Network) -> tuple[Floats, float]:
    """Centres (5, 7, 2), photo frame, and the probability that all of them are in place."""
    centers = project(lattice_to_photo_homography(corners_xy), CENTERS)
    for more in reversed(range(MAX_STEPS)):
        offset, _, upright = _predict(photo, centers, network)
        bent = shift_cells(centers, offset)
        plane = project(_plane(bent), CENTERS)
        step = float(np.linalg.norm(plane - centers, axis=-1).max()) / resolution(centers)
        if more == 0 or (upright >= 0 and step < CONVERGED):
            # the plane has converged: follow the paper as far as the picture shows it
            centers = np.where(
                legible_cells(photo, bent, resolution(centers))[..., None], bent, plane
            )
            break
        centers = plane if upright >= 0 else turned(plane)
    placed, offset, upright = _assess(photo, centers, network)
    if upright < MIN_UPRIGHT_LOGIT:
        other_placed, other_offset, other_upright = _assess(photo, turned(centers), network)
        top = flat_top(photo, centers)
        upside_down = top < 0 if abs(top) > FLAT_TOP else other_upright > upright
        if upside_down:
            centers, placed, offset = turned(centers), other_placed, other_offset
        upright = max(upright, other_upright)
    facing = float(sigmoid(upright))
    for _ in range(MAX_BENDS):
        if placed * facing < SURELY_PLACED or np.abs(offset).max() < BEND_TOLERANCE:
            break
        bent = shift_cells(centers, offset)
        better, offset, _ = _assess(photo, bent, network)
        if better * facing < SURELY_PLACED:
            break
        centers, placed = bent, better
    return centers, placed * facing


def flat_top(photo: Photo, centers: Floats) -> float:
    """Natural log ratio of the strongest horizontal edge in the upper half of the median shield to
    that in the lower half. Heraldic shields are flat on top and pointed or round below.

    centers: (5, 7, 2) photo frame.
    """
    flat = flatten(photo, centers, VIEW_PX, 0.0, finest_decoded(photo))
    cells = flat.reshape(ROWS, VIEW_PX, COLS, VIEW_PX, 3).swapaxes(1, 2)
    shared = median(np.stack([cells[at] for at in CELLS])).astype(np.float32)
    edges = np.abs(cv2.Sobel(shared, cv2.CV_32F, 0, 1)).max(-1)
    rows = edges[EDGE_PX:-EDGE_PX, EDGE_PX:-EDGE_PX].sum(1)
    upper, lower = np.split(rows, 2)
    return float(np.log((upper.max() + 1) / (lower.max() + 1)))


def follow_paper(photo: Photo, centers: Floats, network: Network) -> tuple[Floats, float]:
    """Register a sheet that no plane approximates, starting from rough centres (5, 7, 2): offsets
    are applied cell by cell in every step. Returns centres and the probability that all are in
    place."""
    for _ in range(MAX_STEPS):
        offset, _, upright = _predict(photo, centers, network)
        centers = turned(centers) if upright < 0 else shift_cells(centers, offset)
    placed, _, upright = _assess(photo, centers, network)
    return centers, placed * float(sigmoid(upright))


def _predict(photo: Photo, centers: Floats, network: Network) -> tuple[Floats, Floats, float]:
    """Offsets (5, 7, 2) in cells, logits (35,) that each cell is in place, and the logit that the
    view is upright."""
    view = flatten(photo, centers, VIEW_PX, VIEW_MARGIN, finest_decoded(photo))
    pixels = np.ascontiguousarray(view.transpose(2, 0, 1)[None], np.float32) / np.float32(255)
    offsets, in_place, upright = network(pixels)
    offset = offsets[0].transpose(1, 2, 0).astype(np.float64)
    return offset, in_place.ravel().astype(np.float64), float(upright[0, 0])


def _assess(photo: Photo, centers: Floats, network: Network) -> tuple[float, Floats, float]:
    """Probability that all cells are in place, remaining offsets (5, 7, 2) in cells, and the logit
    that the view is upright. Cells cut off by the picture's edge do not look like cells: if enough
    others are left to recognise a map, only those count."""
    offset, in_place, upright = _predict(photo, centers, network)
    legible = legible_cells(photo, centers, resolution(centers))
    if legible[CASTLE] and legible.sum() >= MIN_LEGIBLE:
        in_place, offset = in_place[legible.ravel()], offset * legible[..., None]
    return float(sigmoid(in_place.min())), offset, upright


def _plane(centers_xy: Floats) -> Floats:
    """(3, 3) homography from lattice to photo on which most centres agree (RANSAC).

    A row or column at the edge is sometimes mistaken for its neighbour; the others outvote it.
    """
    source, target = CENTERS.reshape(-1, 2), centers_xy.reshape(-1, 2)
    limit = PLANE_OUTLIER * max(resolution(centers_xy), 1.0)
    _, agree = cv2.findHomography(source, target, cv2.RANSAC, limit)
    inliers = np.ravel(agree).astype(bool)
    if inliers.sum() < len(source) / 2:
        return fit_homography(centers_xy)
    refined, _ = cv2.findHomography(source[inliers], target[inliers], 0)
    return np.asarray(refined, np.float64)
