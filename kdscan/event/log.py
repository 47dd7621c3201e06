"""The log of an event: what people did, one row each in the table `action`, never overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, select

from kdscan.errors import UsageError
from kdscan.event.actions import Action, Undo
from kdscan.event.store import schema
from kdscan.event.store.rows import insert

Role = Literal["player", "desk"]


@dataclass(frozen=True)
class Author:
    """Who does something. who: the name as people know it; session: of a browser, "" for the
    command line, which is always the desk's."""

    who: str
    role: Role = "desk"
    session: str = ""


@dataclass(frozen=True)
class Entry:
    """An action as it was stored; see `Author`."""

    id: int
    at: datetime
    who: str
    role: Role
    session: str
    action: Action

    def is_of(self, author: Author) -> bool:
        """Whether that person did it. A player is known by the browser, since names can be
        typed by anybody."""
        if author.role == "player":
            return self.session == author.session and bool(self.session)
        return (self.role, self.who) == (author.role, author.who)

    def is_beside(self, other: Entry) -> bool:
        """Whether both were done at once, by one person."""
        return (self.at, self.who, self.session) == (other.at, other.who, other.session)


def entries(db: Connection, event_id: int, after: int = 0) -> list[Entry]:
    """The log of an event, the oldest first. after: only what follows this entry."""
    at = schema.action.c
    query = select(at.id, at.at, at.who, at.role, at.session, at.action)
    query = query.where(at.event_id == event_id, at.id > after).order_by(at.id)
    return [
        Entry(row.id, row.at, row.who, row.role, row.session, from_json(row.action))
        for row in db.execute(query)
    ]


def append(
    db: Connection, event_id: int, author: Author, actions: Iterable[Action], at: datetime
) -> list[Entry]:
    """Add actions to the log, as done at one time."""
    added = []
    for action in actions:
        plain = to_json(action)
        try:
            from_json(plain)
        except msgspec.ValidationError as error:
            raise UsageError("this cannot be stored: {error}", error=error) from error
        who, role, session = author.who, author.role, author.session
        row = {"event_id": event_id, "at": at, "who": who, "role": role, "session": session}
        number = insert(db, schema.action, row | {"action": plain})
        added.append(Entry(number, at, who, role, session, action))
    return added


def to_json(action: Action) -> dict[str, Any]:
    """An action as plain values."""
    plain: dict[str, Any] = msgspec.to_builtins(action)
    return plain


def from_json(plain: Any) -> Action:
    """The inverse of `to_json`; raises msgspec.ValidationError."""
    action: Action = msgspec.convert(plain, Action)
    return action


def undone_by(log: Sequence[Entry]) -> set[int]:
    """The entries that are undone, with everything that was done together with them. An `Undo` can
    be undone as well."""
    undone: set[int] = set()
    at: dict[int, int] = {entry.id: n for n, entry in enumerate(log)}
    for entry in reversed(log):
        if isinstance(entry.action, Undo) and entry.id not in undone and entry.action.action in at:
            undone.update(one.id for one in beside(log, at[entry.action.action]))
    return undone


def beside(log: Sequence[Entry], at: int) -> Iterator[Entry]:
    """The entry at an index, and those made together with it, which are its neighbours."""
    first = last = at
    while first and log[first - 1].is_beside(log[at]):
        first -= 1
    while last + 1 < len(log) and log[last + 1].is_beside(log[at]):
        last += 1
    return iter(log[first : last + 1])
