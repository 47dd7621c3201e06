"""Files, the photos in them, what the models read on each page, and the sheets of paper there."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any

import numpy as np
from msgspec import to_builtins
from sqlalchemy import Connection, Select, and_, func, literal, or_, select

from kdscan.errors import ReaderDied
from kdscan.event.sheets import ReadSheet, brief_of
from kdscan.event.store import schema
from kdscan.event.store.schema import (
    FileRow,
    PhotoRow,
    ReadingRow,
    all_of,
    all_with,
    first,
    insert,
    insert_new,
    now,
    touch,
)
from kdscan.files import Json
from kdscan.templates.template import SUFFIX

SAME_PLACE = 0.25
"""Two outlines are one sheet if the distance of their centres is less than this fraction of their
size."""


def add_photo(db: Connection, event_id: int, sha256: str, suffix: str, size: int) -> PhotoRow:
    """The photo with that content in an event, added if there is none.

    Store its bytes first (`PhotoFiles.put`): a row without its photo is useless.
    """
    key = {"event_id": event_id, "sha256": sha256}
    insert_new(db, schema.photo, key | {"suffix": suffix, "size": size, "added_at": now()})
    (photo,) = all_with(db, PhotoRow, schema.photo, **key)
    return photo


def set_pages(
    db: Connection, photo: PhotoRow, pages: int | None, error: Json | None = None
) -> None:
    """Set a photo's number of pages, or why it cannot be opened, see `kdscan.i18n.errors`."""
    at = schema.photo.c
    if (pages, error) == (photo.pages, None) and photo.error_code is None:
        return
    this = schema.photo.update().where(at.id == photo.id)
    db.execute(this.values(pages=pages, **_reason(error)))
    touch(db, photo.event_id, photo.id)


def _reason(error: Json | None) -> Json:
    """The columns that hold the reason."""
    error = error or {}
    told = {name: error[name] for name in ("text", "values")} if "text" in error else None
    reason = {"error_code": error.get("code"), "error_message": error.get("message")}
    return {**reason, "error_said": told}


def reason_of(row: FileRow | PhotoRow) -> Json | None:
    """Why a file or photo could not be read, as `kdscan.i18n.errors` tells it."""
    if row.error_code is None:
        return None
    reason = {"code": row.error_code, "message": row.error_message or ""}
    return reason | (row.error_said or {})


def add_file(
    db: Connection,
    event_id: int,
    name: str,
    photo_id: int | None,
    *,
    source: str = "batch",
    details: Json | None = None,
    error: Json | None = None,
) -> int:
    """Store the name under which a photo came, or that the name could not be read.

    A name is stored once, however often it comes. If it can now be read, its error is removed, and
    a newer error replaces an older one. A name that another photo has is numbered, because cameras
    restart from 1 and phones give all photos the same name. The new `details` replace old values.
    Returns the row's id.
    """
    at = schema.file.c
    unread = schema.file.delete().where(at.event_id == event_id, at.name == name)
    db.execute(unread.where(at.photo_id.is_(None)))
    if photo_id is not None:
        name = free_name(db, event_id, name, photo_id)
    key = {"event_id": event_id, "name": name, "photo_id": photo_id}
    row = first(db, FileRow, schema.file, **key)
    if row is not None:
        said = row.details | (details or {})
        if said != row.details:
            db.execute(schema.file.update().where(at.id == row.id).values(details=said))
            touch(db, event_id, photo_id)
        return row.id
    fresh = {"source": source, "details": details or {}, "added_at": now()}
    touch(db, event_id, photo_id)
    return insert(db, schema.file, key | fresh | _reason(error))


def free_name(db: Connection, event_id: int, name: str, photo_id: int | None = None) -> str:
    """The first of `name`, `name (2)`, … that no photo of an event has, or only this one."""
    at = schema.file.c
    query = select(at.name, at.photo_id).where(at.event_id == event_id, at.photo_id.is_not(None))
    found = db.execute(query.where(at.name == name)).all()
    if found:
        found = db.execute(query.where(at.name.startswith(name, autoescape=True))).all()
    taken = {row.name for row in found} - {row.name for row in found if row.photo_id == photo_id}
    numbered = (f"{name} ({n})" for n in count(2))
    return next(one for one in chain([name], numbered) if one not in taken)


def get_photo(db: Connection, photo_id: int) -> PhotoRow | None:
    """A photo by its id."""
    return first(db, PhotoRow, schema.photo, id=photo_id)


def changed_photos(event_id: int, since: int) -> Select[tuple[int]]:
    """A query for the photos that changed since a version of their event."""
    at = schema.photo.c
    return select(at.id).where(at.event_id == event_id, at.version > since)


