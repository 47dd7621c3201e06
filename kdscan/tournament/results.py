"""What came of an event's photos: a row a sheet, and a row for each photo without one.

Rows come in the order of the files' names and hold no time of day: two runs over the
same photos give the same rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from kdscan.errors import BlankPage
from kdscan.game.grid import cell_name
from kdscan.sheet.ids import SheetId
from kdscan.tournament.current import current_json, current_sheets
from kdscan.tournament.rules import Rules, asked_of, rules_of
from kdscan.tournament.same import Look, marks_code, same_sheets
from kdscan.tournament.store.corrections import corrections, in_force
from kdscan.tournament.store.events import get_event
from kdscan.tournament.store.photos import files, photos
from kdscan.tournament.store.readings import errors, sheets
from kdscan.tournament.store.readings import sheet as get_sheet
from kdscan.tournament.store.records import Correction, FileRow, Json, PhotoRow, Sheet

Said = Mapping[str, Any]

OK, REVIEW, FAILED, BLANK = "ok", "review", "failed", "blank"
SAME_PHOTO, SAME_SHEET, IGNORED = "same photo", "same sheet", "ignored"


@dataclass(frozen=True)
class Place:
    """Whose sheet it is, as far as anybody knows."""

    round: int | None = None
    table: int | None = None
    player: str | None = None


@dataclass(frozen=True)
class Result:
    """One row. status: one of the words above; a sheet counts if it is `OK` or `REVIEW`.

    photo: None if the file could not be read at all. sheet: as it was read; data: as it
    stands now. said: what people said of it, by field. other: the file name that shows
    the same photo, or the sheet (`name#page.number`) that shows the same sheet better.
    """

    file: FileRow
    photo: PhotoRow | None
    status: str
    page: int = 0
    sheet: Sheet | None = None
    data: Json | None = None
    said: Said = field(default_factory=dict)
    place: Place = Place()
    other: str | None = None
    problem: tuple[str, str] | None = None

    @property
    def counts(self) -> bool:
        """Whether it is a sheet of the event, and not another photo of one."""
        return self.status in (OK, REVIEW)

    @property
    def name(self) -> str:
        """How people call it: the file, and which sheet of it if that is not the first."""
        return self.file.name if self.sheet is None else _name(self.file, self.sheet)


def results(db: Connection, event_id: int) -> Iterator[Result]:
    """All rows of an event, one after another."""
    known = {photo.id: photo for photo in photos(db, event_id)}
    named: dict[int, tuple[int, FileRow]] = {}
    all_files = files(db, event_id)
    for order, file in enumerate(all_files):
        if file.photo_id is not None:
            named.setdefault(file.photo_id, (order, file))
    pile = _pile(db, event_id, named)
    shown: dict[int, str] = {}
    for file in all_files:
        photo = None if file.photo_id is None else known[file.photo_id]
        if photo is None:
            yield Result(file, None, FAILED, problem=_problem(file))
        elif photo.id in shown:
            yield Result(file, photo, SAME_PHOTO, other=shown[photo.id])
        else:
            shown[photo.id] = file.name
            yield from _of_photo(db, file, photo, pile)


@dataclass(frozen=True)
class _Pile:
    """What has to be known of all sheets before the first row is told.

    said: what people said of a sheet. same: sheets that another one shows better. where: how
    people call each sheet. games: sheets of one game in several photos, by each of them.
    failures: pages that could not be read. rules: the event's.
    """

    said: Mapping[int, Said]
    same: Mapping[int, int]
    where: Mapping[int, str]
    games: Mapping[int, tuple[int, ...]]
    failures: Mapping[tuple[int, int], tuple[str, str]]
    rules: Rules

    def asked(self, sheet: Sheet) -> Said:
        """What is to be read anew of a sheet."""
        return asked_of(sheet, self.said.get(sheet.id, {}), self.rules)


def _of_photo(db: Connection, file: FileRow, photo: PhotoRow, pile: _Pile) -> Iterator[Result]:
    if photo.error_code:
        yield Result(file, photo, FAILED, problem=_problem(photo))
    by_page: dict[int, list[Sheet]] = defaultdict(list)
    for sheet in sheets(db, photo.event_id, photo.id):
        by_page[sheet.page].append(sheet)
    for page in range(photo.pages or 0):
        here = by_page[page]
        for sheet, data in zip(here, _as_they_stand(db, here, pile), strict=True):
            yield _of_sheet(file, photo, sheet, data, pile)
        problem = pile.failures.get((photo.id, page))
        if problem and not by_page[page]:
            status = BLANK if problem[0] == BlankPage.code else FAILED
            yield Result(file, photo, status, page, problem=problem)


def _as_they_stand(db: Connection, here: Sequence[Sheet], pile: _Pile) -> list[Json]:
    """The sheets of a page; those of a game in several photos with what the others say of them."""
    found = current_sheets(here, [pile.asked(one) for one in here])
    for n, one in enumerate(here):
        if one.id in pile.games:
            game = [get_sheet(db, number) for number in pile.games[one.id]]
            table = [sheet for sheet in game if sheet is not None]
            asked = [pile.asked(one) for one in table]
            now = current_sheets(table, asked, one_table=True)
            found[n] = now[pile.games[one.id].index(one.id)]
    return found


def _of_sheet(file: FileRow, photo: PhotoRow, sheet: Sheet, data: Json, pile: _Pile) -> Result:
    said = pile.said.get(sheet.id, {})
    status, other = REVIEW if data["review"] else OK, None
    if said.get("ignored") is True:
        status = IGNORED
    elif sheet.id in pile.same:
        status, other = SAME_SHEET, pile.where[pile.same[sheet.id]]
    place = place_of(sheet, said, file)
    return Result(file, photo, status, sheet.page, sheet, data, said, place, other)


def said_of(db: Connection, event_id: int) -> dict[int, Said]:
    """What people said of each sheet that they said anything of: field → value."""
    rows: dict[int, list[Correction]] = defaultdict(list)
    for row in corrections(db, event_id):
        if row.sheet_id is not None:
            rows[row.sheet_id].append(row)
    return {
        sheet_id: {name: row.new for name, row in in_force(mine).items()}
        for sheet_id, mine in rows.items()
    }


def place_of(sheet: Sheet, said: Said, file: FileRow) -> Place:
    """Whose sheet it is: a person's word, then the printed code's, then the file's."""
    if isinstance(said.get("place"), dict):
        place = said["place"]
        return Place(place.get("round"), place.get("table"), place.get("player"))
    code = SheetId.parse(sheet.code) if sheet.code else None
    round_ = code.round if code and code.round is not None else file.details.get("round")
    if code is None:
        return Place(round=round_)
    return Place(round_, code.table, code.player or None)


