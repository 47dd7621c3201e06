"""Files, the photos in them, and what is known of each before it is read."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, count

from sqlalchemy import Connection, or_, select

from kdscan.event.store import schema
from kdscan.event.store.records import FileRow, PhotoRow
from kdscan.event.store.rows import all_of, all_with, first, insert, insert_new, now, touch
from kdscan.files import Json


def add_photo(db: Connection, event_id: int, sha256: str, suffix: str, size: int) -> PhotoRow:
    """The photo with that content in an event, added if there is none.

    Store its bytes first (`PhotoFiles.put`): a row without its photo is useless.
    """
    key = {"event_id": event_id, "sha256": sha256}
    insert_new(db, schema.photo, key | {"suffix": suffix, "size": size, "added_at": now()})
    photo = first(db, PhotoRow, schema.photo, **key)
    assert photo is not None
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
    if error is None:
        return {"error_code": None, "error_message": None, "error_said": None}
    text = {"text": error["text"], "values": error["values"]} if "text" in error else None
    return {"error_code": error["code"], "error_message": error["message"], "error_said": text}


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


def photos(db: Connection, event_id: int) -> list[PhotoRow]:
    """All photos of an event, in the order in which they came."""
    return all_with(db, PhotoRow, schema.photo, event_id=event_id)


def files(db: Connection, event_id: int, photo_ids: Collection[int] | None = None) -> list[FileRow]:
    """The names under which photos of an event came (or only these photos, and whatever could not
    be read at all), in the order in which they came."""
    at = schema.file.c
    query = select(schema.file).where(at.event_id == event_id).order_by(at.id)
    if photo_ids is not None:
        query = query.where(or_(at.photo_id.in_(photo_ids), at.photo_id.is_(None)))
    return all_of(db, FileRow, query)
