"""Doubtful cells as places in a photo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kdscan.game.grid import cell_name
from kdscan.imaging.rectify import cell_corners
from kdscan.kinds.common.board import quad_of
from kdscan.kinds.common.doubt import C, Doubt, DoubtfulPlace
from kdscan.records.arrays import Floats


def places_of(
    centers_xy: Floats, doubts: Sequence[Doubt[C]], name: Callable[[C], str]
) -> Iterator[DoubtfulPlace]:
    """Doubtful cells as places. centers_xy: (R, C, 2), photo frame, all cells' centres. name: text
    for a cell's content."""
    corners = cell_corners(centers_xy)
    for doubt in doubts:
        at = doubt.cell.row, doubt.cell.col
        choices = tuple((name(one), one.confidence) for one in (doubt.cell, *doubt.others))
        yield DoubtfulPlace(cell_name(at), choices, quad_of(corners, at))
