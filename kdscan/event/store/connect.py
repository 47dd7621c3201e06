"""Open a store: SQLite in a file by default, PostgreSQL by URL; the schema is brought up to date.

    with open_store().write() as db:
        event = open_event(db, "Spring cup")

`write` is one transaction: all of it or nothing. `read` sees a single snapshot.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import MsgspecError
from sqlalchemy import Connection, Engine, create_engine, event, inspect, make_url, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    InvalidRequestError,
    NoSuchModuleError,
    SQLAlchemyError,
    TimeoutError,
)

from kdscan.errors import StoreError, StoreFull, UsageError
from kdscan.event.store import schema
from kdscan.event.store.files import MODE, PhotoFiles, is_url
from kdscan.event.store.upgrade import KNOWN, upgrade, version_of
from kdscan.files import (
    default_folder,
    folder_read_error,
    hide_password,
    is_folder,
    make_folder,
    missing_folder_error,
    sync_folder,
)
from kdscan.i18n import mark

ENVIRONMENT = "KDSCAN_STORE"
"""Environment variable for the store's URL, so that it need not be typed every time."""

OLDEST = {"setting", "event", "photo", "file", "reading", "sheet"}
"""Tables of every store."""

FileId = tuple[int, int]
"""Device and inode of a file; no two files have the same at the same time."""

BUSY_SECONDS = 30.0
"""How long to wait for another program that is writing."""

_TAKE_TURN = f"""SELECT
set_config('lock_timeout', '{BUSY_SECONDS:.0f}s', true),
set_config('idle_in_transaction_session_timeout', '10min', true),
pg_advisory_xact_lock({0x6B647363})"""
"""How a writer waits for its turn; the lock's key is "kdsc" in ASCII. A writer that becomes silent,
because its machine sleeps or its network is gone, loses its turn."""

_SERVER = {"connect_timeout": 20, "tcp_user_timeout": 60_000, "keepalives_idle": 30}
"""PostgreSQL connection parameters unless the URL sets them; milliseconds for the second, else
seconds."""


@dataclass(frozen=True)
class Store:
    """An open store; share it between threads, but open one per process.

    lies_at: path of an SQLite store, and the file's identity when it was opened.
    """

    engine: Engine
    photos: PhotoFiles
    lies_at: tuple[Path, FileId | None] | None = None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees a single snapshot of the store."""
        with explained(self.engine), self.engine.connect() as db:
            yield db

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction: committed at the end, rolled back if an exception leaves it.

        Raises `StoreError` if it could not be committed, for example because the file is gone.
        """
        self._check_still_there()
        with explained(self.engine), self.engine.execution_options(writes=True).begin() as db:
            yield db
        self._check_still_there()

    def _check_still_there(self) -> None:
        """SQLite keeps writing to a file that was moved or deleted, without reporting an error."""
        if self.lies_at is not None and _file_id(self.lies_at[0]) != self.lies_at[1]:
            raise StoreError(
                "the store {path} was moved, removed or replaced while it was in use; the last "
                "change was not saved: put it back and start again",
                path=self.lies_at[0],
            )

    def close(self) -> None:
        """Close the connections to the database."""
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_store(url: str | None = None, photos: str | None = None, *, make: bool = True) -> Store:
    """Open a store and create or upgrade its tables; a store without write access is opened
    read-only.

    url: as for SQLAlchemy, or the path of an SQLite file; by default `$KDSCAN_STORE`, or
    `kdscan.sqlite` in the user's data folder. photos: folder or URL for the photos; by default
    `NAME.photos` beside the SQLite file; for a server the place that was given before, or `photos`
    in the user's data folder. make: whether to create a missing SQLite file; no folder is ever
    created except the user's data folder.

    Raises `UsageError` for an invalid URL, `StoreError` if the store cannot be reached or was made
    by a newer version.
    """
    for option, given in (("--store", url), ("--photos", photos)):
        if given == "":  # a variable that is not set; else another store would be used
            raise UsageError("{option} is empty; name a place, or omit it", option=option)
    if photos is not None and not is_url(photos) and not is_folder(Path(photos).parent):
        raise missing_folder_error(f"--photos {photos}", Path(photos).parent)
    parsed = _parse(url or os.environ.get(ENVIRONMENT) or str(default_folder() / "kdscan.sqlite"))
    if parsed.get_backend_name() == "sqlite":
        return _open_sqlite(parsed, photos, make)
    reached = {name: value for name, value in _SERVER.items() if name not in parsed.query}
    engine = _engine(
        parsed,
        connect_args=reached | {"client_encoding": "utf8"},
        pool_pre_ping=True,
        isolation_level="READ COMMITTED",
    )
    event.listen(engine, "begin", _begin_postgresql)
    _have_tables(engine)
    at, writing = schema.setting.c, engine.execution_options(writes=photos is not None)
    with explained(engine), writing.begin() as db:  # the same place for all users
        place = db.scalar(select(at.value).where(at.key == "photos"))
        if photos is not None:
            db.execute(schema.setting.delete().where(at.key == "photos"))
            place = photos if is_url(photos) else str(Path(photos).absolute())
            db.execute(schema.setting.insert().values(key="photos", value=place))
    return Store(engine, PhotoFiles(place or str(default_folder() / "photos")))


