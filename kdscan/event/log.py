"""The log of an event: what people did, one row each in the table `action`, never overwritten; and
what it says, once it is folded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection, select

from kdscan.errors import UsageError
from kdscan.event import actions as act
from kdscan.event.actions import Action, OnField, OnSheet, Undo
from kdscan.event.names import Player
from kdscan.event.store import schema
from kdscan.event.store.schema import insert
from kdscan.files import Json, plain_name

A = TypeVar("A", bound=act.Base, covariant=True)
Role = Literal["player", "desk"]
Moment = tuple[datetime, str, str]


@dataclass(frozen=True)
class Author:
    """Who does something. who: the name as people know it; session: of a browser, "" for the
    command line, which is always the desk's."""

    who: str
    role: Role = "desk"
    session: str = ""


@dataclass(frozen=True)
class Entry(Generic[A]):
    """An action as it was stored; see `Author`."""

    id: int
    at: datetime
    who: str
    role: Role
    session: str
    action: A

    def is_of(self, author: Author) -> bool:
        """Whether that person did it. A player is known by the browser, since names can be
        typed by anybody."""
        if author.role == "player":
            return self.session == author.session and bool(self.session)
        return (self.role, self.who) == (author.role, author.who)

    @property
    def moment(self) -> Moment:
        """The same for all that one person did at once."""
        return self.at, self.who, self.session


AnyEntry = Entry[Action]


def entries(db: Connection, event_id: int, after: int = 0) -> list[AnyEntry]:
    """The log of an event, the oldest first. after: only what follows this entry."""
    at = schema.action.c
    query = select(at.id, at.at, at.who, at.role, at.session, at.action)
    query = query.where(at.event_id == event_id, at.id > after).order_by(at.id)
    return [Entry(*row[:-1], from_json(row.action)) for row in db.execute(query)]


def append(db: Connection, event_id: int, author: Author, action: Action, at: datetime) -> AnyEntry:
    """Add an action to the log."""
    plain = msgspec.to_builtins(action)
    try:
        from_json(plain)
    except msgspec.ValidationError as error:
        raise UsageError("this cannot be stored: {error}", error=error) from error
    row = {"event_id": event_id, "at": at, **vars(author), "action": plain}
    return Entry(insert(db, schema.action, row), at, **vars(author), action=action)


def from_json(plain: Any) -> Action:
    """An action from what is stored of it; raises msgspec.ValidationError."""
    action: Action = msgspec.convert(plain, Action)
    return action


class TableResult(Struct, frozen=True):
    """What counts at a table, by players' numbers, after all that was entered so far: points add to
    earlier ones, or replace a walkover. read: what the sheets were worth when it was entered."""

    points: Mapping[int, int]
    winner: int | None = None
    walkover: bool = False
    read: Mapping[int, int | None] = {}


class Said(Struct):
    """What a log says. `fold_log` makes it, and nothing changes it afterwards.

    players: by number; numbers: by plain name; last_number: the highest that any player had.
    rounds: tables by round, each with the players' numbers. paired: the entry that first paired a
    round. byes: who asked for one, by round. fields: what was said about values of sheets.
    assigned: whose a sheet is, each word with the player's number. given: who gave a sheet to whom
    since, which waits for the desk. same_as: the newest word. spoken_of: sheets of which
    anything was said. removed: photos, see `RemovePhoto`. clocks: when each round's
    ran out. closed: the entry that ended the event.
    """

    undone: frozenset[int] = frozenset()
    players: dict[int, Player] = {}
    numbers: dict[str, int] = {}
    last_number: int = 0
    rounds: dict[int, tuple[tuple[int, ...], ...]] = {}
    paired: dict[int, AnyEntry] = {}
    byes: dict[int, frozenset[int]] = {}
    results: dict[tuple[int, int], TableResult] = {}
    fields: dict[int, tuple[Entry[OnField], ...]] = {}
    assigned: dict[int, tuple[tuple[Entry[act.AssignSheet], int | None], ...]] = {}
    given: dict[int, Entry[act.AssignSheet]] = {}
    same_as: dict[int, int] = {}
    ignored: dict[int, AnyEntry] = {}
    spoken_of: set[int] = set()
    approved: set[int] = set()
    removed: dict[str, AnyEntry] = {}
    rules: Json = {}
    clock: str | None = None
    clocks: dict[int, datetime] = {}
    shown: act.Shown = "table"
    closed: AnyEntry | None = None

    def number_of(self, name: str | None) -> int | None:
        """The number of the player of that name."""
        return self.numbers.get(plain_name(name)) if name else None

    def over(self, round_: int | None) -> AnyEntry | None:
        """What ended a round: the next one was paired, or the event closed. None before that."""
        return self.paired.get(round_ + 1, self.closed) if round_ else None

    def after(self, new: Sequence[AnyEntry]) -> Said:
        """What the log says with entries more, none of which undoes anything."""
        said = Said(**{name: copy(value) for name, value in asdict(self).items()})
        for entry in new:
            _fold(said, entry)
        return said


