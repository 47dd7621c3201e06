"""Hand-made readings of photos, as a reader would return them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from kdscan.document import PhotoReport, photo_json
from kdscan.errors import KdscanError
from kdscan.event.export import write_csv, write_json_lines
from kdscan.event.results import results
from kdscan.event.rules import RuleChanges, ensure_rules
from kdscan.event.store import Store
from kdscan.event.store.events import ensure_event, find_event
from kdscan.event.store.files import suffix_of
from kdscan.event.store.photos import add_file, add_photo, set_pages
from kdscan.event.store.readings import add_reading
from kdscan.event.store.records import Event, PhotoRow
from kdscan.sheets.base import AnyReading, serialize

MODELS = "models-1"
SHA = "ab" * 32


def one_photo(db: Connection) -> tuple[Event, PhotoRow]:
    """An event with one photo."""
    event = ensure_event(db, "e")
    return event, add_photo(db, event.id, SHA, ".jpg", 10)


def entry(
    *sheets: AnyReading, error: KdscanError | None = None, page: int = 0
) -> Mapping[str, Any]:
    """An entry of `photos` of the JSON."""
    return photo_json(PhotoReport("a.jpg", page, 1, (800, 600), sheets, error))


def kept(*sheets: AnyReading) -> list[dict[str, Any] | None]:
    """What is kept of its sheets."""
    return [serialize(sheet) for sheet in sheets]


def came_in(
    store: Store,
    name: str,
    *found: AnyReading,
    event: str = "Cup",
    asked: RuleChanges | None = None,
    picture: bytes = b"",
    details: dict[str, Any] | None = None,
) -> None:
    """A photo of that name was read, and this is what was found on it.

    asked: the event's rules. picture: the file, where it is to be found later.
    """
    suffix = suffix_of(name) or ".jpg"
    sha256 = hashlib.sha256(name.encode()).hexdigest()
    if picture:
        sha256 = store.photos.put(picture, suffix)
    with store.write() as db:
        this = ensure_event(db, event) if asked is None else ensure_rules(db, event, asked)
        photo = add_photo(db, this.id, sha256, suffix, len(picture))
        add_file(db, this.id, name, photo.id, details=details)
        set_pages(db, photo.id, 1)
        add_reading(db, photo, 0, MODELS, entry(*found), kept(*found), 0.1)


def exported(store: Store) -> str:
    """All results of the event "cup", as CSV and as JSON Lines."""
    out = io.StringIO()
    with store.read() as db:
        rows = list(results(db, find_event(db, "cup").id))
    write_csv(rows, out)
    write_json_lines(rows, out)
    return out.getvalue()
