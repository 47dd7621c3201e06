"""What is printed around the map: the legend, the coordinates, the ruler's length."""

from __future__ import annotations

from collections.abc import Iterator

import pypdfium2
import pytest

from kdscan.paper.layout import load_layout
from kdscan.paper.printing import Card, impose, sheet_pdf
from kdscan.paper.style import Ticket
from kdscan.rules import cell_name
from kdscan.rules.duel.board import CELLS
from tests.paper.measure import MM_PER_POINT

LAYOUT = load_layout("kdscan-a5")


@pytest.fixture(scope="module")
def printed() -> Iterator[pypdfium2.PdfTextPage]:
    with pypdfium2.PdfDocument(sheet_pdf(LAYOUT, impose(LAYOUT))) as document:
        yield document[0].get_textpage()


def words_in(
    printed: pypdfium2.PdfTextPage, left: float, top: float, right: float, bottom: float
) -> str:
    """What is printed in a part of the page; mm from its top left corner."""
    high = LAYOUT.page_mm[1]
    box = (v / MM_PER_POINT for v in (left, high - bottom, right, high - top))
    return str(printed.get_text_bounded(*box)).strip()


def test_shields_are_where_their_coordinates_say(printed: pypdfium2.PdfTextPage) -> None:
    left, top = LAYOUT.grid_mm
    for row, col in CELLS:
        x, y = LAYOUT.center_mm(row, col)
        above = words_in(printed, x - 2, top - 5, x + 2, top - 1)
        beside = words_in(printed, left - 4.5, y - 2, left - 1, y + 2)
        assert above + beside == cell_name((row, col))


def test_a_long_name_stays_legible() -> None:
    name = "W" * 200
    for side in (LAYOUT, Card()):
        with pypdfium2.PdfDocument(sheet_pdf(side, impose(side), [Ticket(name)])) as document:
            text = document[0].get_textpage()
            start, _ = text.search("WWW").get_next()
            _, bottom, _, top = text.get_charbox(start)
            assert (top - bottom) * MM_PER_POINT > 1
            assert "…" in text.get_text_bounded() and name not in text.get_text_bounded()
