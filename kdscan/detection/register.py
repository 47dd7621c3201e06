"""Stage: outline → cells in place. Follows curl and folds, cell by cell.

A small network sees a coarse view of the grid, laid flat as if the paper were a plane, and
says for every cell how far it lies from where it should be; several times, because each look
starts from a better one. Once the plane is settled, the paper is followed.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.pyramid import at_hand
from kdscan.imaging.rectify import (
    CENTERS,
    GRID_CORNERS,
    fit_homography,
    flatten,
    lattice_to_photo_homography,
    moved,
    project,
    resolution,
)
from kdscan.records import CELLS, COLS, ROWS, Photo, SheetOutline
from kdscan.records.arrays import Floats, Network, median, probability

LOOK_PX = 32
"""Pixels a cell of what the refining network sees: one step of its stride."""
LOOK_MARGIN = 1.0
"""Cells of margin round the grid of what the refining network sees."""

SURE = 0.9
"""A grid that settles with less confidence is settled again from elsewhere."""
PROMISING = 0.05
"""From here on the plane on which most cells agree is worth another start. Of 26 photos of 1,000
whose grid was wrong, ten were unsure of it; six of those settled in place from that plane. Not so
for cells smaller than the network's view of them: a printed marker then passes for a map."""
BENDS, AT_HOME = 2, 0.08
"""Where cells of a sure grid still lie so far off, the paper is followed so often more."""
PLANE_OUTLIER = 0.25
"""A centre that leaves the common plane by more cells does not take part in fitting it."""

FACING = 3.5
"""A grid that looks upright with a smaller logit is looked at from the other side too: of 157
photos of maps that lay right 156 had more, and the two that lay upside down had 2.9 and 3.0."""
RIM_PX = 4
"""Rows and columns of `LOOK_PX` along a cell's edges, where lines between cells lie."""
FLAT_TOP = 0.3
"""Logarithm of how much bolder the boldest level edge of one half of the shields is than that of
the other, from which on it is their top: of 93 photos of heraldic shields 59 have more, none less
than -0.1."""

LOOKS = 4
"""The grid is looked at so often at most to settle it."""
AT_REST = 0.03
"""A plane that moved by fewer cells is settled. On 149 photos this took 3.1 looks rather than 4
and put as many shields in place; 0.1 took 2.2, and let 0.6% fewer photos settle surely."""


def coarse_view(photo: Photo, centers_xy: Floats) -> NDArray[np.float32]:
    """What the refining network sees: (1, 3, 224, 288) float32, 0..1, BGR."""
    view = flatten(photo, centers_xy, LOOK_PX, LOOK_MARGIN, at_hand(photo))
    return np.ascontiguousarray(view.transpose(2, 0, 1)[None], np.float32) / np.float32(255)


def turned(centers_xy: Floats) -> Floats:
    """The same cells, with the sheet's reader on the other side of the table."""
    return np.ascontiguousarray(centers_xy[::-1, ::-1])


def register(
    photo: Photo, outline: SheetOutline, network: Network
) -> Iterator[tuple[Floats, float]]:
    """Find every cell's place and which way is up, from one start after the other.

    The outline may be wrong by a cell, upside down or turned by a quarter.
    network: `coarse_view` → offsets (1, 2, 5, 7) in cells (x, y: true place minus guess),
        logits (1, 1, 5, 7) that a cell is in its place, logit (1, 1) that the view is upright.
    Yields after each start, until one is sure, the surest so far: centres (5, 7, 2) in the photo,
    and how sure it is that all of them are in place.
    """
    best: tuple[Floats, float] | None = None
    for one in _starts(photo, outline.corners_xy, network):
        best = one if best is None or one[1] > best[1] else best
        yield best
        if best[1] >= SURE:
            return


def _starts(photo: Photo, corners_xy: Floats, network: Network) -> Iterator[tuple[Floats, float]]:
    """What `_settle` says, from one start after the other: an outline may be a quarter turn off,
    and a row be taken for its neighbour where most cells lie right."""
    for corners in (corners_xy, np.roll(corners_xy, 1, axis=0)):
        centers, confidence = _settle(photo, corners, network)
        yield centers, confidence
        if confidence >= PROMISING and resolution(centers) >= LOOK_PX:
            yield _settle(photo, project(_plane(centers), GRID_CORNERS), network)


