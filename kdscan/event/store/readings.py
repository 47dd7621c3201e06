"""What the models read on each page, and the sheets of paper that were found there."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import to_builtins
from sqlalchemy import Connection, and_, func, select

from kdscan.errors import ReaderDied
from kdscan.event.sheets import brief_of
from kdscan.event.store import schema
from kdscan.event.store.records import PhotoRow, ReadingRow
from kdscan.event.store.rows import all_of, as_record, insert, insert_new, now, touch
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
        _renew_sheets(db, photo, page, reading_id, entry["sheets"], kept)
    touch(db, photo.event_id, photo.id)
    return True


def readings(db: Connection, photo_ids: Collection[int]) -> list[ReadingRow]:
    """All readings of photos by page, the oldest of each first."""
    at = schema.reading.c
    query = select(schema.reading).where(at.photo_id.in_(photo_ids)).order_by(at.page, at.id)
    return all_of(db, ReadingRow, query)


def errors(
    db: Connection, event_id: int, photo_ids: Collection[int] | None = None
) -> dict[tuple[int, int], Json]:
    """Pages (of photos) whose newest reading is an error: (photo id, page) → the error, see
    `kdscan.i18n.errors`."""
    at, photo = schema.reading.c, schema.photo.c
    newest = select(func.max(at.id)).group_by(at.photo_id, at.page)
    query = (
        select(at.photo_id, at.page, at.entry)
        .join(schema.photo, photo.id == at.photo_id)
        .where(photo.event_id == event_id, at.error_code.is_not(None))
    )
    if photo_ids is not None:
        query = query.where(at.photo_id.in_(photo_ids))
        newest = newest.where(at.photo_id.in_(photo_ids))
    query = query.where(at.id.in_(newest))
    return {(photo_id, page): entry["error"] for photo_id, page, entry in db.execute(query)}


@dataclass(frozen=True)
class ReadSheet:
    """A sheet as it was read. data: its entry in the JSON; kept: its evidence; state: its current
    entry, None if nothing but the reading is known of it."""

    id: int
    photo_id: int
    page: int
    number: int
    kind: str
    data: Json
    kept: Json | None
    state: Json | None

    @property
    def current(self) -> Json:
        """Its current entry."""
        return self.data if self.state is None else self.state


def read_sheets(
    db: Connection,
    *,
    ids: Collection[int] | None = None,
    photo_ids: Collection[int] | None = None,
    event_id: int | None = None,
) -> Iterator[ReadSheet]:
    """Sheets as they were read, one by one: those with these ids, of photos, or of an event."""
    at, of = schema.sheet.c, schema.reading.c
    both = schema.sheet.join(schema.reading, at.reading_id == of.id)
    query = select(schema.sheet, of.entry, of.kept).select_from(both)
    if ids is not None:
        query = query.where(at.id.in_(ids))
    if photo_ids is not None:
        query = query.where(at.photo_id.in_(photo_ids))
    if event_id is not None:
        query = query.where(at.event_id == event_id)
    query = query.order_by(at.photo_id, at.page, at.number).execution_options(yield_per=100)
    with db.execute(query) as result:
        for row in result.mappings():
            number = row["number"]
            kept = row["kept"][number] if number < len(row["kept"]) else None
            yield as_record(ReadSheet, row, data=row["entry"]["sheets"][number], kept=kept)


def _renew_sheets(
    db: Connection,
    photo: PhotoRow,
    page: int,
    reading_id: int,
    found: Sequence[Mapping[str, Any]],
    kept: Sequence[Json | None],
) -> None:
    """Point the page's sheets to a new reading; those that it did not find stay only if an action
    speaks of them."""
    before = [s for s in read_sheets(db, photo_ids=[photo.id]) if s.page == page]
    for number, data in enumerate(found):
        same = next((old for old in before if _same_place(old.data, data)), None)
        values = {
            "reading_id": reading_id,
            "number": number,
            "kind": data["kind"],
            "code": data.get("sheet_id"),
            "basis": None,
            "state": None,
            "brief": to_builtins(brief_of(data, data, (*kept, *[None] * len(found))[number])),
        }
        if same is None:
            place = {"event_id": photo.event_id, "photo_id": photo.id, "page": page}
            insert(db, schema.sheet, place | values)
        else:
            before.remove(same)
            at = schema.sheet.c.id == same.id
            db.execute(schema.sheet.update().where(at).values(**values))
    if before:
        spoken_of = _spoken_of(db, photo.event_id)
        gone = [old.id for old in before if old.id not in spoken_of]
        db.execute(schema.sheet.delete().where(schema.sheet.c.id.in_(gone)))


def _spoken_of(db: Connection, event_id: int) -> set[int]:
    """Sheets of which some action of people speaks."""
    at = schema.action.c
    query = select(at.action).where(at.event_id == event_id)
    actions = [action for (action,) in db.execute(query)]
    return {action[key] for action in actions for key in ("sheet", "of") if action.get(key)}


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
