"""The results of an event's photos: one row per sheet, and one for each photo without any.

Rows are in the order of the files' names and contain no times: two runs over the same photos give
the same rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from kdscan.errors import BlankPage
from kdscan.event.apply_corrections import Overrides, current_json
from kdscan.event.multi_photo_games import compared
from kdscan.event.names import seats_of
from kdscan.event.places import Place, first_names, place_of
from kdscan.event.removing import removed_from
from kdscan.event.rules import Rules, overrides_of, rules_of
from kdscan.event.store.corrections import corrections, effective_by_sheet
from kdscan.event.store.events import get_event
from kdscan.event.store.photos import files, photos, reason_of
from kdscan.event.store.readings import errors, sheets
from kdscan.event.store.readings import sheet as get_sheet
from kdscan.event.store.records import FileRow, PhotoRow, Sheet
from kdscan.files import Json
from kdscan.i18n import ENGLISH, Words
from kdscan.i18n.errors import error_text
from kdscan.rules.grid import cell_name

OK, REVIEW, FAILED, BLANK = "ok", "review", "failed", "blank"
SAME_PHOTO, SAME_SHEET, IGNORED = "same photo", "same sheet", "ignored"
CONFLICT = "conflict"

FILES_AT_ONCE = 100
"""Files whose sheets are loaded at once: few queries, and the memory of a few megabytes."""

_PageSheets = dict[tuple[int, int], list[Sheet]]
"""The sheets on each page, by the photo's id and the page's number."""


@dataclass(frozen=True)
class Result:
    """One row: a file, or a page of its photo, that shows no sheet; or a `SheetResult`. status: one
    of the words above.

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

    sheet: as it was read; data: its current state. overrides: its corrections by field. rivals: ids
    of the sheets that bear the same code.
    """

    photo: PhotoRow
    sheet: Sheet
    data: Json
    overrides: Overrides
    place: Place
    rivals: tuple[int, ...]

    @property
    def counts(self) -> bool:
        """Whether it is a sheet of the event, and not another photo of one."""
        return self.status in (OK, REVIEW, CONFLICT)

    def value(self, *names: str) -> Any:
        """A value of the sheet's current JSON, by the names of its path; None if absent."""
        found: Any = self.data
        for name in names:
            found = (found or {}).get(name)
        return found

    @property
    def name(self) -> str:
        return _name(self.file, self.sheet)

    @property
    def address(self) -> str:
        """The name that tells a sheet from all others: the file, and the sheet's place in it."""
        return f"{self.file.name}#{self.sheet.place}"


def counting(rows: Iterable[Result]) -> Iterator[SheetResult]:
    """The sheets that count."""
    return (row for row in rows if isinstance(row, SheetResult) and row.counts)


def results(db: Connection, event_id: int) -> Iterable[Result]:
    """All rows of an event, one after another, without removed photos and pages.

    They can be iterated again, for which the sheets are not compared again.
    """
    return _Rows(db, event_id)


def seated(db: Connection, event_id: int, rows: Iterable[Result]) -> Iterator[Result]:
    """The rows with their sheets' places as `Seats` knows them."""
    seats = seats_of(db, event_id)
    for row in rows:
        yield replace(row, place=seats.of(row.place)) if isinstance(row, SheetResult) else row


