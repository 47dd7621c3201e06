"""An event in one file: whole in another store, and harmless whoever made it."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kdscan.errors import UsageError
from kdscan.event import actions as act
from kdscan.event.archive import DATABASE, back_up_store, load_event, save_event
from kdscan.event.events import events
from kdscan.event.store import Store, open_store
from tests.event.entries import came_in, do, event_of, exported
from tests.readings import make_sheet, with_evidence


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "store.sqlite")) as opened:
        came_in(opened, "other.jpg", make_sheet(), event="Other", picture=b"other")
        for name in "AB":
            sheet = with_evidence(make_sheet(doubtful=[(0, 1)]), sheet_id=f"CUP/1/1/{name}")
            came_in(opened, f"{name}.jpg", sheet, event="cup", picture=name.encode())
        do(
            opened,
            act.AddPlayer("A"),
            act.AddPlayer("B"),
            act.PairRound(seed=2**32 - 1),
            event="cup",
        )
        first = min(event_of(opened, "cup").sheets)
        do(opened, act.CorrectShield(first, (0, 0), None), act.ConfirmSheet(first), event="cup")
        do(opened, act.SamePaper(first + 1, None), event="cup")
        newest = event_of(opened, "cup").newest()
        assert newest is not None
        do(opened, act.Undo(newest.id), event="cup")
        yield opened


@pytest.fixture
def archive(store: Store, tmp_path: Path) -> Path:
    path = tmp_path / "cup.kdscan"
    assert save_event(store, "cup", path) == 2
    return path


def test_an_event_is_the_same_in_another_store(store: Store, archive: Path, tmp_path: Path) -> None:
    before = event_of(store, "cup")
    with open_store(str(tmp_path / "new.sqlite")) as new:
        came_in(new, "first.jpg", make_sheet(), event="First")  # other numbers than before
        loaded = load_event(new, archive)
        assert (loaded.name, loaded.photos, loaded.sheets) == ("cup", 2, 2)
        after = event_of(new, "cup")
        assert (after.standings, after.games[0].seats[0].total) == (
            before.standings,
            before.games[0].seats[0].total,
        )
        assert [type(one.action) for one in after.log] == [type(one.action) for one in before.log]
        assert exported(new) == exported(store)
        assert new.photos.get(after.photos[min(after.photos)].sha256, ".jpg") in (b"A", b"B")
        with pytest.raises(UsageError, match="there is already an event cup"):
            load_event(new, archive)
        assert load_event(new, archive, "again").name == "again"
        assert event_of(new, "again").details["imported"] == archive.name


def test_a_backup_of_a_store_in_use_is_a_store(store: Store, tmp_path: Path) -> None:
    back_up_store(store, tmp_path / "club.zip")
    with zipfile.ZipFile(tmp_path / "club.zip") as backup:
        backup.extractall(tmp_path / "restored")
    with open_store(str(tmp_path / "restored" / "kdscan.sqlite")) as restored:
        for name in ("cup", "Other"):
            before, after = event_of(store, name), event_of(restored, name)
            assert (after.log, after.games) == (before.log, before.games)
            for photo in after.photos.values():
                assert restored.photos.get(photo.sha256, photo.suffix)


def test_what_a_killed_import_left_is_swept_away(store: Store, archive: Path) -> None:
    folder = Path(store.photos.root, "ab")
    folder.mkdir(exist_ok=True)
    old, new = (folder / f".kdscan-{name}.part" for name in ("old", "new"))
    for part in (old, new):
        part.write_bytes(b"half")
    os.utime(old, (0, 0))
    load_event(store, archive, "again")
    assert (old.exists(), new.exists()) == (False, True)


def _rewritten(path: Path, change: Callable[[dict[str, bytes]], None]) -> Path:
    with zipfile.ZipFile(path) as source:
        files = {name: source.read(name) for name in source.namelist()}
    change(files)
    out = path.with_name("changed.kdscan")
    with zipfile.ZipFile(out, "w") as target:
        for name, data in files.items():
            target.writestr(name, data)
    return out


def _sql(*statements: str) -> Callable[[dict[str, bytes]], None]:
    """Changes of the archive's own database."""

    def change(files: dict[str, bytes]) -> None:
        path = Path(_folder[0]) / "hostile.sqlite"
        path.write_bytes(files[DATABASE])
        with closing(sqlite3.connect(path)) as db:
            for statement in statements:
                db.execute(statement)
            db.commit()
        files[DATABASE] = path.read_bytes()

    return change


_folder: list[str] = [""]

ACTION = "UPDATE action SET action = '{}' WHERE id = 1"
ENTRY = "UPDATE reading SET entry = json_set(entry, '{}', {})"


