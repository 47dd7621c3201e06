"""Several copies on one sheet of paper: how many, what lies behind each, where it is cut."""

from __future__ import annotations

import numpy as np
import pypdfium2
import pytest

from kdscan.paper.card import Card
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import impose, sheet_pdf
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


def test_marks_show_where_the_paper_is_cut() -> None:
    plan, (w, h) = impose(Card(), "letter"), Card().page_mm
    (x, y), px = plan.places[0], 4
    with pypdfium2.PdfDocument(sheet_pdf(Card(), plan)) as document:
        picture = document[0].render(scale=px * MM_PER_POINT).to_numpy()[..., :3].mean(axis=2)
    above = (picture[: int(px * y)] < 240).any(axis=0).nonzero()[0] / px
    beside = (picture[:, : int(px * x)] < 240).any(axis=1).nonzero()[0] / px
    for marks, first, side, count in ((above, x, w, 3), (beside, y, h, 4)):
        for k in range(count):
            assert np.abs(marks - first - k * side).min() < 0.3, k
        assert len(marks) <= 3 * count


@pytest.mark.parametrize("name", ["Ada Long " * 20, "Ada"])
def test_a_long_name_stays_on_its_line(name: str) -> None:
    layout = load_layout("kdscan-a5")
    x, _, w, _ = layout.blanks[0].box_mm
    with pypdfium2.PdfDocument(sheet_pdf(layout, impose(layout), [Ticket(name)])) as document:
        text = document[0].get_textpage()
        start, cut = text.search("Ada").get_next()[0], text.search("…").get_next()
        end = cut[0] if cut else start + len(name) - 1
        boxes = [text.get_charbox(i) for i in (start, end)]
    assert x < boxes[0][0] * MM_PER_POINT and boxes[-1][2] * MM_PER_POINT < x + w
