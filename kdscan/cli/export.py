"""`kdscan export` and `kdscan import`: an event's results, or the whole event, as files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kdscan.cli.options import Csv, Event, JsonLines, Photos, Store, check_apart
from kdscan.cli.terminal import note, terminal_words
from kdscan.errors import UsageError
from kdscan.files.names import escape_control


def export(
    event: Event = None,
    store: Store = None,
    photos: Photos = None,
    csv: Csv = None,
    json_lines: JsonLines = None,
    archive: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the whole event, including photos, for kdscan import."
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Write what people confirmed or corrected, as training data."
        ),
    ] = None,
) -> None:
    """`-` as FILE means standard output.

    Examples:

    $ kdscan export --event 'Spring cup' --csv results.csv

    $ kdscan export --event 'Spring cup' --json-lines - | head -1

    $ kdscan export --event 'Spring cup' --archive spring-cup.kdscan
    """
    if not any((csv, json_lines, archive, labels)):
        raise UsageError("choose what to write: --csv, --json-lines, --archive or --labels")
    check_apart({"--csv": csv, "--json-lines": json_lines, "--archive": archive})
    from kdscan.event.events import find_event
    from kdscan.event.export import save_results
    from kdscan.event.store import open_store

    with open_store(store, photos, make=False) as kept:
        with kept.read() as db:
            this = find_event(db, event)
            save_results(db, this, csv, json_lines, terminal_words())
        if archive is not None:
            from kdscan.event.archive import save_event

            count = save_event(kept, this.name, archive)
            some = terminal_words(sys.stderr).tn("{n} photo", "{n} photos", count)
            note(f"{escape_control(str(archive))}: {escape_control(this.name)}, {some}")
        if labels is not None:
            from kdscan.event.labels import save_labels

            sheets, shields = save_labels(kept, this.name, labels)
            w = terminal_words(sys.stderr)
            some = w.tn("{n} sheet", "{n} sheets", sheets)
            seen = w.t("shields and squares checked by a person: {n}", n=shields)
            note(f"{escape_control(str(labels))}: {some}; {seen}")


def import_event(
    archive: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file written by kdscan export --archive.")
    ],
    store: Store = None,
    photos: Photos = None,
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Name to give the event here.")
    ] = None,
) -> None:
    """Examples:

    $ kdscan import spring-cup.kdscan

    $ kdscan import spring-cup.kdscan --as 'Spring cup 2026' --store club.sqlite
    """
    from kdscan.event.archive import load_event
    from kdscan.event.store import open_store

    with open_store(store, photos) as kept:
        loaded = load_event(kept, archive, name)
    w = terminal_words()
    photo_count = w.tn("{n} photo", "{n} photos", loaded.photos)
    sheet_count = w.tn("{n} sheet", "{n} sheets", loaded.sheets)
    print(f"{escape_control(loaded.name)}: {photo_count}, {sheet_count}")
