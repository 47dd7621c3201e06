"""Opening, upgrading and failing."""

from __future__ import annotations

import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from kdscan.cli.shared import same_event
from kdscan.errors import StoreError, StoreFull, UsageError
from kdscan.event.events import events, find_event, open_row
from kdscan.event.store import connect, open_store
from kdscan.event.store.photos import add_photo, reason_of, set_pages
from kdscan.event.store.schema import metadata
from kdscan.event.store.upgrade import upgrade
from tests.command import Command
from tests.conftest import new_store
from tests.event.store.older import make_older


def test_a_new_store_has_the_tables_that_the_program_uses(store_url: str) -> None:
    with open_store(store_url) as store, store.read() as db:
        assert compare_metadata(MigrationContext.configure(db), metadata) == []


def test_a_newer_store_is_left_alone(store_url: str) -> None:
    with open_store(store_url) as store, store.write() as db:
        db.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError, match="newer"):
        open_store(store_url)


def test_a_broken_upgrade_leaves_nothing(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(db: Connection) -> None:
        upgrade(db)
        raise KeyboardInterrupt

    monkeypatch.setattr("kdscan.event.store.connect.upgrade", half)
    with pytest.raises(KeyboardInterrupt):
        open_store(store_url)
    monkeypatch.undo()
    with open_store(store_url) as store, store.read() as db:
        assert events(db) == []


def test_a_store_of_the_first_version_keeps_its_reasons(store_url: str, tmp_path: Path) -> None:
    """They were texts alone then."""
    old = {"code": "unreadable_image", "message": "it is broken in 3 places"}
    with open_store(store_url) as store, store.write() as db:
        photo = add_photo(db, open_row(db, "cup").id, "ab" * 32, ".jpg", 10)
        set_pages(db, photo, None, old)
        make_older(db)
        for later in (
            "ALTER TABLE photo DROP COLUMN error_said",
            "ALTER TABLE file DROP COLUMN error_said",
            "DROP TABLE known_print",
            "UPDATE alembic_version SET version_num = '0001'",
        ):
            db.execute(text(later))
    with open_store(store_url) as store, store.read() as db:
        (found,) = find_event(db, "cup").photos.values()
        assert reason_of(found) == old
        assert compare_metadata(MigrationContext.configure(db), metadata) == []
    if store_url.startswith("sqlite"):
        assert (tmp_path / "store.sqlite.before-0001").is_file()


def test_sqlite_is_set_up_to_survive(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.sqlite")) as store, store.read() as db:
        assert store.photos.root == str(tmp_path / "s.photos")
        assert db.scalar(text("PRAGMA journal_mode")) == "wal"
        assert db.scalar(text("PRAGMA foreign_keys")) == 1
        assert db.scalar(text("PRAGMA synchronous")) == 2


@pytest.mark.database
def test_a_server_remembers_where_the_photos_are(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "default_folder", lambda: tmp_path)
    for url in new_store(postgres):
        with open_store(url) as store:
            assert store.photos.root == str(tmp_path / "photos")
        open_store(url, "memory://club").close()
        with open_store(url) as store:
            assert store.photos.root == "memory://club"


@pytest.mark.parametrize(
    "url", ["mysql://x/y", "postgresql://x:port/y", "://", "sqlite://", "nothing://x", ":memory:"]
)
def test_a_url_without_sense_is_wrong_usage(url: str) -> None:
    with pytest.raises(UsageError):
        open_store(url)


def test_a_file_that_is_no_store_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"\xff\xd8\xff" * 1000)
    with pytest.raises(StoreError, match="not a kdscan store"):
        open_store(str(path))
    assert path.read_bytes() == b"\xff\xd8\xff" * 1000


@pytest.mark.parametrize(
    ("version", "tables"),
    [
        *((None, ["guest"]), ("a5f3", ["guest"]), ("0003", ["event", "photo"]), ("0004", [])),
        ("0003", sorted(connect.OLDEST)),
    ],
)
def test_a_database_that_lacks_a_stores_tables_is_said_so(
    tmp_path: Path, version: str | None, tables: list[str]
) -> None:
    path = tmp_path / "club.sqlite"
    with closing(sqlite3.connect(path)) as raw:
        if version:
            raw.execute("CREATE TABLE alembic_version (version_num TEXT)")
            raw.execute("INSERT INTO alembic_version VALUES (?)", [version])
        for table in tables:
            raw.execute(f"CREATE TABLE {table} (id INTEGER PRIMARY KEY)")
        raw.commit()
    with (
        pytest.raises(StoreError, match="not a kdscan store, or it is damaged: name another"),
        open_store(str(path)) as store,
        store.read() as db,
    ):
        find_event(db, None)
    with closing(sqlite3.connect(path)) as raw:
        left = {name for (name,) in raw.execute("SELECT name FROM sqlite_master")}
    assert left == {*tables, *(["alembic_version"] if version else [])}


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@127.0.0.1:9/none",
        "postgresql://127.0.0.1:9/none?user=me&password=secret",
        "postgresql://me:half@secret@127.0.0.1:9/none",
        "postgresql://me:secret@127.0.0.1:port/none",
        "postgresql://me:secret@[::1/none",
    ],
)
def test_no_error_shows_a_password(url: str, run: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    said = run("standings", "--store", url, code=None)
    assert "127.0.0.1" in said.err or "[::1" in said.err
    assert "secret" not in said.err and "half" not in said.err
    assert "secret" not in same_event("cup", url)
    monkeypatch.setattr(connect, "_parse", None)  # a bug
    said = run("standings", "--store", url, code=1)
    assert "a bug" in said.err and "secret" not in said.err and "half" not in said.err


@pytest.mark.database
@pytest.mark.parametrize(
    ("code", "kind", "what"),
    [
        ("53100", StoreFull, "make room"),
        ("25006", StoreError, "read-only"),
        ("42501", StoreError, "may write to it"),
        ("55P03", StoreError, "another program is writing"),
        ("22P05", StoreError, "encoding UTF8"),
        ("57014", StoreError, "reachable"),
    ],
)
def test_what_a_server_says_is_understood_whatever_its_words(
    postgres: str, code: str, kind: type[StoreError], what: str
) -> None:
    fail = f"DO $$ BEGIN RAISE 'nur readonly_full' USING ERRCODE = '{code}'; END $$"
    for url in new_store(postgres):
        with open_store(url) as store, pytest.raises(kind, match=what), store.write() as db:
            db.execute(text(fail))


def test_a_folder_or_nothing_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for place in (".", "/", str(tmp_path)):
        with pytest.raises(UsageError, match="this is a folder"):
            open_store(place)
    with pytest.raises(UsageError, match="--store is empty"):
        open_store("")
    with pytest.raises(UsageError, match="--photos is empty"):
        open_store("club.sqlite", "")
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_finds_no_room_while_it_is_made_is_said_so(tmp_path: Path) -> None:
    """Where its shared memory finds no room, SQLite calls it an I/O error."""
    command = f"{shlex.quote(sys.executable)} -m kdscan batch a.jpg --event cup --store s.sqlite"
    limited = ["sh", "-c", f"ulimit -f 20 && exec {command}"]
    said = subprocess.run(limited, capture_output=True, text=True, cwd=tmp_path)
    assert (said.returncode, said.stdout) == (8, "")
    assert "the disk is full or damaged; make room there" in said.stderr
