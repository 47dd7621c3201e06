"""Loads an event from a file, which may come from anybody: all of it or nothing."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Column, Connection
from sqlalchemy.exc import IntegrityError

from kdscan.errors import StoreError, UsageError
from kdscan.event.archive import FORMAT, ROWS, TABLES
from kdscan.event.archive.checks import check_archived, check_head
from kdscan.event.event import WALKOVER, event_state
from kdscan.event.store import Store, schema
from kdscan.event.store.checks import NOT_UNDERSTOOD
from kdscan.event.store.events import check_name
from kdscan.event.store.files import check_place
from kdscan.event.store.prints import event_prints
from kdscan.event.store.records import Event
from kdscan.event.store.rows import first, insert
from kdscan.files import Json
from kdscan.files.read import read_error
from kdscan.templates.library import parse_template
from kdscan.templates.template import SUFFIX

Ids = dict[str, dict[int, int]]
"""For each table its rows' numbers in the file → their new ones."""

_NO_ZIP = (zipfile.BadZipFile, EOFError, zlib.error)

MOST_BYTES = 200_000_000
"""Most bytes of a photo, so that a small archive cannot fill the memory."""

MOST_ROWS_BYTES, MOST_LINE_BYTES = 2_000_000_000, 20_000_000
"""Most bytes of all unpacked rows, and of one; a reading has some twenty thousand per sheet."""


@dataclass(frozen=True)
class Loaded:
    """What was loaded."""

    event: Event
    photos: int
    sheets: int


def load_event(store: Store, path: Path, name: str | None = None) -> Loaded:
    """Load an event from a file into a store; name: of the event there; blank: as in the file.

    All of it or nothing, including photos. Raises `UsageError` if the file is no such archive,
    contains what kdscan would not write, or an event of that name exists already.
    """
    if name is not None:
        check_name(name)
    try:
        with ExitStack() as undo, _explained_as(path), _opened(path) as source:
            loaded = _load(store, source, name, undo)
            undo.pop_all()
            return loaded
    except OSError as error:
        raise UsageError("{where}: {error}", where=path, error=read_error(error)) from error


def _opened(path: Path) -> zipfile.ZipFile:
    if path.is_char_device() or path.is_fifo():  # whose end zipfile would look for without end
        raise zipfile.BadZipFile
    return zipfile.ZipFile(path)


@contextmanager
def _explained_as(path: Path) -> Iterator[None]:
    """Turn Python's exceptions for invalid content into a `UsageError`."""
    try:
        yield
    except (*NOT_UNDERSTOOD, *_NO_ZIP, RuntimeError, StoreError) as error:
        if isinstance(error, StoreError) and not isinstance(error.__cause__, IntegrityError):
            raise  # the store fails, not the content
        raise UsageError(
            "{path} is not an event exported by kdscan, or it is damaged; export it again",
            path=path,
        ) from error


def _load(store: Store, source: zipfile.ZipFile, name: str | None, undo: ExitStack) -> Loaded:
    """undo: removes the photos that were not stored before, if anything fails."""
    photos = _photos(source)
    rows = source.getinfo(ROWS)
    if rows.file_size > MOST_ROWS_BYTES:
        raise ValueError(ROWS)
    with store.write() as db, source.open(rows) as lines:
        head = json.loads(lines.readline(MOST_LINE_BYTES))
        if head["format"] != FORMAT:
            raise UsageError(
                "this event is of format {found}, not {known}", found=head["format"], known=FORMAT
            )
        check_head(head)
        wanted = name if name and name.strip() else head["name"]
        if first(db, Event, schema.event, name=wanted):
            raise UsageError(
                "there is already an event {wanted}; rename this one with --as 'Other name'",
                wanted=wanted,
            )
        values = {
            "name": wanted,
            "game": head["game"],
            "details": head["details"],
            "created_at": datetime.fromisoformat(head["created_at"]),
        }
        event_id = insert(db, schema.event, values)
        sheets = _load_rows(db, event_id, _lines(lines), set(photos))
        event = Event(id=event_id, **values)
        event_state(db, event)  # an event that cannot be shown must not be stored
        prints = {(row.sha256, SUFFIX) for row in event_prints(db, event_id)}
        for photo, entry in photos.items():
            _load_photo(store, source, photo, entry, undo, is_print=photo in prints)
        return Loaded(event, len(photos) - len(prints), sheets)


