"""`kdscan export`, `import`, `report`, `forget`: an event as files, and its end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kdscan.cli.shared import (
    Csv,
    Event,
    JsonLines,
    Photos,
    Store,
    check_apart,
    error_message,
    note,
    terminal_words,
    warn,
)
from kdscan.errors import UsageError
from kdscan.event.archive import back_up_store, load_event, save_event
from kdscan.event.events import find_event, forget_event
from kdscan.event.export import rows_with_sheets, save_labels, save_results
from kdscan.event.report.page import Album, write_report
from kdscan.event.standings import contents
from kdscan.event.store import open_store
from kdscan.files import STDOUT, escape_control, writing_text
from kdscan.i18n import terminal_language, words
from kdscan.paper.style import Language


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
    backup: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the whole store, with all events and photos."),
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

    $ kdscan export --backup club.zip
    """
    of_event = csv, json_lines, archive, labels
    if not any((*of_event, backup)):
        raise UsageError("choose what to write: --csv, --json-lines, --archive, --backup, --labels")
    outputs = {"--csv": csv, "--json-lines": json_lines, "--archive": archive, "--backup": backup}
    check_apart(outputs)

    with open_store(store, photos, make=False) as opened:
        if backup is not None:
            back_up_store(opened, backup)
            if not any(of_event):
                return
        with opened.read() as db:
            this = find_event(db, event)
            save_results(db, this, csv, json_lines, terminal_words())
        if archive is not None:
            count = save_event(opened, this.name, archive)
            photo_count = terminal_words(sys.stderr).tn("{n} photo", "{n} photos", count)
            note(f"{escape_control(str(archive))}: {escape_control(this.name)}, {photo_count}")
        if labels is not None:
            sheets, shields = save_labels(opened, this.name, labels)
            w = terminal_words(sys.stderr)
            sheet_count = w.tn("{n} sheet", "{n} sheets", sheets)
            checked = w.t("shields and squares checked by a person: {n}", n=shields)
            note(f"{escape_control(str(labels))}: {sheet_count}; {checked}")


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
    with open_store(store, photos) as opened:
        loaded = load_event(opened, archive, name)
    w = terminal_words()
    photo_count = w.tn("{n} photo", "{n} photos", loaded.photos)
    sheet_count = w.tn("{n} sheet", "{n} sheets", loaded.sheets)
    print(f"{escape_control(loaded.name)}: {photo_count}, {sheet_count}")
    if loaded.differ:
        warn(
            "sheets whose values in the archive are not those that were read of them: {n} "
            "({names})",
            n=len(loaded.differ),
            names=", ".join(loaded.differ[:10]),
        )


def report(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write.")
    ],
    event: Event = None,
    store: Store = None,
    photos: Photos = None,
    language: Annotated[
        Language | None,
        typer.Option("--language", "-l", help="Language of the report; yours by default."),
    ] = None,
) -> None:
    """Standings, games, plots, and every sheet as read, in a file that is self-contained: it can be
    sent, printed, or opened in ten years. It takes about 200 KB per sheet.

    Examples:

    $ kdscan report --event 'Spring cup' -o report.html

    $ kdscan report --event 'Puchar wiosny' -o raport.html --language pl
    """
    w = words(language or terminal_language())
    with open_store(store, photos, make=False) as opened, opened.read() as db:
        this = find_event(db, event)
        rows, album = rows_with_sheets(db, this), Album(opened, w)
        with writing_text(output) as out:
            for piece in write_report(this, rows, album, w):
                out.write(piece)
    for error in album.lost[:1]:
        note(f"kdscan: {error_message(error)}")
    if album.lost[1:]:
        warn("… and {n} more", n=len(album.lost) - 1)
    if output != STDOUT:
        note(f"{escape_control(str(output))}: {output.stat().st_size / 1e6:.1f} MB")


def forget(
    event: Annotated[str, typer.Option(metavar="NAME", help="The event to delete.")],
    store: Store = None,
    photos: Photos = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", help="Delete it; without this, only show what would be deleted."),
    ] = False,
) -> None:
    """Photos that another event also has are kept. To keep a copy, run `kdscan export --archive`
    first.

    Examples:

    $ kdscan forget --event 'Spring cup'

    $ kdscan forget --event 'Spring cup' --yes
    """
    w = terminal_words()
    with open_store(store, photos, make=False) as opened:
        with opened.read() as db:
            this = find_event(db, event)
        held = contents(w, this)
        if not yes:
            raise UsageError(
                "{event}: {some} would be deleted for good; add --yes to do it",
                event=this.name,
                some=held,
            )
        forget_event(opened, this.id)
        print(w.t("{event}: deleted: {some}", event=this.name, some=held))
