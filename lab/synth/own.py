"""Our own sheet and spellbook as they come out of the printer."""

from __future__ import annotations

from kdscan.paper.book import BookLayout, load_book
from kdscan.paper.layout import load_layout
from kdscan.paper.look import NO_TICKET, STYLES, Look, Ticket
from kdscan.paper.printing import PLAIN
from kdscan.paper.raster import render_page
from kdscan.paper.words import LANGUAGES
from lab.synth.fields import U8, Rng, any_of
from lab.synth.scene import Page


def own_page(
    px_per_cell: float = 150,
    look: Look = PLAIN,
    ticket: Ticket = NO_TICKET,
    name: str = "kdscan-a5",
) -> Page:
    """Our own sheet as it comes out of the printer: layout `name`, in any style and language."""
    layout = load_layout(name)
    px_per_mm = px_per_cell / layout.cell_mm[0]
    return layout, render_page(layout, px_per_mm, look, ticket), px_per_mm


def own_book(px_per_mm: float = 6.25) -> tuple[BookLayout, U8, float]:
    """Our own spellbook, as `own_page`."""
    layout = load_book("kdscan-a5-spellbook")
    return layout, render_page(layout, px_per_mm), px_per_mm


def any_look(rng: Rng) -> Look:
    """A style and a language at random."""
    style = any_of(rng, STYLES)
    return Look(any_of(rng, LANGUAGES), style)
