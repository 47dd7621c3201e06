"""Maps that the picture's edge cuts off: cells outside the picture must not be scored silently."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kdscan.game.grid import Cell
from kdscan.records import CELLS, Photo, RectifiedSheet, SheetOutline
from kdscan.records.arrays import Floats

CUT_OFF = "cut_off"
"""Code of the problem that names shields which the picture's edge cuts off."""

MIN_EDGE_DISTANCE = 0.25
"""Cells. A shield whose centre lies closer to the picture's edge than this, or outside, cannot be
read."""
MAX_BEYOND = 0.3
"""Cells. An outline that reaches further than this beyond the picture means a map that is cut
off."""

SIDES = ("left", "right", "top", "bottom")


def clipped_cells(photo: Photo, sheet: RectifiedSheet) -> tuple[Cell, ...]:
    """The shields that the picture's edge cuts off."""
    distances = edge_distances((photo.width, photo.height), sheet.centers_xy.reshape(-1, 2)).min(1)
    nearest = distances.reshape(sheet.centers_xy.shape[:2])
    return tuple(cell for cell in CELLS if nearest[cell] < MIN_EDGE_DISTANCE * sheet.px_per_cell)


def cut_sides(photo: Photo, outline: SheetOutline) -> tuple[str, ...]:
    """The sides of the picture (left, right, top, bottom) beyond which an outline reaches."""
    corners = outline.corners_xy
    cell = float(np.linalg.norm(np.diff(corners, axis=0), axis=1).mean()) / 6
    beyond = edge_distances((photo.width, photo.height), corners).min(0) < -MAX_BEYOND * cell
    return tuple(side for side, cut in zip(SIDES, beyond, strict=True) if cut)


def edge_distances(wh: tuple[int, int], points_xy: Floats) -> Floats:
    """(K, 4): pixels from each point to the four sides of a picture of that width and height, in
    the order of `SIDES`; negative outside the picture."""
    x, y = points_xy.T
    return np.stack([x, wh[0] - 1 - x, y, wh[1] - 1 - y], 1)


def edges_text(sides: Sequence[str]) -> str:
    """Sides for a message: "left edge", "left and top edges"."""
    return " and ".join(sides) + (" edge" if len(sides) == 1 else " edges")
