"""An event in one file, to move to another store or to keep for years: a ZIP of a store that holds
this event alone (`event.sqlite`), and its photos and prints (`photos/SHA256.suffix`).

An archive may come from anybody. Everything in it is checked before the store is locked, and it is
loaded as a whole or not at all. Those of older versions (rows as JSON lines) are read as well.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import sqlite3
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, BinaryIO

from msgspec import Struct, to_builtins
from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from kdscan.document import to_dict
from kdscan.errors import StoreError, UsageError
from kdscan.event import log
from kdscan.event.events import events, find_row, load
from kdscan.event.model import Event
from kdscan.event.sheets import brief_of
from kdscan.event.store import Store, open_store, schema
from kdscan.event.store.connect import NOT_UNDERSTOOD, back_up
from kdscan.event.store.files import check_place, is_url
from kdscan.event.store.photos import stored_files
from kdscan.event.store.schema import first, insert
from kdscan.event.store.upgrade import REPLACED, add_log
from kdscan.files import Json, check_name, escape_control, read_error, writing
from kdscan.rules import GAMES
from kdscan.sheets.base import KINGDOM, deserialize
from kdscan.templates.library import parse_template
from kdscan.templates.template import SUFFIX, checked_name

DATABASE, OLD_ROWS, OLD_FORMAT = "event.sqlite", "event.jsonl", "kdscan-event/1"

MOST_BYTES, MOST_ROWS_BYTES, MOST_LINE_BYTES = 200_000_000, 2_000_000_000, 20_000_000
"""Most bytes of a photo, of all rows, and of one row of an older archive, so that a small archive
cannot fill the memory or the disk."""

LARGEST = 1_000_000
"""The largest number in what was read; coordinates of the largest photo have five digits."""


@dataclass(frozen=True)
class Loaded:
    """What was loaded. differ: sheets that hold other values than was read of them says."""

    name: str
    photos: int
    sheets: int
    differ: Sequence[str]


def save_event(store: Store, name: str, path: Path) -> int:
    """Write an event with all its photos to a file; returns the number of photos.

    The file appears only when it is complete. Raises `UsageError` for an unknown event or a file
    that cannot be written, `StoreError` if a photo is missing.
    """
    with TemporaryDirectory(prefix="kdscan-") as folder, writing(path) as file:
        alone = Path(folder, DATABASE)
        with store.read() as db:
            event = find_row(db, name)
            with open_store(str(alone)) as copy, copy.write() as out:
                _copy(db, out, event.id, name=event.name)
            photos = sorted(stored_files(db, event.id))
        with closing(sqlite3.connect(alone)) as compact:
            compact.execute("PRAGMA journal_mode=DELETE")
        with _zip_to(file) as out_zip:
            _add(out_zip, DATABASE, alone)
            for sha256, suffix in photos:
                name = f"photos/{sha256}{suffix}"
                out_zip.writestr(zipfile.ZipInfo(name), store.photos.get(sha256, suffix))
    return sum(suffix != SUFFIX for _, suffix in photos)


def back_up_store(store: Store, path: Path) -> None:
    """Write a whole store, also while it is used, and its photos to a ZIP: unpacked anywhere, it is
    a store again. Raises `UsageError` for one on a server."""
    if store.lies_at is None or is_url(store.photos.root):
        raise UsageError(
            "--backup: save the server's database with pg_dump, and the photos in {folder}",
            folder=store.photos.root,
        )
    with TemporaryDirectory(prefix="kdscan-") as folder, writing(path) as file:
        copy, root = Path(folder, "kdscan.sqlite"), Path(store.photos.root)
        back_up(store.lies_at[0], copy)
        with _zip_to(file) as out_zip:
            _add(out_zip, copy.name, copy)
            for photo in sorted(root.glob("??/*")):
                if photo.is_file() and not photo.name.startswith("."):
                    _add(out_zip, f"kdscan.photos/{photo.parent.name}/{photo.name}", photo)


def _zip_to(file: BinaryIO) -> zipfile.ZipFile:
    """A ZIP that is written from front to back, because what is appended (kdscan export --archive -
    >> FILE) cannot be rewound."""
    forward: Any = SimpleNamespace(write=file.write, flush=file.flush)
    return zipfile.ZipFile(forward, "w")


def _add(out_zip: zipfile.ZipFile, name: str, path: Path) -> None:
    entry = zipfile.ZipInfo(name)  # undated: without a clock, today is before the first day of ZIPs
    entry.compress_type = zipfile.ZIP_DEFLATED
    with out_zip.open(entry, "w", force_zip64=True) as target, path.open("rb") as source:
        shutil.copyfileobj(source, target, 1 << 20)


def load_event(store: Store, path: Path, name: str | None = None) -> Loaded:
    """Load an event from a file into a store; name: of the event there; blank: as in the file.

    All of it or nothing, including photos. Raises `UsageError` if the file is no such archive,
    contains what kdscan would not write, or an event of that name exists already.
    """
    check_name(name or "")
    store.photos.sweep()
    try:
        if path.is_char_device() or path.is_fifo():  # whose end zipfile would look for without end
            raise zipfile.BadZipFile
        with (
            ExitStack() as undo,
            TemporaryDirectory(prefix="kdscan-") as folder,
            zipfile.ZipFile(path) as source,
            _unpacked(source, Path(folder)) as alone,
        ):
            try:
                with alone.write() as old:
                    event, places, differ = _checked(old)
            except StoreError as error:
                raise ValueError from error
            wanted = name if name and name.strip() else event.name
            with store.read() as db:
                if first(db, schema.EventRow, schema.event, name=wanted):
                    raise UsageError(
                        "there is already an event {wanted}; rename this one with --as 'Other "
                        "name'",
                        wanted=wanted,
                    )
            photos = _load_photos(store, source, places, undo)
            with alone.read() as old, store.write() as db:
                details = {**event.details, "imported": path.name}
                load(db, _copy(old, db, event.id, name=wanted, details=details), write=True)
            undo.pop_all()
            return Loaded(wanted, photos, len(event.sheets), differ)
    except OSError as error:
        raise UsageError("{where}: {error}", where=path, error=read_error(error)) from error
    except (
        *NOT_UNDERSTOOD,
        *(zipfile.BadZipFile, EOFError, zlib.error, sqlite3.Error, SQLAlchemyError),
        *(RuntimeError, RecursionError),
    ) as error:
        raise UsageError(
            "{path} is not an event exported by kdscan, or it is damaged; export it again",
            path=path,
        ) from error


@contextmanager
def _unpacked(source: zipfile.ZipFile, folder: Path) -> Iterator[Store]:
    """The archive's rows as a store of their own, brought up to date."""
    path, old = folder / DATABASE, DATABASE not in source.namelist()
    if not old:
        with source.open(DATABASE) as packed, path.open("wb") as out:
            left = MOST_ROWS_BYTES
            while data := packed.read(1 << 20):
                left -= len(data)
                if left < 0:
                    raise ValueError(DATABASE)
                out.write(data)
        _check_schema(path)
    try:
        alone = open_store(str(path), str(folder / "photos"))
    except StoreError as error:
        raise ValueError from error
    with alone:
        if old:
            with alone.write() as db:
                _load_old_rows(db, source)
        yield alone


