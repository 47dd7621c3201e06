"""The page's access to the store: whose photos, their state, and the current readings.

Everything here blocks; handlers call it in threads. Nothing is cached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from sqlalchemy import Connection, Select, func, select

from kdscan.errors import StoreFull
from kdscan.locale import ENGLISH, Words
from kdscan.records.results import Json
from kdscan.tournament.apply_corrections import Overrides, as_they_stand, corrected_sheets
from kdscan.tournament.correcting import say, take_back
from kdscan.tournament.multi_photo_games import GAME
from kdscan.tournament.names import player_named
from kdscan.tournament.places import place_now, place_of
from kdscan.tournament.rules import Rules, asked_of, rules_of
from kdscan.tournament.store import Store, schema
from kdscan.tournament.store.checks import MOST_NUMBER
from kdscan.tournament.store.corrections import corrections, last_act
from kdscan.tournament.store.events import ensure_event, get_event
from kdscan.tournament.store.files import suffix_of
from kdscan.tournament.store.photos import (
    add_file,
    add_photo,
    files,
    free_name,
    get_photo,
    reason_of,
    set_pages,
)
from kdscan.tournament.store.readings import sheet
from kdscan.tournament.store.records import FileRow, PhotoRow, Sheet, short_name
from kdscan.web import schemas
from kdscan.web.answers import ApiError, desk_only, not_found
from kdscan.web.loaded import Loaded, load
from kdscan.web.photo_state import brief, page_json, tell_error
from kdscan.web.schemas import PhotoState
from kdscan.web.sessions import Session
from kdscan.web.settings import Settings
from kdscan.web.sheet_state import with_facts

SOURCE = "web"
"""`file.source` of what was uploaded to the page."""

WAITING: PhotoState = "waiting"
READ: PhotoState = "read"
FAILED: PhotoState = "failed"

OF_DESK = ("ignored", "same_as")
"""Fields of corrections that only the desk makes, and undoes."""

MOST_LISTED = 50
"""Most photos in a session's list."""

KEPT = ("kingdom", "duel_spellbook")
"""Kinds whose evidence older versions could not keep, so that corrections cannot be applied."""


