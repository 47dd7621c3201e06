"""What a row of an archive may hold: an archive is a stranger's until each field was looked at."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from sqlalchemy import JSON, Boolean, Float, ForeignKey, Integer, String, Table

from kdscan.game.names import GAMES
from kdscan.locale.legible import legible
from kdscan.prints.file import SUFFIX
from kdscan.prints.names import checked_name
from kdscan.tournament.store import schema
from kdscan.tournament.store.damage import check_reading
from kdscan.tournament.store.events import MOST_LETTERS, check_name
from kdscan.tournament.store.files import check_place
from kdscan.tournament.store.records import Json

MOST_NUMBER = 2**31 - 1
"""The largest number that a column of both databases holds."""

MOST_TEXT = 20_000
"""Letters of a text without a limit of its own, such as why a photo could not be read."""

_FIELD = re.compile(r"[a-z_]{1,30}(?::(?P<of>.{1,1000}))?")
"""A correction's field: what it speaks of, and which, perhaps by the name of a file or player."""


def check_head(head: Any) -> None:
    """Raise what Python raises, or `UsageError`, at a first line that kdscan has not written."""
    if not isinstance(head, dict) or head["game"] not in GAMES:
        raise ValueError("game")
    check_name(head["name"])
    check_json(head["details"])
    if not head["name"].strip() or not isinstance(head["details"], dict):
        raise ValueError("event")


def check_row(table: Table, row: Any) -> None:
    """Raise what Python raises, or `UsageError`, at a row that kdscan has not written."""
    if set(row) - set(table.c.keys()):
        raise KeyError(table.name)
    for column in table.columns:
        value = row.get(column.name)
        if value is None:
            if not (column.nullable or isinstance(column.type, JSON)):
                raise KeyError(column.name)
            continue
        whole = bool(column.foreign_keys) or column.primary_key
        check_value(Integer() if whole else column.type, value)
    _check_meaning(table, row)


def check_value(kind: Any, value: Any) -> None:
    """Raise ValueError for a value that a column of that type cannot hold, or should not."""
    if isinstance(kind, JSON):
        check_json(value)
    elif isinstance(kind, Boolean):
        good = isinstance(value, bool)
    elif isinstance(kind, Integer | ForeignKey):
        good = type(value) is int and abs(value) <= MOST_NUMBER
    elif isinstance(kind, Float):
        good = type(value) in (int, float) and math.isfinite(value)
    elif isinstance(kind, String):
        good = isinstance(value, str) and len(value) <= (kind.length or MOST_TEXT)
        check_json(value)
    else:  # a moment is parsed where it is moved
        good = isinstance(value, str)
    if not (isinstance(kind, JSON) or good):
        raise ValueError(value)


def check_json(value: Any) -> None:
    """Raise ValueError for what no database holds: texts that are none, and NUL."""
    if isinstance(value, str):
        value.encode()
        if "\0" in value:
            raise ValueError(value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(value)
    elif isinstance(value, list):
        for one in value:
            check_json(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            check_json(key)
            check_json(one)


def _check_meaning(table: Table, row: Mapping[str, Any]) -> None:
    if table is schema.photo:
        check_place(row["sha256"], row["suffix"])
        if row["size"] < 0 or (row.get("pages") or 0) < 0:
            raise ValueError("photo")
    elif table is schema.known_print:
        check_place(row["sha256"], SUFFIX)
        checked_name(row["name"])
    elif table is schema.player:
        check_name(row["name"])
    elif table is schema.file and legible(row["name"]) != row["name"]:
        raise ValueError("name")
    elif table is schema.reading:
        check_reading(row["entry"], row["kept"])
    elif table is schema.game and not (0 < row["round"] < 1000 and 0 < row["table"] < 10_000):
        raise ValueError("game")
    elif table is schema.correction:
        field = _FIELD.fullmatch(row["field"])
        name = (field and field["of"]) or ""
        if not field or legible(name) != name or len(row["who"]) > MOST_LETTERS:
            raise ValueError("correction")
    for column in ("page", "number"):
        if row.get(column, 0) < 0:
            raise ValueError(column)
    if not isinstance(row.get("details", {}), dict):
        raise ValueError("details")


def checked_sheet(row: Json, readings: Mapping[int, int]) -> None:
    """Raise ValueError for a sheet that is not in its reading; readings: id → how many it has."""
    if row["number"] >= readings[row["reading_id"]]:
        raise ValueError("number")
