"""Results as files for other programs: CSV for spreadsheets, JSON Lines for scripts."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from sqlalchemy import Connection

from kdscan.event.results import COLUMNS, Result, SheetResult, columns, seated
from kdscan.files.write import writing_text
from kdscan.i18n import ENGLISH, Words

Rows = Iterable[Result]

CELLS_THAT_CALCULATE = ("=", "+", "-", "@", "\t", "\r")
"""First characters of texts that a spreadsheet takes for a formula (OWASP, CSV injection)."""


def write_csv(rows: Rows, out: TextIO, words: Words = ENGLISH) -> None:
    """One line per row, columns as in `docs/batch.md`, RFC 4180 with a header.

    words: the language of texts for people.
    """
    write_table((columns(row, words) for row in rows), list(COLUMNS), out)


def write_table(rows: Iterable[Mapping[str, object]], names: Sequence[str], out: TextIO) -> None:
    """One line per row below a header."""
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in rows)


def write_json_lines(rows: Rows, out: TextIO) -> None:
    """One JSON object per line: the columns of the CSV, and `data`, the sheet as in `kdscan/1`."""
    for row in rows:
        data = row.data if isinstance(row, SheetResult) else None
        out.write(json.dumps(columns(row) | {"data": data}) + "\n")


def harmless(value: object) -> object:
    """A value that no spreadsheet executes as a formula, because names come from strangers."""
    if isinstance(value, str) and value.startswith(CELLS_THAT_CALCULATE):
        return "'" + value
    if isinstance(value, bool):
        return str(value).lower()
    return value


def save_results(
    db: Connection,
    event_id: int,
    rows: Rows,
    csv: Path | None,
    json_lines: Path | None,
    words: Words,
) -> None:
    """Write an event's results, `rows`, to the given files; raise `UsageError`."""
    for path, write in ((csv, partial(write_csv, words=words)), (json_lines, write_json_lines)):
        if path is not None:
            with writing_text(path) as out:
                write(seated(db, event_id, rows), out)
