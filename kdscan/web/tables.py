"""Overviews of an event: the queue of doubtful sheets, games, standings.

They are computed again only after something that they show has changed, no matter how many
browsers request them.
"""

from __future__ import annotations

import json
import math
import threading
import time
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from kdscan.event.event import EventState, event_state
from kdscan.event.event_json import event_table, table_game
from kdscan.event.games import Game
from kdscan.event.results import Result, SheetResult, counting, results, seated
from kdscan.event.rules import rules_of
from kdscan.event.store import Store, schema
from kdscan.event.store.events import get_event
from kdscan.event.store.records import Event, short_name
from kdscan.web.cards import cards, sheet_brief, sheet_line
from kdscan.web.schemas_event import (
    DeskPlayer,
    Doubtful,
    EventView,
    OnProjector,
    Queue,
    Standings,
    Total,
)
from kdscan.web.sheet_state import range_of

Ranges = Mapping[int, tuple[int, int]]
"""The lowest and the highest possible total of sheets."""

CLOCK, SHOWN = "clock", "shown"
"""Keys of the event's details: the round's clock, and what the projector shows."""

TOTALS = 100
"""Most totals that are listed, the highest first."""


class Views(NamedTuple):
    """queue: the sheets to look at. standings: the event's table and games. desk: everything that
    is to be settled at the desk."""

    queue: Queue
    standings: Standings
    desk: EventView


class Tables:
    """The overviews of one event."""

    def __init__(self, store: Store, event: Event) -> None:
        self._store, self._event = store, event
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._views: Views | None = None
        self._seen = (-math.inf, "")

    def state(self) -> str:
        """An identifier of the current state: it changes whenever anything shown here changes.

        Many requests poll at the same time; those that come together share one check.
        """
        asked = time.monotonic()
        with self._looking:
            if self._seen[0] <= asked:
                looked = time.monotonic()
                with self._store.read() as db:
                    self._seen = looked, self._state_of(db)
            return self._seen[1]

    def views(self) -> Views:
        """All overviews, of the current state."""
        with self._lock:
            self._views = self._renewed(self._views)
            return self._views

    def _renewed(self, before: Views | None) -> Views:
        with self._store.read() as db:
            now = self._state_of(db)
            if before is not None and before.queue["state"] == now:
                return before
            event = get_event(db, self._event.id) or self._event
            rows = list(seated(db, event.id, results(db, event.id)))
            state = event_state(db, event, rows)
        sheets = list(counting(rows))
        shown = {row.sheet.id: row for row in sheets}
        ranges = {one.key: range_of(shown[one.key].data) for one in state.sheets}
        turning = turning_games(state.games, ranges)
        return Views(
            {"state": now, "sheets": queue_json(sheets, ranges, turning)},
            standings_json(now, sheets, state),
            desk_json(now, rows, state, turning),
        )

    def _state_of(self, db: Connection) -> str:
        """A hash of everything that changes when something shown here changes.

        Rows that may be deleted are identified by their content, or the time, because SQLite reuses
        their numbers.
        """
        event = get_event(db, self._event.id) or self._event
        at = schema.reading.c
        added = [
            db.execute(select(at.id, at.read_at).order_by(at.id.desc()).limit(1)).first(),
            db.scalar(select(func.max(schema.correction.c.id))),
        ]
        game, seat, player = schema.game.c, schema.seat.c, schema.player.c
        file, photo = schema.file.c, schema.photo.c
        rounds = func.sum(file.details["round"].as_integer())  # may be set later for known photos
        seats = select(game.round, game.table, seat.number, seat.player_id)
        held = (
            seats.join(schema.seat, seat.game_id == game.id).where(game.event_id == event.id),
            select(player.id, player.name, player.active).where(player.event_id == event.id),
            select(func.count(), func.max(file.id), rounds).where(file.event_id == event.id),
            select(photo.id, photo.error_code).where(
                photo.event_id == event.id, photo.error_code.is_not(None)
            ),
        )
        rows = [sorted(map(str, db.execute(query))) for query in held]
        held_now = json.dumps([list(map(str, added)), rows, event.details])
        return f"{zlib.crc32(held_now.encode()):x}"


def queue_json(
    rows: Iterable[SheetResult], ranges: Ranges, turning: Collection[int]
) -> list[Doubtful]:
    """Doubtful sheets: first those that may change who wins a game, then by the probability that
    they are wrong. rows: those that count. turning: sheets that may change who wins.
    """
    found: list[Doubtful] = []
    for row in rows:
        if row.data["review"]:
            key = row.sheet.id
            reach = None if row.data.get("photograph_again") else ranges.get(key)
            found.append({**sheet_line(row), "range": reach, "decides": key in turning})
    return sorted(found, key=lambda one: (not one["decides"], one["confidence"], one["id"]))


def desk_json(
    name: str, rows: Sequence[Result], state: EventState, turning: Collection[int]
) -> EventView:
    """What the desk sees, except what it may undo. name: of the current state."""
    entered: list[DeskPlayer] = [
        {"name": player.name, "number": number, "active": player.active}
        for number, player in enumerate(state.players, 1)
    ]
    return {
        **_on_projector(state.event),
        "state": name,
        "event": state.event.name,
        "cards": cards(state, rows, turning),
        "sheets": [sheet_brief(row) for row in rows if isinstance(row, SheetResult)],
        "players": entered,
        "games": [table_game(game) for game in state.games],
        "played_round": state.played_round,
        "last_round": state.last_round,
        "rounds": rules_of(state.event).rounds,
    }


def _on_projector(event: Event) -> OnProjector:
    details = event.details
    return {"clock": details.get(CLOCK), "shown": details.get(SHOWN, "table")}


def turning_games(games: Iterable[Game], ranges: Ranges) -> set[int]:
    """Sheets whose range of totals overlaps with that of another sheet of the game."""
    found: set[int] = set()
    for game in games:
        sheets = [s.sheet.key for s in game.seats if s.sheet is not None and s.points is None]
        for pair in combinations(sheets, 2):
            (low, high), (other_low, other_high) = (ranges[key] for key in pair)
            if low <= other_high and other_low <= high:
                found.update(pair)
    return found


def standings_json(name: str, rows: Iterable[SheetResult], state: EventState) -> Standings:
    """The standings page's data. name: of the current state; rows: those that count."""
    names = {row.sheet.id: short_name(row.file.name) for row in rows}
    best = sorted(state.sheets, key=lambda sheet: (-sheet.total, sheet.key))
    totals: list[Total] = [
        {"name": one.player or names[one.key], "total": one.total, "review": one.review}
        for one in best[:TOTALS]
    ]
    return {**event_table(state), **_on_projector(state.event), "state": name, "totals": totals}
