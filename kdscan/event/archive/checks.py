"""Checks of an archive: it may come from anybody, so every field is checked before it is stored."""

from __future__ import annotations

import re
from typing import Any

from sqlalchemy import Table

from kdscan.event.store import schema
from kdscan.event.store.checks import check_json, check_reading, check_row
from kdscan.event.store.events import MOST_LETTERS, check_name
from kdscan.event.store.files import check_place
from kdscan.files.names import escape_control
from kdscan.rules import GAMES
from kdscan.templates.template import SUFFIX, checked_name

_FIELD = re.compile(r"[a-z_]{1,30}(?::(?P<of>.{1,1000}))?")
"""A correction's field: its kind, and perhaps a cell or the name of a file or player."""


def check_head(head: Any) -> None:
    """Raise Python's exceptions or `UsageError` for a first line that kdscan has not written."""
    if not isinstance(head, dict) or head["game"] not in GAMES:
        raise ValueError("game")
    check_name(head["name"])
    check_json(head["details"])
    if not head["name"].strip() or not isinstance(head["details"], dict):
        raise ValueError("event")


def check_archived(table: Table, row: Any) -> None:
    """Raise Python's exceptions or `UsageError` for a row that kdscan has not written."""
    check_row(table, row)
    if table is schema.photo:
        check_place(row["sha256"], row["suffix"])
        if row["size"] < 0 or (row.get("pages") or 0) < 0:
            raise ValueError("photo")
    elif table is schema.known_print:
        check_place(row["sha256"], SUFFIX)
        checked_name(row["name"])
    elif table is schema.player:
        check_name(row["name"])
    elif table is schema.file and escape_control(row["name"]) != row["name"]:
        raise ValueError("name")
    elif table is schema.reading:
        check_reading(row["entry"], row["kept"])
    elif table is schema.game and not (0 < row["round"] < 1000 and 0 < row["table"] < 10_000):
        raise ValueError("game")
    elif table is schema.correction:
        field = _FIELD.fullmatch(row["field"])
        name = (field and field["of"]) or ""
        if not field or escape_control(name) != name or len(row["who"]) > MOST_LETTERS:
            raise ValueError("correction")
    for column in ("page", "number"):
        if row.get(column, 0) < 0:
            raise ValueError(column)
    if not isinstance(row.get("details", {}), dict):
        raise ValueError("details")
