"""Prints layouts as vector PDF at true scale, and renders the same PDF as pixels; and lists for an
event on A4: tables to post, and slips on which points are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from kdscan.errors import LayoutError
from kdscan.paper.book import BookLayout
from kdscan.paper.decor import draw_code, draw_parchment
from kdscan.paper.drawing import draw_book, draw_map
from kdscan.paper.fonts import ITALIC
from kdscan.paper.layout import Code, Layout, Point
from kdscan.paper.letters import printable
from kdscan.paper.pen import Document, Pen, fitted, text_width
from kdscan.paper.style import NO_TICKET, THEMES, Paper, PrintStyle, Ticket
from kdscan.paper.surroundings import draw_surroundings

PAPERS_MM: dict[Paper, tuple[float, float]] = {
    "a4": (210.0, 297.0),
    "letter": (215.9, 279.4),
    "a5": (148.0, 210.0),
}
"""Width and height upright (ISO 216, ANSI/ASME Y14.1)."""

PLAIN = PrintStyle()


# Cards with codes


@dataclass(frozen=True)
class Card:
    """A card with a code, 105 × 74 mm, to lay beside a kingdom to say whose it is, because tiles
    bear no code. The code is as large as a tile, so that it can be read where the tiles can."""

    name: str = "kdscan-card"
    page_mm: tuple[float, float] = (105.0, 74.0)


def draw_card(pen: Pen, card: Card, ticket: Ticket) -> None:
    """Draw a card: code, name, and in small print the event, round and table."""
    w, h = card.page_mm
    pen.box(2.5, 2.5, w - 5, h - 5, width=0.2, corner=3)
    if ticket.code:
        draw_code(pen, Code((52.5, 27.5), 38.0), ticket.code)
    room = 92.0
    pen.text((52.5, 58.0), *fitted(ticket.name, 7.0, room), align="middle")
    pen.text((52.5, 66.5), ticket.caption, 4.0, room=room, font=ITALIC, align="middle")


# Sheets

Side = Layout | BookLayout | Card
"""What can be printed on one side of a page."""

_SLACK_MM = 0.05
_CUT_MM, _CUT_GAP_MM = 5.0, 1.0


@dataclass(frozen=True)
class Imposition:
    """The arrangement of copies on one sheet of paper.

    paper_mm: width and height of the paper as it lies.
    places: top left corner of each copy in mm.
    """

    paper_mm: tuple[float, float]
    places: tuple[Point, ...]


def impose(layout: Side, paper: Paper | None = None, most: int | None = None) -> Imposition:
    """Arrange as many copies as fit on the paper, at true scale, centred.

    paper: None for paper of exactly the layout's page size. most: largest number of copies. Raises
    LayoutError if the page is larger than the paper.
    """
    w, h = layout.page_mm
    if paper is None:
        return Imposition((w, h), ((0.0, 0.0),))
    upright = PAPERS_MM[paper]
    ways = [upright, upright[::-1]]
    fits = [(int((pw + _SLACK_MM) // w), int((ph + _SLACK_MM) // h)) for pw, ph in ways]
    best = max(range(2), key=lambda i: fits[i][0] * fits[i][1])
    (pw, ph), (cols, rows) = ways[best], fits[best]
    if not cols * rows:
        raise LayoutError(
            "the layout's page of {width:g} × {height:g} mm does not fit on {paper} "
            "({paper_width:g} × {paper_height:g} mm) at true scale; choose a larger paper.",
            width=w,
            height=h,
            paper=paper.capitalize(),
            paper_width=pw,
            paper_height=ph,
        )
    if most is not None:
        cols = min(cols, most)
        rows = min(rows, most // cols)
    x0, y0 = (pw - cols * w) / 2, (ph - rows * h) / 2
    places = tuple((x0 + c * w, y0 + r * h) for r in range(rows) for c in range(cols))
    return Imposition((pw, ph), places)


def sheet_pdf(
    layout: Side,
    plan: Imposition,
    tickets: Sequence[Ticket] = (NO_TICKET,),
    look: PrintStyle = PLAIN,
    back: Side | None = None,
    back_tickets: Sequence[Ticket] = (),
) -> bytes:
    """Print a copy of a layout for each ticket as PDF; the same arguments give the same bytes.

    plan: see `impose`. tickets: what is printed on each copy alone. look: language and style.
    back: printed behind each copy, on every second page, for paper turned over its long edge.
    back_tickets: the same for the backs, in the order of the tickets; none if omitted.
    Raises LayoutError if the back is of another size.
    """
    (pw, ph), (w, h) = plan.paper_mm, layout.page_mm
    if back is not None and back.page_mm != layout.page_mm:
        raise LayoutError(
            "{one} is {width:g} × {height:g} mm, {other} is {other_width:g} × {other_height:g} "
            "mm; both sides must be the same size.",
            one=back.name,
            width=back.page_mm[0],
            height=back.page_mm[1],
            other=layout.name,
            other_width=w,
            other_height=h,
        )
    backs = back_tickets or [NO_TICKET] * len(tickets)
    document = Document(layout.name, plan.paper_mm)
    # "Fit to page" would change the scale.
    document.canvas.setViewerPreference("PrintScaling", "None")
    for first in range(0, len(tickets), len(plan.places)):
        some = tickets[first : first + len(plan.places)]
        copies = dict(zip(plan.places, some, strict=False))  # the last page may have room left
        _page(document, layout, plan, copies, look)
        if back is not None:
            # Their places as seen from the back.
            behind = [(pw - x - w, y) if pw <= ph else (x, ph - y - h) for x, y in copies]
            there = dict(zip(behind, backs[first : first + len(behind)], strict=True))
            _page(document, back, plan, there, look)
    return document.save()


def _page(
    document: Document,
    layout: Side,
    plan: Imposition,
    copies: dict[Point, Ticket],
    look: PrintStyle,
) -> None:
    with document.page(THEMES[look.style]) as pen:
        for place, ticket in copies.items():
            pen.canvas.saveState()
            pen.canvas.translate(*place)
            if pen.theme.parchment:
                draw_parchment(pen, layout.page_mm)
            if isinstance(layout, Card):
                draw_card(pen, layout, ticket)
            else:
                if isinstance(layout, BookLayout):
                    draw_book(pen, layout, look.language)
                else:
                    draw_map(pen, layout)
                draw_surroundings(pen, layout, look, ticket)
            pen.canvas.restoreState()
        cuts = list(_cuts(plan, layout.page_mm))
        if cuts:
            pen.lines(*cuts, line="faint", width=0.2)


def _cuts(plan: Imposition, page_mm: tuple[float, float]) -> Iterator[tuple[Point, Point]]:
    """Short marks at the ends of every line along which the paper is cut."""
    (pw, ph), (w, h) = plan.paper_mm, page_mm
    xs = sorted({x + d for x, _ in plan.places for d in (0, w)})
    ys = sorted({y + d for _, y in plan.places for d in (0, h)})
    for x in (x for x in xs if 1 < x < pw - 1):
        for a, b in _ends(ys[0], ys[-1], ph):
            yield (x, a), (x, b)
    for y in (y for y in ys if 1 < y < ph - 1):
        for a, b in _ends(xs[0], xs[-1], pw):
            yield (a, y), (b, y)


def _ends(first: float, last: float, paper: float) -> Iterator[tuple[float, float]]:
    """Start and end of the two marks of a cut: beyond the copies if there is room."""
    for edge, inward in ((first, 1), (last, -1)):
        room = edge if inward == 1 else paper - edge
        if room > 2 * _CUT_GAP_MM:
            yield edge - inward * _CUT_GAP_MM, edge - inward * min(room, _CUT_MM + _CUT_GAP_MM)
        else:
            yield edge + inward * _CUT_GAP_MM, edge + inward * (2 * _CUT_MM)


def render_page(
    layout: Side, px_per_mm: float, look: PrintStyle = PLAIN, ticket: Ticket = NO_TICKET
) -> NDArray[np.uint8]:
    """Render a layout's PDF; (H, W, 3) uint8, BGR, black on white, writable.

    The page's top left corner is the top left corner of the first pixel, so that a
    point of x mm lies at x · px_per_mm - 0.5 in coordinates of pixel centres. Where
    the page ends within a pixel, white fills it up.
    Raises ValueError for less than one pixel per mm, which would show nothing.
    """
    if not px_per_mm >= 1:
        raise ValueError(f"{px_per_mm} pixels per mm are too few to show a sheet")
    return _rendered(layout, px_per_mm, look, ticket).copy()


@lru_cache(maxsize=8)
def _rendered(
    layout: Side, px_per_mm: float, look: PrintStyle, ticket: Ticket
) -> NDArray[np.uint8]:
    # PDFium stretches a page to whole pixels, so it gets a page of whole pixels.
    width, height = (ceil(side * px_per_mm - 1e-6) for side in layout.page_mm)
    plan = Imposition((width / px_per_mm, height / px_per_mm), ((0.0, 0.0),))
    with pypdfium2.PdfDocument(sheet_pdf(layout, plan, [ticket], look)) as document:
        page = document[0]
        bitmap = page.render(scale=px_per_mm * 25.4 / 72 * (1 - 1e-6))
        pixels: NDArray[np.uint8] = np.array(bitmap.to_numpy())
        bitmap.close()
        page.close()
    return pixels


# Lists

WIDTH_MM, HEIGHT_MM = A4_MM = PAPERS_MM["a4"]
MARGIN_MM = 15.0
ROOM_MM = WIDTH_MM - 2 * MARGIN_MM
ROW_MM, LETTER_MM = 8.0, 4.2
SLIP_MM = 55.0


def table_pdf(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """A table under its title, on as many pages as it needs; the second column, of names, takes the
    room that the others leave."""
    texts = [[printable(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(text_width(row[n], LETTER_MM) for row in texts) + 6 for n in range(len(columns))]
    widths[1] += ROOM_MM - sum(widths)
    ends = [MARGIN_MM + sum(widths[: n + 1]) for n in range(len(widths))]
    per_page = int((HEIGHT_MM - 2 * MARGIN_MM - 20) / ROW_MM) - 1
    document = Document(title, A4_MM)
    for first in range(0, max(len(rows), 1), per_page):
        with document.page() as pen:
            pen.text((MARGIN_MM, MARGIN_MM + 8), *fitted(printable(title), 8.0, ROOM_MM))
            for n, row in enumerate((texts[0], *texts[first + 1 : first + 1 + per_page])):
                y = MARGIN_MM + 20 + n * ROW_MM
                pen.lines(((MARGIN_MM, y + 2.4), (WIDTH_MM - MARGIN_MM, y + 2.4)), line="faint")
                for column, cell in enumerate(row):
                    start = ends[column] - widths[column]
                    left = column == 1
                    at = (start + 1 if left else ends[column] - 3, y)
                    text = fitted(cell, LETTER_MM, widths[column] - 2)
                    color = "line" if n == 0 else "ink"
                    pen.text(at, *text, color=color, align="left" if left else "right")
    return document.save()


def slips_pdf(title: str, table: str, points: str, seated: Mapping[int, Sequence[str]]) -> bytes:
    """A slip for each table, five on a page: its number, and for each player a line to sign and a
    box for the points. table, points: these words in the reader's language."""
    per_page = int((HEIGHT_MM - MARGIN_MM) / SLIP_MM)
    slips = list(seated.items())
    document = Document(title, A4_MM)
    for first in range(0, max(len(slips), 1), per_page):
        with document.page() as pen:
            for n, (number, players) in enumerate(slips[first : first + per_page]):
                top = MARGIN_MM / 2 + n * SLIP_MM
                pen.box(MARGIN_MM, top, ROOM_MM, SLIP_MM - 4, line="faint", corner=3)
                head = f"{printable(title)} · {printable(table)} {number}"
                pen.text((MARGIN_MM + 5, top + 9), *fitted(head, 5.0, ROOM_MM - 50))
                end = (WIDTH_MM - MARGIN_MM - 5, top + 9)
                pen.text(end, printable(points), 4.0, font=ITALIC, align="right", color="line")
                step = (SLIP_MM - 18) / max(len(players), 2)
                for k, name in enumerate(players):
                    y = top + 12 + (k + 0.75) * step
                    pen.text((MARGIN_MM + 5, y), *fitted(printable(name), 5.5, 70))
                    pen.lines(((MARGIN_MM + 80, y + 1), (MARGIN_MM + 145, y + 1)), line="line")
                    box = min(step - 1.5, 11.0)
                    pen.box(WIDTH_MM - MARGIN_MM - 27, y - box + 2, 22, box, corner=1.5)
    return document.save()
