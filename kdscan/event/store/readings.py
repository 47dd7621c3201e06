"""What the models read on each page, and the sheets of paper that were found there."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select

from kdscan.errors import ReaderDied
from kdscan.event.store import schema
from kdscan.event.store.records import PhotoRow, ReadingRow, Sheet
from kdscan.event.store.rows import all_of, as_record, insert, insert_new, now
from kdscan.files import Json

SAME_PLACE = 0.25
"""Two outlines are one sheet if the distance of their centres is less than this fraction of their
size."""


def add_reading(
    db: Connection,
    photo: PhotoRow,
    page: int,
    models: str,
    entry: Mapping[str, Any],
    kept: Sequence[Json | None],
    seconds: float,
) -> bool:
    """Store what was read on a page, once for each version of the models.

    Returns False, and changes nothing, if these models were the last to read the page. An older
    reading of theirs is kept under another name: the size of kingdoms or the prints are again what
    they were then. The page's sheets follow the newest reading. A sheet found in the same place
    again keeps its id, and so its corrections; one that is no longer found is deleted unless it has
    corrections. If a process died while reading the page, that is not a reading, and a new one
    replaces it.
    """
    error = entry["error"]
    at = schema.reading.c
    of_page = and_(at.photo_id == photo.id, at.page == page)
    mine = and_(of_page, at.models == models)
    db.execute(schema.reading.delete().where(mine, at.error_code == ReaderDied.code))
    newest = select(func.max(at.id)).where(of_page).scalar_subquery()
    older = db.scalar(select(at.id).where(mine, at.id < newest))
    if older is not None:
        aside = schema.reading.update().where(at.id == older)
        db.execute(aside.values(models=f"{models} #{older}"))
    values = {
        "photo_id": photo.id,
        "page": page,
        "models": models,
        "entry": entry,
        "kept": list(kept),
        "error_code": error["code"] if error else None,
        "seconds": seconds,
        "read_at": now(),
    }
    reading_id = insert_new(db, schema.reading, values)
    if reading_id is None:
        return False
    if error is None or error["code"] != ReaderDied.code:
        _renew_sheets(db, photo, page, reading_id, entry["sheets"])
    return True


def readings(db: Connection, photo_ids: Collection[int]) -> list[ReadingRow]:
    """All readings of photos by page, the oldest of each first."""
    at = schema.reading.c
    query = select(schema.reading).where(at.photo_id.in_(photo_ids)).order_by(at.page, at.id)
    return all_of(db, ReadingRow, query)


def errors(db: Connection, event_id: int) -> dict[tuple[int, int], Json]:
    """Pages whose newest reading is an error: (photo id, page) → the error, see
    `kdscan.i18n.errors`."""
    at = schema.reading.c
    newest = select(func.max(at.id)).group_by(at.photo_id, at.page)
    query = (
        select(at.photo_id, at.page, at.entry)
        .join(schema.photo, schema.photo.c.id == at.photo_id)
        .where(schema.photo.c.event_id == event_id, at.error_code.is_not(None), at.id.in_(newest))
    )
    return {(photo_id, page): entry["error"] for photo_id, page, entry in db.execute(query)}


def sheet(db: Connection, sheet_id: int) -> Sheet | None:
    """A sheet by its id."""
    found = list(_sheets(db, _query().where(schema.sheet.c.id == sheet_id)))
    return found[0] if found else None


def sheets(
    db: Connection,
    event_id: int,
    photo_ids: Collection[int] | None = None,
    page: int | None = None,
) -> Iterator[Sheet]:
    """The sheets of an event (of photos, of a page), one by one, in the order in which they
    came."""
    at = schema.sheet.c
    query = _query().where(at.event_id == event_id)
    if photo_ids is not None:
        query = query.where(at.photo_id.in_(photo_ids))
    if page is not None:
        query = query.where(at.page == page)
    yield from _sheets(db, query.order_by(at.photo_id, at.page, at.number))


def _query() -> Select[Any]:
    both = schema.sheet.join(schema.reading, schema.sheet.c.reading_id == schema.reading.c.id)
    return select(schema.sheet, schema.reading.c.entry, schema.reading.c.kept).select_from(both)


def _sheets(db: Connection, query: Select[Any]) -> Iterator[Sheet]:
    with db.execute(query.execution_options(yield_per=100)) as result:
        for row in result.mappings():
            number = row["number"]
            kept = row["kept"][number] if number < len(row["kept"]) else None
            yield as_record(Sheet, row, data=row["entry"]["sheets"][number], kept=kept)


def _renew_sheets(
    db: Connection, photo: PhotoRow, page: int, reading_id: int, found: Sequence[Mapping[str, Any]]
) -> None:
    """Point the page's sheets to a new reading; those that it did not find stay only if they have
    corrections."""
    before = list(sheets(db, photo.event_id, [photo.id], page))
    for number, data in enumerate(found):
        same = next((old for old in before if _same_place(old.data, data)), None)
        score = data.get("score") or {}
        values = {
            "reading_id": reading_id,
            "number": number,
            "kind": data["kind"],
            "code": data.get("sheet_id"),
            "total": score.get("total"),
            "confidence": data["confidence"],
            "review": data["review"],
        }
        if same is None:
            place = {"event_id": photo.event_id, "photo_id": photo.id, "page": page}
            insert(db, schema.sheet, place | values)
        else:
            before.remove(same)
            at = schema.sheet.c.id == same.id
            db.execute(schema.sheet.update().where(at).values(**values))
    spoken_of = _spoken_of(db, photo.event_id)
    gone = [old.id for old in before if old.id not in spoken_of]
    db.execute(schema.sheet.delete().where(schema.sheet.c.id.in_(gone)))


def _spoken_of(db: Connection, event_id: int) -> set[int]:
    """Sheets that have corrections, or to which a correction of another photo points."""
    at = schema.correction.c
    query = select(at.sheet_id, at.field, at.new).where(
        at.event_id == event_id, at.sheet_id.is_not(None)
    )
    found = set()
    for sheet_id, field, new in db.execute(query):
        found.add(sheet_id)
        if field == "same_as" and new:
            found.add(int(new))
    return found


def _same_place(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if one["kind"] != other["kind"]:
        return False
    if not one["outline"] or not other["outline"]:
        return bool(one["outline"] == other["outline"])
    size = math.dist(one["outline"][0], one["outline"][2])
    return math.dist(_center(one["outline"]), _center(other["outline"])) < SAME_PLACE * size


def _center(outline: Sequence[Sequence[float]]) -> tuple[float, float]:
    xs, ys = zip(*outline, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)