def _settle(photo: Photo, corners_xy: Floats, network: Network) -> tuple[Floats, float]:
    """Centres (5, 7, 2) in the photo, and how sure it is that all of them are in place."""
    centers = project(lattice_to_photo_homography(corners_xy), CENTERS)
    for more in reversed(range(LOOKS)):
        offset, _, upright = _asked(photo, centers, network)
        bent = moved(centers, offset)
        plane = project(_plane(bent), CENTERS)
        step = float(np.linalg.norm(plane - centers, axis=-1).max()) / resolution(centers)
        if more == 0 or (upright >= 0 and step < AT_REST):
            centers = bent  # the plane is settled: follow the paper
            break
        centers = plane if upright >= 0 else turned(plane)
    placed, left, upright = _judged(photo, centers, network)
    if upright < FACING:
        other = _judged(photo, turned(centers), network)
        top = flat_top(photo, centers)
        if top < 0 if abs(top) > FLAT_TOP else other[2] > upright:
            centers, (placed, left, _) = turned(centers), other
        upright = max(upright, other[2])
    facing = probability(upright)
    for _ in range(BENDS):
        if placed * facing < SURE or np.abs(left).max() < AT_HOME:
            break
        bent = moved(centers, left)
        better, left, _ = _judged(photo, bent, network)
        if better * facing < SURE:
            break
        centers, placed = bent, better
    return centers, placed * facing


def flat_top(photo: Photo, centers: Floats) -> float:
    """How much bolder the boldest level edge is in the upper half of what all shields share than in
    the lower one: a logarithm. Heraldic shields are flat on top and pointed or round below.
    """
    flat = flatten(photo, centers, LOOK_PX, 0.0, at_hand(photo))
    cells = flat.reshape(ROWS, LOOK_PX, COLS, LOOK_PX, 3).swapaxes(1, 2)
    shared = median(np.stack([cells[at] for at in CELLS])).astype(np.float32)
    edges = np.abs(cv2.Sobel(shared, cv2.CV_32F, 0, 1)).max(-1)
    rows = edges[RIM_PX:-RIM_PX, RIM_PX:-RIM_PX].sum(1)
    upper, lower = np.split(rows, 2)
    return float(np.log((upper.max() + 1) / (lower.max() + 1)))


def follow_paper(photo: Photo, centers: Floats, network: Network) -> tuple[Floats, float]:
    """Centres (5, 7, 2) of a sheet that no plane comes near, from about where they lie: the paper
    is followed from look to look. With them, how sure it is that all of them are in place."""
    for _ in range(LOOKS):
        offset, _, upright = _asked(photo, centers, network)
        centers = turned(centers) if upright < 0 else moved(centers, offset)
    placed, _, upright = _judged(photo, centers, network)
    return centers, placed * probability(upright)


def _asked(photo: Photo, centers: Floats, network: Network) -> tuple[Floats, Floats, float]:
    """How far cells lie off, (5, 7, 2) in cells, and logits that each is in its place, (35,), and
    that the view is upright."""
    offset, in_place, upright = network(coarse_view(photo, centers))
    off = offset[0].transpose(1, 2, 0).astype(np.float64)
    return off, in_place.ravel().astype(np.float64), float(upright[0, 0])


def _judged(photo: Photo, centers: Floats, network: Network) -> tuple[float, Floats, float]:
    """How sure it is that all cells are in place; (5, 7, 2), in cells, how far they still lie off;
    and the logit that the view is upright."""
    offset, in_place, upright = _asked(photo, centers, network)
    return probability(in_place.min()), offset, upright


def _plane(centers_xy: Floats) -> Floats:
    """(3, 3) homography on which most centres agree.

    A row or column at the edge is at times taken for its neighbour; the others outvote it.
    """
    source, target = CENTERS.reshape(-1, 2), centers_xy.reshape(-1, 2)
    limit = PLANE_OUTLIER * max(resolution(centers_xy), 1.0)
    _, agree = cv2.findHomography(source, target, cv2.RANSAC, limit)
    inliers = np.ravel(agree).astype(bool)
    if inliers.sum() < len(source) / 2:
        return fit_homography(centers_xy)
    refined, _ = cv2.findHomography(source[inliers], target[inliers], 0)
    return np.asarray(refined, np.float64)
