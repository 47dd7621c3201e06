"""An event as the fold of its log: `Event` is made from what was read and what people did.

Everything that is shown of an event (standings, desk, report, export, projector) is a function of
it. It is computed as far as it is needed, and once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from math import inf
from operator import attrgetter, is_
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct, structs

from kdscan.errors import BlankPage, UsageError
from kdscan.event import actions as act
from kdscan.event.assignments import Assignment, by_code, by_people, of_papers, parsed
from kdscan.event.dedupe import Alike, Compared, Entry, same_sheets
from kdscan.event.games import BYE, DRAW, Finding, Game, Planned, SheetScore, Table, gather
from kdscan.event.games import Memo as Games
from kdscan.event.log import AnyEntry, Author, Said, TableResult, fold_log
from kdscan.event.log import Entry as LogEntry
from kdscan.event.names import Names
from kdscan.event.results import (
    BLANK,
    CONFLICT,
    FAILED,
    IGNORED,
    OK,
    REVIEW,
    SAME_PHOTO,
    SAME_SHEET,
    Result,
    Sheet,
    SheetResult,
    reason_of,
    short_name,
)
from kdscan.event.rules import Rules
from kdscan.event.sheets import NOTHING_SAID, ReadSheet, SheetSaid, is_linked
from kdscan.event.standings import Standing, standings
from kdscan.event.store.schema import FileRow, PhotoRow
from kdscan.files import Json
from kdscan.i18n import mark
from kdscan.rules.winner import Worth
from kdscan.sheets.base import DUEL_MAP, KINGDOM, SPELLBOOK, is_player_sheet
from kdscan.sheets.common import VARIANTS

Value = TypeVar("Value")

UPLOADED = "web"
"""`file.source` of what was uploaded to the page."""

Group = tuple[tuple[int, ...], bool]
"""Sheets that are interpreted together, and whether they are of one table although they are in
several photos."""


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
    what is known of similar sheets; and scores and games, which stay the same objects as long as
    what they are made of does."""

    derived: dict[str, tuple[list[Any], Any]] = {}
    said: tuple[tuple[AnyEntry, ...], Said] = ((), Said())
    alike: Alike = msgspec.field(default_factory=Alike)
    scores: dict[int, tuple[tuple[object, ...], SheetScore]] = {}
    games: Games = {}