@pytest.mark.parametrize(
    "change",
    [
        lambda files: files.pop(DATABASE),
        lambda files: files.update({DATABASE: b"SQLite format 3\0nothing"}),
        lambda files: files.update({"photos/x.jpg": b"x"}),
        lambda files: files.update({next(n for n in files if n.startswith("photos/")): b"forged"}),
        lambda files: files.pop(next(n for n in files if n.startswith("photos/"))),
        _sql("CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM event; END"),
        _sql("CREATE VIEW v AS SELECT * FROM event"),
        _sql("UPDATE photo SET pages = 2147483647"),
        _sql("UPDATE photo SET suffix = '/../x'"),
        _sql("UPDATE file SET name = 'a' || char(8238) || 'b'"),
        _sql("UPDATE event SET game = 'chess'"),
        _sql("UPDATE event SET name = ''"),
        _sql("UPDATE sheet SET number = 7"),
        _sql("DELETE FROM event"),
        _sql("UPDATE alembic_version SET version_num = '9999'"),
        _sql(ACTION.format(json.dumps({"type": "explode"}))),
        _sql(ACTION.format(json.dumps({"type": "add_player", "name": "x", "number": -1}))),
        _sql(ACTION.format('{"type": "add_player", "name": "a\\u202eb", "number": 1}')),
        _sql("UPDATE action SET role = 'king'"),
        _sql("UPDATE action SET who = 'a' || char(8238) || 'b'"),
        _sql(ENTRY.format("$.sheets[0].score.total", "1e308")),
        _sql(ENTRY.format("$.sheets[0].outline[0][0]", "1e300")),
        _sql("UPDATE reading SET kept = '[{}]'"),
    ],
)
def test_what_kdscan_would_not_write_is_refused_whole(
    archive: Path, tmp_path: Path, change: Callable[[dict[str, bytes]], Any]
) -> None:
    _folder[0] = str(tmp_path)
    hostile = _rewritten(archive, change)
    with open_store(str(tmp_path / "new.sqlite")) as new:
        with pytest.raises(
            UsageError, match="is not an event exported by kdscan, or it is damaged"
        ):
            load_event(new, hostile)
        with new.read() as db:
            assert events(db) == []
        assert not list((tmp_path / "new.photos").glob("*/*"))


def test_sheets_are_named_whose_values_nobody_read(archive: Path, tmp_path: Path) -> None:
    _folder[0] = str(tmp_path)
    with open_store(str(tmp_path / "new.sqlite")) as new:
        assert load_event(new, archive).differ == []
        changed = _rewritten(archive, _sql(ENTRY.format("$.sheets[0].score.total", "99")))
        assert load_event(new, changed, "changed").differ == ["A.jpg", "B.jpg"]


@pytest.mark.parametrize("content", [b"", b"PK\3\4", b"no zip at all"])
def test_other_files_are_no_archives(store: Store, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.kdscan"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is not an event"):
        load_event(store, path)
    with pytest.raises(UsageError, match="no such file"):
        load_event(store, tmp_path / "gone.kdscan")


def test_an_archive_of_an_older_version_is_read(tmp_path: Path) -> None:
    at = "2026-05-01T12:00:00+00:00"
    rows = [
        {"format": "kdscan-event/1", "name": "Old", "game": "duel", "created_at": at,
         "details": {"rules": {"rounds": 3}}},
        *({"table": "player", "row": {"id": n, "event_id": 1, "name": name, "active": True,
                                      "details": {"code": name[0]}}}
          for n, name in enumerate(("Ada", "Bob"), 4)),
        {"table": "game", "row": {"id": 7, "event_id": 1, "round": 1, "table": 1, "details": {}}},
        *({"table": "seat", "row": {"id": n, "game_id": 7, "number": n, "player_id": n + 4}}
          for n in (0, 1)),
        {"table": "correction", "row": {
            "id": 1, "event_id": 1, "sheet_id": None, "game_id": 7, "field": "result", "old": {},
            "new": {"4": 30, "5": 20}, "who": "Zoe", "at": at, "undoes": None}},
    ]  # fmt: skip
    path, out = tmp_path / "old.kdscan", io.BytesIO()
    out.write(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    with zipfile.ZipFile(path, "w") as target:
        target.writestr("event.jsonl", out.getvalue())
    with open_store(str(tmp_path / "new.sqlite")) as new:
        load_event(new, path)
        event = event_of(new, "Old")
    assert [(line.player, line.score) for line in event.standings] == [("Ada", 1.0), ("Bob", 0.0)]
    assert (event.rules.rounds, event.names.players[0].code) == (3, "A")
