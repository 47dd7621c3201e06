"""Photos that come in by the page: stored, tried again, and those that wait to be read."""

from __future__ import annotations

from sqlalchemy import func, select

from kdscan.errors import StoreFull
from kdscan.event.model import UPLOADED, short_name
from kdscan.event.store import Store, schema
from kdscan.event.store.files import suffix_of
from kdscan.event.store.photos import add_file, add_photo, free_name, get_photo, set_pages
from kdscan.event.store.schema import PhotoRow
from kdscan.web.answers import ApiError
from kdscan.web.schemas import PhotoState
from kdscan.web.sessions import Session
from kdscan.web.settings import Settings
from kdscan.web.views import state_now


def add_upload(
    store: Store, event_id: int, data: bytes, name: str, session: Session
) -> tuple[int, PhotoState]:
    """Store an upload; returns the photo's id and its state."""
    suffix = suffix_of(name)
    sha256 = store.photos.put(data, suffix)
    own = schema.file.c
    with store.write() as db:
        photo = add_photo(db, event_id, sha256, suffix, len(data))
        sent = select(own.id).where(own.photo_id == photo.id, own.source == UPLOADED)
        if db.scalar(sent.where(own.details["session"].as_string() == session.id)) is None:
            details = {"session": session.id, "who": session.who}
            fresh = free_name(db, event_id, name)
            add_file(db, event_id, fresh, photo.id, source=UPLOADED, details=details)
        return photo.id, state_now(db, photo)


def check_room(store: Store, event_id: int, session: Session, settings: Settings) -> None:
    """Raise `StoreFull` if the disk is full, ApiError for a session that has used its quota."""
    room = store.photos.room()
    if room is not None and room < settings.spare_bytes:
        raise StoreFull("the disk with the photos is almost full: make room")
    own = schema.file.c
    query = select(func.sum(schema.photo.c.size)).join(
        schema.file, own.photo_id == schema.photo.c.id
    )
    query = query.where(own.event_id == event_id, own.source == UPLOADED)
    with store.read() as db:
        sent = db.scalar(query.where(own.details["session"].as_string() == session.id)) or 0
    if sent > settings.quota_bytes and session.role != "desk":
        most = settings.quota_bytes // 1_000_000
        raise ApiError(413, "quota", f"a session may upload at most {most} MB; ask at the desk")


def try_again(store: Store, photo: PhotoRow) -> None:
    """Discard the error of a photo that could not be read, so that it waits again."""
    with store.write() as db:
        if photo.error_code is not None:
            set_pages(db, photo, None)


def left_behind(store: Store, event_id: int) -> list[int]:
    """Photos of the page that were stored but not read completely."""
    at, own = schema.photo.c, schema.file.c
    query = (
        select(at.id)
        .where(at.event_id == event_id, at.error_code.is_(None), at.pages.is_(None))
        .where(at.id.in_(select(own.photo_id).where(own.source == UPLOADED)))
        .order_by(at.id)
    )
    with store.read() as db:
        return list(db.scalars(query))


def to_read(store: Store, photo_id: int) -> tuple[PhotoRow, str] | None:
    """A photo and the first name under which it was sent; None if it is gone."""
    at = schema.file.c
    with store.read() as db:
        photo = get_photo(db, photo_id)
        name = db.scalar(select(at.name).where(at.photo_id == photo_id).order_by(at.id).limit(1))
    return (photo, short_name(name or "photo")) if photo else None