def _parse(url: str) -> URL:
    if not is_url(url):
        return URL.create("sqlite", database=url)
    try:
        parsed = make_url(url)
        backend = parsed.get_backend_name()
        if "@" in (parsed.host or ""):
            raise ValueError  # a password with an @, whose rest was taken for the host
    except (ArgumentError, ValueError) as error:  # ValueError: the port is not a number
        raise UsageError(
            "--store: this is not a database URL: {url}; write it like "
            "postgresql://user:password@host/club, with %40 for an @ in the password",
            url=hide_password(url),
        ) from error
    if backend == "postgres":  # as printed by many hosts
        parsed, backend = parsed.set(drivername="postgresql"), "postgresql"
    if backend not in ("sqlite", "postgresql"):
        raise UsageError(
            "--store: {backend} is not supported; use sqlite or postgresql", backend=backend
        )
    return parsed.set(drivername="postgresql+psycopg") if backend == "postgresql" else parsed


def _engine(url: URL, **options: Any) -> Engine:
    try:
        return create_engine(url, **options)
    except ImportError as error:
        raise UsageError(
            "--store: PostgreSQL needs its driver: pip install 'psycopg[binary]'"
        ) from error
    except (ArgumentError, NoSuchModuleError) as error:
        raise UsageError("--store: this URL cannot be used ({error})", error=error) from error


def _open_sqlite(url: URL, photos: str | None, make: bool) -> Store:
    if not url.database or url.database == ":memory:":
        raise UsageError("--store: a store in memory forgets everything; name a file")
    path = Path(url.database)
    _have_file(path, make)
    stem = path if path.suffix == ".photos" else path.with_suffix("")
    kept = PhotoFiles(photos or f"{stem}.photos")
    if not (os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)):
        return Store(_read_only(url, path), kept)
    engine = _engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    _have_tables(engine)
    return Store(engine, kept, (path.absolute(), _file_id(path)))


def _have_file(path: Path, make: bool) -> None:
    """Create a store's file if there is none: one that only its owner can read, because it will
    hold links and sessions of the page. Raises `UsageError` if it may or can not be made."""
    try:
        if path.is_file():
            return
        if path.is_dir():
            raise UsageError("--store {path}: this is a folder; name a file in it", path=path)
        if not make:
            raise UsageError(
                "--store {path}: there is no such store; check its name, or create it with "
                "kdscan batch, pair --players, serve or import",
                path=path,
            )
        if not path.parent.is_dir() and path.parent != default_folder():
            raise missing_folder_error(f"--store {path}", path.parent)
    except PermissionError as error:
        raise folder_read_error(path.parent, error) from error
    except (OSError, ValueError) as error:  # the name is too long, or has a null byte
        raise UsageError("--store: this is not a valid file name ({error})", error=error) from error
    try:
        make_folder(path.parent)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, MODE))
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(
            "the store {path} cannot be created ({why}); choose another place",
            path=path,
            why=error.strerror or error,
        ) from error


def _read_only(url: URL, path: Path) -> Engine:
    """An engine that changes nothing, not even beside the file."""
    in_use = path.with_name(f"{path.name}-wal").exists()  # or its last writer was killed
    place = f"{path.absolute().as_uri()}?{'mode=ro' if in_use else 'immutable=1'}"
    engine = _engine(
        url,
        creator=lambda: sqlite3.connect(
            place, uri=True, check_same_thread=False, isolation_level=None
        ),
    )
    event.listen(engine, "begin", _begin_sqlite)
    _have_tables(engine, writes=False)
    return engine


def _file_id(path: Path) -> FileId | None:
    with suppress(OSError):
        file = path.stat()
        return file.st_dev, file.st_ino
    return None


