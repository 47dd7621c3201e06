"""Events, and the players that take part in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.event.store import schema
from kdscan.event.store.records import Event, Player
from kdscan.event.store.rows import all_with, first, insert_new, now
from kdscan.files.names import escape_control
from kdscan.rules import GAMES, GameName

MOST_LETTERS = 200
"""Most letters of a name; three times the longest that any table shows."""


def check_name(name: str) -> None:
    """Raise `UsageError` for a name that should not be stored: too long, or with invisible or
    invalid characters."""
    if len(name) > MOST_LETTERS:
        raise UsageError(
            "{name}…: a name can have at most {most} letters; shorten it",
            name=name[:40],
            most=MOST_LETTERS,
        )
    if escape_control(name) != name:
        raise UsageError(
            "{name}: a name cannot contain invisible or invalid characters; type it again",
            name=name,
        )


def ensure_event(db: Connection, name: str | None, game: GameName | None = None) -> Event:
    """The event of that name, created if there is none; raise `UsageError` for another game's.

    name: None for the only event. game: of the event; None for the existing one, Duel for a new
    event.
    """
    if name is None:
        name = _only(events(db)).name
    if not name.strip():
        raise UsageError("--event: an event needs a name, like --event 'Spring cup'")
    if _named(db, name) is None:
        check_name(name)
        fresh = {"name": name, "game": game or GAMES[0], "details": {}, "created_at": now()}
        insert_new(db, schema.event, fresh)
    event = find_event(db, name)
    if game not in (None, event.game):
        raise UsageError(
            "--event {name}: this is an event of {found}, not {game}",
            name=name,
            found=event.game,
            game=game,
        )
    return event


def find_event(db: Connection, name: str | None) -> Event:
    """The event of that name, or the only one; raise `UsageError` that lists existing ones."""
    if name is None:
        return _only(events(db))
    found = _named(db, name)
    if found is None:
        known = ", ".join(event.name for event in events(db)) or "none yet"
        raise UsageError(
            "--event {name}: there is no such event; there are: {known}", name=name, known=known
        )
    return found


def _named(db: Connection, name: str) -> Event | None:
    try:
        name.encode()
    except UnicodeEncodeError:  # bytes of a command line that are not text; no store has such names
        return None
    return first(db, Event, schema.event, name=name)


def _only(known: Sequence[Event]) -> Event:
    if not known:
        raise UsageError("there is no event yet; name one, like --event 'Spring cup'")
    if len(known) > 1:
        names = ", ".join(event.name for event in known)
        raise UsageError("there are several events; choose one with --event: {known}", known=names)
    return known[0]


def get_event(db: Connection, event_id: int) -> Event | None:
    """An event by its id."""
    return first(db, Event, schema.event, id=event_id)


def events(db: Connection) -> list[Event]:
    """All events, the oldest first."""
    return all_with(db, Event, schema.event)


def set_event_detail(db: Connection, event_id: int, key: str, value: Any) -> None:
    """Store one of an event's settings (its rules, the round's clock, …); None removes it."""
    at = schema.event.c
    event = get_event(db, event_id)
    if event is not None:
        others = {name: one for name, one in event.details.items() if name != key}
        details = others if value is None else others | {key: value}
        db.execute(schema.event.update().where(at.id == event_id).values(details=details))


def ensure_player(db: Connection, event_id: int, name: str, **details: Any) -> Player:
    """The player of that name in an event, created if there is none; details are merged."""
    if not name.strip():
        raise UsageError("a player needs a name")
    check_name(name)
    key = {"event_id": event_id, "name": name}
    insert_new(db, schema.player, key | {"active": True, "details": details})
    player = first(db, Player, schema.player, **key)
    assert player is not None
    merged = player.details | details
    if merged != player.details:
        this = schema.player.update().where(schema.player.c.id == player.id)
        db.execute(this.values(details=merged))
    return replace(player, details=merged)


def set_active(db: Connection, player_ids: Iterable[int], active: bool) -> None:
    """Have players drop out (False) or come back (True)."""
    at = schema.player.c
    db.execute(schema.player.update().where(at.id.in_(list(player_ids))).values(active=active))


def players(db: Connection, event_id: int) -> list[Player]:
    """All players of an event, in the order in which they were entered."""
    return all_with(db, Player, schema.player, event_id=event_id)
