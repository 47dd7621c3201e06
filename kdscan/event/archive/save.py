"""Writes an event with all its photos to a file."""

from __future__ import annotations

import json
import zipfile
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

from sqlalchemy import Connection, Table, select

from kdscan.event.archive import FORMAT, ROWS, TABLES
from kdscan.event.store import Store, schema
from kdscan.event.store.events import find_event
from kdscan.event.store.prints import event_prints
from kdscan.event.store.records import Event
from kdscan.files import Json
from kdscan.files.write import writing
from kdscan.templates.template import SUFFIX


def save_event(store: Store, name: str, path: Path) -> int:
    """Write an event with all its photos to a file; returns the number of photos.

    The file appears only when it is complete. Raises `UsageError` for an unknown event or a file
    that cannot be written, `StoreError` if a photo is missing.
    """
    with writing(path) as file, store.read() as db:
        # Written from front to back: what is appended (kdscan export --archive - >> FILE) cannot be
        # rewound.
        forward: Any = SimpleNamespace(write=file.write, flush=file.flush)
        with zipfile.ZipFile(forward, "w") as out:
            return _write(store, db, find_event(db, name), out)


def _write(store: Store, db: Connection, event: Event, out: zipfile.ZipFile) -> int:
    with out.open(ROWS, "w", force_zip64=True) as lines:
        head = {"format": FORMAT, "name": event.name, "game": event.game}
        _line(lines, head | {"details": event.details, "created_at": event.created_at})
        for table in TABLES:
            for row in db.execute(_rows(table, event.id).execution_options(yield_per=100)):
                _line(lines, {"table": table.name, "row": dict(row._mapping)})
    at = schema.photo.c
    query = select(at.sha256, at.suffix).where(at.event_id == event.id).order_by(at.sha256)
    photos = list(db.execute(query))
    prints = [(row.sha256, SUFFIX) for row in event_prints(db, event.id)]
    for sha256, suffix in sorted({*map(tuple, photos), *prints}):
        # Undated: where no clock is set, today is before the first day of zip files. Photos are
        # already compressed.
        entry = zipfile.ZipInfo(f"photos/{sha256}{suffix}")
        out.writestr(entry, store.photos.get(sha256, suffix))
    return len(photos)


def _rows(table: Table, event_id: int) -> Any:
    query = select(table).order_by(table.c.id)
    if "event_id" in table.c:
        return query.where(table.c.event_id == event_id)
    parent = {"reading": schema.photo, "seat": schema.game}[table.name]
    joined = table.c[f"{parent.name}_id"] == parent.c.id
    return query.join(parent, joined).where(parent.c.event_id == event_id)


def _line(out: IO[bytes], value: Json) -> None:
    out.write(json.dumps(value, default=datetime.isoformat).encode() + b"\n")
