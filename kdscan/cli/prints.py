"""`kdscan layout list`, `show`, `forget`, `export` and `import`: the prints that are known."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kdscan.cli.help import Command
from kdscan.cli.options import AsJson
from kdscan.cli.speech import note, said, spoken
from kdscan.errors import KdscanError, UsageError

if TYPE_CHECKING:
    from kdscan.prints.file import FiledPrint

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the print is called.")]


def add_commands(layout: typer.Typer) -> None:
    """Put these commands beside `layout learn`."""
    for name, command in _COMMANDS.items():
        layout.command(name, cls=Command)(command)


def list_(as_json: AsJson = False) -> None:
    """List the prints that are known: sheets learned from, how well known, what a cell shows.

    Example:

    $ kdscan layout list
    """
    from kdscan.prints.library import own_library

    prints = own_library().load(damaged)
    if as_json:
        print(json.dumps({"prints": [print_json(one) for one in prints]}))
    elif prints:
        print(_table(prints))
    else:
        note(spoken(sys.stderr).t("no print is known yet; see: kdscan layout learn --help"))


def show(
    name: Name,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write its picture (PNG)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is known of a print; with -o its picture.

    Example:

    $ kdscan layout show club -o club.png
    """
    from kdscan.outputs import write_file
    from kdscan.prints.library import own_library

    one = own_library().get(name)
    if output is not None:
        write_file(output, one.picture_png)
    if as_json:
        print(json.dumps(print_json(one)))
    elif output is None or str(output) != "-":
        print(_table([one]))


def forget(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME", help="Names of prints, or of damaged files.")
    ],
) -> None:
    """Forget prints: sheets of theirs are read as those of any unknown design.

    Example:

    $ kdscan layout forget club
    """
    from kdscan.prints.library import own_library

    library = own_library()
    for name in names:
        library.forget(name)


def export(
    name: Name,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write (.kdprint).")
    ],
) -> None:
    """Write a print as one file, for a friend or another machine.

    Examples:

    $ kdscan layout export club -o club.kdprint

    $ kdscan score photo.jpg --layout club.kdprint
    """
    from kdscan.outputs import write_file
    from kdscan.prints.library import own_library

    write_file(output, own_library().get(name).data)


def import_(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="What layout export or learn wrote.")
    ],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What to call it here, when it is one.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace other prints of these names.")
    ] = False,
) -> None:
    """Know a friend's prints: sheets of these pads are then read by them.

    Examples:

    $ kdscan layout import club.kdprint

    $ kdscan layout import theirs.kdprint --name 'Club 2'
    """
    from kdscan.prints.file import load_print, renamed
    from kdscan.prints.library import own_library
    from kdscan.prints.names import folded

    if name is not None and len(files) > 1:
        raise UsageError("--name {name}: there are several files; import them one by one",
                         name=name)  # fmt: skip
    new = [load_print(file, thoroughly=True) for file in files]
    if name is not None:
        new = [renamed(new[0], name)]
    library = own_library()
    known = {folded(one.name): one for one in library.load(damaged)}
    for one in new:
        other = known.get(folded(one.name))
        if other is not None and other.data != one.data and not replace:
            raise UsageError(
                "another print is called {name!r}; say --replace, or --name for another name",
                name=one.name,
            )
        known[folded(one.name)] = one
    for one in new:
        library.save(one)
    print(_table(new))


def damaged(error: KdscanError) -> None:
    """Say that a file is skipped."""
    w = spoken(sys.stderr)
    note(w.t("{what} (skipped)", what=said(error)))


def print_json(one: FiledPrint) -> dict[str, Any]:
    """A print without its pictures.

    known: 0..1, how well its places are known on average. aspect: height of a cell over its width.
    """
    return {
        "name": one.name,
        "sheets": one.sheets,
        "known": round(float(one.known.mean()), 3),
        "learned": one.head.learned,
        "circles": len(one.cell.circles),
        "shield_corners": len(one.cell.shield),
        "lines": one.lines,
        "aspect": round(one.aspect, 4),
    }


def _table(prints: Sequence[FiledPrint]) -> str:
    t = spoken().t
    heads = [t("sheets"), t("known"), t("circles"), t("learned on")]
    rows = [
        [str(one.sheets), f"{one.known.mean():.0%}", str(len(one.cell.circles)), one.head.learned]
        for one in prints
    ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    wide = max(len(one.name) for one in prints)
    lines = []
    for name, values in zip(["", *(one.name for one in prints)], [heads, *rows], strict=True):
        cells = "  ".join(f"{v:>{n}}" for v, n in zip(values, widths, strict=True))
        lines.append(f"{name:<{wide}}  {cells}")
    return "\n".join(lines)


_COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_,
    "show": show,
    "forget": forget,
    "export": export,
    "import": import_,
}
