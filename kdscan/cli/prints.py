"""`kdscan layout list`, `show`, `forget`, `export` and `import`: the known prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kdscan.cli.known_prints import damaged, print_json, prints_of, prints_table
from kdscan.cli.options import AsJson, PrintsEvent, PrintsStore, check_apart, same_event
from kdscan.cli.terminal import note, terminal_words
from kdscan.errors import UsageError

if TYPE_CHECKING:
    from kdscan.cli.known_prints import Prints
    from kdscan.event.store.prints import EventPrints
    from kdscan.templates.pool import SheetPool

OnOff = Literal["on", "off"]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the print.")]


def list_(as_json: AsJson = False, event: PrintsEvent = None, store: PrintsStore = None) -> None:
    """List the known prints: sheets learned from, how well known, what a cell shows.

    Example:

    $ kdscan layout list
    """
    with prints_of(event, store) as kept:
        prints = kept.load(damaged)
    if as_json:
        print(json.dumps({"prints": [print_json(one) for one in prints]}))
    elif prints:
        print(prints_table(prints))
    else:
        note(terminal_words(sys.stderr).t("no print is known yet; see: kdscan layout learn --help"))


def show(
    name: Name,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write its picture (PNG)."),
    ] = None,
    as_json: AsJson = False,
    event: PrintsEvent = None,
    store: PrintsStore = None,
) -> None:
    """Show what is known about a print; -o writes its picture.

    Example:

    $ kdscan layout show club -o club.png
    """
    from kdscan.files.write import STDOUT, write_file

    check_apart({"-o": output, "--json": STDOUT if as_json else None})
    with prints_of(event, store) as kept:
        one = kept.get(name)
    if output is not None:
        write_file(output, one.picture_png)
    if as_json:
        print(json.dumps(print_json(one)))
    elif output != STDOUT:
        print(prints_table([one]))


def forget(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Names of prints, or of damaged files.")
    ],
    event: PrintsEvent = None,
    store: PrintsStore = None,
) -> None:
    """Forget prints: their sheets are then read like those of any unknown design.

    Forgetting a print that was learned automatically turns automatic learning off; see: kdscan
    layout auto --help

    Example:

    $ kdscan layout forget club
    """
    from kdscan.templates.names import folded

    with prints_of(event, store) as kept:
        known = {folded(one.name): one for one in kept.load(damaged)}
        kept.forget(*names)
        for name in names:
            one = known.get(folded(name))
            if one is not None and one.by_itself:
                _learner(kept).switch(False)
                text = terminal_words(sys.stderr).t(
                    "{name} had been learned automatically; automatic learning is now off. "
                    "To turn it back on: kdscan layout auto on",
                    name=one.name,
                )
                note(f"{text} {same_event(event, store)}".rstrip())


def auto(
    wish: Annotated[
        OnOff | None, typer.Argument(metavar="[on|off]", help="Omit to show the current setting.")
    ] = None,
    as_json: AsJson = False,
    event: PrintsEvent = None,
    store: PrintsStore = None,
) -> None:
    """Show or set whether pads are learned automatically from the sheets that are scored.

    Flattened copies of sheets from unknown pads are kept, on this machine only: 40 at most, about
    200 kB each. Four of one pad are enough to learn its print, and more improve it; copies no
    longer needed are deleted. off deletes them all and keeps no more. An event needs no copies: it
    has its photos.

    Examples:

    $ kdscan layout auto

    $ kdscan layout auto off

    $ kdscan layout auto off --event 'Spring cup'
    """
    with prints_of(event, store) as kept:
        learner = _learner(kept)
        if wish is not None:
            learner.switch(wish == "on")
        on, (sheets, size) = learner.learns(), learner.size
    if as_json:
        print(json.dumps({"on": on, "sheets": sheets, "bytes": size}))
        return
    t = terminal_words().t
    told = t("on") if on else t("off")
    if sheets:
        told += ", " + t("sheets kept: {n} ({size} MB)", n=sheets, size=f"{size / 1e6:.1f}")
    print(told)


def _learner(kept: Prints) -> SheetPool | EventPrints:
    """What learns prints automatically: this user's sheets, or the event."""
    from kdscan.templates.library import Library
    from kdscan.templates.pool import own_pool

    return own_pool() if isinstance(kept, Library) else kept


def export(
    name: Name,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write (.kdprint).")
    ],
    event: PrintsEvent = None,
    store: PrintsStore = None,
) -> None:
    """Export a print as one file, for a friend or another machine.

    Examples:

    $ kdscan layout export club -o club.kdprint

    $ kdscan score photo.jpg --layout club.kdprint
    """
    from kdscan.files.write import write_file

    with prints_of(event, store) as kept:
        write_file(output, kept.get(name).data)


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Files written by layout export or learn."),
    ],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Name to give it here, if it is only one.")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace existing prints of the same name.")
    ] = False,
    event: PrintsEvent = None,
    store: PrintsStore = None,
) -> None:
    """Import a friend's prints, to read sheets of these pads with them.

    Examples:

    $ kdscan layout import club.kdprint

    $ kdscan layout import theirs.kdprint --name 'Club 2'
    """
    from kdscan.templates.file import load_print, renamed
    from kdscan.templates.names import folded

    if name is not None and len(files) > 1:
        raise UsageError(
            "--name {name}: there are several files; import them one by one", name=name
        )
    new = [load_print(file, thoroughly=True) for file in files]
    if name is not None:
        new = [renamed(new[0], name)]
    with prints_of(event, store) as kept:
        known = {folded(one.name): one for one in kept.load(damaged)}
        for one in new:
            other = known.get(folded(one.name))
            if other is not None and other.data != one.data and not replace:
                raise UsageError(
                    "a print called {name!r} already exists; use --replace, or --name for "
                    "another name",
                    name=one.name,
                )
            known[folded(one.name)] = one
        for one in new:
            kept.save(one)
    print(prints_table(new))


COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_,
    "show": show,
    "forget": forget,
    "auto": auto,
    "export": export,
    "import": import_,
}
"""The commands of `kdscan layout` beside `learn`."""
