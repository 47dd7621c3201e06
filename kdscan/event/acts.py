"""What a person last did in an event, in words, and how to undo it.

Corrections by one person at one time are one act. Pairing a round and changing who takes part are
rows of the event: `round:N` and `player:NAME` (see `store.corrections`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, select

from kdscan.errors import UsageError
from kdscan.event.event import WALKOVER
from kdscan.event.plan import unpair
from kdscan.event.store import schema
from kdscan.event.store.corrections import (
    add_correction,
    corrections,
    is_undone,
    last_act,
    not_undone,
    undo,
)
from kdscan.event.store.events import players, set_active
from kdscan.event.store.records import Correction, Event, short_name
from kdscan.i18n import mark
from kdscan.rules.grid import cell_name
from kdscan.sheets.common import CellField, parse_field

PAIRED, PART = "round", "player"
"""Prefixes, before the `:`, of fields for a paired round and for who takes part."""


@dataclass(frozen=True)
class Act:
    """text: a sentence of the catalogues; values: for its braces."""

    rows: tuple[Correction, ...]
    text: str
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def at(self) -> datetime:
        return self.rows[0].at

    @property
    def sheet(self) -> int | None:
        """The sheet that it concerns, if any."""
        return self.rows[0].sheet_id


def note_pairing(db: Connection, event: Event, round_: int, who: str) -> None:
    """Note that somebody paired a round, so that it can be undone; paired again, it replaces the
    note before."""
    field = f"{PAIRED}:{round_}"
    for row in not_undone(corrections(db, event.id, field=field)):
        undo(db, row.id, who)
    add_correction(db, event.id, field, True, who)


def note_participation(
    db: Connection, event: Event, name: str, active: bool, who: str, *, before: bool
) -> None:
    """Note that a player takes part from now on, or no longer; before: whether they took part."""
    add_correction(db, event.id, f"{PART}:{name}", active, who, old=before)


def newest_act(db: Connection, event: Event, who: str) -> Act | None:
    """What that person last did that is still in force; None if there is nothing."""
    rows = last_act(_in_force(corrections(db, event.id)), who)
    return Act(tuple(rows), *_described(db, rows[0])) if rows else None


def _in_force(rows: Iterable[Correction]) -> list[Correction]:
    """The rows that were neither undone nor overridden by later ones: undoing these would change
    nothing, or overrule whoever came later."""
    held: list[Correction] = []
    later: dict[object, set[str]] = defaultdict(set)
    for row in reversed(not_undone(rows)):
        said = later[row.sheet_id, row.game_id, row.field]
        # Points are overridden player by player; a walkover and points replace each other.
        result = row.field == "result" and isinstance(row.new, dict)
        parts = set(row.new) if result else {WALKOVER}
        if not said or not (parts <= said or WALKOVER in parts | said):
            held.append(row)
        said |= parts
    return held[::-1]


def undo_act(db: Connection, event: Event, who: str, seen: int | None = None) -> None:
    """Undo what a person last did. seen: its last correction as the person saw it; nothing is done
    if that is undone already. Raises `UsageError` if there is nothing, if something else came last,
    or if it cannot be undone, like the pairing of a round from which sheets have come in."""
    if is_undone(corrections(db, event.id), seen):
        return
    act = newest_act(db, event, who)
    if act is None or seen not in (None, act.rows[-1].id):
        raise UsageError("there is nothing to undo")
    for row in reversed(act.rows):
        what, _, place = row.field.partition(":")
        if what == PAIRED:
            unpair(db, event, int(place))
        elif what == PART:
            ids = [one.id for one in players(db, event.id) if one.name == place]
            set_active(db, ids, row.old)
        undo(db, row.id, who)


def _described(db: Connection, row: Correction) -> tuple[str, Mapping[str, object]]:
    what, _, place = row.field.partition(":")
    if row.game_id is not None:
        at = schema.game.c
        game = db.execute(select(at.round, at.table).where(at.id == row.game_id)).first()
        values = {"round": game.round, "table": game.table} if game else {"round": "", "table": ""}
        return mark("the result of round {round}, table {table}"), values
    if row.sheet_id is None:
        return _of_event(what, place, row)
    name = {"name": _named(db, row.sheet_id)}
    if isinstance(shield := parse_field(row.field), CellField):
        return mark("{cell} on {name}"), name | {"cell": cell_name(shield.cell)}
    return _OF_SHEETS.get(what, mark("a change to {name}")), name


_OF_SHEETS = {
    "place": mark("the player of {name}"),
    "confirmed": mark("confirming {name}"),
    "same_as": mark("whether {name} is the same sheet as another"),
    "ignored": mark("whether {name} counts"),
}


def _of_event(what: str, place: str, row: Correction) -> tuple[str, Mapping[str, object]]:
    if what == PAIRED:
        return mark("the pairing of round {n}"), {"n": place}
    if what == PART:
        text = mark("{name} taking part") if row.new else mark("{name} dropping out")
        return text, {"name": place}
    return mark("removing a photo") if row.new else mark("restoring a photo"), {}


def _named(db: Connection, sheet_id: int) -> str:
    """A sheet's name for people: its file."""
    file, sheet = schema.file.c, schema.sheet.c
    query = select(file.name).join(schema.sheet, sheet.photo_id == file.photo_id)
    name = db.scalar(query.where(sheet.id == sheet_id).order_by(file.id).limit(1))
    return short_name(name or "?")
