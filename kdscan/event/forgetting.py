"""Deletes an event for good: its rows, its photos, the pictures made of them, and its prints."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, func, literal, select

from kdscan.errors import StoreError
from kdscan.event.store import Store, schema
from kdscan.event.store.files import is_url
from kdscan.event.store.records import Event
from kdscan.templates.template import SUFFIX


@dataclass(frozen=True)
class Kept:
    """How much is stored of an event."""

    photos: int
    sheets: int
    players: int


def kept_of(store: Store, event: Event) -> Kept:
    """What forgetting an event would delete."""
    with store.read() as db:
        photos, sheets, players = (
            db.scalar(select(func.count()).select_from(table).where(table.c.event_id == event.id))
            for table in (schema.photo, schema.sheet, schema.player)
        )
    return Kept(photos or 0, sheets or 0, players or 0)


def forget_event(store: Store, event: Event) -> None:
    """Delete an event, rows first.

    If it is interrupted, files without a row are left, but the event is gone.
    """
    with store.write() as db:
        alone = _alone(db, event)
        db.execute(schema.event.delete().where(schema.event.c.id == event.id))
    for sha256, suffix in alone:
        with suppress(StoreError):  # already gone
            store.photos.remove(sha256, suffix)
        if not is_url(store.photos.root):
            views = Path(store.photos.root, "views", sha256[:2])
            for picture in views.glob(f"{sha256}-*"):
                picture.unlink(missing_ok=True)


def _alone(db: Connection, event: Event) -> Sequence[tuple[str, str]]:
    """Photos and prints that no other event has: (SHA-256, suffix)."""
    found: list[tuple[str, str]] = []
    prints, photos = schema.known_print.c, schema.photo.c
    for at, suffix in ((photos, photos.suffix), (prints, literal(SUFFIX))):
        elsewhere = select(at.sha256).where(at.event_id != event.id)
        query = select(at.sha256, suffix).where(at.event_id == event.id)
        found += [tuple(row) for row in db.execute(query.where(at.sha256.not_in(elsewhere)))]
    return found
