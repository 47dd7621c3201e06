"""Corrections by people: rows that are only ever added.

A field names the value that a row corrects; `docs/store.md` lists them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.event.store import schema
from kdscan.event.store.events import check_name
from kdscan.event.store.records import Correction
from kdscan.event.store.rows import all_with, first, insert, now
from kdscan.files import Json


def add_correction(
    db: Connection,
    event_id: int,
    field: str,
    new: Any,
    who: str,
    *,
    sheet_id: int | None = None,
    game_id: int | None = None,
    old: Any = None,
    at: datetime | None = None,
    undoes: int | None = None,
) -> Correction:
    """Add a correction; old: the value that the person saw before.

    at: now by default. Corrections that are made together share it, and are undone together.
    undoes: see `undo`. Raises `UsageError` for the name of a person that should not be stored.
    """
    check_name(who)
    values = {
        "event_id": event_id,
        "sheet_id": sheet_id,
        "game_id": game_id,
        "field": field,
        "old": old,
        "new": new,
        "who": who,
        "at": at or now(),
        "undoes": undoes,
    }
    return Correction(id=insert(db, schema.correction, values), **values)


def undo(db: Connection, correction_id: int, who: str) -> Correction:
    """Undo a correction permanently, by a row of its own.

    Raises `UsageError` if it is unknown, an undo itself, or already undone.
    """
    target = first(db, Correction, schema.correction, id=correction_id)
    if target is None or target.undoes is not None:
        raise UsageError("there is no correction {n}", n=correction_id)
    if first(db, Correction, schema.correction, undoes=correction_id):
        raise UsageError("correction {n} has already been undone", n=correction_id)
    return add_correction(
        db,
        target.event_id,
        target.field,
        target.old,
        who,
        sheet_id=target.sheet_id,
        game_id=target.game_id,
        old=target.new,
        undoes=target.id,
    )


def corrections(
    db: Connection,
    event_id: int,
    *,
    sheet_id: int | None = None,
    game_id: int | None = None,
    field: str | None = None,
) -> list[Correction]:
    """All corrections of an event (a sheet, a game, a field), the oldest first."""
    asked = {"sheet_id": sheet_id, "game_id": game_id, "field": field}
    given = {name: value for name, value in asked.items() if value is not None}
    return all_with(db, Correction, schema.correction, event_id=event_id, **given)


def effective(rows: Iterable[Correction]) -> dict[str, Correction]:
    """The correction in force for each field, the oldest first; rows: of one sheet or game,
    likewise.

    That is the newest one that was not undone; without one the reading holds.
    """
    found: dict[str, Correction] = {}
    for row in not_undone(rows):
        found.pop(row.field, None)
        found[row.field] = row
    return found


def not_undone(rows: Iterable[Correction]) -> list[Correction]:
    """The corrections that were not undone, the oldest first; rows: in the same order."""
    rows = list(rows)
    undone = {row.undoes for row in rows}
    return [row for row in rows if row.undoes is None and row.id not in undone]


def effective_values(rows: Iterable[Correction]) -> Json:
    """The value in force for each field; see `effective`."""
    return {field: row.new for field, row in effective(rows).items()}


def effective_by_sheet(rows: Iterable[Correction]) -> dict[int, Json]:
    """The value in force for each field of each sheet that any of these rows concern."""
    of: dict[int, list[Correction]] = defaultdict(list)
    for row in rows:
        if row.sheet_id is not None:
            of[row.sheet_id].append(row)
    return {sheet_id: effective_values(mine) for sheet_id, mine in of.items()}


def is_undone(rows: Iterable[Correction], correction_id: int | None) -> bool:
    """Whether one of these corrections is undone; None is not."""
    return correction_id is not None and any(row.undoes == correction_id for row in rows)


def last_act(rows: Iterable[Correction], who: str | None = None) -> list[Correction]:
    """The last correction that was not undone (by that person, if given), together with those that
    were made at the same time, the oldest first; empty if there is none."""
    held = [row for row in not_undone(rows) if who in (None, row.who)]
    return [row for row in held if (row.at, row.who) == (held[-1].at, held[-1].who)]