class SheetService:
    """The store as one event's page sees it."""

    def __init__(self, store: Store, event: str) -> None:
        self._store = store
        with store.write() as db:
            self.event = ensure_event(db, event)

    # Photos

    def add(self, data: bytes, name: str, session: Session) -> tuple[int, PhotoState]:
        """Store an upload; returns the photo's id and its state."""
        suffix = suffix_of(name)
        sha256 = self._store.photos.put(data, suffix)
        with self._store.write() as db:
            photo = add_photo(db, self.event.id, sha256, suffix, len(data))
            details = {"session": session.id, "who": session.who}
            if session.id not in self._owners(db, photo.id):
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
            raise ApiError(413, "quota", f"one sends {most} MB at most; ask the desk")

    def again(self, photo_id: int, session: Session) -> None:
        """Discard the error of a photo that could not be read, so that it waits again."""
        with self._store.write() as db:
            photo = self._mine(db, photo_id, session)
            self._check_first(db, photo.id, session)
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
            return (photo, self._name(db, photo.id)) if photo else None

    def photo_row(self, photo_id: int, session: Session) -> PhotoRow:
        """The photo, if this session may see it; raises ApiError 404."""
        with self._store.read() as db:
            return self._mine(db, photo_id, session)

    def photo(self, photo_id: int, session: Session, spoken: Words = ENGLISH) -> schemas.Photo:
        """All that is known of a photo. spoken: the language of its errors."""
        with self._store.read() as db:
            photo = self._mine(db, photo_id, session)
            facts, sheets = self._facts(photo, load(db, self.event, [photo.id]), spoken)
            return {**facts, "sheets": sheets}

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
            "error": tell_error(reason_of(photo), spoken),
            "pages": [page_json(photo, row.entry, spoken) for row in newest],
        }
        pages = [loaded.sheets.get((photo.id, row.page), ()) for row in newest]
        return facts, [one for here in pages for one in _standing(here, loaded)]

    def _state(self, db: Connection, photo: PhotoRow) -> PhotoState:
        at = schema.reading.c
        count = select(func.count(at.page.distinct())).where(at.photo_id == photo.id)
        return _state_of(photo, db.scalar(count) or 0)

    def _files(self, db: Connection, photo_id: int) -> list[FileRow]:
        """The names under which a photo was sent, the first one first."""
        return sorted(files(db, self.event.id, photo_id), key=lambda row: row.id)

    def _owners(self, db: Connection, photo_id: int) -> set[str]:
        rows = self._files(db, photo_id)
        return {str(row.details.get("session")) for row in rows if row.source == SOURCE}

    def _name(self, db: Connection, photo_id: int) -> str:
        return _name_of(self._files(db, photo_id))

    def _mine(self, db: Connection, photo_id: int, session: Session) -> PhotoRow:
        photo = get_photo(db, photo_id) if photo_id <= MOST_NUMBER else None
        if photo is None or photo.event_id != self.event.id:
            raise not_found("photo")
        if session.role != "desk" and session.id not in self._owners(db, photo.id):
            raise not_found("photo")
        return photo

    def _check_first(self, db: Connection, photo_id: int, session: Session) -> None:
        """Raise ApiError if somebody else sent the photo first: only the first sender may correct
        it."""
        rows = [row for row in self._files(db, photo_id) if row.source == SOURCE]
        first = str(rows[0].details.get("session")) if rows else None
        if session.role != "desk" and first != session.id:
            why = "somebody else has sent this photo before; ask the desk to change it"
            raise ApiError(403, "not_yours", why)

    # Sheets

    def sheet(self, sheet_id: int, session: Session) -> schemas.Sheet:
        """A sheet with all its corrections."""
        with self._store.read() as db:
            return self._sheet_json(db, self._sheet(db, sheet_id, session))

    def sheet_place(self, sheet_id: int, session: Session) -> tuple[Sheet, PhotoRow]:
        """A sheet and its photo."""
        with self._store.read() as db:
            one = self._sheet(db, sheet_id, session)
            return one, self._mine(db, one.photo_id, session)

    def game(self, ids: Sequence[int], session: Session) -> list[schemas.Sheet]:
        """The current state of the sheets of one table, each with what the others imply."""
        with self._store.read() as db:
            return self._together(db, [self._sheet(db, one, session) for one in ids])

    def table(self, ids: Sequence[int]) -> list[schemas.Sheet]:
        """The same for somebody who may see the whole table; deleted sheets are omitted."""
        with self._store.read() as db:
            found = [one for n in ids if (one := sheet(db, n)) is not None]
            return self._together(db, [one for one in found if one.event_id == self.event.id])

    def _together(self, db: Connection, found: Sequence[Sheet]) -> list[schemas.Sheet]:
        book = any(one.kind == "duel_spellbook" for one in found)
        if book and all(one.kept is not None for one in found):
            loaded = load(db, self.event, {one.photo_id for one in found})
            asked = [_asked(loaded, one) for one in found]
            return _shown(loaded, found, corrected_sheets(found, asked, one_table=True))
        return [self._sheet_json(db, one) for one in found]

    def correct(
        self, sheet_id: int, changes: Mapping[str, Any], session: Session, *, of: str | None = None
    ) -> schemas.Sheet:
        """Add a correction of a sheet; returns the corrected sheet.

        changes: field → value. of: the kind of sheet that has such fields; None: all have.
        """
        with self._store.write() as db:
            one = self._sheet_to_correct(db, sheet_id, session)
            if of is not None and one.kind != of:
                raise ApiError(409, "wrong_kind", f"this sheet is a {one.kind}, not a {of}")
            if of in KEPT and one.kept is None:
                why = "an older version read this sheet; photograph it again to correct it"
                raise ApiError(409, "not_kept", why)
            before = self._sheet_json(db, one)
            try:
                say(db, one, changes, session.name, before, again=False)
            except LookupError as error:
                raise ApiError(409, "impossible", "there is no such square") from error
            return self._sheet_json(db, one)

    def undo(self, sheet_id: int, session: Session) -> schemas.Sheet:
        """Undo the newest correction of a sheet that is not yet undone."""
        with self._store.write() as db:
            one = self._sheet_to_correct(db, sheet_id, session)
            if session.role != "desk":
                last = last_act(corrections(db, self.event.id, sheet_id=one.id))
                if any(row.field in OF_DESK for row in last):
                    raise desk_only()
            if not take_back(db, one, session.name):
                raise ApiError(409, "nothing_to_undo", "there is nothing to undo")
            return self._sheet_json(db, one)

    def _sheet(self, db: Connection, sheet_id: int, session: Session) -> Sheet:
        one = sheet(db, sheet_id) if sheet_id <= MOST_NUMBER else None
        if one is None or one.event_id != self.event.id:
            raise not_found("sheet")
        self._mine(db, one.photo_id, session)
        return one

    def _sheet_to_correct(self, db: Connection, sheet_id: int, session: Session) -> Sheet:
        one = self._sheet(db, sheet_id, session)
        self._check_first(db, one.photo_id, session)
        return one

    def _sheet_json(self, db: Connection, one: Sheet) -> schemas.Sheet:
        loaded = load(db, self.event, [one.photo_id], one.page)
        page = _standing(loaded.sheets[one.photo_id, one.page], loaded)
        return next(found for found in page if found["id"] == one.id)

    def name(self, sheet_id: int, name: str | None, session: Session) -> schemas.Sheet:
        """Set whose a sheet is; raises `UsageError` for a name that it cannot have."""
        with self._store.write() as db:
            one = self._sheet_to_correct(db, sheet_id, session)
            before = place_now(db, one)
            player = name and player_named(db, self.event, name, before.round)
            place = asdict(before) | {"player": player or None, "code": None}
            say(db, one, {"place": place}, session.name)
            return self._sheet_json(db, one)

    def rules(self) -> Rules:
        """The event's current rules: they may change while the page is open."""
        with self._store.read() as db:
            return rules_of(get_event(db, self.event.id) or self.event)


