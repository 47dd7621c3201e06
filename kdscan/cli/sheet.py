"""`kdscan sheet`: maps and spellbooks to print and play on."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Literal

import pypdfium2
import typer

from kdscan.cli.shared import note, terminal_words, warn
from kdscan.errors import UsageError
from kdscan.files import write_file
from kdscan.paper.book import load_book
from kdscan.paper.layout import Layout, is_read, load_layout
from kdscan.paper.letters import NOT_PRINTED, printable
from kdscan.paper.printing import Card, Side, impose, sheet_pdf
from kdscan.paper.style import NO_TICKET, Language, Paper, PrintStyle, Style, Ticket
from kdscan.paper.tickets import book_tickets_for, each_once, places_in, rounds_of, tickets_for

PNG_DPI = 300
"""Resolution of sheets as pictures, in dots per inch; the usual one of print shops."""


def sheet(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The PDF to write; - for standard output; FILE.png for a picture of each page.",
        ),
    ],
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="A built-in layout or a TOML file; by default kdscan-a5, on Letter "
            "kdscan-half-letter.",
        ),
    ] = None,
    side: Annotated[
        Literal["map", "spellbook", "both", "card"],
        typer.Option(
            help="What to print; both: spellbooks on the backs of the maps, for double-sided "
            "printing, flipped on the long edge; card: to lay beside kingdoms of tiles."
        ),
    ] = "map",
    spellbook: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", help="The spellbook's layout: built-in or a TOML file."),
    ] = None,
    paper: Annotated[
        Paper, typer.Option(help="Paper in the printer; several maps share a page if they fit.")
    ] = "a4",
    language: Annotated[
        Language, typer.Option("--language", "-l", help="Language of the sheet's text.")
    ] = "en",
    style: Annotated[
        Style, typer.Option(help="Plain, on painted parchment, or with as little ink as possible.")
    ] = "plain",
    count: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1000,
            metavar="N",
            help="Number of copies; by default as many as fit on one page.",
        ),
    ] = None,
    per_page: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Most sheets on a page; by default as many as fit.",
        ),
    ] = None,
    players: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Print a sheet for each row, with the player's name and, with --event, a code; "
            "columns: any of name, player, round, table.",
        ),
    ] = None,
    event: Annotated[
        str | None, typer.Option(metavar="NAME", help="The event named in the sheets' codes.")
    ] = None,
    rounds: Annotated[
        str | None,
        typer.Option(
            "--round", metavar="N|A-B", help="The round or rounds, if the CSV does not give them."
        ),
    ] = None,
) -> None:
    """A game needs a map for each player and a spellbook for both.

    Examples:

    $ kdscan sheet -o sheet.pdf

    $ kdscan sheet -o game.pdf --side both

    $ kdscan sheet -o club.pdf --paper letter --count 8

    $ kdscan sheet -o mapa.pdf --language pl

    $ kdscan sheet -o event.pdf --players players.csv --event WAW26 --round 1-5

    $ kdscan sheet -o round1.pdf --side both --players round1.csv --event WAW26

    $ kdscan sheet -o cards.pdf --side card --players round1.csv --event 'Castle cup'

    Exit codes: 0 done; 2 wrong usage, a broken layout, or a file that cannot be written.
    """
    if event is not None and not event.strip():
        raise UsageError("--event: an event needs a name, like --event 'Spring cup'")
    if players is None and (event or rounds):
        raise UsageError("--event and --round need --players, which says whose sheets they are.")
    if players is not None and count is not None:
        raise UsageError("--players prints a sheet for each row; leave --count out.")
    if side == "card" and (players is None or event is None):
        raise UsageError("--side card: cards say whose kingdom it is; add --players and --event.")
    usual = "kdscan-half-letter" if paper == "letter" else "kdscan-a5"
    layout, spellbook = layout or usual, spellbook or f"{usual}-spellbook"
    front: Side
    if side == "card":
        front = Card()
    else:
        front = load_book(spellbook) if side == "spellbook" else load_layout(layout)
    if event is not None and isinstance(front, Layout) and not is_read(front):
        raise UsageError(
            "{path}: codes on these sheets could not be read, because markers, grid and codes lie "
            "elsewhere than on kdscan's own sheets; leave --event out",
            path=layout,
        )
    plan = impose(front, paper, per_page)
    fit = len(plan.places)
    tickets: tuple[Ticket, ...] = (NO_TICKET,) * (fit if count is None else count)
    back_tickets: tuple[Ticket, ...] = ()
    if players is not None:
        places = places_in(players)
        given = (places, event, rounds_of(rounds), language)
        if lacking := {place.name: 0 for place in places if "?" in printable(place.name)}:
            warn(NOT_PRINTED, names=", ".join(lacking))
        tickets, of_tables = tickets_for(*given), book_tickets_for(*given)
        if side == "both":
            back_tickets = of_tables
        elif side == "spellbook":
            tickets = each_once(of_tables)
            if not tickets:
                raise UsageError(
                    "{path}: a spellbook belongs to a table; add the column `table`.", path=players
                )
    behind = load_book(spellbook) if side == "both" else None
    pdf = sheet_pdf(front, plan, tickets, PrintStyle(language, style), behind, back_tickets)
    written, pages = _write(output, pdf), -(-len(tickets) // fit)
    note(f"{written}: {_summary(len(tickets), side, pages, paper)}")


def _write(output: Path, pdf: bytes) -> str:
    """Write a PDF, or each page as a PNG that contains its printing size; returns what was written,
    for people."""
    if output.suffix.lower() != ".png":
        write_file(output, pdf)
        return str(output)
    pages = list(pypdfium2.PdfDocument(pdf))
    names = [output.with_stem(f"{output.stem}-{n + 1}") for n in range(len(pages))]
    names = [output] if len(pages) == 1 else names
    for name, page in zip(names, pages, strict=True):
        png = io.BytesIO()
        page.render(scale=PNG_DPI / 72).to_pil().save(png, "PNG", dpi=(PNG_DPI, PNG_DPI))
        write_file(name, png.getvalue())
    return " … ".join(str(name) for name in dict.fromkeys((names[0], names[-1])))


def _summary(copies: int, side: str, pages: int, paper: str) -> str:
    """The content of the file and how to print it."""
    w = terminal_words(sys.stderr)
    maps = w.tn("{n} map", "{n} maps", copies)
    books = w.tn("{n} spellbook", "{n} spellbooks", copies)
    content = {
        "map": maps,
        "spellbook": books,
        "card": w.tn("{n} card", "{n} cards", copies),
        "both": w.t("{maps}, with {spellbooks} on the backs,", maps=maps, spellbooks=books),
    }[side]
    on = w.tn("on {n} page of {paper}", "on {n} pages of {paper}", pages, paper=paper.capitalize())
    how = w.t("Print at 100 %, not fitted to the page.")
    if side == "both":
        how = w.t("Print at 100 %, not fitted to the page, double-sided, flipped on the long edge.")
    return f"{content} {on}. {how}"
