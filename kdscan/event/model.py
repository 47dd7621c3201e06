"""An event as the fold of its log: `Event` is made from what was read and what people did.

Everything that is shown of an event (standings, desk, report, export, projector) is a function of
it. It is computed as far as it is needed, and once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, lru_cache

from msgspec import structs

from kdscan.errors import BlankPage, UsageError
from kdscan.event import actions as act
from kdscan.event.dedupe import Alike, Compared, Entry, same_sheets
from kdscan.event.games import (
    BYE,
    CUT,
    DRAW,
    Assignment,
    Finding,
    Game,
    Planned,
    SheetScore,
    Table,
    gather,
)
from kdscan.event.games import Memo as Games
from kdscan.event.log import Author, Said, TableResult, fold_log
from kdscan.event.log import Entry as LogEntry
from kdscan.event.names import Names, ambiguous
from kdscan.event.rules import Rules
from kdscan.event.sheets import NOTHING_SAID, Brief, SheetSaid, is_linked
from kdscan.event.standings import Standing, standings
from kdscan.event.store.schema import FileRow, PhotoRow
from kdscan.files import Json
from kdscan.i18n import mark
from kdscan.paper.ids import MOST_LETTERS, SheetId
from kdscan.rules.winner import Worth
from kdscan.sheets.base import (
    DUEL_MAP,
    KINGDOM,
    SPELLBOOK,
    AnyEvidence,
    AnyReading,
    SheetType,
    is_player_sheet,
    kind_named,
)
from kdscan.sheets.common import VARIANTS, cell_values

OK, REVIEW, FAILED, BLANK = "ok", "review", "failed", "blank"
SAME_PHOTO, SAME_SHEET, IGNORED = "same photo", "same sheet", "ignored"
CONFLICT = "conflict"

Pairs = tuple[tuple[int, int], ...]

UPLOADED = "web"
"""`file.source` of what was uploaded to the page."""

OF_FILES = ("first_names", "sent", "pages", "_spellbooks")
"""What depends on the photos and their files alone, for an event's next version."""

OF_PLAN = ("rules", "names", "tables", "_seats", "_planned")
"""What no action on a sheet changes."""

OF_SHEETS = ("_counted", "compared", "_at_tables")
"""What changes only with the states of sheets, and by actions on whole sheets."""


@dataclass(frozen=True)
class Sheet:
    """A sheet of paper in a photo, according to its newest reading. number: its index there.

    code: text of its printed code. basis: what `brief`, its current state, rests on; None if
    nothing but the reading.
    """

    id: int
    photo_id: int
    page: int
    number: int
    reading_id: int
    kind: str
    code: str | None
    basis: str | None
    brief: Brief

    @property
    def type(self) -> SheetType[AnyEvidence, AnyReading] | None:
        """What kind of sheet it is; None for one of a newer version."""
        return kind_named(self.kind)

    @property
    def place(self) -> str:
        """Page and number on it, counted from 1, like 2.1."""
        return f"{self.page + 1}.{self.number + 1}"

    def name_in(self, file: str) -> str:
        """Its name for people: the file's, with the sheet's place unless it is the first."""
        return file if (self.page, self.number) == (0, 0) else f"{file}#{self.place}"


@dataclass(frozen=True)
class Result:
    """A row of an event's results: a file, or a page of its photo, that shows no sheet; or a
    `SheetResult`. status: one of the words above.

    photo: None if the file could not be read at all. other: the name of a file with the same photo,
    or of a sheet (`name#page.number`) that shows the same sheet better or bears the same code.
    """

    file: FileRow
    photo: PhotoRow | None
    status: str
    page: int = 0
    other: str | None = None
    problem: Json | None = None

    @property
    def name(self) -> str:
        """Its name for people: the file, and the page or sheet if there are others."""
        pages = self.photo.pages if self.photo else None
        return f"{self.file.name}#{self.page + 1}" if pages and pages > 1 else self.file.name


