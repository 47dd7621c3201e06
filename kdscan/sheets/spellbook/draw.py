"""A spellbook over its photo: the overlay, and the places that need review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kdscan.i18n import Words
from kdscan.imaging.pens import (
    INK,
    PAPER,
    Color,
    Points,
    circle,
    draw_text,
    line,
    panel,
    polygon,
    text_width,
)
from kdscan.records import BookMark, SpellbookReading
from kdscan.records.arrays import Bgr
from kdscan.rules.duel.book_place import Part
from kdscan.rules.duel.coats import Coat
from kdscan.sheets.common.board import BLUE, GREEN, ORANGE, REVIEW_COLOR, VERMILION
from kdscan.sheets.common.canvas import Canvas
from kdscan.sheets.common.doubt import DoubtfulPlace
from kdscan.sheets.spellbook.lines import squares_of_line
from kdscan.sheets.spellbook.names import mark_name

COLORS: dict[Part, Color] = {
    "square": GREEN,
    "used": ORANGE,
    "struck": VERMILION,
    "choice": BLUE,
}


def draw(canvas: Canvas, reading: SpellbookReading, others: Sequence[Points]) -> list[Bgr]:
    """See `kdscan.sheets`; a spellbook has no tiles."""
    picture, scale, page = canvas.picture, canvas.scale, canvas.scaled(reading.outline_xy)
    reach = float(np.median([mark.reach_px for mark in reading.marks])) * scale
    polygon(picture, page, PAPER, 0.18 * reach)
    polygon(picture, page, INK, 0.08 * reach)
    for mark in reading.marks:
        _draw_mark(picture, mark, canvas.scaled(np.array(mark.at_xy)), scale)
    _counts(canvas, reading, reach)
    _headline(canvas, reading, page, reach)
    return []


def _draw_mark(picture: Bgr, mark: BookMark, at: Points, scale: float) -> None:
    reach = mark.reach_px * scale
    if mark.place.part == "struck":
        if mark.marked:
            line(picture, at[0], at[-1], PAPER, 0.34 * reach)
            line(picture, at[0], at[-1], COLORS["struck"], 0.2 * reach)
        if mark.review:
            for end in at:
                circle(picture, end, 0.5 * reach, REVIEW_COLOR, 0.14 * reach)
        return
    if mark.marked:
        circle(picture, at[0], 1.02 * reach, PAPER, 0.34 * reach)
        circle(picture, at[0], 1.02 * reach, COLORS[mark.place.part], 0.22 * reach)
    if mark.review:
        circle(picture, at[0], 1.45 * reach, PAPER, 0.3 * reach)
        circle(picture, at[0], 1.45 * reach, REVIEW_COLOR, 0.18 * reach)


def _counts(canvas: Canvas, reading: SpellbookReading, reach: float) -> None:
    """The number of filled squares of each line, beside its first square."""
    picture = canvas.picture
    size = 0.95 * reach
    for player in (0, 1):
        for coat in Coat:
            squares = squares_of_line(reading.marks, player, coat)
            first, last = canvas.scaled(np.array([squares[0].at_xy[0], squares[-1].at_xy[0]]))
            along = (first - last) / max(float(np.hypot(*(first - last))), 1e-9)
            at = first + along * 1.9 * reach
            text = str(reading.book.lines[player][coat].filled)
            text += "!" * (reading.book.owner(coat) == player)
            wide = text_width(text, size, bold=True) + 0.5 * size
            corner = (float(at[0] - wide / 2), float(at[1] - 0.7 * size))
            panel(picture, corner, (wide, 1.4 * size), INK, 0.06 * size)
            draw_text(picture, text, (at[0] - wide / 2 + 0.25 * size, at[1]), size, bold=True)


def _headline(canvas: Canvas, reading: SpellbookReading, page: Points, reach: float) -> None:
    picture = canvas.picture
    size = 1.7 * reach
    text = canvas.numbered(canvas.words.t("spellbook")) + " ?" * reading.review
    wide, high = text_width(text, size, bold=True) + size, 1.6 * size
    left = min(max(float(page[:, 0].mean() - wide / 2), 0.0), max(0.0, picture.shape[1] - wide))
    top = max(float(page[:, 1].min() - high - 0.3 * size), 0.1 * size)
    panel(picture, (left, top), (wide, high), REVIEW_COLOR if reading.review else INK, 0.1 * size)
    draw_text(picture, text, (left + size / 2, top + high / 2), size, bold=True)


def places(book: SpellbookReading, words: Words) -> Iterator[DoubtfulPlace]:
    """See `kdscan.sheets`."""
    for mark in book.marks:
        if mark.review:
            yield DoubtfulPlace(mark_name(mark, words), _choices(mark, words), _around(mark))


def _choices(mark: BookMark, words: Words) -> tuple[tuple[str, float], ...]:
    yes, no = words.t("marked"), words.t("blank")
    read, other = (yes, no) if mark.marked else (no, yes)
    return (read, mark.confidence), (other, 1 - mark.confidence)


def _around(mark: BookMark) -> Points:
    """A square around a place, or around the middle of a line."""
    middle = np.mean(mark.at_xy, axis=0)
    reach = 1.5 * mark.reach_px
    if len(mark.at_xy) > 1:  # a line: its whole length
        long = float(np.linalg.norm(np.subtract(mark.at_xy[0], mark.at_xy[-1])))
        reach = max(reach, long / 2 + mark.reach_px)
    return np.asarray(middle + reach * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]))
