"""The sheets of an event: their current readings, and their corrections.

Everything here blocks; handlers call it in threads. Nothing is cached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from kdscan.event.apply_corrections import corrected_sheets
from kdscan.event.correcting import correct_sheet, undo_last
from kdscan.event.names import player_named
from kdscan.event.places import place_now
from kdscan.event.store import Store
from kdscan.event.store.checks import MOST_NUMBER
from kdscan.event.store.corrections import corrections, is_undone, last_act
from kdscan.event.store.readings import sheet
from kdscan.event.store.records import Event, PhotoRow, Sheet
from kdscan.sheets.common import VARIANTS
from kdscan.web import schemas
from kdscan.web.answers import ApiError, desk_only, not_found
from kdscan.web.loaded import load
from kdscan.web.senders import check_first_sender, visible_photo
from kdscan.web.sessions import Session
from kdscan.web.sheet_state import standing, with_facts

OF_DESK = ("ignored", "same_as")
"""Fields of corrections that only the desk makes, and undoes."""

KEPT = ("kingdom", "duel_spellbook")
"""Kinds whose evidence older versions could not keep, so that corrections cannot be applied."""


class SheetService:
    """The sheets of one event as its page sees them."""

    def __init__(self, store: Store, event: Event) -> None:
        self._store, self.event = store, event

    def sheet(self, sheet_id: int, session: Session) -> schemas.Sheet:
        """A sheet with all its corrections."""
        with self._store.read() as db:
            return self._sheet_json(db, self._sheet(db, sheet_id, session))

    def with_photo(self, sheet_id: int, session: Session) -> tuple[Sheet, PhotoRow]:
        """A sheet and its photo."""
        with self._store.read() as db:
            one = self._sheet(db, sheet_id, session)
            return one, visible_photo(db, self.event, one.photo_id, session)

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
            asked = [loaded.asked(one) for one in found]
            return with_facts(found, corrected_sheets(found, asked, one_table=True), loaded)
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
            if VARIANTS in changes and before["extras_fixed"]:
                raise ApiError(409, "impossible", "the event's rules apply to all its kingdoms")
            try:
                correct_sheet(db, one, changes, session.name, before, again=False)
            except LookupError as error:
                raise ApiError(409, "impossible", "there is no such square") from error
            return self._sheet_json(db, one)

    def undo(self, sheet_id: int, session: Session, seen: int | None = None) -> schemas.Sheet:
        """Undo the newest correction of a sheet that is not yet undone, unless the one that was
        seen as the newest is."""
        with self._store.write() as db:
            one = self._sheet_to_correct(db, sheet_id, session)
            rows = corrections(db, self.event.id, sheet_id=one.id)
            if is_undone(rows, seen):
                return self._sheet_json(db, one)
            if session.role != "desk" and any(row.field in OF_DESK for row in last_act(rows)):
                raise desk_only()
            if not undo_last(db, one, session.name):
                raise ApiError(409, "nothing_to_undo", "there is nothing to undo")
            return self._sheet_json(db, one)

    def _sheet(self, db: Connection, sheet_id: int, session: Session) -> Sheet:
        one = sheet(db, sheet_id) if sheet_id <= MOST_NUMBER else None
        if one is None or one.event_id != self.event.id:
            raise not_found("sheet")
        visible_photo(db, self.event, one.photo_id, session)
        return one

    def _sheet_to_correct(self, db: Connection, sheet_id: int, session: Session) -> Sheet:
        one = self._sheet(db, sheet_id, session)
        check_first_sender(db, self.event, one.photo_id, session)
        return one

    def _sheet_json(self, db: Connection, one: Sheet) -> schemas.Sheet:
        loaded = load(db, self.event, [one.photo_id], one.page)
        page = standing(loaded.sheets[one.photo_id, one.page], loaded)
        return next(found for found in page if found["id"] == one.id)

    def name(self, sheet_id: int, name: str | None, session: Session) -> schemas.Sheet:
        """Set whose a sheet is; raises `UsageError` for a name that it cannot have."""
        with self._store.write() as db:
            one = self._sheet_to_correct(db, sheet_id, session)
            before = place_now(db, one)
            player = name and player_named(db, self.event, name, before.round)
            place = asdict(before) | {"player": player or None, "code": None}
            correct_sheet(db, one, {"place": place}, session.name)
            return self._sheet_json(db, one)
