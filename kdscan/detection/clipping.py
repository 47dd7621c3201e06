"""Maps that reach beyond the picture: what cannot be seen must not be scored in silence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kdscan.game.grid import Cell
from kdscan.records import CELLS, Photo, RectifiedSheet, SheetOutline
from kdscan.records.arrays import Floats

SEEN = 0.25
"""A shield whose centre lies nearer to the picture's edge than this share of a cell, or beyond
it, is not seen well enough to be read."""
BEYOND = 0.3
"""An outline that reaches so many cells beyond the picture shows a map that is cut off."""

_SIDES = ("left", "right", "top", "bottom")


def unseen_cells(photo: Photo, sheet: RectifiedSheet) -> tuple[Cell, ...]:
    """The shields that the picture's edge cuts off."""
    room = _room(photo, sheet.centers_xy.reshape(-1, 2)).min(1).reshape(sheet.centers_xy.shape[:2])
    return tuple(cell for cell in CELLS if room[cell] < SEEN * sheet.px_per_cell)


def cut_sides(photo: Photo, outline: SheetOutline) -> tuple[str, ...]:
    """At which of the picture's sides an outline reaches beyond it: left, right, top, bottom."""
    corners = outline.corners_xy
    cell = float(np.linalg.norm(np.diff(corners, axis=0), axis=1).mean()) / 6
    beyond = _room(photo, corners).min(0) < -BEYOND * cell
    return tuple(side for side, cut in zip(_SIDES, beyond, strict=True) if cut)


def _room(photo: Photo, points_xy: Floats) -> Floats:
    """(K, 4) pixels from points to the picture's sides, negative beyond them."""
    x, y = points_xy.T
    return np.stack([x, photo.width - 1 - x, y, photo.height - 1 - y], 1)


def in_words(sides: Sequence[str]) -> str:
    """ "left edge", "left and top edges"."""
    return " and ".join(sides) + (" edge" if len(sides) == 1 else " edges")
