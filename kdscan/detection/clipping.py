"""Maps that the picture's edge cuts off: cells outside the picture must not be scored silently."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.locate import SheetOutline
from kdscan.imaging.picture import Floats, Photo
from kdscan.imaging.rectify import RectifiedSheet
from kdscan.rules.duel.board import CELLS
from kdscan.rules.grid import Cell
from kdscan.rules.problem import Problem

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
    legible = legible_cells(photo, sheet.centers_xy, sheet.px_per_cell)
    return tuple(cell for cell in CELLS if not legible[cell])


def legible_cells(photo: Photo, centers_xy: Floats, px_per_cell: float) -> NDArray[np.bool_]:
    """(5, 7): cells that the picture's edge does not cut off. centers_xy: (5, 7, 2), photo
    frame."""
    nearest = edge_distances((photo.width, photo.height), centers_xy.reshape(-1, 2)).min(1)
    legible = nearest >= MIN_EDGE_DISTANCE * px_per_cell
    return np.asarray(legible).reshape(centers_xy.shape[:2])


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


def map_cut_off(sides: Sequence[str]) -> tuple[Problem, ...]:
    """The problem reported for a sheet if a map beside it extends beyond these sides of the
    picture; none without sides."""
    if not sides:
        return ()
    edge = edges_text(sides)
    why = f"another map seems to reach beyond the {edge} of the picture; it was not read"
    return (Problem("map_cut_off", "warning", why),)


def edges_text(sides: Sequence[str]) -> str:
    """Sides for a message, each text as it is translated: "left edge", "left and top edges"."""
    if len(sides) > 2:
        return "edges"
    return f"{' and '.join(sides)} edge{'s' if len(sides) > 1 else ''}"
