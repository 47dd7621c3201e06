"""The uploaded photos of an event: their state, and the current readings of their sheets.

Everything here blocks; handlers call it in threads. Nothing is cached.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Select, func, select

from kdscan.errors import StoreFull
from kdscan.event.rules import Rules, rules_of
from kdscan.event.store import Store, schema
from kdscan.event.store.events import get_event
from kdscan.event.store.files import suffix_of
from kdscan.event.store.photos import (
    add_file,
    add_photo,
    free_name,
    get_photo,
    reason_of,
    set_pages,
)
from kdscan.event.store.records import Event, FileRow, PhotoRow, short_name
from kdscan.i18n import ENGLISH, Words
from kdscan.web import schemas
from kdscan.web.answers import ApiError
from kdscan.web.loaded import Loaded, load
from kdscan.web.photo_state import brief, localized_error, page_json
from kdscan.web.schemas import PhotoState
from kdscan.web.senders import (
    SOURCE,
    check_first_sender,
    may_correct,
    names_sent,
    senders,
    visible_photo,
)
from kdscan.web.sessions import Session
from kdscan.web.settings import Settings
from kdscan.web.sheet_state import standing

WAITING: PhotoState = "waiting"
READ: PhotoState = "read"
FAILED: PhotoState = "failed"

MOST_LISTED = 200
"""Most photos in a session's list: more than are chosen at once."""


class PhotoService:
    """The photos of one event as its page sees them."""

    def __init__(self, store: Store, event: Event) -> None:
        self._store, self.event = store, event

    def add(self, data: bytes, name: str, session: Session) -> tuple[int, PhotoState]:
        """Store an upload; returns the photo's id and its state."""
        suffix = suffix_of(name)
        sha256 = self._store.photos.put(data, suffix)
        with self._store.write() as db:
            photo = add_photo(db, self.event.id, sha256, suffix, len(data))
            details = {"session": session.id, "who": session.who}
            if session.id not in senders(db, self.event, photo.id):
                fresh = free_name(db, self.event.id, name)
                add_file(db, self.event.id, fresh, photo.id, source=SOURCE, details=details)
            return photo.id, self._state(db, photo)

    def check_room(self, session: Session, settings: Settings) -> None:
        """Raise `StoreFull` if the disk is full, ApiError for a session that has used its quota."""
        room = self._store.photos.room()
        if room is not None and room < settings.spare_bytes:
            raise StoreFull("the disk with the photos is almost full: make room")
        with self._store.read() as db:
            sent = db.scalar(self._sent(session, func.sum(schema.photo.c.size))) or 0
        if sent > settings.quota_bytes and session.role != "desk":
            most = settings.quota_bytes // 1_000_000
            raise ApiError(413, "quota", f"a session may upload at most {most} MB; ask at the desk")

    def again(self, photo_id: int, session: Session) -> None:
        """Discard the error of a photo that could not be read, so that it waits again."""
        with self._store.write() as db:
            photo = visible_photo(db, self.event, photo_id, session)
            check_first_sender(db, self.event, photo.id, session)
            if self._state(db, photo) == FAILED:
                set_pages(db, photo.id, None)

    def left_behind(self) -> list[int]:
        """Photos of the page that were stored but not read completely."""
        at, own = schema.photo.c, schema.file.c
        query = (
            select(schema.photo)
            .where(at.event_id == self.event.id, at.error_code.is_(None), at.pages.is_(None))
            .where(at.id.in_(select(own.photo_id).where(own.source == SOURCE)))
            .order_by(at.id)
        )
        with self._store.read() as db:
            return [row.id for row in db.execute(query)]

    def to_read(self, photo_id: int) -> tuple[PhotoRow, str] | None:
        """A photo and the first name under which it was sent; None if it is gone."""
        with self._store.read() as db:
            photo = get_photo(db, photo_id)
            return (photo, _name_of(names_sent(db, self.event, photo.id))) if photo else None

    def rules(self) -> Rules:
        """The event's current rules: they may change while the page is open."""
        with self._store.read() as db:
            return rules_of(get_event(db, self.event.id) or self.event)

    def row(self, photo_id: int, session: Session) -> PhotoRow:
        """The photo, if this session may see it; raises ApiError 404."""
        with self._store.read() as db:
            return visible_photo(db, self.event, photo_id, session)

    def photo(self, photo_id: int, session: Session, spoken: Words = ENGLISH) -> schemas.Photo:
        """All that is known of a photo. spoken: the language of its errors."""
        with self._store.read() as db:
            photo = visible_photo(db, self.event, photo_id, session)
            facts, sheets = self._facts(photo, load(db, self.event, [photo.id]), spoken)
            allowed = may_correct(db, self.event, photo.id, session)
            return {**facts, "can_correct": allowed, "sheets": sheets}

    def photos(self, session: Session, spoken: Words = ENGLISH) -> list[schemas.PhotoLine]:
        """This session's newest photos, the last one first; of their sheets only the totals."""
        query = self._sent(session, schema.photo).order_by(schema.file.c.id.desc())
        found: list[schemas.PhotoLine] = []
        with self._store.read() as db:
            rows = [PhotoRow(**row) for row in db.execute(query.limit(MOST_LISTED)).mappings()]
            loaded = load(db, self.event, [row.id for row in rows])
            for row in rows:
                facts, sheets = self._facts(row, loaded, spoken)
                found.append({**facts, "sheets": [brief(one) for one in sheets]})
        return found

    def _sent(self, session: Session, what: Any) -> Select[Any]:
        """Selects something of the photos that a session has sent."""
        own = schema.file.c
        return (
            select(what)
            .join(schema.file, own.photo_id == schema.photo.c.id)
            .where(own.event_id == self.event.id, own.source == SOURCE)
            .where(own.details["session"].as_string() == session.id)
        )

    def _facts(
        self, photo: PhotoRow, loaded: Loaded, spoken: Words
    ) -> tuple[schemas.PhotoFacts, list[schemas.Sheet]]:
        """What is known of a photo, and the current state of its sheets."""
        newest = loaded.newest.get(photo.id, ())
        facts: schemas.PhotoFacts = {
            "id": photo.id,
            "name": _name_of(loaded.files.get(photo.id, ())),
            "added_at": photo.added_at.isoformat(),
            "state": _state_of(photo, len(newest)),
            "error": localized_error(reason_of(photo), spoken),
            "pages": [page_json(photo, row.entry, spoken) for row in newest],
        }
        pages = [loaded.sheets.get((photo.id, row.page), ()) for row in newest]
        return facts, [one for here in pages for one in standing(here, loaded)]

    def _state(self, db: Connection, photo: PhotoRow) -> PhotoState:
        at = schema.reading.c
        count = select(func.count(at.page.distinct())).where(at.photo_id == photo.id)
        return _state_of(photo, db.scalar(count) or 0)


def _state_of(photo: PhotoRow, done: int) -> PhotoState:
    """done: how many of its pages were read."""
    if photo.error_code:
        return FAILED
    return READ if photo.pages is not None and done >= photo.pages else WAITING


def _name_of(rows: Sequence[FileRow]) -> str:
    return short_name(rows[0].name) if rows else "photo"
