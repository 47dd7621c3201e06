"""A kingdom over its photo: the overlay, and the places that need review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdscan.i18n import Words
from kdscan.imaging.pens import Points, draw_square, square_width
from kdscan.records import KingdomReading, SquareReading
from kdscan.records.arrays import Bgr
from kdscan.sheets.common.board import CellDrawing, draw_board, places_of
from kdscan.sheets.common.canvas import Canvas
from kdscan.sheets.common.doubt import DoubtfulPlace
from kdscan.sheets.kingdom.doubts import doubts
from kdscan.sheets.kingdom.names import square_name


def draw(canvas: Canvas, kingdom: KingdomReading, others: Sequence[Points]) -> list[Bgr]:
    """See `kdscan.sheets`."""
    return draw_board(canvas, kingdom, kingdom.squares, doubts(kingdom), others, _DRAWING)


def places(kingdom: KingdomReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.sheets`."""
    return places_of(kingdom, doubts(kingdom), lambda square: square_name(words, *square.kind))


_DRAWING: CellDrawing[SquareReading] = CellDrawing(
    draw=lambda picture, at, one, size: draw_square(picture, at, *one.kind, size),
    width=lambda one, size: square_width(one.crowns, size),
    marked=lambda one: one.crowns > 0,
)