def _check_schema(path: Path) -> None:
    """Raise ValueError for a database that can do more than hold rows: triggers, views and virtual
    tables would be run by whoever reads it."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA trusted_schema=OFF")
        db.execute("PRAGMA cell_size_check=ON")
        for kind, sql in db.execute("SELECT type, sql FROM sqlite_master"):
            plain = sql is None or sql.upper().lstrip().startswith(
                ("CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE INDEX")
            )
            if kind not in ("table", "index") or not plain:
                raise ValueError(kind)
        if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise ValueError("damaged")


def _checked(db: Connection) -> tuple[Event, list[tuple[str, str]], list[str]]:
    """The archive's only event, as it would be shown, where its photos lie, and its sheets whose
    rows differ from their evidence. Current states of its sheets are computed anew.

    Raises exceptions for what kdscan would not have written.
    """
    (row,) = (schema.checked(schema.EventRow, r) for r in db.execute(select(schema.event)))
    if row.game not in GAMES or not row.name.strip():
        raise ValueError("event")
    check_name(row.name)
    db.execute(schema.sheet.update().values(basis=None, state=None, brief=None))
    differ: dict[int, list[bool]] = {}
    for table, record in schema.OF_EVENT.items():
        for values in db.execute(select(table).execution_options(yield_per=100)):
            _check(schema.checked(record, values), differ)
    event = load(db, row.id, write=True)
    _ = event.standings, event.findings, event.rows  # what cannot be shown is not stored
    sheets = event.sheets.values()
    names = [event.sheet_name(s.id) for s in sheets if differ[s.reading_id][s.number]]
    return event, sorted(stored_files(db, event.id)), names


def _check(row: Struct, differ: dict[int, list[bool]]) -> None:
    """Raise exceptions for a row that kdscan has not written. differ: of the sheets of each reading
    so far, whether the row holds another board or total than the evidence makes."""
    _check_values(to_builtins(row, builtin_types=(datetime,)))
    match row:
        case schema.PhotoRow():
            check_place(row.sha256, row.suffix)
        case schema.PrintRow():
            checked_name(row.name)
        case schema.FileRow():
            _check_values(row.name, names=True)
        case schema.ReadingRow():
            _check_values([row.entry, row.kept], most=LARGEST)
            if row.entry["error"] is not None:
                _ = row.entry["error"]["code"], row.entry["error"]["message"]
            differ[row.id] = []
            for sheet, kept in zip(row.entry["sheets"], row.kept, strict=True):
                now = sheet if kept is None else to_dict(deserialize(kept))
                _check_keys(sheet, now)
                stored, made = (brief_of(data, data, kept) for data in (sheet, now))
                same = (stored.total, stored.marks) == (made.total, made.marks)
                alone = sheet["kind"] != KINGDOM.name  # kingdoms share one box
                differ[row.id].append(alone and not same)
        case schema.SheetRow():
            _ = differ[row.reading_id][row.number]
        case schema.ActionRow():
            log.from_json(row.action)
            _check_values([row.action, row.who], names=True)
            if row.role not in ("player", "desk"):
                raise ValueError("role")


def _check_values(value: Any, *, names: bool = False, most: float = math.inf) -> None:
    """Raise ValueError for what no database can store: invalid text, NUL, numbers without end.
    names: also for texts that steer a terminal. most: the largest number."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        for part in value:
            _check_values(part, names=names, most=most)
    elif isinstance(value, str):
        value.encode()
        if "\0" in value or (names and escape_control(value) != value):
            raise ValueError(value)
    elif isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= most):
        raise ValueError(value)