@dataclass(frozen=True, kw_only=True)
class SheetResult(Result):
    """A row with a sheet. It counts if its status is `OK` or `REVIEW`, and may count if it is
    `CONFLICT`: another sheet bears its code, and a person must say whose is which.

    rivals: sheets with the same code. corrected: somebody said something of it.
    """

    photo: PhotoRow
    sheet: Sheet
    assignment: Assignment
    rivals: tuple[int, ...]
    corrected: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is a sheet of the event, and not another photo of one."""
        return self.status in (OK, REVIEW, CONFLICT)

    @property
    def name(self) -> str:
        return self.sheet.name_in(self.file.name)

    @property
    def address(self) -> str:
        """The name that tells a sheet from all others: the file, and the sheet's place in it."""
        return f"{self.file.name}#{self.sheet.place}"


@dataclass(frozen=True)
class Group:
    """Sheets that are interpreted together. basis: see `Sheet`."""

    sheets: tuple[int, ...]
    one_table: bool = False


@dataclass(eq=False)
class Memo:
    """What versions of an event pass on: what is known of similar sheets, and scores and games that
    stay the same objects as long as what they are made of does."""

    alike: Alike = field(default_factory=Alike)
    scores: dict[int, tuple[tuple[object, ...], SheetScore]] = field(default_factory=dict)
    games: Games = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Event:
    """An event at one version.

    game: "duel" or "kingdomino". details: settings that no action changes. files: in the order of
    their names. failures: why pages could not be read, by photo and page. unsaved: current JSON of
    sheets that is not stored yet.
    """

    id: int
    name: str
    game: str
    version: int
    details: Json
    created_at: datetime
    log: tuple[LogEntry, ...]
    photos: Mapping[int, PhotoRow]
    files: tuple[FileRow, ...]
    failures: Mapping[tuple[int, int], Json]
    sheets: Mapping[int, Sheet]
    memo: Memo = field(default_factory=Memo)
    unsaved: Mapping[int, Json] = field(default_factory=dict)

    # Versions

    def after(self, version: int, *new: LogEntry) -> Event:
        """The event when that was done besides; current states of sheets are still the old ones."""
        event = replace(self, version=version, log=(*self.log, *new))
        actions, keep = [entry.action for entry in new], [*OF_FILES]
        undoes = any(isinstance(action, act.Undo) for action in actions)
        on_sheets = all(isinstance(action, act.OnSheet) for action in actions)
        if not undoes:
            event._keep({"said": self.said.after(new)})
            keep += OF_PLAN if on_sheets else ()
            if all(isinstance(action, act.OnField) for action in actions):
                keep += OF_SHEETS
        event._keep(vars(self), keep)
        if not undoes and on_sheets:
            moved = {a.sheet for a in actions if isinstance(a, act.AssignSheet)}
            fresh = {n: event._assigned(event.sheets[n]) for n in moved & event.sheets.keys()}
            event._keep({"assignments": {**self.assignments, **fresh}})
        elif len(actions) == 1 and isinstance(actions[0], act.AddPlayer):
            player = event.said.players[actions[0].number]
            event._keep({"names": self.names.plus(player)})
        return event

    def with_states(self, sheets: Mapping[int, Sheet], unsaved: Mapping[int, Json]) -> Event:
        """The event with other current states of some sheets, and these that are not stored."""
        event = replace(self, sheets={**self.sheets, **sheets}, unsaved=unsaved)
        event._keep(vars(self), (*OF_FILES, *OF_PLAN, "said", "assignments", "late"))
        if not sheets:
            event._keep(vars(self), OF_SHEETS)
        return event

    def _keep(self, known: Mapping[str, object], names: Collection[str] | None = None) -> None:
        """Take what another version has computed, if it has."""
        vars(self).update({n: v for n, v in known.items() if names is None or n in names})

    # The log

    @cached_property
    def entries(self) -> Mapping[int, LogEntry]:
        return {entry.id: entry for entry in self.log}

    @cached_property
    def of_sheet(self) -> Mapping[int, Sequence[LogEntry]]:
        """What was done to each sheet, the oldest first."""
        words: dict[int, list[LogEntry]] = defaultdict(list)
        for entry in self.log:
            if isinstance(entry.action, act.OnSheet):
                words[entry.action.sheet].append(entry)
        return words

    @cached_property
    def firm_on(self) -> Mapping[int, Sequence[LogEntry]]:
        """What the desk did to each sheet or accepted there, and is in force."""
        said = self.said
        return {
            sheet: [
                entry
                for entry in entries
                if entry.id not in said.undone
                and (entry.role == "desk" or entry.id in said.approved or not self.has_players)
            ]
            for sheet, entries in self.of_sheet.items()
        }

    def together(self, entry: LogEntry) -> list[LogEntry]:
        """What was done at one moment with it, itself included; undone together."""
        return [other for other in self.log if other.moment == entry.moment]

    @cached_property
    def said(self) -> Said:
        return fold_log(self.log)

    @cached_property
    def rules(self) -> Rules:
        return Rules.of(self.game, self.said.rules)

    @cached_property
    def names(self) -> Names:
        return Names.of(self.said.players.values(), self.said.last_number)

    @cached_property
    def name_of(self) -> Mapping[int, str]:
        """The players' names by number."""
        return {player.number: player.name for player in self.said.players.values()}

    @property
    def has_players(self) -> bool:
        """Whether it is a tournament, whose desk has the last word; at home everybody's counts."""
        return bool(self.said.players)

    def newest(self, author: Author | None = None, sheet: int | None = None) -> LogEntry | None:
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

    @cached_property
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

    @cached_property
    def _seats(self) -> Mapping[tuple[int, str], int]:
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

    @cached_property
    def _planned(self) -> dict[Table, Planned]:
        names = self.name_of
        planned, requested = {}, DRAW * self.rules.half_byes
        for round_, tables in self.tables.items():
            asked = {names.get(n) for n in self.said.byes[round_]}
            for table, seats in tables.items():
                result = (TableResult({}), *self.said.results.get((round_, table), ()))[-1]
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

    def check_rules(self, changes: act.SetRules) -> None:
        """Raise `UsageError` for rules that this game does not have, and for another size of
        kingdoms of which people have looked at squares, because these would move."""
        after = Rules.of(self.game, {**self.said.rules, **changes.given})
        after.check(changes.given)
        if after.variants.size == self.rules.variants.size:
            return
        values = [self.said_of(s).values for s in self.sheets.values() if s.type is KINGDOM]
        touched = sum(bool(own.get("confirmed") or cell_values(own)) for own in values)
        if touched:
            raise UsageError(
                "kingdoms that were corrected or confirmed: {n}; these corrections do not fit "
                "another size. Create another event, or undo them first: kdscan correct SHEET "
                "--undo",
                n=touched,
            )

    # Photos and sheets

    def sheet(self, sheet_id: int) -> Sheet:
        """A sheet by its id; raises `UsageError`."""
        if sheet_id not in self.sheets:
            raise UsageError("there is no such sheet")
        return self.sheets[sheet_id]

    @cached_property
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

    @cached_property
    def sent(self) -> Mapping[int, Sequence[FileRow]]:
        """For each photo the files by which it came, the first one first."""
        found: dict[int, list[FileRow]] = defaultdict(list)
        for file in sorted(self.files, key=lambda row: row.id):
            if file.photo_id is not None:
                found[file.photo_id].append(file)
        return found

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

    @cached_property
    def removed_names(self) -> list[str]:
        """The names of removed photos and pages."""
        return [name for name, key in self.photo_keys() if key in self.said.removed]

    def photo_keys(self) -> Iterator[tuple[str, str]]:
        """The names of photos and of their pages, each with its key, see `RemovePhoto`."""
        for file in self.files:
            photo = self.photos.get(file.photo_id or 0)
            if photo is None:
                yield file.name, f"file:{file.name}"
                continue
            yield file.name, f"photo:{photo.sha256}"
            for page in range(1, (photo.pages or 0) + 1):
                yield f"{file.name}#{page}", f"page:{photo.sha256}#{page}"

    def photo_named(self, name: str) -> tuple[str, str]:
        """The name and the key of a photo or page, by its name or the end of it; raises
        `UsageError` if there is none, or several."""
        keys = list(self.photo_keys())
        meant = [(one, key) for one, key in keys if one == name]
        meant = meant or [(one, key) for one, key in keys if one.endswith(f"/{name}")]
        if not meant:
            raise UsageError(
                "{name}: {event} has no photo of that name", name=name, event=self.name
            )
        if len({key for _, key in meant}) > 1:
            raise ambiguous(name, [one for one, _ in meant])
        return meant[0]

    def sheet_named(self, name: str) -> SheetResult:
        """The sheet that a name refers to: a file's name or its end, or a code; `#2.1` is page 2,
        sheet 1. Raises `UsageError` if there is none, or several."""
        rows = [row for row in self.rows() if isinstance(row, SheetResult)]
        fitting = [row for row in rows if row.sheet.code == name]
        fitting = fitting or self._on_photos(rows, name)
        if not fitting and "#" in name:  # unless it is part of a file's name
            file, place = name.rsplit("#", 1)
            fitting = [row for row in self._on_photos(rows, file) if row.sheet.place == place]
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            raise UsageError(
                "{name}: {event} has no such sheet; kdscan export lists their names",
                name=name,
                event=self.name,
            )
        raise ambiguous(name, [row.address for row in fitting])

    def _on_photos(self, rows: Sequence[SheetResult], name: str) -> list[SheetResult]:
        """The sheets on photos with a file of that name, or one that ends with it."""
        named = [file for file in self.files if file.name == name]
        named = named or [file for file in self.files if file.name.endswith(f"/{name}")]
        ids = {file.photo_id for file in named}
        return [row for row in rows if row.photo.id in ids]

    def sheet_name(self, sheet_id: int) -> str:
        """A sheet's name for people: its file's own name."""
        sheet = self.sheets.get(sheet_id)
        named = self.first_names.get(sheet.photo_id) if sheet else None
        return short_name(named[1].name) if named else "?"

    def said_of(self, sheet: Sheet) -> SheetSaid:
        """What was said about a sheet's values."""
        rules: dict[str, object] = {}
        given: Sequence[LogEntry] = self.said.fields.get(sheet.id, ())
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
        firm: dict[str, LogEntry] = {}
        claims: dict[str, LogEntry] = {}
        trusted, approved = not self.has_players, self.said.approved
        closed = self.said.over(self.assignment(sheet.id).round)
        for entry in given:
            name = entry.field_action.field
            claims.pop(name, None)  # the newest word comes last
            if trusted or entry.role == "desk" or entry.id in approved:
                firm.pop(name, None)
                claims = {} if name == "confirmed" else claims
                firm[name] = entry
            elif name not in firm and "confirmed" not in firm:
                claims[name] = entry
        return SheetSaid(firm, claims, rules, closed)

    def answers_on(self, sheet_id: int) -> tuple[int, ...]:
        """Players' answers on a sheet that count now."""
        sheet = self.sheet(sheet_id)
        waiting = {wait.action for wait in sheet.brief.waits}
        claims = self.said_of(sheet).claims.items()
        return tuple(e.id for name, e in claims if name != "confirmed" and e.id not in waiting)

    def assignment(self, sheet_id: int) -> Assignment:
        """Whose a sheet is, and where it was played."""
        return self.assignments[sheet_id]

    @cached_property
    def assignments(self) -> Mapping[int, Assignment]:
        """See `assignment`; removed sheets too."""
        return {sheet.id: self._assigned(sheet) for sheet in self.sheets.values()}

    def _assigned(self, sheet: Sheet) -> Assignment:
        named = self.first_names.get(sheet.photo_id)
        given = named[1].details.get("round") if named else None
        printed = _parsed(sheet.code) if sheet.code else None
        given_to = self.said.given.get(sheet.id)
        word = self._word_of_person(sheet.id, named_by_code=bool(printed and printed.player))
        if word is not None:
            entry, number = word
            action = entry.action
            assert isinstance(action, act.AssignSheet)
            player = self.said.players.get(number or 0)
            player = player or (self.names.called(action.player) if action.player else None)
            name = player.name if player else action.player
            assigned = Assignment(action.round, action.table, name, by="person", given=given_to)
        elif printed is None:
            assigned = Assignment(given, given=given_to)
        else:
            round_ = given if printed.round is None else printed.round
            full = len(sheet.code or "") >= MOST_LETTERS - 1  # no word ends with a hyphen
            event = printed.event + CUT if full else printed.event
            player = self.names.coded(printed.player)
            if player is None and printed.player and self.has_players:
                return Assignment(round_, printed.table, None, event, printed.player, "code")
            name = player.name if player else (printed.player or None)
            assigned = Assignment(round_, printed.table, name, event, by="code")
        if assigned.table is None and assigned.round is not None and assigned.player:
            table = self._seats.get((assigned.round, assigned.player))
            assigned = replace(assigned, table=table)
        return assigned

    def _word_of_person(
        self, sheet_id: int, *, named_by_code: bool
    ) -> tuple[LogEntry, int | None] | None:
        """The word that says whose a sheet is. The desk's is final; a player's counts where no code
        says it."""
        words = self.said.assigned.get(sheet_id, ())
        of_desk = [word for word in words if word[0].role == "desk"]
        if self.has_players and (of_desk or named_by_code):
            words = tuple(of_desk)
        return words[-1] if words else None

    def may_give(self, author: Author, before: Assignment, name: str) -> bool:
        """Whether a player may say whose a sheet is without the desk: it is his own, or nobody's
        and his opponent's, and its round is not over."""
        own = self.names.player(author.who)
        if own is None or self.said.over(before.round) is not None:
            return False
        tables = self.tables.get(before.round or max(self.tables, default=0), {})
        opposed = any({own.name, name} <= {*seats} for seats in tables.values())
        return own.name == name or (before.player is None and opposed)

    def place_after(self, author: Author, action: act.AssignSheet) -> Table | None:
        """The round and the table at which a sheet would count if somebody gave it to a player."""
        entry = LogEntry(0, self.created_at, **vars(author), action=action)
        seats = (
            (game, seat.sheet)
            for game in self.after(self.version, entry).games
            for seat in game.seats
        )
        return next(
            ((game.round, game.table) for game, s in seats if s and s.key == action.sheet), None
        )

    @cached_property
    def late(self) -> frozenset[int]:
        """Sheets that came when their round was over, and of which the desk has not spoken since:
        they change no result. None of a round of which all came then, as in older stores."""
        came: dict[tuple[int | None, bool], set[int]] = defaultdict(set)
        for sheet in self._counted:
            round_ = self.assignment(sheet.id).round
            over = self.said.over(round_)
            if over is not None:
                late = self.photos[sheet.photo_id].added_at > over.at
                accepted = any(entry.id > over.id for entry in self.firm_on.get(sheet.id, ()))
                came[round_, late and not accepted].add(sheet.id)
        return frozenset(
            n for (r, late), ids in came.items() if late and (r, False) in came for n in ids
        )

    @cached_property
    def _counted(self) -> list[Sheet]:
        """The sheets that are not removed, in the order of their files' names."""
        named, removed = self.first_names, self.said.removed
        sheets = [
            sheet
            for sheet in self.sheets.values()
            if sheet.photo_id in named
            and not (removed and self.is_removed(self.photos[sheet.photo_id], sheet.page))
        ]
        return sorted(sheets, key=lambda s: (named[s.photo_id][0], s.page, s.number))

    @cached_property
    def compared(self) -> Compared:
        """Which photos show one sheet. Only sheets that have something in common with another are
        compared further."""
        said, alike = self.said, self.memo.alike
        codes = {
            sheet.id: self._whole_code(sheet)
            for sheet in self._counted
            if not said.ignored.get(sheet.id)
        }
        sheets = [sheet for sheet in self._counted if sheet.id in codes]
        bearers = Counter(codes.values())
        readings = Counter(sheet.brief.marks for sheet in sheets)
        for sheet in sheets:
            if sheet.brief.marks and said.same_as.get(sheet.id) is None:
                alike.add(sheet.brief.marks, coded=bool(codes[sheet.id]))
        named = set(said.same_as) | set(said.same_as.values())
        words = {
            n: [e for e in entries if isinstance(e.action, act.OnField | act.SamePaper)]
            for n, entries in self.firm_on.items()
        }
        return same_sheets(
            [
                Entry(
                    sheet.id,
                    codes[sheet.id],
                    sheet.brief.marks,
                    said.same_as.get(sheet.id),
                    sheet.kind,
                    (
                        sheet.brief.confirmed,
                        any(isinstance(e.action, act.OnField) for e in words.get(sheet.id, ())),
                    ),
                    sheet.brief.confidence,
                    sheet.brief.total or 0,
                    sheet.brief.low,
                    sheet.brief.high,
                    sheet.photo_id,
                    self.photos[sheet.photo_id].added_at.timestamp(),
                    max((e.at.timestamp() for e in words.get(sheet.id, ())), default=-1.0),
                    sheet.id in self.late,
                )
                for sheet in sheets
                if sheet.id in named
                or (codes[sheet.id] and bearers[codes[sheet.id]] > 1)
                or readings[sheet.brief.marks] > 1
                or alike.near(sheet.brief.marks, coded=bool(codes[sheet.id]))
            ],
            alike,
        )

    def _whole_code(self, sheet: Sheet) -> str | None:
        """The code with its round, else with the photo's; None without any, because one sheet per
        round bears it."""
        printed = _parsed(sheet.code) if sheet.code else None
        if printed is None or printed.round is not None:
            return sheet.code
        round_ = self.assignment(sheet.id).round
        return None if round_ is None else f"{sheet.code} {round_}"

    @cached_property
    def pages(self) -> Mapping[tuple[int, int], Sequence[int]]:
        """The sheets of each photo's page, in their order there."""
        pages: dict[tuple[int, int], list[int]] = defaultdict(list)
        for sheet in sorted(self.sheets.values(), key=lambda sheet: sheet.number):
            pages[sheet.photo_id, sheet.page].append(sheet.id)
        return pages

    @cached_property
    def _spellbooks(self) -> bool:
        return any(sheet.type is SPELLBOOK for sheet in self.sheets.values())

    @cached_property
    def _at_tables(self) -> Mapping[Table, Sequence[Sheet]]:
        """The sheets that may count at each table, where spellbooks are used."""
        tables: dict[Table, list[Sheet]] = defaultdict(list)
        for sheet in self._counted if self._spellbooks else ():
            at = self.assignment(sheet.id)
            if (
                at.round is not None
                and at.table is not None
                and not self.said.ignored.get(sheet.id)
            ):
                tables[at.round, at.table].append(sheet)
        return tables

    def around(self, ids: Iterable[int]) -> set[int]:
        """These sheets and all whose worth may depend on what is said of them: those of their
        pages and tables."""
        near = set(ids) & self.sheets.keys()
        for sheet in [self.sheets[n] for n in near]:
            at = self.assignment(sheet.id)
            near.update(self.pages[sheet.photo_id, sheet.page])
            near.update(s.id for s in self._at_tables.get((at.round or 0, at.table or 0), ()))
        return near

    def groups(self, ids: Collection[int] | None = None) -> Mapping[int, Group]:
        """The sheets with which each (of these) is interpreted, where something depends on that:
        where somebody said something, and games whose two maps and spellbook are in several photos.
        """
        if ids is None:
            ids = [n for n, s in self.sheets.items() if n in self.said.fields or s.brief.extras]
            tables = set(self._at_tables)
        else:
            places = (self.assignment(n) for n in ids)
            tables = {(at.round or 0, at.table or 0) for at in places} & self._at_tables.keys()
        groups: dict[int, Group] = {}
        for page in {(self.sheets[n].photo_id, self.sheets[n].page) for n in ids}:
            sheets = [self.sheets[n] for n in self.pages[page]]
            spoken_of = [sheet.id for sheet in sheets if self.said_of(sheet)]
            together = tuple(sheet.id for sheet in sheets)
            if spoken_of and is_linked([sheet.kind for sheet in sheets]):
                groups |= dict.fromkeys(together, Group(together))
            else:
                groups |= {n: Group((n,)) for n in spoken_of}
        for at in tables:
            apart = self.compared.same.keys() | self.late
            sheets = [s for s in self._at_tables[at] if s.id not in apart]
            maps = [s for s in sheets if s.type is DUEL_MAP]
            books = [s for s in sheets if s.type is SPELLBOOK]
            in_pages = {(s.photo_id, s.page) for s in (*maps, *books)}
            if (len(maps), len(books)) == (2, 1) and len(in_pages) > 1:
                game = tuple(s.id for s in (*maps, *books))
                groups |= dict.fromkeys(game, Group(game, one_table=True))
        return groups

    # Results

    def rows(self) -> Iterator[Result]:
        """All rows, without removed photos and pages, in the order of the files' names."""
        by_page: dict[tuple[int, int], list[Sheet]] = defaultdict(list)
        for sheet in self._counted:
            by_page[sheet.photo_id, sheet.page].append(sheet)
        shown: dict[int, str] = {}
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
                there = by_page.get((photo.id, page), [])
                yield from (self.row(sheet) for sheet in there)
                problem = self.failures.get((photo.id, page))
                if problem and not there:
                    status = BLANK if problem["code"] == BlankPage.code else FAILED
                    yield Result(first, photo, status, page, problem=problem)

    def row(self, sheet: Sheet) -> SheetResult:
        """A sheet's row."""
        status, other = REVIEW if sheet.brief.review else OK, None
        rivals = self.compared.conflicts.get(sheet.id, ())
        if self.said.ignored.get(sheet.id):
            status = IGNORED
        elif sheet.id in self.compared.same:
            status, other = SAME_SHEET, self._named(self.compared.same[sheet.id])
        if rivals:
            status, other = CONFLICT, self._named(rivals[0])
        return SheetResult(
            self.first_names[sheet.photo_id][1],
            status=status,
            page=sheet.page,
            other=other,
            photo=self.photos[sheet.photo_id],
            sheet=sheet,
            assignment=self.assignment(sheet.id),
            rivals=rivals,
            corrected=sheet.id in self.said.spoken_of,
        )

    def _named(self, sheet_id: int) -> str:
        sheet = self.sheets[sheet_id]
        return sheet.name_in(self.first_names[sheet.photo_id][1].name)

    @cached_property
    def counting(self) -> tuple[SheetResult, ...]:
        """The rows with sheets that count."""
        return tuple(row for row in self.rows() if isinstance(row, SheetResult) and row.counts)

    @cached_property
    def shown_names(self) -> Mapping[int, str]:
        """Names of the sheets, as `kdscan correct` takes them."""
        together = Counter(sheet.photo_id for sheet in self._counted)
        rows = map(self.row, self._counted)
        return {
            row.sheet.id: row.address if together[row.photo.id] > 1 else row.name for row in rows
        }

    @property
    def failed(self) -> list[tuple[str, Json]]:
        """Names of files that were not read, each with the reason."""
        return [(row.name, row.problem or {}) for row in self.rows() if row.status == FAILED]

    @cached_property
    def scores(self) -> tuple[SheetScore, ...]:
        """The maps and kingdoms that count. Those that stay the same stay the same objects."""
        compared, ignored = self.compared, self.said.ignored
        scores = []
        for sheet in self._counted:
            key, rivals = sheet.id, compared.conflicts.get(sheet.id, ())
            hidden = ignored.get(key) or key in compared.same
            if not is_player_sheet(sheet.kind) or (hidden and not rivals):
                continue
            at = self.assignment(key)
            made_of = at, rivals, compared.differs.get(key, ()), key in self.late
            before, score = self.memo.scores.get(key, (None, None))
            if score is None or before != (sheet.brief, *made_of):
                score = _score(sheet, *made_of)
                self.memo.scores[key] = (sheet.brief, *made_of), score
            scores.append(score)
        return tuple(scores)

    @cached_property
    def _gathered(self) -> tuple[tuple[Game, ...], tuple[Finding, ...]]:
        games, findings = gather(self.scores, self._planned, self.rules.most, self.memo.games)
        return games, (*findings, *self._unused_books())

    def _unused_books(self) -> Iterator[Finding]:
        """Spellbooks with a chosen coat that pay nobody, because their game is not known."""
        if not self._spellbooks:
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

    @cached_property
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


def _score(
    sheet: Sheet, at: Assignment, rivals: tuple[int, ...], differs: Pairs, late: bool
) -> SheetScore:
    brief = sheet.brief
    return SheetScore(
        **vars(at),
        key=sheet.id,
        worth=Worth(brief.total or 0, brief.largest, brief.crowns),
        review=brief.review,
        rivals=rivals,
        cut_off=brief.retake,
        differs=differs,
        changed_by=", ".join(sorted({wait.who for wait in brief.waits})),
        claimed=brief.if_accepted,
        late=late,
    )


@lru_cache(maxsize=20_000)
def _parsed(code: str) -> SheetId | None:
    return SheetId.parse(code)


def short_name(file: str) -> str:
    """A file's own name, because the folders of a batch should not be published on the network."""
    return file.replace("\\", "/").rsplit("/", 1)[-1]


def reason_of(row: FileRow | PhotoRow) -> Json | None:
    """Why a file or photo could not be read, as `kdscan.i18n.errors` tells it."""
    if row.error_code is None:
        return None
    text = row.error_said or {}
    return {"code": row.error_code, "message": row.error_message or "", **text}
