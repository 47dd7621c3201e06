"""An event as the fold of its log: `Event` is made from what was read and what people did.

Everything that is shown of an event (standings, desk, report, export, projector) is a function of
it. It is computed as far as it is needed, and once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from msgspec import structs

from kdscan.errors import BlankPage
from kdscan.event import actions as act
from kdscan.event.event_sheets import EventSheets
from kdscan.event.games import Finding, Game, SheetScore, Table, gather
from kdscan.event.log import Author, Entry
from kdscan.event.names import Assignment
from kdscan.event.record import derived
from kdscan.event.sheets import Sheet
from kdscan.event.standings import Standing, standings
from kdscan.event.store.photos import reason_of
from kdscan.event.store.schema import FileRow, PhotoRow
from kdscan.files import Json
from kdscan.i18n import mark
from kdscan.sheets.base import DUEL_MAP, KINGDOM, SPELLBOOK, is_player_sheet

# Rows of the results

OK, REVIEW, FAILED, BLANK = "ok", "review", "failed", "blank"
SAME_PHOTO, SAME_SHEET, IGNORED = "same photo", "same sheet", "ignored"
CONFLICT = "conflict"


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
    `CONFLICT`: another sheet bears its code, and a person must say whose is which. corrected:
    somebody said something of it."""

    photo: PhotoRow
    sheet: Sheet
    assignment: Assignment
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


# The event


@dataclass(frozen=True, eq=False)
class Event(EventSheets):
    """An event at one version, with its results."""

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
        if sheet_id in self.said.ignored:
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
        """The maps and kingdoms that count."""
        compared, late, scores = self.compared, self.late, []
        for key in self._counted:
            sheet, rivals = self.sheets[key], compared.conflicts.get(key, ())
            hidden = key in self.said.ignored or key in compared.same
            if not is_player_sheet(sheet.kind) or (hidden and not rivals):
                continue
            came = self.photos[sheet.photo_id].added_at
            scores.append(
                SheetScore(
                    key,
                    self.assignments[key],
                    sheet.brief,
                    rivals,
                    compared.differs.get(key, ()),
                    key in late,
                    None if self.is_given_by_desk(key) else came,
                    self.sheet_name(key),
                    key in self.again,
                )
            )
        return tuple(scores)

    @derived("scores", "_planned", "ends")
    def _gathered(self) -> tuple[tuple[Game, ...], tuple[Finding, ...]]:
        return gather(self.scores, self._planned, self.rules.most, self.memo.games, self.ends)

    def _of_rows(self) -> Iterator[Finding]:
        """What players changed, boards that break the rules, and spellbooks with a chosen coat that
        pay nobody, because their game is not known."""
        rows = self.counting
        maps = Counter((r.photo.id, r.page) for r in rows if r.sheet.type is DUEL_MAP)
        for row in rows:
            brief, at = row.sheet.brief, row.assignment
            where = at.round, at.table, (row.sheet.id,)
            player = at.player or row.name
            if brief.waits:
                text = mark("{who} changed what was read: {total} → {claimed} points ({player})")
                total, claimed = ("?" if n is None else n for n in (brief.total, brief.if_accepted))
                who = ", ".join(sorted({wait.who for wait in brief.waits}))
                values = {"who": who, "total": total, "claimed": claimed, "player": player}
                yield Finding("changed", text, values, *where)
            elif row.status == OK and brief.illegal and not brief.confirmed:
                text = mark("{player} was read with certainty, but no lawful game leads to it")
                yield Finding("unlawful", text, {"player": player}, *where)
            alone = row.sheet.type is SPELLBOOK and maps[row.photo.id, row.page] != 2
            if not (alone and brief.pays):
                continue
            if row.sheet.id in self.again:
                text = mark(
                    "a spellbook that the desk had excluded was photographed again, and adds no "
                    "points"
                )
            elif row.sheet.id in self.late:
                text = mark("a spellbook came when its round was over, and adds no points")
            elif None in where[:2]:
                text = mark("a spellbook adds no points, because its table is not known")
            else:
                continue
            yield Finding("unplaced", text, {}, *where)

    @property
    def games(self) -> tuple[Game, ...]:
        """Games by round and table, read or planned."""
        return self._gathered[0]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What a person should settle."""
        return (*self._of_rows(), *self._gathered[1])

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
        """The last round with a finished game, at least the first; 0 before it."""
        rounds = (game.round for game in self.games if game.played or game.round == 1)
        return max(rounds, default=0)

    @property
    def other_sizes(self) -> list[str]:
        """Files with kingdoms that were read while the rules said another size limit."""
        if self.rules.game != KINGDOM.game:
            return []
        size = self.rules.variants.size
        rows = (row for row in self.counting if row.sheet.type is KINGDOM)
        return sorted({row.file.name for row in rows if row.sheet.brief.size != size})

    def read_totals(self, round_: int, table: int) -> dict[str, int | None]:
        """What the sheets of a table are worth by player, also after a walkover; raises
        `UsageError` for a table that was not paired."""
        self.seats_at(round_, table)
        seats = self.game_at(round_, table).seats
        return {seat.player: seat.sheet.total if seat.sheet else None for seat in seats}

    def place_after(self, author: Author, action: act.AssignSheet) -> Table | None:
        """The round and the table at which a sheet would count if somebody gave it to a player."""
        entry = Entry(0, self.created_at, **vars(author), action=action)
        memo = structs.replace(self.memo, derived={**self.memo.derived}, games={**self.memo.games})
        event = replace(self.after(self.version, entry), memo=memo)
        best = event.compared.same.get(action.sheet, action.sheet)
        for game in event.games:
            if any(seat.sheet and seat.sheet.key == best for seat in game.seats):
                return game.round, game.table
        return None
