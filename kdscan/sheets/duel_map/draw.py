"""A map over its photo: the overlay, and the places that need review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdscan.i18n import Words
from kdscan.imaging.pens import Points, draw_marks, marks_width
from kdscan.records import CellReading, MapReading
from kdscan.records.arrays import Bgr
from kdscan.sheets.common.board import CellDrawing, draw_board, places_of
from kdscan.sheets.common.canvas import Canvas
from kdscan.sheets.common.doubt import DoubtfulPlace
from kdscan.sheets.duel_map.doubts import doubts
from kdscan.sheets.duel_map.names import shield_name, with_cover


def draw(canvas: Canvas, sheet: MapReading, others: Sequence[Points]) -> list[Bgr]:
    """See `kdscan.sheets`."""
    return draw_board(canvas, sheet, sheet.reading.cells, doubts(sheet), others, _DRAWING)


def places(sheet: MapReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.sheets`."""

    def name(cell: CellReading) -> str:
        return with_cover(words, shield_name(words, *cell.marks), cell)

    return places_of(sheet, doubts(sheet), name)


_DRAWING: CellDrawing[CellReading] = CellDrawing(
    draw=lambda picture, at, cell, size: draw_marks(picture, at, *cell.marks, size),
    width=lambda cell, size: marks_width(cell.crosses, size),
    marked=lambda cell: cell.coat is not None,
)
