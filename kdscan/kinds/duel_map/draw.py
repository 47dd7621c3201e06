"""A map's overlay."""

from __future__ import annotations

from operator import attrgetter

from kdscan.kinds.common.board import Signs, draw_board, tile
from kdscan.kinds.common.pens import Bgr, draw_marks, marks_width
from kdscan.kinds.duel_map.doubts import doubts
from kdscan.locale import Words
from kdscan.records import CellReading, SheetReading


def draw(picture: Bgr, clean: Bgr, sheet: SheetReading, scale: float, words: Words) -> list[Bgr]:
    """See `kdscan.kinds`."""
    centers = draw_board(picture, sheet, sheet.reading.cells, _SIGNS, scale, words)
    return [tile(clean, centers, doubt, _SIGNS) for doubt in doubts(sheet)]


_SIGNS: Signs[CellReading] = Signs(
    draw=lambda picture, at, cell, size: draw_marks(picture, at, cell.coat, cell.crosses, size),
    width=lambda cell, size: marks_width(cell.crosses, size),
    marked=lambda cell: cell.coat is not None,
    factor=attrgetter("crosses"),
)
