"""What is stored of an event and what its log says: players, rules, rounds, photos.

A property is computed when it is first needed, and an event's next version takes it over if what it
is made of stays the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from operator import attrgetter, is_
from typing import Any, Generic, Self, TypeVar

import msgspec
from msgspec import Struct, structs

from kdscan.errors import UsageError
from kdscan.event import actions as act
from kdscan.event.corrections import NoSuchSheet
from kdscan.event.dedupe import Alike
from kdscan.event.games import BYE, DRAW, Game, Seat, Table
from kdscan.event.games import Memo as Games
from kdscan.event.log import AnyEntry, Author, Entry, Said, TableResult, fold_log
from kdscan.event.names import Names, short_name
from kdscan.event.sheets import ReadSheet, Sheet
from kdscan.event.store.schema import UPLOADED, FileRow, PhotoRow
from kdscan.files import Json
from kdscan.rules import GameName

Value = TypeVar("Value")


class Derived(Generic[Value]):
    """A property of an event that its next version takes over, as long as what it is `made_of`,
    attributes of the event, stays the same objects."""

    def __init__(self, compute: Callable[[Any], Value], made_of: Sequence[str]) -> None:
        self._compute, self._name = compute, compute.__name__
        self._made_of = [attrgetter(name) for name in made_of]

    def __get__(self, event: Any, _: object = None) -> Value:
        made_of = [get(event) for get in self._made_of]
        before, value = event.memo.derived.get(self._name, ((), None))
        if not before or not all(map(is_, before, made_of)):
            value = self._compute(event)
            event.memo.derived[self._name] = made_of, value
        vars(event)[self._name] = value
        return value  # type: ignore[no-any-return]


def derived(*made_of: str) -> Callable[[Callable[[Any], Value]], Derived[Value]]:
    """Declare a `Derived` property."""
    return lambda compute: Derived(compute, made_of)


class Memo(Struct, eq=False):
    """What versions of an event pass on: what each was made of and is; the log, and what it says;
    what is known of similar sheets; and games, which stay the same objects as long as what they are
    made of does."""

    derived: dict[str, tuple[list[Any], Any]] = {}
    said: tuple[tuple[AnyEntry, ...], Said] = ((), Said())
    alike: Alike = msgspec.field(default_factory=Alike)
    games: Games = {}


@dataclass(frozen=True, eq=False)
class EventRecord:
    """An event at one version.

    game: "duel" or "kingdomino". details: settings that no action changes. files: in the order of
    their names. failures: why pages could not be read, by photo and page. unsaved: current JSON of
    sheets that is not stored yet. read: the sheets that the last action changed.
    """

    id: int
    name: str
    game: GameName
    version: int
    details: Json
    created_at: datetime
    log: tuple[AnyEntry, ...]
    photos: Mapping[int, PhotoRow]
    files: tuple[FileRow, ...]
    failures: Mapping[tuple[int, int], Json]
    sheets: Mapping[int, Sheet]
    memo: Memo = field(default_factory=Memo)
    unsaved: Mapping[int, Json] = field(default_factory=dict)
    read: Mapping[int, ReadSheet] = field(default_factory=dict)

    def after(self, version: int, *new: AnyEntry) -> Self:
        """The event when that was done besides; current states of sheets are still the old ones."""
        return replace(self, version=version, log=(*self.log, *new), read={})

    # The log

    @cached_property
    def entries(self) -> Mapping[int, AnyEntry]:
        return {entry.id: entry for entry in self.log}

    @cached_property
    def of_sheet(self) -> Mapping[int, Sequence[AnyEntry]]:
        """What was done to each sheet, the oldest first."""
        words: dict[int, list[AnyEntry]] = defaultdict(list)
        for entry in self.log:
            if isinstance(entry.action, act.OnSheet):
                words[entry.action.sheet].append(entry)
        return words

    @cached_property
    def firm_on(self) -> Mapping[int, Sequence[AnyEntry]]:
        """What the desk did to each sheet or accepted there, and is in force."""
        undone = self.said.undone
        return {
            sheet: [entry for entry in entries if entry.id not in undone and self.is_firm(entry)]
            for sheet, entries in self.of_sheet.items()
        }

    def is_firm(self, entry: Entry[act.Base]) -> bool:
        """Whether the desk did something or accepted it; at home everybody is the desk."""
        return entry.role == "desk" or entry.id in self.said.approved or not self.has_players

    def together(self, entry: AnyEntry) -> list[AnyEntry]:
        """What was done at one moment with it, itself included; undone together."""
        return [other for other in self.log if other.moment == entry.moment]

    @cached_property
    def said(self) -> Said:
        """What the log says; what an action leaves as it is stays the same object."""
        log, before = self.memo.said
        new = self.log[len(log) :]
        if log != self.log[: len(log)] or any(isinstance(e.action, act.Undo) for e in new):
            said = fold_log(self.log)
        else:
            said = before.after(new)
        for name, value in structs.asdict(before).items():
            if value == getattr(said, name):
                setattr(said, name, value)
        self.memo.said = self.log, said
        return said

    @derived("said.rules")
    def rules(self) -> act.Rules:
        return act.Rules(self.game, **self.said.rules)

    @derived("said.players")
    def names(self) -> Names:
        return Names(tuple(self.said.players.values()))

    @property
    def has_players(self) -> bool:
        """Whether it is a tournament, whose desk has the last word; at home everybody's counts."""
        return bool(self.said.players)

    def newest(self, author: Author | None = None, sheet: int | None = None) -> AnyEntry | None:
        """What somebody last did (on a sheet) that is still in force: undoing what others have
        replaced since would change nothing, or overrule them. None if there is nothing."""
        later: set[act.Subject] = set()
        for entry in reversed(self.log):
            action = entry.action
            if entry.id in self.said.undone or isinstance(action, act.Undo):
                continue
            subjects = action.subjects()
            replaced = bool(subjects) and subjects <= later
            later |= subjects
            own = not replaced and (author is None or entry.is_of(author))
            if own and sheet in (None, getattr(action, "sheet", None)):
                return entry
        return None

    # Rounds

    @derived("said.rounds", "said.players")
    def tables(self) -> Mapping[int, Mapping[int, tuple[str, ...]]]:
        """Names by round and table, as they were paired; one alone has a bye."""
        players = self.said.players
        return {
            round_: {
                table: tuple(players[n].name for n in seats if n in players)
                for table, seats in enumerate(tables, 1)
                if seats
            }
            for round_, tables in sorted(self.said.rounds.items())
        }

    @derived("tables")
    def seats(self) -> Mapping[tuple[int, str], int]:
        """The table of each player in each round."""
        return {
            (round_, name): table
            for round_, tables in self.tables.items()
            for table, seats in tables.items()
            for name in seats
        }

    def seats_at(self, round_: int, table: int) -> tuple[str, ...]:
        """Who sits at a table; raises `UsageError` for one that was not paired."""
        tables = self.tables.get(round_, {})
        if not tables:
            raise UsageError("round {round} has no tables; pair it first", round=round_)
        if table not in tables:
            raise UsageError(
                "round {round} has no table {table}; there are: {known}",
                round=round_,
                table=table,
                known=", ".join(map(str, tables)),
            )
        return tables[table]

    def seated(self, round_: int, table: int, name: str) -> str:
        """The spelling of a player's name who sits at a table; raises `UsageError`."""
        seats = self.seats_at(round_, table)
        player = self.names.player(name)
        if player is None or player.name not in seats:
            raise UsageError(
                "{name} does not sit at table {table} in round {round}; these do: {known}",
                name=name,
                table=table,
                round=round_,
                known=", ".join(seats),
            )
        return player.name

    @derived("tables", "said.results", "said.byes", "rules")
    def _planned(self) -> dict[Table, Game]:
        """The games as they were paired, with what was entered for them."""
        numbers = {player.name: player.number for player in self.names.players}
        planned, requested = {}, DRAW * self.rules.half_byes
        for round_, tables in self.tables.items():
            for table, players in tables.items():
                result = self.said.results.get((round_, table), TableResult({}))
                winner = self.said.players.get(result.winner or 0)
                seated = [(name, numbers[name]) for name in players]
                planned[round_, table] = Game(
                    round_,
                    table,
                    tuple(
                        Seat(p, None, result.points.get(n), result.read.get(n)) for p, n in seated
                    ),
                    winner.name if winner and winner.name in players else None,
                    result.walkover and winner is None,
                    requested if seated[0][1] in self.said.byes[round_] else BYE,
                )
        return planned

    # Photos and sheets

    def sheet(self, sheet_id: int) -> Sheet:
        """A sheet by its id; raises `UsageError`."""
        if sheet_id not in self.sheets:
            raise NoSuchSheet("there is no such sheet")
        return self.sheets[sheet_id]

    @derived("files")
    def first_names(self) -> Mapping[int, tuple[int, FileRow]]:
        """For each photo its first name by the alphabet, and its place among the event's names.
        Any of a photo's names may give the round."""
        named: dict[int, tuple[int, FileRow]] = {}
        for order, file in enumerate(self.files):
            if file.photo_id is not None:
                first, row = named.get(file.photo_id, (order, file))
                named[file.photo_id] = (
                    first,
                    structs.replace(row, details=file.details | row.details),
                )
        return named

    @derived("files")
    def sent(self) -> Mapping[int, Sequence[FileRow]]:
        """For each photo the files by which it came, the first one first."""
        files: dict[int, list[FileRow]] = defaultdict(list)
        for file in sorted(self.files, key=lambda row: row.id):
            if file.photo_id is not None:
                files[file.photo_id].append(file)
        return files

    def senders(self, photo_id: int) -> list[str]:
        """The sessions that sent a photo, the first one first; "" for a batch."""
        return [
            str(file.details.get("session")) if file.source == UPLOADED else ""
            for file in self.sent.get(photo_id, ())
        ]

    def is_removed(self, photo: PhotoRow, page: int | None = None) -> bool:
        """Whether a photo is removed, or one page of it; pages count from 0."""
        return not self.said.removed.keys().isdisjoint((photo.key(), photo.key(page)))

    def sheet_name(self, sheet_id: int) -> str:
        """A sheet's name for people: its file's own name."""
        sheet = self.sheets.get(sheet_id)
        named = self.first_names.get(sheet.photo_id) if sheet else None
        return short_name(named[1].name) if named else "?"
