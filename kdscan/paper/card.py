"""A card with a code, to lay beside a kingdom to say whose it is, because tiles bear no code.

Eight cards fit on A4, six on Letter. The code is as large as a tile, so that it can be
read in any photo in which the tiles can.
"""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.paper.fonts import ITALIC
from kdscan.paper.parts import Code
from kdscan.paper.pen import Pen, fitted
from kdscan.paper.style import Ticket
from kdscan.paper.symbols import draw_code


@dataclass(frozen=True)
class Card:
    """One card, 105 × 74 mm."""

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
