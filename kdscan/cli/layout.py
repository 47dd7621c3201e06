"""`kdscan layout`: the design of a sheet as a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kdscan.cli.known_prints import prints_of, prints_table
from kdscan.cli.options import PrintsEvent, PrintsStore, check_apart
from kdscan.cli.prints import COMMANDS
from kdscan.cli.terminal import note
from kdscan.errors import PhotoError, UsageError
from kdscan.i18n import mark

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kdscan.imaging.picture import Photo

layout = typer.Typer()

TOML = ".toml"
"""Suffix of a layout file, which describes how a sheet is printed, in millimetres."""


@layout.callback()
def _layout() -> None:
    """Manage sheet designs: learn a pad's print, share it, forget it.

    Examples:

    $ kdscan layout learn blank.jpg --name club

    $ kdscan layout import club.kdprint

    $ kdscan layout list
    """


@layout.command("learn")
def learn(
    photos: Annotated[
        list[str],
        typer.Argument(
            metavar="PHOTO...", help="Photos of unmarked sheets, or of four filled ones."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write a print (.kdprint) or a layout (.toml) to a file instead of keeping it.",
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the pad; optional with -o.")
    ] = "",
    cell_mm: Annotated[
        float,
        typer.Option(min=5, max=100, metavar="N", help="Layouts: width of a cell, in millimetres."),
    ] = 24.0,
    overlay: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw what was found, and how certain it is (PNG)."),
    ] = None,
    unmarked: Annotated[
        bool, typer.Option("--unmarked", help="Assert that nobody has drawn on these sheets.")
    ] = False,
    corners: Annotated[
        str | None,
        typer.Option(
            metavar="'X,Y X,Y X,Y X,Y'",
            help="Give the grid's corners in the first photo, in pixels, clockwise from the "
            "upper left, if they are not found correctly.",
        ),
    ] = None,
    event: PrintsEvent = None,
    store: PrintsStore = None,
) -> None:
    """Learn a pad's print from a photo of an unmarked sheet, or from four filled ones.

    From then on, sheets of this pad are recognised, and only what is drawn on them is read. Take
    the photos from straight above, with the whole sheet in view, sharp and evenly lit.

    Examples:

    $ kdscan layout learn blank.jpg --name club

    $ kdscan layout learn game*.jpg --name club --overlay club.png

    $ kdscan layout learn blank.jpg --name club --event 'Spring cup'

    $ kdscan layout learn blank.jpg --name club --corners '212,180 1790,196 1776,1322 205,1301'

    $ kdscan layout learn blank.jpg -o club.toml

    Exit codes: 0 done; 2 the photos are not suitable, or a file cannot be written; 3 a photo cannot
    be read; 4 no sheet was found; 6 the model is missing or corrupt.
    """
    from kdscan.templates.names import SUFFIX

    if output is not None and output.suffix.lower() not in (TOML, SUFFIX):
        raise UsageError("-o {path}: the file name must end in .kdprint or .toml", path=output)
    check_apart({"-o": output, "--overlay": overlay})
    called = name or (output.stem if output is not None else "")
    if not called:
        raise UsageError("name the pad, like --name club")
    # The heavy half: OpenCV, onnxruntime.
    from kdscan.files.write import write_file
    from kdscan.imaging.formats import png
    from kdscan.paper.toml import layout_to_toml
    from kdscan.templates.drawing import draw_print
    from kdscan.templates.file import to_filed
    from kdscan.templates.learn import learn_print
    from kdscan.templates.to_layout import to_layout

    pictures = [picture for photo in photos for picture in _pictures(photo)]
    corners_xy = _points(corners)
    known = to_filed(learn_print(pictures, called, unmarked=unmarked, corners_xy=corners_xy))
    if overlay is not None:
        write_file(overlay, png(draw_print(known)))
    if output is not None:
        plan = output.suffix.lower() == TOML
        write_file(
            output, layout_to_toml(to_layout(known, cell_mm)).encode() if plan else known.data
        )
    if output is None or event is not None or store is not None:
        with prints_of(event, store) as prints:
            prints.save(known)
    note(prints_table([known]))


def _pictures(path: str) -> Iterator[Photo]:
    """The pictures of a file; raises PhotoError that names the file, because there may be
    several."""
    from kdscan.imaging.photo import load_photos

    try:
        yield from load_photos(path)
    except PhotoError as error:
        raise type(error)(mark("{where}: {error}"), where=path, error=error) from error


def _points(text: str | None) -> NDArray[np.float64] | None:
    """Four points of a photo, (4, 2); raises UsageError for anything else."""
    import numpy as np

    if text is None:
        return None
    try:
        found = np.array([[float(v) for v in point.split(",")] for point in text.split()])
    except ValueError:
        found = np.zeros(0)
    if found.shape != (4, 2):
        raise UsageError(
            "--corners {text}: give four points like '212,180 1790,196 1776,1322 205,1301'",
            text=text,
        )
    return found


for called, command in COMMANDS.items():
    layout.command(called)(command)
