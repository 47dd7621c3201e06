"""An event as the fold of its log: `Event` is made from what was read and what people did.

Everything that is shown of an event (standings, desk, report, export, projector) is a function of
it. It is computed as far as it is needed, and once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import combinations

from kdscan.errors import BlankPage, UsageError
from kdscan.event import actions as act
from kdscan.event.dedupe import Alike, Compared, Entry, same_sheets
from kdscan.event.games import CUT, Finding, Game, Planned, SheetScore, Table, gather
from kdscan.event.log import Author, undone_by
from kdscan.event.log import Entry as LogEntry
from kdscan.event.names import Names, Player, ambiguous
from kdscan.event.rules import Rules
from kdscan.event.sheets import NOTHING_SAID, Brief, SheetSaid, Word
from kdscan.event.standings import Standing, standings
from kdscan.event.store.records import FileRow, PhotoRow
from kdscan.event.swiss import pair, seat
from kdscan.files import Json
from kdscan.files.names import plain_name
from kdscan.i18n import mark
from kdscan.paper.ids import MOST_LETTERS, SheetId
from kdscan.rules.winner import Worth
from kdscan.sheets.base import is_player_sheet
from kdscan.sheets.common import VARIANTS, cell_values

OK, REVIEW, FAILED, BLANK = "ok", "review", "failed", "blank"
SAME_PHOTO, SAME_SHEET, IGNORED = "same photo", "same sheet", "ignored"
CONFLICT = "conflict"

UPLOADED = "web"
"""`file.source` of what was uploaded to the page."""


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
    def place(self) -> str:
        """Page and number on it, counted from 1, like 2.1."""
        return f"{self.page + 1}.{self.number + 1}"


@dataclass(frozen=True)
class Assignment:
    """Whose a sheet is, as far as known, and where it was played.

    player: the name, or whatever its code says instead. event: as its code names it, with `CUT` at
    the end if its name may be longer. mistaken: the code's player, if the event has nobody of that
    number and name. by: "person", "code" or "".
    """

    round: int | None = None
    table: int | None = None
    player: str | None = None
    event: str | None = None
    mistaken: str = ""
    by: str = ""


@dataclass(frozen=True)
class TableResult:
    """What was entered for a table, by players' numbers. read: what the sheets were worth then."""

    points: Mapping[int, int]
    winner: int | None = None
    walkover: bool = False
    read: Mapping[int, int | None] = field(default_factory=dict)


