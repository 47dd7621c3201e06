"""Lists for an event as PDF on A4: tables to post, and slips on which points are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kdscan.paper.fonts import ITALIC
from kdscan.paper.pen import Document, fitted, text_width
from kdscan.paper.printing import PAPERS_MM
from kdscan.paper.style import printable

WIDTH_MM, HEIGHT_MM = A4_MM = PAPERS_MM["a4"]
MARGIN_MM = 15.0
ROOM_MM = WIDTH_MM - 2 * MARGIN_MM
ROW_MM, LETTER_MM = 8.0, 4.2
SLIP_MM = 55.0


def table_pdf(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """A table under its title, on as many pages as it needs; the widest column takes the room that
    the others leave."""
    texts = [[printable(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(text_width(row[n], LETTER_MM) for row in texts) + 6 for n in range(len(columns))]
    widest = widths.index(max(widths))
    widths[widest] += ROOM_MM - sum(widths)
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
                    left = column == widest
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
