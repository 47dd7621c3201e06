"""Kingdoms that the picture's edge cuts off; missing tiles must not go unreported."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.clipping import SIDES, edge_distances
from kdscan.imaging.picture import Floats
from kdscan.imaging.rectify import lattice_points, lattice_to_photo, resolution
from kdscan.rules.grid import Cell, neighbours, span

MAX_BEYOND = 0.2
"""Sides. A tile that reaches further beyond the picture is cut off. In 40 photos of whole kingdoms,
cropped closely, and 20 cut-out boards tiles seem to reach at most 0.15 sides beyond it, because
lattice and lens are not exact."""
MIN_VISIBLE = 0.25
"""Least share of a place inside the picture at which a tile on it can be recognised. Of 412 such
places in the same photos and in 30 cut-off kingdoms, no bare one was taken for a tile, and nine of
ten tiles were recognised; of places that show less, many bare ones were taken for tiles."""
MAX_SPAN = 7
"""Squares that any kingdom may span; squares further away are not part of it."""
POINTS = 10
"""Sample points along each side of a place for measuring its share inside the picture."""


def in_picture(xy: Floats, wh: tuple[int, int]) -> NDArray[np.bool_]:
    """(...): which of the points (..., 2), photo frame, lie in the picture."""
    return np.asarray(((xy > 0) & (xy < wh)).all(-1))


def visible_share(centers_xy: Floats, wh: tuple[int, int]) -> Floats:
    """(R, C): share of each place of a lattice, (R, C, 2) photo frame, that lies in the picture."""
    rows, cols = centers_xy.shape[:2]
    at = (lattice_points(rows * POINTS, cols * POINTS) + 0.5) / POINTS - 0.5
    inside = in_picture(lattice_to_photo(centers_xy, at), wh)
    return np.asarray(inside.reshape(rows, POINTS, cols, POINTS).mean((1, 3)))


def sides_reached(
    centers_xy: Floats,
    tiles: NDArray[np.bool_],
    mine: Set[Cell],
    wh: tuple[int, int],
    limit: int = 0,
) -> tuple[str, ...]:
    """The sides of the picture beyond which a kingdom reaches, or may reach unseen.

    centers_xy: (R, C, 2), photo frame, places of a lattice. tiles: (R, C), where a tile is visible,
    even if its centre is outside the picture. mine: the kingdom's squares. limit: squares that
    it may span; 0 to ignore unseen places.
    """
    rows, cols = tiles.shape
    distances = edge_distances(wh, centers_xy.reshape(-1, 2)).reshape(rows, cols, 4)
    corners = lattice_to_photo(centers_xy, lattice_points(rows + 1, cols + 1) - 0.5)
    reach = edge_distances(wh, corners.reshape(-1, 2)).reshape(rows + 1, cols + 1, 4)
    reach = np.minimum(
        np.minimum(reach[:-1, :-1], reach[1:, :-1]), np.minimum(reach[:-1, 1:], reach[1:, 1:])
    )
    unseen = visible_share(centers_xy, wh) < MIN_VISIBLE
    beyond = np.zeros(4, np.bool_)
    for cell in mine:
        beyond |= reach[cell] < -MAX_BEYOND * resolution(centers_xy)
        for near in neighbours(cell):
            if near in mine or not (0 <= near[0] < rows and 0 <= near[1] < cols):
                continue
            across = span([*mine, near])
            if (tiles[near] and across <= MAX_SPAN) or (unseen[near] and across <= limit):
                beyond |= distances[near] < 0
    return tuple(side for side, cut in zip(SIDES, beyond, strict=True) if cut)


def fills(outline_xy: Floats, wh: tuple[int, int], side: float) -> bool:
    """Whether an outline (4, 2) leaves hardly any table on each side of the picture, as in a
    cut-out picture of a kingdom. side: pixels per square."""
    return bool((edge_distances(wh, outline_xy).min(0) < MIN_VISIBLE * side).all())
