"""A store that is missing, deleted, not writable, or readable only by its owner."""

from __future__ import annotations

from pathlib import Path

import pytest

from kdscan.errors import StoreError, UsageError
from kdscan.event.events import events, open_row
from kdscan.event.store import open_store
from tests.command import Command


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with open_store(str(tmp_path / "club.sqlite")) as store, store.write() as db:
        open_row(db, "cup")
    return tmp_path / "club.sqlite"


@pytest.mark.parametrize("change", ["removed", "replaced"])
def test_a_store_that_is_gone_is_noticed_before_anything_is_called_saved(
    path: Path, change: str
) -> None:
    with open_store(str(path)) as store:
        with pytest.raises(StoreError, match="in use"), store.write() as db:
            open_row(db, "while it is removed")
            content = path.read_bytes()
            path.unlink()
            if change == "replaced":
                path.with_name("other").write_bytes(content)
                path.with_name("other").rename(path)
        with pytest.raises(StoreError, match="in use"), store.write() as db:
            open_row(db, "afterwards")


@pytest.mark.parametrize(
    "command", [["standings"], ["result", "--round", "1", "--table", "1", "Ada=3"]]
)
def test_a_mistyped_store_makes_nothing(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run(*command, "--event", "cup", "--store", "typo.sqlite", code=UsageError.exit_code).err
    assert "no such store" in said
    assert list(tmp_path.iterdir()) == []


def test_only_the_owner_reads_a_store(path: Path) -> None:
    with open_store(str(path)) as store, store.write() as db:
        open_row(db, "other")
        assert {p.stat().st_mode & 0o777 for p in path.parent.iterdir()} == {0o600}


def test_a_store_that_may_only_be_read_can_be_looked_at(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    before = {p.name: p.read_bytes() for p in path.parent.iterdir()}
    with open_store(str(path)) as store:
        with store.read() as db:
            assert [event.name for event in events(db)] == ["cup"]
        with pytest.raises(StoreError, match="read-only"), store.write() as db:
            open_row(db, "new")
    assert {p.name: p.read_bytes() for p in path.parent.iterdir()} == before