def _check_keys(found: Any, written: Any) -> None:
    """Raise KeyError for a key that this version does not write; older ones may have fewer."""
    if isinstance(found, dict) and isinstance(written, dict):
        for key, value in found.items():
            _check_keys(value, written[key])
    elif isinstance(found, list) and isinstance(written, list):
        for value, other in zip(found, written, strict=False):
            _check_keys(value, other)


def _load_photos(
    store: Store, source: zipfile.ZipFile, places: list[tuple[str, str]], undo: ExitStack
) -> int:
    """Store the archive's photos and prints; undo: removes those that were not stored before."""
    entries = {entry.filename: entry for entry in source.infolist()}
    wanted = {f"photos/{sha256}{suffix}": (sha256, suffix) for sha256, suffix in places}
    if set(entries) - {DATABASE, OLD_ROWS} != set(wanted):
        raise ValueError("photos")
    for name, (sha256, suffix) in wanted.items():
        if entries[name].file_size > MOST_BYTES:
            raise ValueError(name)
        data = source.read(entries[name])
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ValueError(name)
        if suffix == SUFFIX:
            parse_template(data, name, thoroughly=True)
        if not store.photos.has(sha256, suffix):
            undo.callback(store.photos.remove, sha256, suffix)
        store.photos.put(data, suffix)
    return sum(suffix != SUFFIX for _, suffix in places)


