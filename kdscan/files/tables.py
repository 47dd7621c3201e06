"""Tables as spreadsheets save and open them: CSV with a line of column names on top.

Read are commas, semicolons, tabs, or what an Excel line `sep=;` says; UTF-8 and UTF-16. A file in
one of the older code pages of Windows is refused, with the row: nothing in it says which of them it
is, and the wrong one turns Müller into Mьller.
"""

from __future__ import annotations

import csv
import errno
import io
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TextIO

from kdscan.errors import UsageError
from kdscan.files import STDOUT, read_error, writing_text

Row = tuple[int, dict[str, str]]
"""The number of a row's line in its file, and its cells by column."""

MAX_BYTES = 16_000_000
MAX_ROWS = 20_000
"""More than any event has: larger files are mistakes."""

SEPARATORS = ",;\t"

BYTE_ORDER_MARK = "\ufeff"

CELLS_THAT_CALCULATE = ("=", "+", "-", "@", "\t", "\r")
"""First characters of texts that a spreadsheet takes for a formula (OWASP, CSV injection)."""

_GUARD = re.compile(r"^'(?=[=+@-])")
"""What `harmless` puts before them."""

_SEPARATOR = re.compile(r'"?sep=(.)"?[,;\t]*', re.IGNORECASE)
"""Excel's first line that names the separator."""

_PROGRAMS = {
    b"\xd0\xcf\x11\xe0": "Excel",
    b"PK\x03\x04": "Excel/Numbers/LibreOffice",
    b"%PDF": "PDF",
}
"""First bytes of files that programs write in formats of their own."""


HEADINGS = {
    word: column
    for column, words in {
        "name": "name,spieler,spieler(in),nom,joueur,nombre,jugador,gracz,imię i nazwisko,"
        "имя,игрок,ім'я,гравець",
        "first": "first,first name,given name,vorname,prénom,imię",
        "last": "last,last name,surname,family name,nachname,nom de famille,apellido,apellidos,"
        "nazwisko,фамилия,прізвище",
        "rating": "rating,elo,dwz,ranking",
        "player": "player",
    }.items()
    for word in words.split(",")
}
"""What columns of lists are called → what they hold; player: the word for codes, or the name where
there is no other."""


