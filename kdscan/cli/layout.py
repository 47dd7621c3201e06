"""`kdscan layout`: what a design of a sheet looks like, as a file."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from kdscan.cli.help import Command, Group
from kdscan.cli.prints import add_commands
from kdscan.cli.speech import note, spoken
from kdscan.errors import NoSheetFound

layout = typer.Typer(cls=Group, no_args_is_help=True)


@layout.callback()
def _layout() -> None:
    """Designs of sheets: learn a pad's print, share it, forget it.

    Examples:

    $ kdscan layout learn blank.jpg -o club.toml

    $ kdscan layout import club.kdprint

    $ kdscan layout list
    """


@layout.command("learn", cls=Command)
def learn(
    photo: Annotated[str, typer.Argument(metavar="BLANK", help="A photo of an unmarked sheet.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The layout file to write.")
    ],
    name: Annotated[
        str, typer.Option(help="How the layout is called; the file's name by default.")
    ] = "",
    cell_mm: Annotated[
        float,
        typer.Option(min=5, max=100, metavar="N", help="Width of a cell on paper, in millimetres."),
    ] = 24.0,
    overlay: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw what was found over the learned cell (PNG)."),
    ] = None,
) -> None:
    """Make a layout file from one photo of an unmarked sheet, taken from straight above.

    Examples:

    $ kdscan layout learn blank.jpg -o club.toml --overlay club.png

    $ kdscan score photo.jpg --layout club.toml

    $ kdscan sheet --layout club.toml -o club.pdf

    Exit codes: 0 done; 2 no shield or circles can be made out, or a file cannot be written;
    3 the photo cannot be read; 4 no sheet was found; 6 the model is missing or corrupt.
    """
    # The heavy half: OpenCV, onnxruntime.
    import cv2

    from kdscan.inference.store import default_models
    from kdscan.outputs import write_file
    from kdscan.sheet.checks import check_layout
    from kdscan.sheet.layout import layout_to_toml
    from kdscan.vision.closer import look_closer
    from kdscan.vision.find import find
    from kdscan.vision.learn import draw_print
    from kdscan.vision.learn import learn as learned
    from kdscan.vision.photo import load_photos
    from kdscan.vision.recognize import cell_print, print_to_text

    picture = next(iter(load_photos(photo)))
    models = default_models()
    sheets = find(picture, models.locate, models.refine)
    if not sheets:
        raise NoSheetFound(
            "{photo}: no map was found; photograph the whole unmarked sheet from straight above",
            photo=photo,
        )
    sheet, _ = look_closer(picture, sheets[0], models.marks)
    plan, found = learned(picture, sheet, name or output.stem, cell_mm)
    plan = replace(plan, cell_png=print_to_text(cell_print(sheet)))
    if overlay is not None:
        _, data = cv2.imencode(".png", draw_print(found))
        write_file(overlay, data.tobytes())
    check_layout(plan)
    write_file(output, layout_to_toml(plan).encode("utf-8"))
    found_text = spoken(sys.stderr).t(
        "cells of {width:g} × {height:g} mm; corners of the shield: {corners}, circles: {circles}, "
        "lines: {lines}",
        width=plan.cell_mm[0],
        height=plan.cell_mm[1],
        corners=len(plan.shield),
        circles=len(plan.circles),
        lines=plan.lines,
    )
    note(f"{output}: {found_text}")


add_commands(layout)