class _Rows:
    """The rows of an event, made from what is known of all its sheets together.

    _photos, _files: those that are not removed. _where: each sheet's name for people.
    """

    def __init__(self, db: Connection, event_id: int) -> None:
        said, event = corrections(db, event_id), get_event(db, event_id)
        self._db, self._event_id = db, event_id
        self._rules = Rules() if event is None else rules_of(event)
        self._removed, self._overrides = removed_from(said), effective_by_sheet(said)
        known = (one for one in photos(db, event_id) if one.sha256 not in self._removed.photos)
        self._photos = {photo.id: photo for photo in known}
        self._files = [file for file in files(db, event_id) if self._stays(file)]
        self._named = first_names(self._files)
        self._where: dict[int, str] = {}
        self._compared = compared(
            self._sheets(), self._overrides, self._named, seats_of(db, event_id)
        )
        self._failures = errors(db, event_id)

    def _stays(self, file: FileRow) -> bool:
        if file.photo_id is None:
            return file.name not in self._removed.files
        return file.photo_id in self._photos

    def _sheets(self) -> Iterator[Sheet]:
        """All sheets that are not removed; notes their names."""
        for sheet in sheets(self._db, self._event_id):
            photo = self._photos.get(sheet.photo_id)
            if photo is not None and not self._removed.has(photo.sha256, sheet.page):
                self._where[sheet.id] = _name(self._named[sheet.photo_id][1], sheet)
                yield sheet

    def __iter__(self) -> Iterator[Result]:
        shown: dict[int, str] = {}
        for start in range(0, len(self._files), FILES_AT_ONCE):
            some = self._files[start : start + FILES_AT_ONCE]
            sheets_on = self._sheets_on(
                {file.photo_id for file in some if file.photo_id} - shown.keys()
            )
            for file in some:
                if file.photo_id is None:
                    yield Result(file, None, FAILED, problem=reason_of(file))
                    continue
                photo = self._photos[file.photo_id]
                if photo.id in shown:
                    yield Result(file, photo, SAME_PHOTO, other=shown[photo.id])
                else:
                    shown[photo.id] = file.name
                    yield from self._of_photo(self._named[photo.id][1], photo, sheets_on)

    def _sheets_on(self, photo_ids: Collection[int]) -> _PageSheets:
        found: _PageSheets = defaultdict(list)
        for sheet in sheets(self._db, self._event_id, photo_ids):
            found[sheet.photo_id, sheet.page].append(sheet)
        return found

    def _of_photo(self, file: FileRow, photo: PhotoRow, sheets_on: _PageSheets) -> Iterator[Result]:
        if photo.error_code:
            yield Result(file, photo, FAILED, problem=reason_of(photo))
        for page in range(photo.pages or 0):
            if self._removed.has(photo.sha256, page):
                continue
            here = sheets_on[photo.id, page]
            standing = current_json(here, self._asked, self._game_of)
            for sheet, data in zip(here, standing, strict=True):
                yield self._of_sheet(file, photo, sheet, data)
            problem = self._failures.get((photo.id, page))
            if problem and not here:
                status = BLANK if problem["code"] == BlankPage.code else FAILED
                yield Result(file, photo, status, page, problem=problem)

    def _asked(self, sheet: Sheet) -> Overrides:
        """The corrections with which a sheet is to be interpreted."""
        return overrides_of(sheet, self._overrides.get(sheet.id, {}), self._rules)

    def _game_of(self, one: Sheet) -> list[Sheet]:
        game = self._compared.games.get(one.id, ())
        return [sheet for key in game if (sheet := get_sheet(self._db, key)) is not None]

    def _of_sheet(self, file: FileRow, photo: PhotoRow, sheet: Sheet, data: Json) -> SheetResult:
        overrides, same = self._overrides.get(sheet.id, {}), self._compared.same
        status, other = REVIEW if data["review"] else OK, None
        if overrides.get("ignored") is True:
            status = IGNORED
        elif sheet.id in same:
            status, other = SAME_SHEET, self._where[same[sheet.id]]
        rivals = self._compared.conflicts.get(sheet.id, ())
        if rivals:
            status, other = CONFLICT, self._where[rivals[0]]
        return SheetResult(
            file,
            status=status,
            page=sheet.page,
            other=other,
            photo=photo,
            sheet=sheet,
            data=data,
            overrides=overrides,
            place=place_of(sheet.code, overrides, file),
            rivals=rivals,
        )


def of_another_size(rows: Iterable[Result], rules: Rules) -> list[str]:
    """The names of files with kingdoms that were read while the rules said another size limit."""
    if rules.game == "duel":
        return []
    found = (row for row in counting(rows) if row.value("kind") == "kingdom")
    return sorted({row.file.name for row in found if row.value("size") != rules.variants.size})


def _name(file: FileRow, sheet: Sheet) -> str:
    first = (sheet.page, sheet.number) == (0, 0)
    return file.name if first else f"{file.name}#{sheet.place}"


def _of_sheet(
    value: Callable[[SheetResult], Any], otherwise: Any = None
) -> Callable[[Result, Words], Any]:
    """A column with a value only for rows with a sheet."""
    return lambda row, _: value(row) if isinstance(row, SheetResult) else otherwise


COLUMNS: Mapping[str, Callable[[Result, Words], Any]] = {
    "file": lambda row, _: row.file.name,
    "page": lambda row, _: row.page + 1,
    "sheet": _of_sheet(lambda row: row.sheet.number + 1),
    "status": lambda row, _: row.status,
    "kind": _of_sheet(lambda row: row.value("kind")),
    "code": _of_sheet(lambda row: row.sheet.code),
    "round": _of_sheet(lambda row: row.place.round),
    "table": _of_sheet(lambda row: row.place.table),
    "player": _of_sheet(lambda row: row.place.who),
    "total": _of_sheet(lambda row: row.value("score", "total")),
    "domains": _of_sheet(lambda row: row.value("score", "domains")),
    "wizard": _of_sheet(lambda row: row.value("score", "wizard")),
    "middle_kingdom": _of_sheet(lambda row: row.value("score", "middle_kingdom")),
    "harmony": _of_sheet(lambda row: row.value("score", "harmony")),
    "castle_bonus_used": _of_sheet(lambda row: row.value("castle_bonus_used")),
    "confidence": _of_sheet(lambda row: row.value("confidence")),
    "look_at": _of_sheet(lambda row: " ".join(_doubtful_places(row)), ""),
    "corrected": _of_sheet(lambda row: bool(row.overrides), False),
    "same_as": lambda row, _: None if row.status == CONFLICT else row.other,
    "error": lambda row, _: row.problem["code"] if row.problem else None,
    "message": lambda row, words: error_text(row.problem, words) if row.problem else None,
    "sha256": lambda row, _: row.photo.sha256 if row.photo else None,
    "conflicts_with": lambda row, _: row.other if row.status == CONFLICT else None,
}
"""The columns of a table of results, in their order, each with the value for a row."""


def columns(row: Result, words: Words = ENGLISH) -> Json:
    """A row as plain values, for a table; reasons are in that language."""
    return {name: value(row, words) for name, value in COLUMNS.items()}


def _doubtful_places(row: SheetResult) -> Iterator[str]:
    for cell in row.value("cells") or ():
        if cell["review"]:
            yield cell_name((cell["row"], cell["col"]))
