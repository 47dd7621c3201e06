"""Corrections by people: rows that are only ever added.

A field names the value that a row corrects:

==================  ============================================================
of a sheet
``cell:R,C``        what a shield holds: ``{"coat": "dot" | null, "crosses": 0}``;
                    of a kingdom what lies there: ``{"terrain": "lake", "crowns": 1}``
``line:P,COAT``     side P's line of a spellbook:
                    ``{"filled": 3, "struck": false, "used": true}``
``choice:P``        the coat that side P of a spellbook chose, or null
``variants``        extra rules of a kingdom: ``{"middle_kingdom": true, "harmony": false}``
``castle``          whether the castle's bonus is used: true, false
``confirmed``       true: a person has seen the sheet and says that it is right
``ignored``         true: this sheet counts nowhere
``same_as``         id of the sheet of which this is another photo; 0: of none
``place``           whose sheet it is: ``{"round": 1, "table": 4, "player": "Ada"}``
``value:a/b/0``     any other value of the sheet's JSON, by its path
of a game
``result``          points by player id, as the arbiter says; or ``{"walkover": id}``
of the event
``photo:SHA256``    true: the photo is taken out; its file and readings stay
``page:SHA256#7``   true: page 7 of the photo is taken out
``round:N``         true: somebody paired that round
``player:NAME``     whether the player takes part: true, false
``file:NAME``       true: a name that could not be read is taken out
any                 free for those who need it
==================  ============================================================
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from kdscan.errors import UsageError
from kdscan.records.results import Json
from kdscan.tournament.store import schema
from kdscan.tournament.store.records import Correction
from kdscan.tournament.store.rows import all_of, insert, now, one


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

    at: now if left out. Corrections that are made together share it, and are undone together.
    undoes: see `undo`.
    """
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
    """Take a correction back, by a row of its own; undoing an undo brings it back.

    Raises `UsageError` if it is unknown, or was taken back already.
    """
    at = schema.correction.c
    query = select(schema.correction)
    target = one(db, Correction, query.where(at.id == correction_id))
    if target is None:
        raise UsageError("there is no correction {n}", n=correction_id)
    if one(db, Correction, query.where(at.undoes == correction_id)):
        raise UsageError("correction {n} was taken back already", n=correction_id)
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
    """All corrections of an event (of a sheet, of a game, of a field), the oldest first."""
    at = schema.correction.c
    query = select(schema.correction).where(at.event_id == event_id).order_by(at.id)
    if sheet_id is not None:
        query = query.where(at.sheet_id == sheet_id)
    if game_id is not None:
        query = query.where(at.game_id == game_id)
    if field is not None:
        query = query.where(at.field == field)
    return all_of(db, Correction, query)


def effective(rows: Iterable[Correction]) -> dict[str, Correction]:
    """The correction that holds for each field; rows: of one sheet or game, the oldest first.

    The newest that was not taken back holds; without one the reading does.
    """
    rows = list(rows)
    undone: set[int] = set()
    for row in reversed(rows):  # what takes back may be taken back itself, later
        if row.undoes is not None and row.id not in undone:
            undone.add(row.undoes)
    return {row.field: row for row in rows if row.undoes is None and row.id not in undone}


def effective_values(rows: Iterable[Correction]) -> Json:
    """What holds for each field; see `effective`."""
    return {field: row.new for field, row in effective(rows).items()}


def last_act(rows: Iterable[Correction], who: str | None = None) -> list[Correction]:
    """What was said last, by that person if named, and nobody took back: a correction and those
    that were made together with it, the oldest first; empty if there is nothing.

    Taking back is final here: what was undone and brought back is none of it.
    """
    rows = list(rows)
    undone = {row.undoes for row in rows}
    held = [row for row in rows if row.undoes is None and row.id not in undone]
    held = [row for row in held if who in (None, row.who)]
    return [row for row in held if (row.at, row.who) == (held[-1].at, held[-1].who)]
