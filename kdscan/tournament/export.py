"""Results as files for other programs: CSV for spreadsheets, JSON Lines for scripts."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from kdscan.errors import StoreError
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
    """Write rows to a file, or to stdout if its name is `-`; raise `StoreError`."""
    if str(path) == "-":
        write(rows, sys.stdout, words)
        return
    with whole_file(path) as out:
        write(rows, out, words)


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A text file that appears under its name when it is complete, and not before."""
    with beside(path) as part, part.open("w", encoding="utf-8", newline="") as out:
        yield out


@contextmanager
def beside(path: Path) -> Iterator[Path]:
    """A place beside a file, which takes its name at the end if all went well, else is gone.

    Raises `StoreError` when it cannot be written.
    """
    part = path.with_name(path.name + ".part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        why = error.strerror or error
        raise StoreError("{path} cannot be written ({why})", path=path, why=why) from error
    finally:
        with suppress(OSError):  # where nothing can be written nothing can be taken away
            part.unlink(missing_ok=True)
