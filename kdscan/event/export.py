"""Results as files for other programs: CSV for spreadsheets, JSON Lines for scripts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from sqlalchemy import Connection

from kdscan.event.results import COLUMNS, Result, SheetResult, columns, seated
from kdscan.files.tables import write_table, writing_table
from kdscan.files.write import writing_text
from kdscan.i18n import ENGLISH, Words

Rows = Iterable[Result]


def write_csv(rows: Rows, out: TextIO, words: Words = ENGLISH) -> None:
    """One line per row, columns as in `docs/batch.md`, RFC 4180 with a header.

    words: the language of texts for people.
    """
    write_table((columns(row, words) for row in rows), list(COLUMNS), out)


def write_json_lines(rows: Rows, out: TextIO) -> None:
    """One JSON object per line: the columns of the CSV, and `data`, the sheet as in `kdscan/1`."""
    for row in rows:
        data = row.data if isinstance(row, SheetResult) else None
        out.write(json.dumps(columns(row) | {"data": data}) + "\n")


def save_results(
    db: Connection,
    event_id: int,
    rows: Rows,
    csv: Path | None,
    json_lines: Path | None,
    words: Words,
) -> None:
    """Write an event's results, `rows`, to the given files; raise `UsageError`."""
    if csv is not None:
        with writing_table(csv) as out:
            write_csv(seated(db, event_id, rows), out, words)
    if json_lines is not None:
        with writing_text(json_lines) as out:
            write_json_lines(seated(db, event_id, rows), out)
