"""An event in one file: rows and photos, to be moved to another store or kept for years.

The file is a ZIP: `event.jsonl`, first a line that says what it is, then a line a row,
tables in the order in which they point to each other; and `photos/SHA256.suffix`.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, Table, select

from kdscan.errors import UsageError
from kdscan.outputs import writing
from kdscan.tournament.event import WALKOVER
from kdscan.tournament.store import Store, schema
from kdscan.tournament.store.events import find_event
from kdscan.tournament.store.records import Event, Json
from kdscan.tournament.store.rows import insert, one

FORMAT = "kdscan-event/1"
ROWS = "event.jsonl"

TABLES = (
    schema.player,
    schema.photo,
    schema.file,
    schema.reading,
    schema.sheet,
    schema.game,
    schema.seat,
    schema.correction,
)
"""What belongs to an event, in the order in which rows can be added."""

MOST_BYTES = 200_000_000
"""No photo is larger: a small archive must not unpack into all memory."""

Told = Callable[[str], None]


def save_event(store: Store, name: str, path: Path) -> int:
    """Write an event with all its photos to a file; returns the number of photos.

    The file is there when it is complete, and not before. Raises `UsageError` for an
    unknown event or a file that cannot be written, `StoreError` when a photo is gone.
    """
    with writing(path) as file, zipfile.ZipFile(file, "w") as out, store.read() as db:
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
    for sha256, suffix in photos:
        # Photos are compressed already.
        out.writestr(f"photos/{sha256}{suffix}", store.photos.get(sha256, suffix))
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


@dataclass(frozen=True)
class Loaded:
    """What was brought in."""

    event: Event
    photos: int
    sheets: int


def load_event(store: Store, path: Path, name: str | None = None) -> Loaded:
    """Bring an event from a file into a store; name: what to call it there.

    All of it or nothing. Raises `UsageError` when the file is no such archive, or an
    event of that name is there already.
    """
    try:
        with zipfile.ZipFile(path) as source:
            return _load(store, source, name)
    except (OSError, zipfile.BadZipFile, EOFError) as error:
        raise UsageError(
            "{path} cannot be read as an event ({error})", path=path, error=error
        ) from error
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(
            "{path} is no event that kdscan has written, or is damaged", path=path
        ) from error


def _load(store: Store, source: zipfile.ZipFile, name: str | None) -> Loaded:
    photos = [entry for entry in source.infolist() if entry.filename.startswith("photos/")]
    for entry in photos:
        _load_photo(store, source, entry)
    with store.write() as db, source.open(ROWS) as lines:
        head = json.loads(lines.readline())
        if head["format"] != FORMAT:
            raise UsageError(
                "this event is of format {found}, not {known}", found=head["format"], known=FORMAT
            )
        wanted = name or head["name"]
        if one(db, Event, select(schema.event).where(schema.event.c.name == wanted)):
            raise UsageError(
                "there is an event {wanted} already; call this one --as 'Other name'", wanted=wanted
            )
        values = {
            "name": wanted,
            "game": head["game"],
            "details": head["details"],
            "created_at": datetime.fromisoformat(head["created_at"]),
        }
        event_id = insert(db, schema.event, values)
        sheets = _load_rows(db, event_id, (json.loads(line) for line in lines))
        return Loaded(Event(id=event_id, **values), len(photos), sheets)


def _load_photo(store: Store, source: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    named = Path(entry.filename)
    if entry.file_size > MOST_BYTES:
        raise ValueError(entry.filename)
    data = source.read(entry)
    if hashlib.sha256(data).hexdigest() != named.stem:
        raise ValueError(entry.filename)
    store.photos.put(data, named.suffix)


def _load_rows(db: Connection, event_id: int, rows: Iterator[Json]) -> int:
    """Add rows under new ids; what pointed to an old id points to the new one."""
    tables = {table.name: table for table in TABLES}
    ids: dict[str, dict[int, int]] = {name: {} for name in tables}
    ids["event"] = {}
    sheets = 0
    for line in rows:
        table = tables[line["table"]]
        old = line["row"]
        values = {name: _moved(table, name, value, ids, event_id) for name, value in old.items()}
        del values["id"]
        if table is schema.correction:
            values |= {which: _said(old["field"], old[which], ids) for which in ("old", "new")}
        ids[table.name][old["id"]] = insert(db, table, values)
        sheets += table is schema.sheet
    return sheets


def _moved(
    table: Table, column: str, value: Any, ids: dict[str, dict[int, int]], event_id: int
) -> Any:
    if column == "event_id":
        return event_id
    if value is None:
        return None
    for key in table.c[column].foreign_keys:
        return ids[key.column.table.name][value]
    if isinstance(table.c[column].type, schema.Moment):
        return datetime.fromisoformat(value)
    return value


def _said(field: str, value: Any, ids: dict[str, dict[int, int]]) -> Any:
    """A correction's value under the new ids: two fields speak of rows."""
    if field == "same_as" and value:
        return ids["sheet"].get(value, 0)
    if field == "result" and isinstance(value, dict) and WALKOVER in value:
        return {WALKOVER: ids["player"][int(value[WALKOVER])]}
    if field == "result" and isinstance(value, dict):
        return {_player(key, ids["player"]): points for key, points in value.items()}
    return value


def _player(key: str, ids: Mapping[int, int]) -> str:
    """Once what a result replaced was kept by names; those stay."""
    return str(ids[int(key)]) if key.isdecimal() and int(key) in ids else key