def _state_of(photo: PhotoRow, done: int) -> PhotoState:
    """done: how many of its pages were read."""
    if photo.error_code:
        return FAILED
    return READ if photo.pages is not None and done >= photo.pages else WAITING


def _name_of(rows: Sequence[FileRow]) -> str:
    return short_name(rows[0].name) if rows else "photo"


def _standing(here: Sequence[Sheet], loaded: Loaded) -> list[schemas.Sheet]:
    """The current state of the sheets of one page: correcting one may affect others."""

    def game_of(one: Sheet) -> Sequence[Sheet]:
        seated = place_of(one.code, loaded.held(one)).table is not None
        return loaded.games.of(one) if one.kind in GAME and seated else ()

    return _shown(loaded, here, as_they_stand(here, partial(_asked, loaded), game_of))


def _asked(loaded: Loaded, one: Sheet) -> Overrides:
    """The corrections with which a sheet is to be interpreted."""
    return asked_of(one, loaded.held(one), loaded.rules)


def _shown(loaded: Loaded, here: Sequence[Sheet], found: Sequence[Json]) -> list[schemas.Sheet]:
    """The current state of sheets, with what the page needs besides."""
    shown = []
    for one, now in zip(here, found, strict=True):
        player = loaded.names.of(place_of(one.code, loaded.held(one)))
        shown.append(with_facts(now, one, loaded.corrections.get(one.id, ()), player))
    return shown
