"""Deletes an event for good: its rows, its photos, the pictures made of them, and its prints."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Connection, literal, select

from kdscan.errors import StoreError
from kdscan.event.store import Store, schema
from kdscan.event.store.files import is_url
from kdscan.templates.template import SUFFIX


def forget_event(store: Store, event_id: int) -> None:
    """Delete an event, rows first.

    If it is interrupted, files without a row are left, but the event is gone.
    """
    with store.write() as db:
        alone = _alone(db, event_id)
        db.execute(schema.event.delete().where(schema.event.c.id == event_id))
    for sha256, suffix in alone:
        with suppress(StoreError):  # already gone
            store.photos.remove(sha256, suffix)
        if not is_url(store.photos.root):
            views = Path(store.photos.root, "views", sha256[:2])
            for picture in views.glob(f"{sha256}-*"):
                picture.unlink(missing_ok=True)


def _alone(db: Connection, event_id: int) -> Sequence[tuple[str, str]]:
    """Photos and prints that no other event has: (SHA-256, suffix)."""
    found: list[tuple[str, str]] = []
    prints, photos = schema.known_print.c, schema.photo.c
    for at, suffix in ((photos, photos.suffix), (prints, literal(SUFFIX))):
        elsewhere = select(at.sha256).where(at.event_id != event_id)
        query = select(at.sha256, suffix).where(at.event_id == event_id)
        found += [tuple(row) for row in db.execute(query.where(at.sha256.not_in(elsewhere)))]
    return found
