"""Several copies on one sheet of paper: how many, what lies behind each, where it is cut."""

from __future__ import annotations

import pypdfium2
import pytest

from kdscan.paper.printing import Card, impose, sheet_pdf
from kdscan.paper.style import Ticket
from tests.paper.measure import MM_PER_POINT

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve", "Flo", "Gus", "Hal", "Ivo", "Jan")
TICKETS = [Ticket(name) for name in NAMES]

Places = dict[str, tuple[int, int]]


def pages_of(card: Card) -> list[Places]:
    """For each page of cards, with the same names on their backs: row and column of each name."""
    pdf = sheet_pdf(card, impose(card, "a4"), TICKETS, back=card, back_tickets=TICKETS)
    with pypdfium2.PdfDocument(pdf) as document:
        return [_places(page, card) for page in document]


def _places(page: pypdfium2.PdfPage, card: Card) -> Places:
    found, text, (w, h) = {}, page.get_textpage(), card.page_mm
    for name in NAMES:
        hit = text.search(name).get_next()
        if hit is not None:
            left, bottom, *_ = (v * MM_PER_POINT for v in text.get_charbox(hit[0]))
            down = page.get_height() * MM_PER_POINT - bottom
            found[name] = int(down // h), int(left // w)
    return found


@pytest.mark.parametrize(
    ("card", "rows", "cols"),
    [(Card(), 4, 2), (Card(page_mm=(140.0, 100.0)), 2, 2)],
    ids=["upright", "lying"],
)
def test_each_back_lies_behind_its_front(card: Card, rows: int, cols: int) -> None:
    """Paper is turned over its long edge: upright like a book, lying like a calendar."""
    pages = pages_of(card)
    assert {name for page in pages for name in page} == set(NAMES)
    for front, back in zip(pages[::2], pages[1::2], strict=True):
        turned = {
            name: (row, cols - 1 - col) if rows > cols else (rows - 1 - row, col)
            for name, (row, col) in front.items()
        }
        assert back == turned
