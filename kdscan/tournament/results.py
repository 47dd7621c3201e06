"""What came of an event's photos: a row a sheet, and a row for each photo without one.

Rows come in the order of the files' names and hold no time of day: two runs over the
same photos give the same rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from kdscan.errors import BlankPage
from kdscan.report import cell_name
from kdscan.sheet.ids import SheetId
from kdscan.tournament.current import current_json, current_sheets
from kdscan.tournament.same import Look, marks_code, same_sheets
from kdscan.tournament.store.corrections import corrections, in_force
from kdscan.tournament.store.photos import files, photos
from kdscan.tournament.store.readings import errors, sheets
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


def results(db: Connection, event_id: int) -> Iterator[Result]:
    """All rows of an event, one after another."""
    said = said_of(db, event_id)
    known = {photo.id: photo for photo in photos(db, event_id)}
    failures = errors(db, event_id)
    named: dict[int, tuple[int, str]] = {}
    all_files = files(db, event_id)
    for order, file in enumerate(all_files):
        if file.photo_id is not None:
            named.setdefault(file.photo_id, (order, file.name))
    looks, where = _looks(db, event_id, said, named)
    same = same_sheets(looks)
    shown: dict[int, str] = {}
    for file in all_files:
        photo = None if file.photo_id is None else known[file.photo_id]
        if photo is None:
            yield Result(file, None, FAILED, problem=_problem(file))
        elif photo.id in shown:
            yield Result(file, photo, SAME_PHOTO, other=shown[photo.id])
        else:
            shown[photo.id] = file.name
            yield from _of_photo(db, file, photo, failures, said, same, where)


def _of_photo(
    db: Connection,
    file: FileRow,
    photo: PhotoRow,
    failures: Mapping[tuple[int, int], tuple[str, str]],
    said: Mapping[int, Said],
    same: Mapping[int, int],
    where: Mapping[int, str],
) -> Iterator[Result]:
    if photo.error_code:
        yield Result(file, photo, FAILED, problem=_problem(photo))
    by_page: dict[int, list[Sheet]] = defaultdict(list)
    for sheet in sheets(db, photo.event_id, photo.id):
        by_page[sheet.page].append(sheet)
    for page in range(photo.pages or 0):
        mine = [said.get(sheet.id, {}) for sheet in by_page[page]]
        for sheet, of, data in zip(
            by_page[page], mine, current_sheets(by_page[page], mine), strict=True
        ):
            yield _of_sheet(file, photo, sheet, of, data, same, where)
        problem = failures.get((photo.id, page))
        if problem and not by_page[page]:
            status = BLANK if problem[0] == BlankPage.code else FAILED
            yield Result(file, photo, status, page, problem=problem)


def _of_sheet(
    file: FileRow,
    photo: PhotoRow,
    sheet: Sheet,
    said: Said,
    data: Json,
    same: Mapping[int, int],
    where: Mapping[int, str],
) -> Result:
    status, other = REVIEW if data["review"] else OK, None
    if said.get("ignored") is True:
        status = IGNORED
    elif sheet.id in same:
        status, other = SAME_SHEET, where[same[sheet.id]]
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


def _looks(
    db: Connection, event_id: int, said: Mapping[int, Said], named: Mapping[int, tuple[int, str]]
) -> tuple[list[Look], dict[int, str]]:
    """Every sheet to compare, in the order of the files' names; and how people call each.

    Photos come in as fast as they are read: only names have an order that stays.
    """
    found: list[tuple[tuple[int, int, int], Look]] = []
    labels: dict[int, str] = {}
    for sheet in sheets(db, event_id):
        mine = said.get(sheet.id, {})
        order, name = named[sheet.photo_id]
        alone = (sheet.page, sheet.number) == (0, 0)
        labels[sheet.id] = name if alone else f"{name}#{sheet.page + 1}.{sheet.number + 1}"
        if mine.get("ignored") is True:
            continue
        touched = any(field not in ("same_as", "place") for field in mine)
        rank = (float(mine.get("confirmed") is True), float(touched), sheet.confidence)
        marks = marks_code(current_json(sheet, mine) if mine else sheet.data)
        look = Look(sheet.id, sheet.code, marks, rank, mine.get("same_as"))
        found.append(((order, sheet.page, sheet.number), look))
    found.sort(key=lambda one: one[0])
    return [look for _, look in found], labels


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
        "castle_bonus_used": data.get("castle_bonus_used"),
        "confidence": data.get("confidence"),
        "look_at": " ".join(look_at),
        "corrected": bool(result.said),
        "same_as": result.other,
        "error": code,
        "message": message,
        "sha256": result.photo.sha256 if result.photo else None,
    }
