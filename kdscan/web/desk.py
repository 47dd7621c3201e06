"""What the desk does with an event: everything that the command line can, each in one transaction.

Everything here blocks; handlers call it in threads. Raises `UsageError` for what cannot be, which
the desk is told in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

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

CLOCK, SHOWN = "clock", "shown"
"""Keys of the event's details: the round's clock, and what the projector shows."""


class Desk:
    """One event in the hands of those who run it."""

    def __init__(self, store: Store, event: Event) -> None:
        self._store, self._name = store, event.name

    def place(self, sheet_id: int, said: bodies.Place, who: str) -> None:
        """Say whose a sheet is; own: though another one bears its code."""
        with self._store.write() as db:
            event = find_event(db, self._name)
            one = self._sheet(db, event, sheet_id)
            player = said.player and player_named(db, event, said.player, said.round)
            place = {"round": said.round, "table": said.table, "player": player}
            self._say(db, one, {"place": place} | ({"same_as": 0} if said.own else {}), who)

    def same(self, sheet_id: int, other_id: int | None, who: str) -> None:
        """Say of which sheet this is another photo; None: of none."""
        with self._store.write() as db:
            event = find_event(db, self._name)
            one = self._sheet(db, event, sheet_id)
            if other_id is not None:
                other_id = self._sheet(db, event, other_id).id
                if other_id == one.id:
                    raise UsageError("a sheet is no other photo of itself")
            self._say(db, one, {"same_as": other_id or 0}, who)

    def ignore(self, sheet_id: int, ignored: bool, who: str) -> None:
        """Say that a sheet counts nowhere, or again."""
        with self._store.write() as db:
            one = self._sheet(db, find_event(db, self._name), sheet_id)
            self._say(db, one, {"ignored": ignored}, who)

    def _sheet(self, db: Connection, event: Event, sheet_id: int) -> Sheet:
        one = sheet(db, sheet_id)
        if one is None or one.event_id != event.id:
            raise not_found("sheet")
        return one

    def _say(self, db: Connection, one: Sheet, said: Mapping[str, Any], who: str) -> None:
        at = now()
        for field, new in said.items():
            add_correction(db, one.event_id, field, new, who, sheet_id=one.id, at=at)

    def do(self, act: Callable[[Connection, Event], object]) -> None:
        """Change the event in one transaction."""
        with self._store.write() as db:
            act(db, find_event(db, self._name))

    def remove(self, file: str, who: str) -> None:
        """Take a photo out of the event."""
        self.do(lambda db, event: take_out(db, event, file, who))

    def result(self, said: bodies.TableResult, who: str) -> None:
        """Say what the players of a table have, who wins by walkover, or neither any more."""

        def act(db: Connection, event: Event) -> None:
            at = (db, event, said.round, said.table)
            if said.walkover is not None:
                set_walkover(*at, said.walkover, who)
            elif said.points is not None:
                set_result(*at, said.points, who)
            else:
                withdraw_result(*at, who)

        self.do(act)

    def pair(self, again: bool, who: str) -> None:
        """Pair the next round, or the last one anew."""

        def act(db: Connection, event: Event) -> None:
            round_, _ = next_round(db, event, again=again)
            if not again:
                note_pairing(db, event, round_, who)
            details = find_event(db, event.name).details
            set_event_details(db, event.id, {k: v for k, v in details.items() if k != CLOCK})

        self.do(act)

    def take_part(self, name: str, active: bool, who: str) -> None:
        """A player enters, drops out, or comes back."""

        def act(db: Connection, event: Event) -> None:
            known = {one.name.upper() for one in players(db, event.id)}
            if name.strip().upper() in known:
                drop(db, event, [name.strip()], active)
            elif active:
                enter_player(db, event, name.strip())
            else:
                drop(db, event, [name])  # says that nobody has that name
            spelled = {one.name.upper(): one.name for one in players(db, event.id)}
            note_part(db, event, spelled[name.strip().upper()], active, who)

        self.do(act)

    def clock(self, minutes: int | None) -> None:
        """Start the round's clock; None: take it away."""
        ends = None if minutes is None else datetime.now(UTC) + timedelta(minutes=minutes)
        self._detail(CLOCK, None if ends is None else ends.isoformat())

    def show(self, what: str) -> None:
        """What the projector shows: the table, or who sits where by surnames."""
        self._detail(SHOWN, what)

    def _detail(self, key: str, value: Any) -> None:
        def act(db: Connection, event: Event) -> None:
            others = {name: one for name, one in event.details.items() if name != key}
            set_event_details(db, event.id, others if value is None else others | {key: value})

        self.do(act)

    def undo(self, who: str) -> None:
        """Take back what this person did last."""
        self.do(lambda db, event: take_back_act(db, event, who))

    def newest(self, who: str) -> Json | None:
        """What undoing would take back, in words."""
        with self._store.read() as db:
            act = newest_act(db, find_event(db, self._name), who)
        if act is None:
            return None
        values = {name: str(value) for name, value in act.values.items()}
        return {"text": act.text, "values": values, "at": act.at.isoformat(), "sheet": act.sheet}
