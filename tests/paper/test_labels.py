"""What is printed around the map: the legend, the coordinates, the ruler's length."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pypdfium2
import pytest

from kdscan.paper.card import Card
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import impose, render_page, sheet_pdf
from kdscan.paper.style import Ticket
from kdscan.rules.duel.board import CELLS
from kdscan.rules.duel.coats import Coat
from kdscan.rules.grid import cell_name
from tests.paper.measure import DPI_300, MM_PER_POINT, Measured

LAYOUT = load_layout("kdscan-a5")
NAMES = {
    Coat.DOT: "dot",
    Coat.DOUBLE_DOT: "two dots",
    Coat.LINE: "line",
    Coat.DOUBLE_LINE: "two lines",
    Coat.FILLED: "filled",
    Coat.CHECKED: "checked",
}


def shown_coat(page: Measured, x: float, y: float, size: float) -> Coat:
    """The coat on a printed shield, `size` mm high, as players draw it."""
    y, reach = y - 0.04 * size, 0.27 * size  # the shield's point lies below its middle
    inked = page.window(x - reach, y - reach, x + reach, y + reach)[0] > 0.4
    if inked.mean() > 0.9:
        return Coat.FILLED
    shapes = cv2.connectedComponents(inked.astype(np.uint8))[0] - 1
    half = len(inked) // 2
    upper, lower = inked[:half], inked[half:]
    share = [
        float(part[:, side].mean())
        for part in (upper, lower)
        for side in (np.s_[:half], np.s_[half:])
    ]
    if share[0] + share[3] > 4 * (share[1] + share[2]):  # upper left and lower right
        return Coat.CHECKED
    if 1.5 * (share[0] + share[3]) < share[1] + share[2]:  # they rise to the right
        return {1: Coat.LINE, 2: Coat.DOUBLE_LINE}[shapes]
    return {1: Coat.DOT, 2: Coat.DOUBLE_DOT}[shapes]


def test_the_legend_shows_how_coats_are_drawn() -> None:
    page = Measured.of(render_page(LAYOUT, DPI_300), DPI_300)
    assert LAYOUT.legend is not None
    for one in LAYOUT.legend.examples:
        assert shown_coat(page, *one.center_mm, LAYOUT.legend.size_mm) == one.coat


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
