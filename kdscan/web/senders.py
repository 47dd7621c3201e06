"""Access to photos: the sessions that sent one may see it, and the first of them may correct it."""

from __future__ import annotations

from sqlalchemy import Connection

from kdscan.event.store.checks import MOST_NUMBER
from kdscan.event.store.photos import files, get_photo
from kdscan.event.store.records import Event, FileRow, PhotoRow
from kdscan.web.answers import ApiError, not_found
from kdscan.web.sessions import Session

SOURCE = "web"
"""`file.source` of what was uploaded to the page."""


def names_sent(db: Connection, event: Event, photo_id: int) -> list[FileRow]:
    """The names under which a photo came in, the first one first."""
    return sorted(files(db, event.id, photo_id), key=lambda row: row.id)


def senders(db: Connection, event: Event, photo_id: int) -> list[str]:
    """The ids of the sessions that sent a photo, the first one first."""
    rows = names_sent(db, event, photo_id)
    return [str(row.details.get("session")) for row in rows if row.source == SOURCE]


def visible_photo(db: Connection, event: Event, photo_id: int, session: Session) -> PhotoRow:
    """A photo, if this session may see it; raises ApiError 404."""
    photo = get_photo(db, photo_id) if photo_id <= MOST_NUMBER else None
    if photo is None or photo.event_id != event.id:
        raise not_found("photo")
    if session.role != "desk" and session.id not in senders(db, event, photo.id):
        raise not_found("photo")
    return photo


def may_correct(db: Connection, event: Event, photo_id: int, session: Session) -> bool:
    """Whether this session may correct a photo: the desk may, and whoever sent it first."""
    return session.role == "desk" or senders(db, event, photo_id)[:1] == [session.id]


def check_first_sender(db: Connection, event: Event, photo_id: int, session: Session) -> None:
    """Raise ApiError if somebody else sent the photo first: only the first sender may correct
    it."""
    if not may_correct(db, event, photo_id, session):
        why = "somebody else has sent this photo before; ask the desk to change it"
        raise ApiError(403, "not_yours", why)