def _lines(lines: IO[bytes]) -> Iterator[Json]:
    while line := lines.readline(MOST_LINE_BYTES):
        yield json.loads(line)


def _photos(source: zipfile.ZipFile) -> dict[tuple[str, str], zipfile.ZipInfo]:
    """The photos in an archive, by SHA-256 and suffix; raises ValueError for other names."""
    found = {}
    for entry in source.infolist():
        if entry.filename == ROWS:
            continue
        folder, _, name = entry.filename.partition("/")
        photo = (name[:64], name[64:])
        check_place(*photo)
        if folder != "photos" or photo in found or entry.file_size > MOST_BYTES:
            raise ValueError(entry.filename)
        found[photo] = entry
    return found


def _load_photo(
    store: Store,
    source: zipfile.ZipFile,
    photo: tuple[str, str],
    entry: zipfile.ZipInfo,
    undo: ExitStack,
    *,
    is_print: bool,
) -> None:
    data = source.read(entry)
    if hashlib.sha256(data).hexdigest() != photo[0]:
        raise ValueError(entry.filename)
    if is_print:  # a photo may have any suffix
        parse_template(data, entry.filename, thoroughly=True)
    if not store.photos.has(*photo):
        undo.callback(store.photos.remove, *photo)
    store.photos.put(data, photo[1])


def _load_rows(
    db: Connection, event_id: int, rows: Iterator[Json], photos: set[tuple[str, str]]
) -> int:
    """Add rows under new ids, and update references to the old ones.

    photos: those in the archive. Raises Python's exceptions for rows that kdscan would not write.
    """
    tables = {table.name: table for table in TABLES}
    ids: Ids = {name: {} for name in tables}
    ids["event"] = defaultdict(lambda: event_id)  # whatever its number was
    sheets_of: dict[int, int] = {}  # the number of each reading's
    spoken_of = set()
    sheets = 0
    for line in rows:
        table = tables[line["table"]]
        old = line["row"]
        check_archived(table, old)
        if table is schema.photo:
            spoken_of.add((old["sha256"], old["suffix"]))
        elif table is schema.known_print:
            spoken_of.add((old["sha256"], SUFFIX))
        elif table is schema.reading:
            sheets_of[old["id"]] = len(old["entry"]["sheets"])
        elif table is schema.sheet:
            if old["number"] >= sheets_of[old["reading_id"]]:
                raise ValueError("number")
            sheets += 1
        values = {name: _moved(table.c[name], value, ids) for name, value in old.items()}
        del values["id"]
        if table is schema.correction:
            values |= {which: _mapped(old["field"], old[which], ids) for which in ("old", "new")}
        ids[table.name][old["id"]] = insert(db, table, values)
    if spoken_of != photos:
        raise ValueError("photos")
    return sheets


def _moved(column: Column[Any], value: Any, ids: Ids) -> Any:
    if value is None:
        return None
    for key in column.foreign_keys:
        return ids[key.column.table.name][value]
    if isinstance(column.type, schema.UtcDateTime):
        return datetime.fromisoformat(value)
    return value


def _mapped(field: str, value: Any, ids: Ids) -> Any:
    """A correction's value with new ids; two fields refer to rows."""
    if field == "same_as" and value:
        return ids["sheet"].get(value, 0)
    if field == "result" and isinstance(value, dict) and WALKOVER in value:
        return {WALKOVER: ids["player"][int(value[WALKOVER])]}
    if field == "result" and isinstance(value, dict):
        return {_player(key, ids["player"]): points for key, points in value.items()}
    return value


def _player(key: str, ids: Mapping[int, int]) -> str:
    """A player's new id. Old stores have names in what a result replaced; those stay."""
    return str(ids[int(key)]) if key.isdecimal() and int(key) in ids else key
