"""Results as files for other programs: CSV for spreadsheets, JSON Lines for scripts."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from kdscan.files.write import writing_text
from kdscan.locale import ENGLISH, Words
from kdscan.tournament.results import COLUMNS, Result, columns

Rows = Iterable[Result]
Write = Callable[[Rows, TextIO, Words], None]

CELLS_THAT_CALCULATE = ("=", "+", "-", "@", "\t", "\r")
"""First letters for which a spreadsheet takes a text for a formula (OWASP, CSV injection)."""


def write_csv(rows: Rows, out: TextIO, words: Words = ENGLISH) -> None:
    """A row a line, columns as in `docs/batch.md`, RFC 4180 with a line of names.

    words: the language of what is told for people.
    """
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        values = columns(row, words)
        writer.writerow({name: harmless(value) for name, value in values.items()})


def write_json_lines(rows: Rows, out: TextIO, words: Words = ENGLISH) -> None:
    """A JSON object a line: the columns of the CSV, and `data`, the sheet as in `kdscan/1`."""
    for row in rows:
        out.write(json.dumps(columns(row, words) | {"data": row.data}) + "\n")


def harmless(value: object) -> object:
    """A value as a spreadsheet may have it: names come from strangers, none shall be run."""
    if isinstance(value, str) and value.startswith(CELLS_THAT_CALCULATE):
        return "'" + value
    if isinstance(value, bool):
        return str(value).lower()
    return value


def save(path: Path, write: Write, rows: Rows, words: Words = ENGLISH) -> None:
    """Write rows to a file, or to stdout if its name is `-`; raise `UsageError`."""
    if str(path) == "-":
        write(rows, sys.stdout, words)
        return
    with writing_text(path) as out:
        write(rows, out, words)
