"""python -m kdscan.synth FOLDER: synthetic photos with their truth beside them.

python -m kdscan.synth data/photos --count 200                designs that nobody printed yet
python -m kdscan.synth data/maps --count 50 --ground painted           on maps of one kind
python -m kdscan.synth data/own --count 50 --own              our own sheet
python -m kdscan.synth data/flat --own --level flat --mess 0  clean scans of it
python -m kdscan.synth data/tables --table --own --long-side 2688  two maps and a spellbook each

`kdscan.synth.pads` writes many sheets of one print.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal, cast

import numpy as np
import typer

from kdscan.errors import UsageError
from kdscan.sheet.book import BookLayout, load_book
from kdscan.sheet.layout import load_layout
from kdscan.sheet.look import NO_TICKET, STYLES, Look, Style, Ticket
from kdscan.sheet.printing import PLAIN
from kdscan.sheet.raster import render_page
from kdscan.sheet.words import LANGUAGES
from kdscan.synth.fields import U8, Rng, any_of
from kdscan.synth.grounds.families import GROUPS, asked_for
from kdscan.synth.scene import Level, Page, SynthPhoto, make_photo, random_page, save_photo
from kdscan.synth.table import SynthTable, make_table
from kdscan.synth.tool import Dice, LongSide, Mess, Quality, run

LEVELS: tuple[Level, ...] = ("easy", "normal", "hard")


def own_page(
    px_per_cell: float = 150,
    look: Look = PLAIN,
    ticket: Ticket = NO_TICKET,
    name: str = "kdscan-a5",
) -> Page:
    """Our own sheet as it comes out of the printer, of the layout `name`, in any look."""
    layout = load_layout(name)
    px_per_mm = px_per_cell / layout.cell_mm[0]
    return layout, render_page(layout, px_per_mm, look, ticket), px_per_mm


def _own_page(rng: Rng, style: str, code: str) -> Page:
    """Our own sheet; of style `mixed` one at random, in a language at random."""
    look = any_look(rng) if style == "mixed" else Look(style=cast(Style, style))
    return own_page(look=look, ticket=Ticket(code=code))


def any_look(rng: Rng) -> Look:
    """A style and a language at random."""
    style = any_of(rng, STYLES)
    return Look(any_of(rng, LANGUAGES), style)


def own_book(px_per_mm: float = 6.25) -> tuple[BookLayout, U8, float]:
    """Our own spellbook, likewise."""
    layout = load_book("kdscan-a5-spellbook")
    return layout, render_page(layout, px_per_mm), px_per_mm


def main(
    folder: Path,
    count: Annotated[int, typer.Option(help="How many photos.", min=1)] = 12,
    first: Annotated[int, typer.Option(help="Seed of the first one.", min=0)] = 20_000_000,
    level: Annotated[
        Literal["flat", "easy", "normal", "hard", "mixed"],
        typer.Option(help="How hard to read; mixed: at random."),
    ] = "mixed",
    own: Annotated[bool, typer.Option("--own", help="Our own printed sheet.")] = False,
    style: Annotated[
        Literal["plain", "decorated", "saving", "mixed"], typer.Option(help="Of our own sheet.")
    ] = "plain",
    code: Annotated[str, typer.Option(help="Of our own sheet: what its code says.")] = "",
    ground: Annotated[
        str | None,
        typer.Option(
            help=f"Of designs at random: {', '.join(GROUPS)}, or a family; at random too."
        ),
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="Both maps of a game and their spellbook in a photo.")
    ] = False,
    mess: Mess = None,
    dice: Dice = None,
    long_side: LongSide = 2016,
    quality: Quality = 90,
) -> None:
    """Write NUMBER.jpg and NUMBER.json for each seed."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        rng = np.random.default_rng([seed, 3])
        chosen = LEVELS[int(rng.integers(0, 3))] if level == "mixed" else level
        size = (long_side, round(long_side * 0.75))
        page = _own_page(rng, style, code) if own else None
        if ground and not own:
            page = random_page(rng, *asked_for(rng, ground))
        turned = size[::-1] if rng.random() < 0.5 else size
        synth: SynthTable | SynthPhoto
        if table and dice is not None:
            raise UsageError("--dice is for single maps; leave out --table or --dice")
        if table:
            synth = make_table(
                seed, chosen, book_page=own_book(), page=page, size_wh=turned, mess=mess
            )
        else:
            synth = make_photo(seed, chosen, page=page, size_wh=turned, mess=mess, dice=dice)
        truth = {"seed": seed} | synth.truth()
        if code:
            truth["sheet_id"] = code
        path = folder / f"{seed:08d}.jpg"
        save_photo(path, synth.bgr, truth, quality)
        print(path, file=sys.stderr)


if __name__ == "__main__":
    run(lambda: typer.run(main))