def files(db: Connection, event_id: int, since: int = -1) -> list[FileRow]:
    """The names under which changed photos came, and whatever could not be read at all, in the
    order in which they came."""
    at = schema.file.c
    changed = or_(at.photo_id.in_(changed_photos(event_id, since)), at.photo_id.is_(None))
    query = select(schema.file).where(at.event_id == event_id, changed)
    return all_of(db, FileRow, query.order_by(at.id))


def stored_files(db: Connection, event_id: int) -> set[tuple[str, str]]:
    """SHA-256 and suffix of an event's photos and prints."""
    photo, pad = schema.photo.c, schema.known_print.c
    photos = select(photo.sha256, photo.suffix).where(photo.event_id == event_id)
    prints = select(pad.sha256, literal(SUFFIX)).where(pad.event_id == event_id)
    return {(row[0], row[1]) for query in (photos, prints) for row in db.execute(query)}


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
    touch(db, photo.event_id, photo.id)
    if error is not None and error["code"] == ReaderDied.code:
        return True
    place = {"event_id": photo.event_id, "photo_id": photo.id, "page": page}
    before, at = [*read_sheets(db, photo_id=photo.id, page=page)], schema.sheet.c
    for number, data in enumerate(entry["sheets"]):
        same = next((old for old in before if _same_place(old.data, data)), None)
        evidence = (*kept, *[None] * len(entry["sheets"]))[number]
        values = {
            "reading_id": reading_id,
            "number": number,
            "kind": data["kind"],
            "code": data.get("sheet_id"),
            "basis": None,
            "state": None,
            "brief": to_builtins(brief_of(data, data, evidence)),
        }
        if same is None:
            insert(db, schema.sheet, place | values)
        else:
            before.remove(same)
            db.execute(schema.sheet.update().where(at.id == same.id).values(**values))
    if before:
        said = schema.action.c
        actions = db.scalars(select(said.action).where(said.event_id == photo.event_id))
        spoken_of = {action.get(key) for action in actions for key in ("sheet", "of")}
        gone = [old.id for old in before if old.id not in spoken_of]
        db.execute(schema.sheet.delete().where(at.id.in_(gone)))
    return True


def readings(db: Connection, photo_ids: Collection[int]) -> list[ReadingRow]:
    """All readings of photos by page, the oldest of each first."""
    at = schema.reading.c
    query = select(schema.reading).where(at.photo_id.in_(photo_ids)).order_by(at.page, at.id)
    return all_of(db, ReadingRow, query)


def errors(db: Connection, event_id: int, since: int) -> dict[tuple[int, int], Json]:
    """Pages of changed photos whose newest reading is an error: (photo id, page) → the error, see
    `kdscan.i18n.errors`."""
    at = schema.reading.c
    newest = select(func.max(at.id)).group_by(at.photo_id, at.page)
    newest = newest.where(at.photo_id.in_(changed_photos(event_id, since)))
    query = select(at.photo_id, at.page, at.entry)
    failed = db.execute(query.where(at.error_code.is_not(None), at.id.in_(newest)))
    return {(photo_id, page): entry["error"] for photo_id, page, entry in failed}


def read_sheets(db: Connection, **values: int | Collection[int]) -> Iterator[ReadSheet]:
    """Sheets as they were read, one by one: those with one of these values in each column."""
    at, of = schema.sheet.c, schema.reading.c
    both = schema.sheet.join(schema.reading, at.reading_id == of.id)
    query = select(schema.sheet, of.entry, of.kept).select_from(both)
    for name, wanted in values.items():
        query = query.where(at[name].in_([wanted] if isinstance(wanted, int) else wanted))
    query = query.order_by(at.photo_id, at.page, at.number).execution_options(yield_per=100)
    with db.execute(query) as result:
        for row in result.mappings():
            number = row["number"]
            kept = row["kept"][number] if number < len(row["kept"]) else None
            data = row["entry"]["sheets"][number]
            place = row["id"], row["photo_id"], row["page"], number, row["kind"]
            yield ReadSheet(*place, data, kept, row["state"] or data)


def _same_place(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    if one["kind"] != other["kind"]:
        return False
    if not one["outline"] or not other["outline"]:
        return bool(one["outline"] == other["outline"])
    first, second = np.array(one["outline"]), np.array(other["outline"])
    apart, size = first.mean(0) - second.mean(0), first[0] - first[2]
    return bool(np.linalg.norm(apart) < SAME_PLACE * np.linalg.norm(size))
