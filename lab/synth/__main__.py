"""python -m lab.synth FOLDER: synthetic photos with their ground truth beside them.

python -m lab.synth data/photos --count 200                random designs
python -m lab.synth data/maps --count 50 --ground painted           on maps of one kind
python -m lab.synth data/own --count 50 --own              our own sheet
python -m lab.synth data/flat --own --level flat --messiness 0  clean scans of it
python -m lab.synth data/tables --table --own --long-side 2688  two maps and a spellbook each

python -m lab.synth data/pad --pad --ground sepia --count 30    a pad: one print, a blank.jpg too
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import typer

from kdscan.errors import UsageError
from kdscan.paper.style import PrintStyle, Ticket
from lab.synth.fields import any_of
from lab.synth.pads import pad_blank, pad_print, pad_sheet
from lab.synth.photo.camera import HAND_HELD
from lab.synth.scene import (
    SynthPhoto,
    any_look,
    make_photo,
    own_book,
    own_page,
    random_page,
    save_photo,
)
from lab.synth.sheets.grounds.draw import GROUPS
from lab.synth.table import SynthTable, make_table
from lab.synth.tool import run


def main(
    folder: Path,
    count: Annotated[int, typer.Option(help="How many photos.", min=1)] = 12,
    first: Annotated[int, typer.Option(help="Seed of the first one.", min=0)] = 20_000_000,
    level: Annotated[
        Literal["flat", "easy", "normal", "hard", "mixed"],
        typer.Option(help="Difficulty; mixed: random."),
    ] = "mixed",
    own: Annotated[bool, typer.Option("--own", help="Use our own printed sheet.")] = False,
    style: Annotated[
        Literal["plain", "decorated", "saving", "mixed"],
        typer.Option(help="Style of our own sheet."),
    ] = "plain",
    code: Annotated[str, typer.Option(help="Text of the code on our own sheet.")] = "",
    ground: Annotated[
        str | None,
        typer.Option(
            help=f"Ground of random designs: {', '.join(GROUPS)}, or a family; random by default."
        ),
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="Photograph both maps of a game with their spellbook.")
    ] = False,
    pad: Annotated[
        bool, typer.Option("--pad", help="All sheets have one print, and one more is blank.")
    ] = False,
    messiness: Annotated[
        float | None, typer.Option(help="0 clean .. 1 messy; random by default.", min=0, max=1)
    ] = None,
    long_side: Annotated[
        int, typer.Option(help="Pixels of the longer side.", min=400, max=8000)
    ] = 2016,
) -> None:
    """Write NUMBER.jpg and NUMBER.json for each seed."""
    if code and not own:
        raise UsageError("--code is printed on our own sheet alone; add --own")
    if ground and own:
        raise UsageError("--ground is for designs at random; leave out --ground or --own")
    if pad and (own or table):
        raise UsageError("--pad has a random design; leave out --pad, or --own and --table")
    printed = pad_print(first, ground) if pad else None
    if printed:
        blank = pad_blank(first, printed, "easy", (long_side, round(long_side * 0.75)))
        save_photo(folder / "blank.jpg", blank.bgr, {"seed": first} | blank.truth())
    for seed in range(first, first + count):
        rng = np.random.default_rng([seed, 3])
        chosen = any_of(rng, HAND_HELD) if level == "mixed" else level
        size = (long_side, round(long_side * 0.75))
        page = random_page(rng, ground) if ground and not printed else None
        if own:
            look = any_look(rng) if style == "mixed" else PrintStyle(style=style)
            page = own_page(look=look, ticket=Ticket(code=code))
        turned = size[::-1] if rng.random() < 0.5 else size
        synth: SynthTable | SynthPhoto
        if printed:
            number = seed - first + 1
            synth = pad_sheet(first, number, printed, chosen, size, messiness)
        elif table:
            synth = make_table(
                seed, chosen, book_page=own_book(), page=page, size_wh=turned, messiness=messiness
            )
        else:
            synth = make_photo(seed, chosen, page=page, size_wh=turned, messiness=messiness)
        truth = {"seed": seed} | synth.truth()
        if code:
            truth["sheet_id"] = code
        path = folder / f"{seed:08d}.jpg"
        save_photo(path, synth.bgr, truth)
        print(path, file=sys.stderr)


if __name__ == "__main__":
    run(lambda: typer.run(main))
