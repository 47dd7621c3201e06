"""A kingdom over its photo: the overlay, and the places that need review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdscan.imaging.pens import Points, draw_square, square_width
from kdscan.kinds.common.board import CellDrawing, draw_board, places_of
from kdscan.kinds.common.canvas import Canvas
from kdscan.kinds.common.doubt import DoubtfulPlace
from kdscan.kinds.kingdom.doubts import doubts
from kdscan.kinds.kingdom.names import square_name
from kdscan.locale import Words
from kdscan.records import KingdomReading, SquareReading
from kdscan.records.arrays import Bgr


def draw(canvas: Canvas, kingdom: KingdomReading, others: Sequence[Points]) -> list[Bgr]:
    """See `kdscan.kinds`."""
    return draw_board(canvas, kingdom, kingdom.squares, doubts(kingdom), others, _DRAWING)


def places(kingdom: KingdomReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.kinds`."""
    return places_of(kingdom, doubts(kingdom), lambda square: square_name(words, *square.kind))


_DRAWING: CellDrawing[SquareReading] = CellDrawing(
    draw=lambda picture, at, one, size: draw_square(picture, at, *one.kind, size),
    width=lambda one, size: square_width(one.crowns, size),
    marked=lambda one: one.crowns > 0,
)
