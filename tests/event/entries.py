"""Hand-made readings of photos, as a reader would return them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from kdscan.document import PhotoReport, photo_json
from kdscan.errors import KdscanError
from kdscan.event.actions import Action, SetRules
from kdscan.event.events import current_sheets, find_event, open_event, open_row, perform
from kdscan.event.export import rows_with_sheets, write_csv, write_json_lines
from kdscan.event.log import Author
from kdscan.event.model import Event
from kdscan.event.store import Store, open_store
from kdscan.event.store.files import suffix_of
from kdscan.event.store.photos import add_file, add_photo, add_reading, set_pages
from kdscan.event.store.schema import EventRow, PhotoRow
from kdscan.files import Json
from kdscan.rules import GameName
from kdscan.sheets.base import AnyReading, serialize

ZOE = Author("Zoe")
MODELS = "models-1"
SHA = "ab" * 32


@pytest.fixture
def sqlite_store(tmp_path: Path) -> Iterator[Store]:
    """A store on SQLite alone, where nothing depends on the database."""
    with open_store(str(tmp_path / "store.sqlite"), str(tmp_path / "photos")) as opened:
        yield opened


def one_photo(db: Connection) -> tuple[EventRow, PhotoRow]:
    """An event with one photo."""
    event = open_row(db, "e")
    return event, add_photo(db, event.id, SHA, ".jpg", 10)


def entry(
    *sheets: AnyReading, error: KdscanError | None = None, page: int = 0
) -> Mapping[str, Any]:
    """An entry of `photos` of the JSON."""
    return photo_json(PhotoReport("a.jpg", page, 1, (800, 600), sheets, error))


def kept(*sheets: AnyReading) -> list[dict[str, Any]]:
    """What is kept of its sheets."""
    return [serialize(sheet) for sheet in sheets]


def came_in(
    store: Store,
    name: str,
    *found: AnyReading,
    event: str = "Cup",
    game: GameName = "duel",
    rules: SetRules | None = None,
    picture: bytes = b"",
    details: dict[str, Any] | None = None,
    source: str = "batch",
) -> None:
    """A photo of that name was read, and this is what was found on it.

    game, rules: the event's. picture: the file, where it is to be found later.
    """
    suffix = suffix_of(name) or ".jpg"
    sha256 = hashlib.sha256(name.encode()).hexdigest()
    if picture:
        sha256 = store.photos.put(picture, suffix)
    with store.write() as db:
        this = open_event(db, event, game, rules)
        photo = add_photo(db, this.id, sha256, suffix, len(picture))
        add_file(db, this.id, name, photo.id, source=source, details=details)
        set_pages(db, photo, 1)
        add_reading(db, photo, 0, MODELS, entry(*found), kept(*found), 0.1)


def exported(store: Store) -> str:
    """All results of the event "cup", as CSV and as JSON Lines."""
    out = io.StringIO()
    with store.read() as db:
        rows = list(rows_with_sheets(db, find_event(db, "cup")))
    write_csv(rows, out)
    write_json_lines(rows, out)
    return out.getvalue()


def event_of(store: Store, name: str | None = "Cup") -> Event:
    """An event as it is now."""
    with store.read() as db:
        return find_event(db, name)


def do(store: Store, *actions: Action, event: str = "Cup", by: Author = ZOE) -> Event:
    """Somebody does something in an event, the desk if nobody is named."""
    with store.write() as db:
        done, _ = perform(db, open_event(db, event), by, *actions)
    # Whatever was stored says the same as what was computed.
    stored = event_of(store, event)
    assert (stored.version, stored.standings, stored.findings) == (
        done.version,
        done.standings,
        done.findings,
    )
    return done


def number_of(event: Event, file: str) -> int:
    """The id of the first sheet in the photo of that name."""
    return next(n for n in event.sheets if event.sheet_name(n) == file)


def states(store: Store, event: Event) -> dict[str, Json]:
    """The current JSON of the first sheet in each photo."""
    with store.read() as db:
        sheets = current_sheets(db, event, event.sheets)
    return {event.sheet_name(n): sheets[n].current for n in sorted(sheets, reverse=True)}