def read_table(path: Path, columns: Collection[str]) -> list[Row]:
    """The rows of a CSV file, columns in lower case; see `parse_table`."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    except (OSError, ValueError) as error:
        raise UsageError("{where}: {error}", where=path, error=read_error(error)) from error
    return parse_table(data, str(path), columns)


def parse_table(data: bytes, path: str, columns: Collection[str]) -> list[Row]:
    """The rows of a table that are not empty, columns in lower case.

    path: for errors. columns: at least one of these must be there, and none of them twice. Raises
    `UsageError` with the row for what is no such table.
    """
    lines = io.StringIO(text_of(data, path), newline=None)
    first, number = "\n", 0
    while first and not first.strip():
        first, number = lines.readline(), number + 1
    if declared := _SEPARATOR.fullmatch(first.rstrip("\n")):
        delimiter, first, number = declared[1], lines.readline(), number + 1
    else:
        delimiter = max(
            SEPARATORS,
            key=lambda sign: (
                any(name.strip(' "\n').lower() in columns for name in first.split(sign)),
                first.count(sign),
            ),
        )
    mixed = [sign for sign in SEPARATORS if sign in first and sign != delimiter]
    reader = csv.DictReader(
        chain([first], lines), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    above = number - 1  # lines that the reader does not see
    rows = []
    try:
        names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
        if not set(columns) & set(names):
            raise UsageError(
                "{path}: the first line must name the columns, such as {known}; it says {first!r}.",
                path=path,
                known=", ".join([*columns][:4]),
                first=first.strip()[:80],
            )
        for name in columns:
            if names.count(name) > 1:
                raise UsageError(
                    "{path}: two columns are called {twice!r}; rename one of them.",
                    path=path,
                    twice=name,
                )
        reader.fieldnames = names
        for row in reader:
            number = above + reader.line_num
            if any(cell.strip() for cell in row.pop(None, ())):  # a name was split in two
                raise UsageError(
                    "{path}, row {number}: there are more cells than columns; put a name with a "
                    'comma in quotes, like "Doe, John"',
                    path=path,
                    number=number,
                )
            cells = {name: _GUARD.sub("", (cell or "").strip()) for name, cell in row.items()}
            for name in (cells.get(column, "") for column in columns):
                if any(sign in name for sign in mixed):
                    raise UsageError(
                        "{path}, row {number}: {name!r} may be two cells, because the first line "
                        "has both {signs}; use one of them there",
                        path=path,
                        number=number,
                        name=name,
                        signs=" and ".join(map(repr, (delimiter, *mixed))),
                    )
            if any(cells.values()):
                rows.append((number, cells))
    except csv.Error as error:  # a field longer than any name, or an unclosed quote
        raise UsageError(
            "{path}, row {number}: this is not a valid line of CSV ({error})",
            path=path,
            number=above + reader.line_num + 1,  # the last good row's, and one
            error=error,
        ) from error
    if not rows:
        raise UsageError("{path}: there are no players below the first line.", path=path)
    if len(rows) > MAX_ROWS:
        raise UsageError(
            "{path}: {n} rows are too many; the most is {most}",
            path=path,
            n=len(rows),
            most=MAX_ROWS,
        )
    return rows


def player_cells(row: Mapping[str, str]) -> dict[str, str]:
    """What a row's cells hold, by `HEADINGS`. Its name is whole: beside a column for the first or
    the last name, the column name holds the other one."""
    cells = {HEADINGS[head]: cell for head, cell in row.items() if cell and head in HEADINGS}
    parts = [cells[part] for part in ("first", "name", "last") if part in cells]
    if len(parts) < 3:
        cells["name"] = " ".join(parts) or cells.get("player", "")
    return cells


def text_of(data: bytes, path: str, legacy: str = "") -> str:
    """The text of a file, without a byte order mark; raises `UsageError`. legacy: the code page of
    what is not UTF-8, where somebody looks at the names before they count."""
    if program := next((p for start, p in _PROGRAMS.items() if data.startswith(start)), None):
        raise UsageError(
            "{path}: this is a file of {program}, not CSV; open it there and save it as CSV UTF-8",
            path=path,
            program=program,
        )
    try:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data.decode("utf-16")
        if b"\0" in data[:4]:  # UTF-16 without the mark: the first letter is a plain one
            return data.decode("utf-16-be" if data[0] == 0 else "utf-16-le")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if legacy:
            return data.decode(legacy, "replace")
        before = data[: error.start] if error.encoding.startswith("utf-8") else b""
        raise UsageError(
            "{path}, row {number}: the letter after {text!r} is not UTF-8; save the list again as "
            "CSV UTF-8",
            path=path,
            number=before.count(b"\n") + 1,
            text=before.rpartition(b"\n")[2].decode("utf-8", "replace")[-40:],
        ) from error


@contextmanager
def writing_table(path: Path) -> Iterator[TextIO]:
    """A CSV file to write; its byte order mark tells Excel that it is UTF-8. Programs that read a
    pipe need none."""
    with writing_text(path) as out:
        if path != STDOUT and (path.is_file() or not path.exists()):
            out.write(BYTE_ORDER_MARK)
        yield out


def write_table(rows: Iterable[Mapping[str, object]], names: Sequence[str], out: TextIO) -> None:
    """One line per row below a header, as in RFC 4180."""
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in rows)


def harmless(value: object) -> object:
    """A value that no spreadsheet executes as a formula, because names come from strangers."""
    if isinstance(value, str) and value.startswith(CELLS_THAT_CALCULATE):
        return "'" + value
    if isinstance(value, bool):
        return str(value).lower()
    return value
