"""A kingdom over its photo: the overlay, and the places that need review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kdscan.imaging.pens import Bgr, Points, draw_square, square_width
from kdscan.kinds.common.board import CellDrawing, draw_board, places_of, tile
from kdscan.kinds.common.canvas import Canvas
from kdscan.kinds.common.doubt import DoubtfulPlace
from kdscan.kinds.kingdom.doubts import doubts
from kdscan.kinds.kingdom.names import square_name
from kdscan.locale import Words
from kdscan.records import KingdomReading, SquareReading


def draw(canvas: Canvas, kingdom: KingdomReading, others: Sequence[Points]) -> list[Bgr]:
    """See `kdscan.kinds`."""
    centers = draw_board(canvas, kingdom, kingdom.squares, others, _DRAWING)
    return [tile(canvas, centers, doubt, _DRAWING) for doubt in doubts(kingdom)]


def places(kingdom: KingdomReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.kinds`."""

    def name(square: SquareReading) -> str:
        return square_name(words, *square.kind)

    return places_of(kingdom.rectified.centers_xy, doubts(kingdom), name)


_DRAWING: CellDrawing[SquareReading] = CellDrawing(
    draw=lambda picture, at, one, size: draw_square(picture, at, *one.kind, size),
    width=lambda one, size: square_width(one.crowns, size),
    marked=lambda one: one.crowns > 0,
)
