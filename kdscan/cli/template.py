"""`kdscan template`: what is printed on the sheets of a pad, learned once for all of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from kdscan.cli.corrections import agrees
from kdscan.cli.known_templates import damaged
from kdscan.cli.shared import (
    AsJson,
    TemplatesEvent,
    TemplatesStore,
    aligned,
    check_apart,
    error_message,
    note,
    terminal_words,
)
from kdscan.errors import PhotoError, UsageError
from kdscan.event.events import find_row
from kdscan.event.prints import EventPrints
from kdscan.event.store import open_store
from kdscan.files import STDOUT, write_file
from kdscan.i18n import mark
from kdscan.imaging.formats import DRAWN, png
from kdscan.imaging.photo import load_photos
from kdscan.imaging.picture import Floats, Photo
from kdscan.paper.layout import layout_to_toml
from kdscan.templates.drawing import draw_template
from kdscan.templates.learn import learn_template
from kdscan.templates.library import (
    Library,
    StoredTemplate,
    load_template,
    own_library,
    renamed,
    to_stored,
)
from kdscan.templates.template import SUFFIX, folded, same_name
from kdscan.templates.to_layout import to_layout

template = typer.Typer()

TOML = ".toml"
"""Suffix of a layout file, which describes how a sheet is printed, in millimetres."""

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the template.")]


@template.callback()
def _template() -> None:
    """Manage templates, the blank designs of pads: learn one, share it, forget it.

    Examples:

    $ kdscan template learn blank.jpg --name club

    $ kdscan template import club.kdprint

    $ kdscan template list
    """


@template.command("learn")
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
            help="Write a template (.kdprint) or a layout (.toml) to a file instead of keeping it.",
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the pad; optional with -o.")
    ] = "",
    cell_mm: Annotated[
        float,
        typer.Option(
            min=5,
            max=100,
            metavar="N",
            help="With -o FILE.toml: the width of a cell on paper, in millimetres.",
        ),
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
    event: TemplatesEvent = None,
    store: TemplatesStore = None,
) -> None:
    """Learn a pad's template from a photo of an unmarked sheet, or from four filled ones.

    From then on, sheets of this pad are recognised, and only what is drawn on them is read. Take
    the photos from straight above, with the whole sheet in view, sharp and evenly lit.

    Examples:

    $ kdscan template learn blank.jpg --name club

    $ kdscan template learn game*.jpg --name club --overlay club.png

    $ kdscan template learn blank.jpg --name club --event 'Spring cup'

    $ kdscan template learn blank.jpg --name club --corners '212,180 1790,196 1776,1322 205,1301'

    $ kdscan template learn blank.jpg -o club.toml

    Exit codes: 0 done; 2 the photos are not suitable, or a file cannot be written; 3 a photo cannot
    be read; 4 no sheet was found; 6 the model is missing or corrupt.
    """
    if output and output.suffix.lower() not in (TOML, SUFFIX):
        raise UsageError("-o {path}: the file name must end in .kdprint or .toml", path=output)
    check_apart({"-o": output, "--overlay": overlay})
    name = name or (output.stem if output else "")
    if not name:
        raise UsageError("name the pad, like --name club")
    w = terminal_words(sys.stderr)
    again = mark(
        "if writing on the sheet is mirrored in the photo, learn it again from one that is not"
    )
    attended = sys.stdin.isatty()
    if attended and agrees(w.t("Is writing on the sheet mirrored in the photo?")):
        raise UsageError(again)
    pictures = [picture for photo in photos for picture in _pictures(photo)]
    learned = to_stored(
        learn_template(
            pictures,
            name,
            unmarked=unmarked,
            corners_xy=_points(corners),
            warn=lambda error: note(f"kdscan: {error_message(error)}"),
        )
    )
    if overlay:
        write_file(overlay, png(draw_template(learned)) + DRAWN)
    if output:
        data = learned.data
        if output.suffix.lower() == TOML:
            data = layout_to_toml(to_layout(learned, cell_mm)).encode()
        write_file(output, data)
    if output is None or event is not None or store is not None:
        with templates_of(event, store) as templates:
            templates.save(learned)
    note(templates_table([learned]))
    if not attended:
        note(again)


def _pictures(path: str) -> Iterator[Photo]:
    """The pictures of a file; raises PhotoError that names the file, because there may be
    several."""
    try:
        yield from load_photos(path)
    except PhotoError as error:
        raise type(error)(mark("{where}: {error}"), where=path, error=error) from error


def _points(text: str | None) -> Floats | None:
    """Four points of a photo, (4, 2); raises UsageError for anything else."""
    if text is None:
        return None
    try:
        points = np.array([[float(v) for v in point.split(",")] for point in text.split()])
    except ValueError:
        points = np.zeros(0)
    if points.shape != (4, 2):
        raise UsageError(
            "--corners {text}: give four points like '212,180 1790,196 1776,1322 205,1301'",
            text=text,
        )
    return points


@template.command("list")
def list_(
    as_json: AsJson = False, event: TemplatesEvent = None, store: TemplatesStore = None
) -> None:
    """List the known templates: sheets learned from, how well known, what a cell shows.

    Example:

    $ kdscan template list
    """
    with templates_of(event, store) as library:
        templates = library.load(damaged)
    if as_json:
        print(json.dumps({"templates": [*map(template_json, templates)]}))
    elif templates:
        print(templates_table(templates))
    else:
        note("no template is known yet; see: kdscan template learn --help")


@template.command("show")
def show(
    name: Name,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write its picture (PNG).")
    ] = None,
    as_json: AsJson = False,
    event: TemplatesEvent = None,
    store: TemplatesStore = None,
) -> None:
    """Show what is known about a template; -o writes its picture.

    Example:

    $ kdscan template show club -o club.png
    """
    check_apart({"-o": output, "--json": STDOUT if as_json else None})
    with templates_of(event, store) as library:
        wanted = library.get(name)
    if output is not None:
        write_file(output, wanted.picture_png)
    if as_json:
        print(json.dumps(template_json(wanted)))
    elif output != STDOUT:
        print(templates_table([wanted]))


@template.command("forget")
def forget(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Names of templates, or of damaged files."),
    ],
    event: TemplatesEvent = None,
    store: TemplatesStore = None,
) -> None:
    """Forget templates: their sheets are then read like those of any unknown design.

    If an event forgets one that it learned by itself, it learns no more by itself.

    Example:

    $ kdscan template forget club
    """
    with templates_of(event, store) as library:
        automatic = [
            template.name
            for template in library.load(damaged)
            if template.by_itself and any(same_name(template.name, name) for name in names)
        ]
        library.forget(*names)
        if automatic and not isinstance(library, Library):
            library.switch(False)
            note(
                "{name} had been learned automatically; automatic learning is now off. "
                "The desk of the event's page can turn it on again.",
                name=", ".join(automatic),
            )


@template.command("export")
def export(
    name: Name,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write (.kdprint).")
    ],
    event: TemplatesEvent = None,
    store: TemplatesStore = None,
) -> None:
    """Export a template as one file, for a friend or another machine.

    Examples:

    $ kdscan template export club -o club.kdprint

    $ kdscan score photo.jpg --template club.kdprint
    """
    with templates_of(event, store) as library:
        write_file(output, library.get(name).data)


@template.command("import")
def import_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files written by template export or learn."),
    ],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name to give it here, if it is only one.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace existing templates of the same name.")
    ] = False,
    event: TemplatesEvent = None,
    store: TemplatesStore = None,
) -> None:
    """Import a friend's templates, to read sheets of these pads with them.

    Examples:

    $ kdscan template import club.kdprint

    $ kdscan template import theirs.kdprint --name 'Club 2'
    """
    if name is not None and len(files) > 1:
        raise UsageError(
            "--name {name}: there are several files; import them one by one", name=name
        )
    new = [load_template(file, thoroughly=True) for file in files]
    if name is not None:
        new = [renamed(new[0], name)]
    with templates_of(event, store) as library:
        existing = {folded(template.name): template.data for template in library.load(damaged)}
        for template in new:
            if existing.get(folded(template.name), template.data) != template.data and not replace:
                raise UsageError(
                    "a template called {name!r} already exists; use --replace, or --name for "
                    "another name",
                    name=template.name,
                )
            existing[folded(template.name)] = template.data
        for template in new:
            library.save(template)
    print(templates_table(new))


@contextmanager
def templates_of(event: str | None, store: str | None) -> Iterator[Library | EventPrints]:
    """This user's templates, or those of an event if it or a store is given."""
    if event is None and store is None:
        yield own_library()
        return
    with open_store(store, make=False) as opened:
        with opened.read() as db:
            this = find_row(db, event)
        yield EventPrints(opened, this.id)


def template_json(template: StoredTemplate) -> dict[str, Any]:
    """A template without its pictures.

    known: 0..1, how well its places are known on average. aspect: height of a cell over its width.
    """
    return {
        "name": template.name,
        "sheets": template.sheets,
        "by_itself": template.by_itself,
        "known": round(float(template.coverage.mean()), 3),
        "learned": template.head.learned,
        "circles": len(template.cell.circles),
        "shield_corners": len(template.cell.shield),
        "lines": template.lines,
        "aspect": round(template.aspect, 4),
    }


def templates_table(templates: Sequence[StoredTemplate]) -> str:
    """One line per template: sheets learned from, how well known, circles, date."""
    t = terminal_words().t
    rows = [["", t("sheets"), t("known"), t("circles"), t("learned on")]]
    for template in templates:
        known, circles = f"{template.coverage.mean():.0%}", str(len(template.cell.circles))
        rows.append([template.name, str(template.sheets), known, circles, template.head.learned])
    return "\n".join(aligned(rows, left=(0,)))