def _copy(old: Connection, db: Connection, event_id: int, **changed: Any) -> int:
    """Copy the rows of an event under new numbers, with some of its own values changed; returns its
    number. Current states of its sheets have to be computed anew."""
    this = schema.event.c
    of_event = dict(old.execute(select(schema.event).where(this.id == event_id)).mappings().one())
    del of_event["id"]
    new_id = insert(db, schema.event, {**of_event, "version": 0, **changed})
    ids: dict[str, dict[int, int]] = {"event": {event_id: new_id}}
    for table in schema.OF_EVENT:
        moved = ids[table.name] = {}
        query = select(table).order_by(table.c.id)
        query = query.join(schema.photo) if table is schema.reading else query
        of = schema.photo if table is schema.reading else table
        rows = old.execute(query.where(of.c.event_id == event_id).execution_options(yield_per=100))
        for row in rows.mappings():
            values = {name: value for name, value in row.items() if name not in ("id", "version")}
            for column in table.c:
                if column.foreign_keys and values[column.name] is not None:
                    (key,) = column.foreign_keys
                    values[column.name] = ids[key.column.table.name][values[column.name]]
            if table is schema.sheet and values["basis"]:  # it rests on numbers that change
                values |= {"basis": None, "state": None, "brief": None}
            elif table is schema.action:
                action = values["action"] = dict(values["action"])  # 0 for what the archive lacks
                for part in {"sheet", "of", "action"} & action.keys():
                    numbers = moved if part == "action" else ids["sheet"]
                    action[part] = action[part] and numbers.get(action[part], 0)
                for part in {"actions", "answers"} & action.keys():
                    action[part] = [moved.get(number, 0) for number in action[part]]
            moved[row["id"]] = insert(db, table, values)
    return new_id


def _load_old_rows(db: Connection, source: zipfile.ZipFile) -> None:
    """The rows of an older archive, in a store of their own."""
    entry = source.getinfo(OLD_ROWS)
    if entry.file_size > MOST_ROWS_BYTES:
        raise ValueError(OLD_ROWS)
    old: dict[str, list[Json]] = {name: [] for name in REPLACED}
    tables = {table.name: table for table in schema.OF_EVENT}
    with source.open(entry) as lines:
        head = json.loads(lines.readline(MOST_LINE_BYTES))
        if head["format"] != OLD_FORMAT:
            raise UsageError(
                "this event is of format {found}, not {known}",
                found=head["format"],
                known=OLD_FORMAT,
            )
        event: Json = {name: head[name] for name in ("name", "game", "details")}
        event |= {"id": 1, "created_at": datetime.fromisoformat(head["created_at"])}
        db.execute(schema.event.insert(), [event])
        while line := lines.readline(MOST_LINE_BYTES):
            parsed = json.loads(line)
            row: Json = parsed["row"]
            times = {"at", "added_at", "read_at"} & row.keys()
            row |= {"event_id": 1} | {name: datetime.fromisoformat(row[name]) for name in times}
            if parsed["table"] in old:
                old[parsed["table"]].append(row)
                continue
            table = tables[parsed["table"]]
            db.execute(table.insert(), [{n: v for n, v in row.items() if n in table.c}])
    for this in events(db):
        add_log(db, this, old)