@dataclass(frozen=True, eq=False)
class Event:
    """An event at one version.

    game: "duel" or "kingdomino". details: settings that no action changes. files: in the order of
    their names. failures: why pages could not be read, by photo and page. unsaved: current JSON of
    sheets that is not stored yet. read: the sheets that the last action changed.
    """

    id: int
    name: str
    game: str
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

    def after(self, version: int, *new: AnyEntry) -> Event:
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
        undone, approved, everybody = self.said.undone, self.said.approved, not self.has_players
        return {
            sheet: [
                entry
                for entry in entries
                if entry.id not in undone
                and (everybody or entry.role == "desk" or entry.id in approved)
            ]
            for sheet, entries in self.of_sheet.items()
        }

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
        said.keep_objects(before)
        self.memo.said = self.log, said
        return said

    @derived("said.rules")
    def rules(self) -> Rules:
        return Rules.of(self.game, self.said.rules)

    @derived("said.players")
    def names(self) -> Names:
        return Names.of(self.said.players.values())

    @derived("said.players")
    def name_of(self) -> Mapping[int, str]:
        """The players' names by number."""
        return {player.number: player.name for player in self.said.players.values()}

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
            tables = {subject[:3] for subject in subjects if subject[0] == "result"}
            replaced = subjects <= later or bool(tables & later)
            if tables and len(next(iter(subjects))) == 3:  # a walkover is replaced by any points
                replaced = replaced or any(subject[:3] in tables for subject in later)
            later |= subjects
            if replaced and subjects:
                continue
            if sheet is not None and getattr(action, "sheet", None) != sheet:
                continue
            if author is None or entry.is_of(author):
                return entry
        return None

    # Rounds

    @derived("said.rounds", "said.players")
    def tables(self) -> Mapping[int, Mapping[int, tuple[str, ...]]]:
        """Names by round and table, as they were paired; one alone has a bye."""
        names = self.name_of
        return {
            round_: {
                table: tuple(names[n] for n in seats if n in names)
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

    def read_totals(self, round_: int, table: int) -> dict[str, int | None]:
        """What the sheets of a table are worth by player, also after a walkover; raises
        `UsageError` for a table that was not paired."""
        self.seats_at(round_, table)
        seats = self.game_at(round_, table).seats
        return {seat.player: seat.sheet.total if seat.sheet else None for seat in seats}

    @derived("tables", "said.results", "said.byes", "rules")
    def _planned(self) -> dict[Table, Planned]:
        names = self.name_of
        planned, requested = {}, DRAW * self.rules.half_byes
        for round_, tables in self.tables.items():
            asked = {names.get(n) for n in self.said.byes[round_]}
            for table, seats in tables.items():
                result = self.said.results.get((round_, table), TableResult({}))
                named = {names[n]: value for n, value in result.points.items() if n in names}
                winner = names.get(result.winner or 0)
                seen = {names[n]: total for n, total in result.read.items() if n in names}
                planned[round_, table] = Planned(
                    seats,
                    named,
                    winner,
                    {name: seen.get(name) for name in seats},
                    forfeit=result.walkover and winner is None,
                    bye_points=requested if seats[0] in asked else BYE,
                )
        return planned

    # Photos and sheets

    def sheet(self, sheet_id: int) -> Sheet:
        """A sheet by its id; raises `UsageError`."""
        if sheet_id not in self.sheets:
            raise UsageError("there is no such sheet")
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
        removed = self.said.removed
        whole = f"photo:{photo.sha256}" in removed
        return whole or (page is not None and f"page:{photo.sha256}#{page + 1}" in removed)

    def sheet_name(self, sheet_id: int) -> str:
        """A sheet's name for people: its file's own name."""
        sheet = self.sheets.get(sheet_id)
        named = self.first_names.get(sheet.photo_id) if sheet else None
        return short_name(named[1].name) if named else "?"

    def said_of(self, sheet: Sheet) -> SheetSaid:
        """What was said about a sheet's values."""
        rules: dict[str, object] = {}
        given: Sequence[LogEntry[act.OnField]] = self.said.fields.get(sheet.id, ())
        if sheet.type is KINGDOM:
            fixed = self.rules.game == KINGDOM.game
            own = [entry for entry in given if isinstance(entry.action, act.SetVariants)]
            if fixed:
                given = [entry for entry in given if entry not in own]
            extras = self.rules.middle_kingdom, self.rules.harmony
            if sheet.brief.extras != extras and (fixed or not own):
                rules[VARIANTS] = self.rules.extras
        if not given:
            return SheetSaid(rules=rules) if rules else NOTHING_SAID
        firm: dict[str, LogEntry[act.OnField]] = {}
        claims: dict[str, LogEntry[act.OnField]] = {}
        trusted, approved = not self.has_players, self.said.approved
        closed = self.said.over(self.assignments[sheet.id].round)
        for entry in given:
            name = entry.action.field
            claims.pop(name, None)  # the newest word comes last
            if trusted or entry.role == "desk" or entry.id in approved:
                firm.pop(name, None)
                claims = {} if name == "confirmed" else claims
                firm[name] = entry
            elif name not in firm and "confirmed" not in firm:
                claims[name] = entry
        return SheetSaid(firm, claims, rules, closed)

    @derived("photos", "names", "seats", "first_names")
    def _by_code(self) -> Mapping[int, Assignment]:
        return {sheet.id: by_code(self, sheet) for sheet in self.sheets.values()}

    @derived("_by_code", "compared")
    def assignments(self) -> Mapping[int, Assignment]:
        """Whose each sheet is, and where it was played; removed ones too."""
        return of_papers(self, self._of_photos)

    @derived("_by_code", "said.assigned", "said.given")
    def _of_photos(self) -> Mapping[int, Assignment]:
        """What is said of each photo of a sheet alone."""
        return {**self._by_code, **by_people(self, self._by_code)}

    def place_after(self, author: Author, action: act.AssignSheet) -> Table | None:
        """The round and the table at which a sheet would count if somebody gave it to a player."""
        entry = LogEntry(0, self.created_at, **vars(author), action=action)
        memo = structs.replace(self.memo, derived={**self.memo.derived}, games={**self.memo.games})
        event = replace(self.after(self.version, entry), memo=memo)
        seats = ((game, seat.sheet) for game in event.games for seat in game.seats)
        best = event.compared.same.get(action.sheet, action.sheet)
        return next(((game.round, game.table) for game, s in seats if s and s.key == best), None)

    @property
    def late(self) -> Set[int]:
        """Sheets that came when their round was over, and of which the desk has not spoken since:
        they change no result. None of a round of which all came then, as in older stores."""
        return self._late | self.compared.late

    @cached_property
    def _late(self) -> frozenset[int]:
        """Those of which that is known by this photo of them alone."""
        came: dict[tuple[int | None, bool], set[int]] = defaultdict(set)
        for sheet_id in self._counted:
            round_ = self._of_photos[sheet_id].round
            if over := self.said.over(round_):
                in_time = self.photos[self.sheets[sheet_id].photo_id].added_at <= over.at
                accepted = any(entry.id > over.id for entry in self.firm_on.get(sheet_id, ()))
                came[round_, in_time or accepted].add(sheet_id)
        return frozenset(
            n for (r, good), ids in came.items() if not good and (r, True) in came for n in ids
        )

    @derived("_counted", "assignments", "said.paired", "said.closed", "said.clocks")
    def ends(self) -> Mapping[int, datetime]:
        """Since when a sheet that does not say its round comes too late for a round: its clock has
        run out, or it is over. Not of a round of which all sheets came later."""
        first: dict[int, datetime] = {}
        for sheet_id in self._counted:
            round_, photo = self.assignments[sheet_id].round, self.sheets[sheet_id].photo_id
            if round_:
                came = self.photos[photo].added_at
                first[round_] = min(first.get(round_, came), came)
        ends = {}
        for round_, came in first.items():
            over, clock = self.said.over(round_), self.said.clocks.get(round_)
            moments = [*([over.at] if over else ()), *([clock] if clock else ())]
            if moments and came <= min(moments):
                ends[round_] = min(moments)
        return ends

    @derived("photos", "first_names", "said.removed")
    def _counted(self) -> list[int]:
        """The sheets that are not removed, in the order of their files' names."""
        named, removed = self.first_names, self.said.removed
        sheets = [
            sheet
            for sheet in self.sheets.values()
            if sheet.photo_id in named
            and not (removed and self.is_removed(self.photos[sheet.photo_id], sheet.page))
        ]
        sheets.sort(key=lambda sheet: (named[sheet.photo_id][0], sheet.page, sheet.number))
        return [sheet.id for sheet in sheets]

    @derived("_counted", "sheets", "_of_photos", "firm_on", "_late", "said.ignored", "said.same_as")
    def compared(self) -> Compared:
        """Which photos show one sheet. Only sheets that have something in common with another are
        compared further."""
        same_as, alike = self.said.same_as, self.memo.alike
        counting = [n for n in self._counted if not self.said.ignored.get(n)]
        sheets = [self.sheets[n] for n in counting]
        codes = {sheet.id: self._whole_code(sheet) for sheet in sheets}
        bearers = Counter(codes.values())
        readings = Counter(sheet.brief.marks for sheet in sheets)
        for sheet in sheets:
            if sheet.brief.marks and same_as.get(sheet.id) is None:
                alike.add(sheet.brief.marks, coded=bool(codes[sheet.id]))
        named = {*same_as, *same_as.values()}
        entries = []
        for sheet in sheets:
            brief, code = sheet.brief, codes[sheet.id]
            if not (
                sheet.id in named
                or (code and bearers[code] > 1)
                or readings[brief.marks] > 1
                or alike.near(brief.marks, coded=bool(code))
            ):
                continue
            words = [
                entry
                for entry in self.firm_on.get(sheet.id, ())
                if isinstance(entry.action, act.OnField | act.SamePaper)
            ]
            corrected = any(isinstance(entry.action, act.OnField) for entry in words)
            over = self.said.over(self._of_photos[sheet.id].round)
            entries.append(
                Entry(
                    sheet.id,
                    code,
                    brief.marks,
                    same_as.get(sheet.id),
                    sheet.kind,
                    (brief.confirmed, corrected),
                    brief.confidence,
                    brief.total or 0,
                    brief.low,
                    brief.high,
                    sheet.photo_id,
                    self.photos[sheet.photo_id].added_at.timestamp(),
                    max((entry.at.timestamp() for entry in words), default=-1.0),
                    sheet.id in self._late,
                    over.at.timestamp() if over else inf,
                )
            )
        return same_sheets(entries, alike)

    def _whole_code(self, sheet: Sheet) -> str | None:
        """The code with its round, else with the photo's; None without any, because one sheet per
        round bears it."""
        printed = parsed(sheet.code)
        if printed is None or printed.round is not None:
            return sheet.code
        round_ = self._of_photos[sheet.id].round
        return None if round_ is None else f"{sheet.code} {round_}"

    @derived("photos")
    def pages(self) -> Mapping[tuple[int, int], Sequence[int]]:
        """The sheets of each photo's page, in their order there."""
        pages: dict[tuple[int, int], list[int]] = defaultdict(list)
        for sheet in sorted(self.sheets.values(), key=lambda sheet: sheet.number):
            pages[sheet.photo_id, sheet.page].append(sheet.id)
        return pages

    @derived("photos")
    def uses_spellbooks(self) -> bool:
        return any(sheet.type is SPELLBOOK for sheet in self.sheets.values())

    @derived("_counted", "assignments", "said.ignored")
    def _at_tables(self) -> Mapping[Table, Sequence[int]]:
        """The sheets that may count at each table, where spellbooks are used."""
        tables: dict[Table, list[int]] = defaultdict(list)
        for sheet_id in self._counted if self.uses_spellbooks else ():
            at = self.assignments[sheet_id]
            if at.round and at.table and not self.said.ignored.get(sheet_id):
                tables[at.round, at.table].append(sheet_id)
        return tables

    def _table_of(self, sheet_id: int) -> Table:
        at = self.assignments[sheet_id]
        return at.round or 0, at.table or 0

    def around(self, ids: Iterable[int]) -> set[int]:
        """These sheets and all whose worth may depend on what is said of them: those of their
        pages and tables."""
        near = set(ids) & self.sheets.keys()
        for sheet in [self.sheets[n] for n in near]:
            near.update(self.pages[sheet.photo_id, sheet.page])
            near.update(self._at_tables.get(self._table_of(sheet.id), ()))
        return near

    def groups(self, ids: Collection[int] | None = None) -> Mapping[int, Group]:
        """The sheets with which each (of these) is interpreted, where something depends on that:
        where somebody said something, and games whose two maps and spellbook are in several photos.
        """
        tables: Collection[Table] = self._at_tables
        if ids is None:
            ids = [n for n, s in self.sheets.items() if n in self.said.fields or s.brief.extras]
        else:
            tables = self._at_tables.keys() & map(self._table_of, ids)
        groups: dict[int, Group] = {}
        for page in {(self.sheets[n].photo_id, self.sheets[n].page) for n in ids}:
            together = tuple(self.pages[page])
            spoken_of = [n for n in together if self.said_of(self.sheets[n])]
            if spoken_of and is_linked([self.sheets[n].kind for n in together]):
                groups |= dict.fromkeys(together, (together, False))
            else:
                groups |= {n: ((n,), False) for n in spoken_of}
        for at in tables:
            apart = self.compared.same.keys() | self.late
            sheets = [self.sheets[n] for n in self._at_tables[at] if n not in apart]
            maps = [s for s in sheets if s.type is DUEL_MAP]
            books = [s for s in sheets if s.type is SPELLBOOK]
            in_pages = {(s.photo_id, s.page) for s in (*maps, *books)}
            if (len(maps), len(books)) == (2, 1) and len(in_pages) > 1:
                game = tuple(s.id for s in (*maps, *books))
                groups |= dict.fromkeys(game, (game, True))
        return groups

    # Results

    @cached_property
    def rows(self) -> Sequence[Result]:
        """All rows, without removed photos and pages, in the order of the files' names."""
        return list(self._rows())

    def _rows(self) -> Iterator[Result]:
        counted, shown = set(self._counted), dict[int, str]()
        for file in self.files:
            if file.photo_id is None:
                if f"file:{file.name}" not in self.said.removed:
                    yield Result(file, None, FAILED, problem=reason_of(file))
                continue
            photo = self.photos[file.photo_id]
            if self.is_removed(photo):
                continue
            if photo.id in shown:
                yield Result(file, photo, SAME_PHOTO, other=shown[photo.id])
                continue
            shown[photo.id] = file.name
            first = self.first_names[photo.id][1]
            if photo.error_code:
                yield Result(first, photo, FAILED, problem=reason_of(photo))
            for page in range(photo.pages or 0):
                if self.is_removed(photo, page):
                    continue
                sheets = [n for n in self.pages.get((photo.id, page), ()) if n in counted]
                yield from map(self.row, sheets)
                problem = self.failures.get((photo.id, page))
                if problem and not sheets:
                    status = BLANK if problem["code"] == BlankPage.code else FAILED
                    yield Result(first, photo, status, page, problem=problem)

    @cached_property
    def sheet_rows(self) -> Sequence[SheetResult]:
        """The rows with sheets."""
        return [row for row in self.rows if isinstance(row, SheetResult)]

    def row(self, sheet_id: int) -> SheetResult:
        """A sheet's row."""
        sheet, other = self.sheets[sheet_id], self.compared.same.get(sheet_id)
        status = REVIEW if sheet.brief.review else OK
        if self.said.ignored.get(sheet_id):
            status, other = IGNORED, None
        elif other is not None:
            status = SAME_SHEET
        if rivals := self.compared.conflicts.get(sheet_id):
            status, other = CONFLICT, rivals[0]
        file = self.first_names[sheet.photo_id][1]
        name = None
        if other is not None:
            name = self.sheets[other].name_in(self.first_names[self.sheets[other].photo_id][1].name)
        return SheetResult(
            file,
            status=status,
            page=sheet.page,
            other=name,
            photo=self.photos[sheet.photo_id],
            sheet=sheet,
            assignment=self.assignments[sheet_id],
            corrected=sheet_id in self.said.spoken_of,
        )

    @cached_property
    def counting(self) -> tuple[SheetResult, ...]:
        """The rows with sheets that count."""
        return tuple(row for row in self.sheet_rows if row.counts)

    @cached_property
    def shown_names(self) -> Mapping[int, str]:
        """Names of the sheets, as `kdscan correct` takes them."""
        together = Counter(self.sheets[n].photo_id for n in self._counted)
        rows = map(self.row, self._counted)
        return {
            row.sheet.id: row.address if together[row.photo.id] > 1 else row.name for row in rows
        }

    @derived("sheets", "compared", "assignments", "_late", "said.ignored")
    def scores(self) -> tuple[SheetScore, ...]:
        """The maps and kingdoms that count. Those that stay the same stay the same objects."""
        compared, memo, scores = self.compared, self.memo.scores, []
        for key in self._counted:
            sheet, rivals = self.sheets[key], compared.conflicts.get(key, ())
            hidden = self.said.ignored.get(key) or key in compared.same
            if not is_player_sheet(sheet.kind) or (hidden and not rivals):
                continue
            at, brief, differs = self.assignments[key], sheet.brief, compared.differs.get(key, ())
            by_desk = any(word.role == "desk" for word, _ in self.said.assigned.get(key, ()))
            came = None if by_desk else self.photos[sheet.photo_id].added_at
            named = self.sheet_name(key)
            made_of = brief, at, rivals, differs, key in self.late, came, named
            if key not in memo or memo[key][0] != made_of:
                score = SheetScore(
                    **vars(at),
                    key=key,
                    worth=Worth(brief.total or 0, brief.largest, brief.crowns),
                    review=brief.review,
                    rivals=rivals,
                    cut_off=brief.retake,
                    differs=differs,
                    changed_by=", ".join(sorted({wait.who for wait in brief.waits})),
                    claimed=brief.if_accepted,
                    late=key in self.late,
                    came=came,
                    blank=brief.review and bool(brief.marks) and not brief.marks.strip("0"),
                    file=named,
                )
                memo[key] = made_of, score
            scores.append(memo[key][1])
        return tuple(scores)

    @derived("scores", "_planned", "ends", "_at_tables")
    def _gathered(self) -> tuple[tuple[Game, ...], tuple[Finding, ...]]:
        most, memo = self.rules.most, self.memo.games
        games, findings = gather(self.scores, self._planned, most, memo, self.ends)
        return games, (*findings, *self._unused_books())

    def _unused_books(self) -> Iterator[Finding]:
        """Spellbooks with a chosen coat that pay nobody, because their game is not known."""
        if not self.uses_spellbooks:
            return
        rows = self.counting
        maps = Counter((r.photo.id, r.page) for r in rows if r.sheet.type is DUEL_MAP)
        for row in rows:
            alone = row.sheet.type is SPELLBOOK and maps[row.photo.id, row.page] != 2
            at = row.assignment
            if not (alone and row.sheet.brief.pays):
                continue
            if row.sheet.id in self.late:
                text = mark("a spellbook came when its round was over, and adds no points")
                yield Finding("unplaced", text, {}, at.round, at.table, (row.sheet.id,))
            elif at.round is None or at.table is None:
                text = mark("a spellbook adds no points, because its table is not known")
                yield Finding("unplaced", text, {}, at.round, None, (row.sheet.id,))

    @property
    def games(self) -> tuple[Game, ...]:
        """Games by round and table, read or planned."""
        return self._gathered[0]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What a person should settle."""
        return self._gathered[1]

    def game_at(self, round_: int, table: int) -> Game:
        """The game at a table that was planned or played."""
        return next(game for game in self.games if (game.round, game.table) == (round_, table))

    @derived("names", "games")
    def standings(self) -> tuple[Standing, ...]:
        return standings([player.name for player in self.names.players], self.games)

    @property
    def last_round(self) -> int:
        """The last round that was planned or played; 0 before the first."""
        return max((game.round for game in self.games), default=0)

    @property
    def played_round(self) -> int:
        """The last round with a finished game; 0 if there is none."""
        return max((game.round for game in self.games if game.played), default=0)

    @property
    def round_over(self) -> bool:
        """Whether all games of that round are finished."""
        return all(game.finished for game in self.games if game.round == self.played_round)

    @property
    def other_sizes(self) -> list[str]:
        """Files with kingdoms that were read while the rules said another size limit."""
        if self.rules.game != KINGDOM.game:
            return []
        size = self.rules.variants.size
        rows = (row for row in self.counting if row.sheet.type is KINGDOM)
        return sorted({row.file.name for row in rows if row.sheet.brief.size != size})