def fold_log(log: Sequence[AnyEntry]) -> Said:
    """What a log says, without what was undone with all that was done together with it. An `Undo`
    can be undone as well."""
    undone: set[int] = set()
    moments = {entry.id: entry.moment for entry in log}
    together: dict[Moment, set[int]] = defaultdict(set)
    for entry in log:
        together[entry.moment].add(entry.id)
    for entry in reversed(log):
        action = entry.action
        if isinstance(action, Undo) and entry.id not in undone and action.action in moments:
            undone |= together[moments[action.action]]
    return Said(undone=frozenset(undone)).after(log)


def _fold(said: Said, entry: Any) -> None:
    action: Action = entry.action
    number_of = said.number_of
    if isinstance(action, act.AddPlayer):  # a number is never given twice
        said.last_number, name = max(said.last_number, action.number), plain_name(action.name)
        if entry.id in said.undone:
            said.numbers.setdefault(name, action.number)
        else:
            said.numbers[name] = action.number
            said.players[action.number] = Player(action.number, action.name, action.code)
        return
    if entry.id in said.undone:
        if isinstance(action, act.RenamePlayer) and (number := number_of(action.name)):
            said.numbers.setdefault(plain_name(action.to), number)  # others have used the name
        return
    if isinstance(action, OnSheet):
        said.spoken_of.add(action.sheet)
    match action:
        case OnField():
            if isinstance(action, act.ConfirmSheet):
                said.approved.update(action.answers)
            said.fields[action.sheet] = (*said.fields.get(action.sheet, ()), entry)
        case act.AssignSheet(waits=True):
            said.given[action.sheet] = entry
        case act.AssignSheet():
            said.given.pop(action.sheet, None)
            words = said.assigned.get(action.sheet, ())
            said.assigned[action.sheet] = (*words, (entry, number_of(action.player)))
            if action.own:
                said.same_as[action.sheet] = 0
        case act.SamePaper():
            said.same_as[action.sheet] = action.of or 0
        case act.Ignore():
            said.ignored.pop(action.sheet, None)
            if action.ignored:
                said.ignored[action.sheet] = entry
        case act.Approve():
            said.approved.update(action.actions)
        case act.RemovePhoto():
            said.removed.pop(action.photo, None)
            if action.removed:
                said.removed[action.photo] = entry
        case act.EnterResult() | act.Walkover():
            at = action.round, action.table
            last = said.results.get(at, TableResult({}))
            read = {n: total for name, total in action.read.items() if (n := number_of(name))}
            # Who enters the same again has seen what the sheets are worth by then.
            if isinstance(action, act.Walkover):
                winner = number_of(action.winner)
                same = last.walkover and last.winner == winner
                result = TableResult({}, winner, True, read if same else {})
            else:
                points = {n: v for name, v in action.points.items() if (n := number_of(name))}
                read = {n: read.get(n) for n, v in points.items() if last.points.get(n, v) == v}
                result = TableResult({**last.points, **points}, read={**last.read, **read})
            said.results[at] = result
        case act.WithdrawResult():
            said.results.pop((action.round, action.table), None)
        case act.DropPlayer() | act.Rejoin() | act.RenamePlayer() | act.RemovePlayer():
            number = number_of(action.name) or 0
            if (player := said.players.get(number)) is None:
                return
            if isinstance(action, act.RemovePlayer):
                del said.players[number]
            elif isinstance(action, act.RenamePlayer):
                former = (*player.former, player.name)
                said.players[number] = replace(player, name=action.to, former=former)
                said.numbers[plain_name(action.to)] = number
            else:
                said.players[number] = replace(player, active=isinstance(action, act.Rejoin))
        case act.RequestBye():
            byes, own = said.byes.get(action.round, frozenset()), {number_of(action.name) or 0}
            said.byes[action.round] = byes | own if action.wanted else byes - own
        case act.PairRound():
            numbers = (filter(None, map(number_of, names)) for names in action.tables or ())
            said.rounds[action.round] = tuple(map(tuple, numbers))
            said.paired.setdefault(action.round, entry)
            said.byes[action.round] = frozenset(number_of(name) or 0 for name in action.byes)
        case act.SetRules():
            said.rules |= action.given
        case act.StartClock():
            said.clock, round_ = action.ends, max(said.rounds, default=0)
            said.clocks.pop(round_, None)
            if action.minutes and action.ends:  # not in a store of before: it counts as it did
                said.clocks[round_] = datetime.fromisoformat(action.ends)
        case act.Show():
            said.shown = action.what
        case act.CloseEvent():
            said.closed = entry if action.closed else None