@dataclass
class Said:
    """What the log says. It is filled by `fold_log`, and not changed afterwards.

    rounds: tables by round, each with the players' numbers. paired: the entry that first paired a
    round. fields: what was said about values of sheets. beside: the newest word for what concerns
    a sheet as a whole, by sheet and subject. removed: photos, see `RemovePhoto`.
    """

    undone: set[int] = field(default_factory=set)
    players: dict[int, Player] = field(default_factory=dict)
    last_number: int = 0
    rounds: dict[int, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    paired: dict[int, int] = field(default_factory=dict)
    results: dict[Table, list[TableResult]] = field(default_factory=lambda: defaultdict(list))
    fields: dict[int, list[LogEntry]] = field(default_factory=lambda: defaultdict(list))
    assigned: dict[int, list[tuple[LogEntry, int | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    same_as: dict[int, int] = field(default_factory=dict)
    ignored: dict[int, bool] = field(default_factory=dict)
    approved: set[int] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    rules: dict[str, object] = field(default_factory=dict)
    clock: str | None = None
    shown: act.Shown = "table"


def fold_log(log: Sequence[LogEntry]) -> Said:
    """What a log says, without what was undone."""
    said = Said(undone=undone_by(log))
    numbers: dict[str, int] = {}

    def number_of(name: str) -> int | None:
        return numbers.get(plain_name(name))

    for entry in log:
        action, undone = entry.action, entry.id in said.undone
        if isinstance(action, act.AddPlayer):  # a number is never given twice
            said.last_number = max(said.last_number, action.number)
            if undone:
                numbers.setdefault(plain_name(action.name), action.number)
            else:
                numbers[plain_name(action.name)] = action.number
                said.players[action.number] = Player(action.number, action.name, action.code)
            continue
        if undone:
            continue
        match action:
            case act.AssignSheet():
                number = number_of(action.player) if action.player else None
                said.assigned[action.sheet].append((entry, number))
                if action.own:
                    said.same_as[action.sheet] = 0
            case act.OnField():
                said.fields[action.sheet].append(entry)
            case act.SamePaper():
                said.same_as[action.sheet] = action.of or 0
            case act.Ignore():
                said.ignored[action.sheet] = action.ignored
            case act.Approve():
                said.approved.update(action.actions)
            case act.RemovePhoto():
                (said.removed.add if action.removed else said.removed.discard)(action.photo)
            case act.EnterResult() | act.Walkover():
                result = _result(action, number_of)
                said.results[action.round, action.table].append(result)
            case act.WithdrawResult():
                entered = said.results[action.round, action.table]
                del entered[-1:]
            case act.DropPlayer() | act.Rejoin() | act.RenamePlayer() | act.RemovePlayer():
                _change_player(said, action, numbers)
            case act.PairRound():
                seats = [
                    tuple(n for name in t if (n := number_of(name))) for t in action.tables or ()
                ]
                said.rounds[action.round] = tuple(seats)
                said.paired.setdefault(action.round, entry.id)
            case act.SetRules():
                given = {name: getattr(action, name) for name in action.__struct_fields__}
                said.rules |= {name: value for name, value in given.items() if value is not None}
            case act.StartClock():
                said.clock = action.ends
            case act.Show():
                said.shown = action.what
    return said


def _result(
    action: act.EnterResult | act.Walkover, number_of: Callable[[str], int | None]
) -> TableResult:
    read = {n: total for name, total in action.read.items() if (n := number_of(name))}
    if isinstance(action, act.Walkover):
        return TableResult({}, number_of(action.winner) if action.winner else None, True, read)
    points = {n: value for name, value in action.points.items() if (n := number_of(name))}
    return TableResult(points, read=read)


def _change_player(
    said: Said,
    action: act.DropPlayer | act.Rejoin | act.RenamePlayer | act.RemovePlayer,
    numbers: dict[str, int],
) -> None:
    number = numbers.get(plain_name(action.name))
    player = said.players.get(number or 0)
    if player is None or number is None:
        return
    if isinstance(action, act.RemovePlayer):
        del said.players[number]
    elif isinstance(action, act.RenamePlayer):
        said.players[number] = replace(player, name=action.to, former=(*player.former, player.name))
        numbers[plain_name(action.to)] = number
    else:
        said.players[number] = replace(player, active=isinstance(action, act.Rejoin))


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
        first = (self.sheet.page, self.sheet.number) == (0, 0)
        return self.file.name if first else self.address

    @property
    def address(self) -> str:
        """The name that tells a sheet from all others: the file, and the sheet's place in it."""
        return f"{self.file.name}#{self.sheet.place}"


@dataclass(frozen=True)
class Group:
    """Sheets that are interpreted together. basis: see `Sheet`."""

    sheets: tuple[int, ...]
    one_table: bool = False


@dataclass(frozen=True, eq=False)
class Event:
    """An event at one version.

    game: "duel" or "kingdomino". details: settings that no action changes. files: in the order of
    their names. failures: why pages could not be read, by photo and page. alike: what is known of
    similar sheets, kept between versions. unsaved: current JSON of sheets that is not stored yet.
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
    alike: Alike = field(default_factory=Alike)
    unsaved: Mapping[int, Json] = field(default_factory=dict)

    # The log

    @cached_property
    def entries(self) -> Mapping[int, LogEntry]:
        return {entry.id: entry for entry in self.log}

    @cached_property
    def of_sheet(self) -> Mapping[int, Sequence[LogEntry]]:
        """What was done to each sheet, the oldest first."""
        found: dict[int, list[LogEntry]] = defaultdict(list)
        for entry in self.log:
            if isinstance(entry.action, act.OnSheet):
                found[entry.action.sheet].append(entry)
        return found

    @cached_property
    def said(self) -> Said:
        return fold_log(self.log)

    @cached_property
    def rules(self) -> Rules:
        return Rules.of(self.game, self.said.rules)

    @cached_property
    def names(self) -> Names:
        return Names.of(self.said.players.values(), self.said.last_number)

    @property
    def has_players(self) -> bool:
        """Whether it is a tournament, whose desk has the last word; at home everybody's counts."""
        return bool(self.said.players)

    def made_together(self, entry: LogEntry) -> list[LogEntry]:
        """The entries that were made at once with this one."""
        return [one for one in self.log if one.is_beside(entry)]

    def newest(self, author: Author | None = None, sheet: int | None = None) -> LogEntry | None:
        """What somebody last did (on a sheet) that is still in force: undoing what others have
        replaced since would change nothing, or overrule them. None if there is nothing."""
        later: set[act.Subject] = set()
        for entry in reversed(self.log):
            action = entry.action
            if entry.id in self.said.undone or isinstance(action, act.Undo):
                continue
            subjects = action.subjects()
            tables = {one[:3] for one in subjects if one[0] == "result"}
            replaced = subjects <= later or bool(tables & later)
            if tables and len(next(iter(subjects))) == 3:  # a walkover is replaced by any points
                replaced = replaced or any(one[:3] in tables for one in later)
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
        names = {player.number: player.name for player in self.said.players.values()}
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
        """What the sheets of a table are worth by player, also after a walkover."""
        game = self.game_at(round_, table)
        totals = {score.key: score.total for score in self.scores}
        late = [
            one.sheets
            for one in self.findings
            if one.code == "points_differ" and (one.round, one.table) == (round_, table)
        ]
        if (game.walkover is not None or game.forfeit) and late:
            pairs = zip(game.seats, late[0], strict=False)
            return {seat.player: totals[key] for seat, key in pairs}
        return {seat.player: seat.sheet.total if seat.sheet else None for seat in game.seats}

    @cached_property
    def _planned(self) -> dict[Table, Planned]:
        names = {player.number: player.name for player in self.said.players.values()}
        planned = {}
        for round_, tables in self.tables.items():
            for table, seats in tables.items():
                result = _stated(self.said.results.get((round_, table), ()))
                named = {names[n]: value for n, value in result.points.items() if n in names}
                winner = names.get(result.winner or 0)
                seen = {names[n]: total for n, total in result.read.items() if n in names}
                planned[round_, table] = Planned(
                    seats,
                    named,
                    winner,
                    {name: seen.get(name) for name in seats},
                    forfeit=result.walkover and winner is None,
                )
        return planned

    def next_pairing(self, wish: act.PairRound) -> tuple[int, tuple[tuple[str, ...], ...]]:
        """The number and the tables of the next round; raises `UsageError` while games are
        unfinished, if too few play, or if sheets of a round to be paired again have come in."""
        round_, before = self.last_round + 1, self.games
        if wish.again and self.last_round:
            round_ = self.last_round
            self.check_unpair(round_)
            before = tuple(game for game in self.games if game.round < round_)
        _check_finished(before)
        active = [player.name for player in self.names.players if player.active]
        if len(active) < 2:
            raise UsageError(
                "{name}: too few players ({n}); add them with --players FILE.csv.",
                name=self.name,
                n=len(active),
            )
        planned = self.rules.rounds
        if planned is not None and round_ > planned:
            raise UsageError(
                "{name}: all rounds are paired ({rounds}); to add one, use --rounds {round}.",
                name=self.name,
                rounds=planned,
                round=round_,
            )
        if wish.tables is not None:
            return round_, self._given_tables(wish.tables, active)
        byes = tuple(self.names.named(name, self, None) for name in wish.byes)
        playing = tuple(name for name in active if name not in byes)
        seed = act.draw_seed(round_, wish.seed)
        if self.rules.seats == 2:
            left = None if planned is None else planned - round_
            pairing = pair(playing, before, seed, rounds_left=left)
        else:
            pairing = seat(playing, before, seed, most=self.rules.seats)
        alone = tuple((name,) for name in (pairing.bye, *byes) if name is not None)
        return round_, (*pairing.tables, *alone)

    def _given_tables(
        self, tables: Sequence[Sequence[str]], active: Sequence[str]
    ) -> tuple[tuple[str, ...], ...]:
        named = tuple(tuple(self.names.named(name, self, None) for name in t) for t in tables)
        times = Counter(name for table in named for name in table)
        for name, count in times.items():
            if count > 1 or name not in active:
                raise UsageError("{name} does not play this round, or is named twice", name=name)
        if any(len(table) > self.rules.most for table in named):
            raise UsageError("a table has {most} seats at most", most=self.rules.most)
        return tuple(sorted(named, key=lambda table: len(table) == 1))

    def pairing_rows(self, round_: int) -> list[dict[str, object]]:
        """A round as rows for `kdscan sheet --players`: round, table, name, player. Who has a bye
        needs no sheet."""
        return [
            {"round": round_, "table": table, "name": name, "player": player.printed}
            for table, seats in self.tables.get(round_, {}).items()
            if len(seats) > 1
            for name in seats
            if (player := self.names.player(name)) is not None
        ]

    def met_before(self, round_: int) -> list[tuple[str, ...]]:
        """Pairs of a round who met in an earlier one, and players who have another bye there."""
        before = {
            pair
            for earlier, tables in self.tables.items()
            if earlier < round_
            for seats in tables.values()
            for pair in _pairs(seats)
        }
        now = (pair for seats in self.tables.get(round_, {}).values() for pair in _pairs(seats))
        return [pair for pair in now if pair in before]

    def check_unpair(self, round_: int) -> None:
        """Raise `UsageError` for a round that is not the last, has results, or has begun."""
        if round_ != self.last_round:
            raise UsageError("round {round} is no longer the last one", round=round_)
        if any(at[0] == round_ and entered for at, entered in self.said.results.items()):
            raise UsageError("round {round} has results; withdraw them first", round=round_)
        if any(score.round == round_ for score in self.scores):  # perhaps in doubt
            raise UsageError(
                "sheets of round {round} have already come in; it can't be paired again.",
                round=round_,
            )

    def check_rules(self, changes: act.SetRules) -> None:
        """Raise `UsageError` for rules that this game does not have, and for another size of
        kingdoms of which people have looked at squares, because these would move."""
        given = {name: getattr(changes, name) for name in changes.__struct_fields__}
        given = {name: value for name, value in given.items() if value is not None}
        after = Rules.of(self.game, {**self.said.rules, **given})
        after.check(given)
        if after.variants.size == self.rules.variants.size:
            return
        touched = 0
        for sheet in self.sheets.values():
            values = self.said_of(sheet).values
            touched += sheet.kind == "kingdom" and bool(
                values.get("confirmed") or cell_values(values)
            )
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
                named[file.photo_id] = first, replace(row, details=file.details | row.details)
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
        return [name for name, key in self._photo_keys() if key in self.said.removed]

    def _photo_keys(self) -> Iterator[tuple[str, str]]:
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
        keys = list(self._photo_keys())
        meant = [(one, key) for one, key in keys if one == name]
        meant = meant or [(one, key) for one, key in keys if one.endswith(f"/{name}")]
        if not meant:
            raise UsageError(
                "{name}: {event} has no photo of that name", name=name, event=self.name
            )
        if len({key for _, key in meant}) > 1:
            raise ambiguous(name, [one for one, _ in meant])
        return meant[0]

    def photo_names(self, key: str) -> list[str]:
        """All names of a photo or page, by its key."""
        return [name for name, one in self._photo_keys() if one == key]

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
        game_rules = self.rules
        given = self.said.fields.get(sheet.id, ())
        if sheet.kind == "kingdom":
            own = any(isinstance(entry.action, act.SetVariants) for entry in given)
            if game_rules.game == "kingdomino":
                given = [one for one in given if not isinstance(one.action, act.SetVariants)]
            wanted = (game_rules.middle_kingdom, game_rules.harmony)
            if sheet.brief.extras != wanted and (game_rules.game == "kingdomino" or not own):
                rules[VARIANTS] = game_rules.extras
        if not given:
            return SheetSaid(rules=rules) if rules else NOTHING_SAID
        firm: dict[str, Word] = {}
        claims: dict[str, Word] = {}
        over = self.said.paired.get((self.assignment(sheet.id).round or 0) + 1)
        trusted = not self.has_players
        for entry in given:
            action = entry.action
            assert isinstance(action, act.OnField)
            late = over is not None and entry.id > over
            word = Word(action.field, action.value, entry.who, entry.role, entry.id, late)
            firm_word = trusted or entry.role == "desk" or entry.id in self.said.approved
            claims.pop(action.field, None)  # the newest word comes last
            if firm_word:
                firm.pop(action.field, None)
                firm[action.field] = word
            elif action.field not in firm:
                claims[action.field] = word
        return SheetSaid(firm, {} if "confirmed" in firm else claims, rules)

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
        by_person = self._assigned_by_person(
            sheet.id, named_by_code=bool(printed and printed.player)
        )
        if by_person is not None:
            entry, number = by_person
            action = entry.action
            assert isinstance(action, act.AssignSheet)
            player = self.said.players.get(number or 0)
            name = player.name if player else action.player
            if player is None and name and (known := self.names.called(name)):
                name = known.name
            found = Assignment(action.round, action.table, name, by="person")
        elif printed is None:
            found = Assignment(given)
        else:
            round_ = given if printed.round is None else printed.round
            full = len(sheet.code or "") >= MOST_LETTERS - 1  # no word ends with a hyphen
            event = printed.event + CUT if full else printed.event
            player, denied = self.names.coded(printed.player)
            if denied and player is None and self.has_players:
                return Assignment(round_, printed.table, None, event, printed.player, "code")
            name = player.name if player else (printed.player or None)
            found = Assignment(round_, printed.table, name, event, by="code")
        if found.table is None and found.round is not None and found.player:
            table = self._seats.get((found.round, found.player))
            found = replace(found, table=table)
        return found

    def _assigned_by_person(
        self, sheet_id: int, *, named_by_code: bool
    ) -> tuple[LogEntry, int | None] | None:
        """The word that says whose a sheet is. The desk's is final; a player's counts where no code
        says it."""
        words = self.said.assigned.get(sheet_id)
        if not words:
            return None
        of_desk = [one for one in words if one[0].role == "desk"]
        if not self.has_players:
            return words[-1]
        if of_desk:
            return of_desk[-1]
        return None if named_by_code else words[-1]

    @cached_property
    def _counted(self) -> list[Sheet]:
        """The sheets that are not removed, in the order of their files' names."""
        named = self.first_names
        there = [
            sheet
            for sheet in self.sheets.values()
            if (photo := self.photos.get(sheet.photo_id)) is not None
            and sheet.photo_id in named
            and not self.is_removed(photo, sheet.page)
        ]
        return sorted(there, key=lambda one: (named[one.photo_id][0], one.page, one.number))

    @cached_property
    def compared(self) -> Compared:
        """Which photos show one sheet."""
        found = []
        for sheet in self._counted:
            if self.said.ignored.get(sheet.id):
                continue
            brief = sheet.brief
            found.append(
                Entry(
                    sheet.id,
                    self._whole_code(sheet),
                    brief.marks,
                    self.said.same_as.get(sheet.id),
                    sheet.kind,
                    (brief.confirmed, brief.corrected),
                    brief.confidence,
                    brief.total or 0,
                    brief.low,
                    brief.high,
                    sheet.photo_id,
                )
            )
        return same_sheets(found, self.alike)

    def _whole_code(self, sheet: Sheet) -> str | None:
        """The code with its round, else with the photo's; None without any, because one sheet per
        round bears it."""
        printed = _parsed(sheet.code) if sheet.code else None
        if printed is None or printed.round is not None:
            return sheet.code
        round_ = self.assignment(sheet.id).round
        return None if round_ is None else f"{sheet.code} {round_}"

    @cached_property
    def groups(self) -> Mapping[int, Group]:
        """The sheets with which each is interpreted, where something depends on that: where
        somebody said something, and games whose two maps and spellbook are in several photos."""
        pages: dict[tuple[int, int], list[Sheet]] = defaultdict(list)
        for sheet in self.sheets.values():
            pages[sheet.photo_id, sheet.page].append(sheet)
        found: dict[int, Group] = {}
        for page in pages.values():
            if not any(self.said_of(one) for one in page):
                continue
            page.sort(key=lambda one: one.number)
            kinds = [one.kind for one in page]
            linked = "duel_spellbook" in kinds or kinds.count("kingdom") > 1
            together = tuple(one.id for one in page)
            for one in page:
                if linked or self.said_of(one):
                    found[one.id] = Group(together if linked else (one.id,))
        for game in self._games_across_photos():
            found |= dict.fromkeys(game, Group(game, one_table=True))
        return found

    def _games_across_photos(self) -> Iterator[tuple[int, ...]]:
        """The two maps and the spellbook of games that are in several photos."""
        if not any(sheet.kind == "duel_spellbook" for sheet in self.sheets.values()):
            return
        tables: dict[Table, list[Sheet]] = defaultdict(list)
        for sheet in self._counted:
            at = self.assignment(sheet.id)
            if (
                at.round is not None
                and at.table is not None
                and not self.said.ignored.get(sheet.id)
            ):
                tables[at.round, at.table].append(sheet)
        for there in tables.values():
            different = [one for one in there if one.id not in self.compared.same]
            maps = [one for one in different if one.kind == "duel_map"]
            books = [one for one in different if one.kind == "duel_spellbook"]
            pages = {(one.photo_id, one.page) for one in (*maps, *books)}
            if (len(maps), len(books)) == (2, 1) and len(pages) > 1:
                yield tuple(one.id for one in (*maps, *books))

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
            corrected=any(
                entry.id not in self.said.undone for entry in self.of_sheet.get(sheet.id, ())
            ),
        )

    def _named(self, sheet_id: int) -> str:
        sheet = self.sheets[sheet_id]
        name = self.first_names[sheet.photo_id][1].name
        return name if (sheet.page, sheet.number) == (0, 0) else f"{name}#{sheet.place}"

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
        """The maps and kingdoms that count."""
        return tuple(self._score(row) for row in self.counting if is_player_sheet(row.sheet.kind))

    def _score(self, row: SheetResult) -> SheetScore:
        at, brief = row.assignment, row.sheet.brief
        return SheetScore(
            key=row.sheet.id,
            round=at.round,
            table=at.table,
            player=at.player,
            worth=Worth(brief.total or 0, brief.largest, brief.crowns),
            review=brief.review,
            rivals=row.rivals,
            cut_off=brief.retake,
            event=at.event,
            differs=self.compared.differs.get(row.sheet.id, ()),
            mistaken=at.mistaken,
            changed_by=", ".join(sorted({wait.who for wait in brief.waits})),
            claimed=brief.if_accepted,
        )

    @cached_property
    def _gathered(self) -> tuple[tuple[Game, ...], tuple[Finding, ...]]:
        games, findings = gather(self.scores, self._planned, self.rules.most)
        return games, (*findings, *self._unused_books())

    def _unused_books(self) -> Iterator[Finding]:
        """Spellbooks with a chosen coat that pay nobody, because their game is not known."""
        rows = self.counting
        maps = Counter((r.photo.id, r.page) for r in rows if r.sheet.kind == "duel_map")
        for row in rows:
            alone = row.sheet.kind == "duel_spellbook" and maps[row.photo.id, row.page] != 2
            at = row.assignment
            if alone and row.sheet.brief.pays and (at.round is None or at.table is None):
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
        if self.rules.game == "duel":
            return []
        size = self.rules.variants.size
        rows = (row for row in self.counting if row.sheet.kind == "kingdom")
        return sorted({row.file.name for row in rows if row.sheet.brief.size != size})


def _pairs(seats: Sequence[str]) -> list[tuple[str, ...]]:
    """Who plays whom at a table, two by two; alone for a bye."""
    names = sorted(seats)
    return [(names[0],)] if len(names) == 1 else list(combinations(names, 2))


def _stated(results: Iterable[TableResult]) -> TableResult:
    """A table's result: each entry adds points to earlier ones, or replaces a walkover. Whoever
    enters the same result again has seen what the sheets are worth by then."""
    points: dict[int, int] = {}
    winner, walkover = None, False
    read: dict[int, int | None] = {}
    for one in results:
        if one.walkover:
            read |= one.read
            points, winner, walkover = {}, one.winner, True
            continue
        if walkover:
            points, winner, walkover = {}, None, False
        new = [n for n, value in one.points.items() if points.get(n) in (None, value)]
        read |= {n: one.read.get(n) for n in new}
        points |= one.points
    return TableResult(points, winner, walkover, read)


def _check_finished(games: Iterable[Game]) -> None:
    waiting = [game for game in games if not game.finished]
    if not waiting:
        return
    first = waiting[0]
    missing = ", ".join(one.player for one in first.seats if one.total is None)
    raise UsageError(
        "tables whose points are still missing: {n}, the first in round {round}, table {table} "
        "({missing}); read the sheets, or enter the points with `kdscan result`.",
        n=len(waiting),
        round=first.round,
        table=first.table,
        missing=missing,
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
