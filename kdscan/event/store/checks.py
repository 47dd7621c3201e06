"""Checks of a row's values, because it may come from an archive or be damaged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import MsgspecError, convert
from sqlalchemy import JSON, Boolean, Engine, Float, Integer, String, Table, select, text
from sqlalchemy.exc import SQLAlchemyError

from kdscan.document import to_dict
from kdscan.event.actions import Action
from kdscan.event.sheets import brief_of
from kdscan.event.store import schema
from kdscan.sheets.base import deserialize

NOT_UNDERSTOOD = (
    MsgspecError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    AssertionError,
    OverflowError,
)
"""Exceptions that code raises on content it has not written."""

MOST_NUMBER = 2**31 - 1
"""The largest number that a column of both databases can hold."""

MOST_TEXT = 20_000
"""Most letters of a text without a limit of its own, such as the reason why a photo failed."""


def is_damaged(engine: Engine) -> bool:
    """Whether an SQLite store was changed by something other than SQLite, such as a faulty disk.

    Servers check their own; for them the answer is no.
    """
    if engine.dialect.name != "sqlite":
        return False
    try:
        with engine.connect() as db:
            if db.scalar(text("PRAGMA quick_check(1)")) != "ok":
                return True
            if db.execute(text("PRAGMA foreign_key_check")).first() is not None:
                return True
            for table in schema.metadata.sorted_tables:
                for row in db.execute(select(table)).mappings():
                    check_row(table, dict(row))
                    if table is schema.reading:
                        check_reading(row["entry"], row["kept"])
                    elif table is schema.action:
                        convert(row["action"], Action)
        return False
    except (SQLAlchemyError, *NOT_UNDERSTOOD):
        return True


def check_row(table: Table, row: Mapping[str, Any]) -> None:
    """Raise Python's exceptions for a row whose values its columns cannot or should not hold."""
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


def check_value(kind: Any, value: Any) -> None:
    """Raise ValueError for a value that a column of that type cannot or should not hold."""
    if isinstance(kind, JSON):
        check_json(value)
        return
    if isinstance(kind, Boolean):
        good = isinstance(value, bool)
    elif isinstance(kind, Integer):
        good = type(value) is int and abs(value) <= MOST_NUMBER
    elif isinstance(kind, Float):
        good = type(value) in (int, float) and math.isfinite(value)
    elif isinstance(kind, String):
        good = isinstance(value, str) and len(value) <= (kind.length or MOST_TEXT)
        check_json(value)
    else:  # a time, which is parsed where it is inserted
        good = isinstance(value, str | datetime)
    if not good:
        raise ValueError(value)


def check_json(value: Any) -> None:
    """Raise ValueError for what no database can store: invalid text, and NUL."""
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


def check_reading(entry: Any, kept: Any) -> None:
    """Raise Python's exceptions for a reading that no version has written."""
    if entry["error"] is not None:
        _ = entry["error"]["code"], entry["error"]["message"]
    for sheet, probs in zip(entry["sheets"], kept, strict=True):
        brief_of(sheet, sheet, probs)
        if probs is not None:
            _check_keys(sheet, to_dict(deserialize(probs)))


def _check_keys(found: Any, written: Any) -> None:
    """Raise KeyError for a key that this version does not write; older ones may have fewer."""
    if isinstance(found, dict) and isinstance(written, dict):
        for key, value in found.items():
            _check_keys(value, written[key])
    elif isinstance(found, list) and isinstance(written, list):
        for one, other in zip(found, written, strict=False):
            _check_keys(one, other)
