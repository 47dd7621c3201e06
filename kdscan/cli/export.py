"""`kdscan export`: an event's results as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kdscan.cli.batch import Event, Photos, Store
from kdscan.errors import UsageError


def export(
    event: Event,
    store: Store = None,
    photos: Photos = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A row a sheet, for spreadsheets.")
    ] = None,
    json_lines: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A JSON object a sheet, with its board.")
    ] = None,
) -> None:
    """Write an event's results: a row a sheet, a row for each photo that failed.

    `-` as FILE is stdout.

    Examples:

    $ kdscan export --event 'Spring cup' --csv results.csv

    $ kdscan export --event 'Spring cup' --json-lines - | head -1
    """
    if csv is None and json_lines is None:
        raise UsageError("say what to write: --csv FILE, --json-lines FILE")
    from kdscan.tournament.export import save, write_csv, write_json_lines
    from kdscan.tournament.results import results
    from kdscan.tournament.store import open_store
    from kdscan.tournament.store.events import find_event

    with open_store(store, photos) as kept, kept.read() as db:
        this = find_event(db, event)
        if csv is not None:
            save(csv, write_csv, results(db, this.id))
        if json_lines is not None:
            save(json_lines, write_json_lines, results(db, this.id))