def _pile(db: Connection, event_id: int, named: Mapping[int, tuple[int, FileRow]]) -> _Pile:
    """Compare every sheet with the others, in the order of the files' names.

    Photos come in as fast as they are read: only names have an order that stays.
    """
    said = said_of(db, event_id)
    found: list[tuple[tuple[int, int, int], Look]] = []
    labels: dict[int, str] = {}
    tables: dict[tuple[int, int], list[_Seated]] = defaultdict(list)
    for sheet in sheets(db, event_id):
        mine = said.get(sheet.id, {})
        order, file = named[sheet.photo_id]
        labels[sheet.id] = _name(file, sheet)
        if mine.get("ignored") is True:
            continue
        touched = any(field not in ("same_as", "place") for field in mine)
        rank = (float(mine.get("confirmed") is True), float(touched), sheet.confidence)
        marks = marks_code(current_json(sheet, mine) if mine else sheet.data)
        look = Look(sheet.id, sheet.code, marks, rank, mine.get("same_as"), sheet.kind)
        found.append(((order, sheet.page, sheet.number), look))
        place = place_of(sheet, mine, file)
        if place.round is not None and place.table is not None:
            seated = _Seated(sheet.id, sheet.kind, (sheet.photo_id, sheet.page))
            tables[place.round, place.table].append(seated)
    found.sort(key=lambda one: one[0])
    same = same_sheets([look for _, look in found])
    event = get_event(db, event_id)
    rules = Rules() if event is None else rules_of(event)
    games = _games_apart(tables.values(), same)
    return _Pile(said, same, labels, games, errors(db, event_id), rules)


@dataclass(frozen=True)
class _Seated:
    """A sheet that names its table. page: id of the photo, and the page."""

    id: int
    kind: str
    page: tuple[int, int]


def _games_apart(
    tables: Iterable[Sequence[_Seated]], same: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """Two maps and the spellbook of one table that lie in several photos, by each of the three."""
    found: dict[int, tuple[int, ...]] = {}
    for everything in tables:
        those = [one for one in everything if one.id not in same]
        maps = [one for one in those if one.kind == "duel_map"]
        books = [one for one in those if one.kind == "duel_spellbook"]
        game = (*maps, *books)
        if (len(maps), len(books)) == (2, 1) and len({one.page for one in game}) > 1:
            found |= dict.fromkeys((one.id for one in game), tuple(one.id for one in game))
    return found


def _name(file: FileRow, sheet: Sheet) -> str:
    first = (sheet.page, sheet.number) == (0, 0)
    return file.name if first else f"{file.name}#{sheet.page + 1}.{sheet.number + 1}"


def _problem(row: FileRow | PhotoRow) -> tuple[str, str]:
    return row.error_code or "error", row.error_message or ""


def columns(result: Result) -> dict[str, Any]:
    """A row as plain values, for a table."""
    data, place = result.data or {}, result.place
    score = data.get("score") or {}
    code, message = result.problem or (None, None)
    look_at = [cell_name((c["row"], c["col"])) for c in data.get("cells", ()) if c["review"]]
    return {
        "file": result.file.name,
        "page": result.page + 1,
        "sheet": None if result.sheet is None else result.sheet.number + 1,
        "status": result.status,
        "kind": data.get("kind"),
        "code": result.sheet.code if result.sheet else None,
        "round": place.round,
        "table": place.table,
        "player": place.player,
        "total": score.get("total"),
        "domains": score.get("domains"),
        "wizard": score.get("wizard"),
        "middle_kingdom": score.get("middle_kingdom"),
        "harmony": score.get("harmony"),
        "castle_bonus_used": data.get("castle_bonus_used"),
        "confidence": data.get("confidence"),
        "look_at": " ".join(look_at),
        "corrected": bool(result.said),
        "same_as": result.other,
        "error": code,
        "message": message,
        "sha256": result.photo.sha256 if result.photo else None,
    }
