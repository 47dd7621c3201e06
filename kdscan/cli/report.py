"""`kdscan report`: an event as one HTML file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kdscan.cli.options import Event, Photos, Store
from kdscan.cli.terminal import error_message, note, terminal_words
from kdscan.files.names import escape_control
from kdscan.i18n import terminal_language, words
from kdscan.paper.text import Language


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
    # The heavy half: SQLAlchemy, OpenCV.
    from kdscan.event.events import find_event
    from kdscan.event.export import rows_with_sheets
    from kdscan.event.report.page import write_report
    from kdscan.event.report.pictures import Album
    from kdscan.event.store import open_store
    from kdscan.files.write import STDOUT, writing_text

    w = words(language or terminal_language())
    with open_store(store, photos, make=False) as kept, kept.read() as db:
        this = find_event(db, event)
        rows, album = rows_with_sheets(db, this), Album(kept, w)
        with writing_text(output) as out:
            for piece in write_report(this, rows, album, w):
                out.write(piece)
    for error in album.lost[:1]:
        note(f"kdscan: {error_message(error)}")
    if album.lost[1:]:
        note("kdscan: " + terminal_words(sys.stderr).t("… and {n} more", n=len(album.lost) - 1))
    if output != STDOUT:
        note(f"{escape_control(str(output))}: {output.stat().st_size / 1e6:.1f} MB")