def _have_tables(engine: Engine, *, writes: bool = True) -> None:
    """Create a store's tables, or bring them up to date in one transaction; an older SQLite file is
    copied before it is changed. Else dispose of the engine, and raise `StoreError`: the store is
    newer than this program, or it is older and nothing may be written."""
    try:
        with explained(engine):
            with engine.connect() as db:
                version = version_of(db)
                if version == KNOWN[-1]:
                    return
                tables = set(inspect(db).get_table_names())
                if engine.dialect.name != "sqlite":  # a server's database may hold others' too
                    tables &= OLDEST
            if not tables >= OLDEST if version else tables:
                raise StoreError(_BROKEN)
            if version not in (None, *KNOWN):
                raise StoreError(
                    "this store was made by a newer kdscan (its tables are version {found}, this "
                    "program knows {known}); install the newer one",
                    found=version,
                    known=KNOWN[-1],
                )
            if not writes:
                raise StoreError(
                    "this store was made by an older kdscan (its tables are version {found}) and "
                    "is read-only; copy it with its photos to where you can write",
                    found=version or "0",
                )
            if version is not None and engine.dialect.name == "sqlite":
                path = Path(str(engine.url.database))
                back_up(path, path.with_name(f"{path.name}.before-{version}"))
            with engine.execution_options(writes=True).begin() as db:
                if version_of(db) != KNOWN[-1]:  # else another was faster
                    upgrade(db)
    except BaseException:
        engine.dispose()
        raise


def back_up(path: Path, copy: Path) -> None:
    """Copy an SQLite store that may be in use, whole, with all that was written to it."""
    copy.touch(stat.S_IMODE(path.stat().st_mode))  # no more readable than the store
    with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # `_begin_sqlite` begins transactions, also for DDL
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that will write must take its turn at once: one that has already read could not
    # wait for another writer.
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    # As in SQLite: only one writes at a time and sees what the one before wrote, and a reader sees
    # a single snapshot.
    if connection.get_execution_options().get("writes"):
        connection.exec_driver_sql(_TAKE_TURN)
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


_CAUSES = {
    **{"53100": "full", "25006": "readonly", "55P03": "locked", "22P05": "encoding"},
    **{"42P01": "no such", "42703": "no such"},
}
"""PostgreSQL's error codes, whose texts may be in any language → SQLite's words for them."""

_BROKEN = mark("this file is not a kdscan store, or it is damaged: name another, or a backup")

_REMEDIES = {
    "full": mark("make room on the disk and run the command again: what was done is kept"),
    "I/O": mark("the disk is full or damaged; make room there, or choose another place"),
    "readonly": mark("it is read-only; ask for write access, or copy it with its photos"),
    "locked": mark("another program is writing; wait for it and try again"),
    "encoding": mark("its database cannot hold all alphabets: create one with the encoding UTF8"),
    "not a database": _BROKEN,
    "malformed": _BROKEN,
    "no such": _BROKEN,
    "not available": _BROKEN,
    "": mark("check that it is running, reachable and that you may write to it"),
}
"""What to do about an error whose text contains the word; the first that fits counts."""

NOT_UNDERSTOOD = (
    *(MsgspecError, LookupError, ValueError, TypeError, AttributeError, AssertionError),
    OverflowError,
)
"""Exceptions that code raises on content it has not written."""


@contextmanager
def explained(engine: Engine) -> Iterator[None]:
    """Turn a database's error into a `StoreError` that tells a person what to do."""
    where = hide_password(engine.url.render_as_string(hide_password=True))
    try:
        yield
    except (DBAPIError, InvalidRequestError, TimeoutError) as error:
        cause = getattr(error, "orig", None) or error
        reason = str(cause).strip().splitlines()[0]
        failed = StoreError("the store {where} failed: {reason}", where=where, reason=reason)
        code = getattr(cause, "sqlstate", reason) or ""  # SQLite's have only a text
        why = "locked" if isinstance(error, TimeoutError) else _CAUSES.get(code, code)
        word = next(word for word in _REMEDIES if word in why)
        kind = StoreFull if word == "full" else StoreError
        raise kind(mark("{error}; {what}"), error=failed, what=_REMEDIES[word]) from error
    except NOT_UNDERSTOOD as error:
        if not _is_damaged(engine):
            raise
        raise StoreError(
            "the store {where} is damaged; use a backup, or read its photos again into another "
            "store",
            where=where,
        ) from error


def _is_damaged(engine: Engine) -> bool:
    """Whether an SQLite store was changed by something other than SQLite, such as a faulty disk.

    Servers check their own; for them the answer is no.
    """
    if engine.dialect.name != "sqlite":
        return False
    try:
        with engine.connect() as db:
            db.execute(select(schema.event)).all()
            for table, record in schema.OF_EVENT.items():
                for row in db.execute(select(table)):
                    schema.checked(record, row)
            return bool(db.scalar(text("PRAGMA quick_check(1)")) != "ok")
    except (SQLAlchemyError, *NOT_UNDERSTOOD):
        return True
