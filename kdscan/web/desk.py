"""What the desk does with an event: everything that the command line can, each in one transaction.

Everything here blocks; handlers call it in threads. Raises `UsageError` for what cannot be, which
the desk is told in words.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.tournament.acts import newest_act, note_pairing, note_part, take_back_act
from kdscan.tournament.names import player_named
from kdscan.tournament.plan import (
    drop,
    enter_player,
    next_round,
    set_result,
    set_walkover,
    withdraw_result,
)
from kdscan.tournament.removing import take_out
from kdscan.tournament.store import Store
from kdscan.tournament.store.corrections import add_correction
from kdscan.tournament.store.events import find_event, players, set_event_details
from kdscan.tournament.store.readings import sheet
from kdscan.tournament.store.records import Event, Sheet
from kdscan.tournament.store.rows import now
from kdscan.web import bodies
from kdscan.web.answers import not_found

Json = dict[str, Any]
B = TypeVar("B")

CLOCK, SHOWN = "clock", "shown"
"""Keys of the event's details: the round's clock, and what the projector shows."""


class Desk:
    """One event in the hands of those who run it. The functions below are what it can do."""

    def __init__(self, store: Store, event: Event) -> None:
        self._store, self._name = store, event.name

    def do(self, act: Callable[[Connection, Event, B, str], object], body: B, who: str) -> None:
        """Change the event."""
        with self._store.write() as db:
            act(db, find_event(db, self._name), body, who)

    def correct(
        self,
        fields_of: Callable[[Connection, Sheet, Event, B], Json],
        sheet_id: int,
        body: B,
        who: str,
    ) -> None:
        """Add to a sheet the corrections that `fields_of` gives."""
        with self._store.write() as db:
            event, at = find_event(db, self._name), now()
            one = _sheet(db, event, sheet_id)
            for field, new in fields_of(db, one, event, body).items():
                add_correction(db, event.id, field, new, who, sheet_id=one.id, at=at)

    def newest(self, who: str) -> Json | None:
        """What undoing would take back, in words."""
        with self._store.read() as db:
            act = newest_act(db, find_event(db, self._name), who)
        if act is None:
            return None
        values = {name: str(value) for name, value in act.values.items()}
        return {"text": act.text, "values": values, "at": act.at.isoformat(), "sheet": act.sheet}


def _sheet(db: Connection, event: Event, sheet_id: int) -> Sheet:
    one = sheet(db, sheet_id)
    if one is None or one.event_id != event.id:
        raise not_found("sheet")
    return one


# Of a sheet


def place(db: Connection, _: Sheet, event: Event, body: bodies.Place) -> Json:
    """Whose a sheet is; own: though another one bears its code."""
    player = body.player and player_named(db, event, body.player, body.round)
    fields = {"place": {"round": body.round, "table": body.table, "player": player}}
    return fields | ({"same_as": 0} if body.own else {})


def same(db: Connection, one: Sheet, event: Event, body: bodies.SameAs) -> Json:
    """Of which sheet this is another photo; None: of none."""
    if body.of is not None and _sheet(db, event, body.of).id == one.id:
        raise UsageError("a sheet is no other photo of itself")
    return {"same_as": body.of or 0}


def ignore(_: Connection, __: Sheet, ___: Event, body: bodies.Ignored) -> Json:
    """That a sheet counts nowhere, or again."""
    return {"ignored": body.ignored}


# Of the event


def remove(db: Connection, event: Event, body: bodies.File, who: str) -> None:
    """Take a photo out of the event."""
    take_out(db, event, body.file, who)


def result(db: Connection, event: Event, body: bodies.TableResult, who: str) -> None:
    """Say what the players of a table have, who wins by walkover, or neither any more."""
    at = (db, event, body.round, body.table)
    if body.walkover is not None:
        set_walkover(*at, body.walkover, who)
    elif body.points is not None:
        set_result(*at, body.points, who)
    else:
        withdraw_result(*at, who)


def pair(db: Connection, event: Event, body: bodies.Pair, who: str) -> None:
    """Pair the next round, or the last one anew."""
    round_, _ = next_round(db, event, again=body.again)
    if not body.again:
        note_pairing(db, event, round_, who)
    _set_detail(db, find_event(db, event.name), CLOCK, None)


def player(db: Connection, event: Event, body: bodies.Entry, who: str) -> None:
    """A player enters, drops out, or comes back."""
    name = body.name.strip()
    known = {one.name.upper() for one in players(db, event.id)}
    if name.upper() in known:
        drop(db, event, [name], body.active)
    elif body.active:
        enter_player(db, event, name)
    else:
        drop(db, event, [body.name])  # says that nobody has that name
    spelled = {one.name.upper(): one.name for one in players(db, event.id)}
    note_part(db, event, spelled[name.upper()], body.active, who)


def clock(db: Connection, event: Event, body: bodies.Clock, _: str) -> None:
    """Start the round's clock, or take it away."""
    ends = body.minutes and (datetime.now(UTC) + timedelta(minutes=body.minutes)).isoformat()
    _set_detail(db, event, CLOCK, ends)


def show(db: Connection, event: Event, body: bodies.Show, _: str) -> None:
    """What the projector shows: the table, or who sits where by surnames."""
    _set_detail(db, event, SHOWN, body.what)


def take_back(db: Connection, event: Event, _: bodies.Nothing, who: str) -> None:
    """Take back what this person did last."""
    take_back_act(db, event, who)


def _set_detail(db: Connection, event: Event, key: str, value: Any) -> None:
    others = {name: one for name, one in event.details.items() if name != key}
    set_event_details(db, event.id, others if value is None else others | {key: value})
