"""Archives may come from strangers: what kdscan would not have written is refused, and leaves
nothing.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kdscan.errors import UsageError
from kdscan.event.archive.load import load_event
from kdscan.event.archive.save import save_event
from kdscan.event.store import Store, open_store
from kdscan.event.store.events import events
from kdscan.event.store.files import PhotoFiles
from tests.event.test_archive import fill

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    with open_store(str(folder / "old.sqlite")) as store:
        fill(store)
        save_event(store, "cup", folder / "cup.kdscan")
    return folder / "cup.kdscan"


@pytest.fixture
def new(tmp_path: Path) -> Store:
    (tmp_path / "inside").mkdir()
    return open_store(str(tmp_path / "inside" / "new.sqlite"))


def changed(
    archive: Path,
    path: Path,
    change: Callable[[Rows], object],
    *,
    more: dict[str, bytes] | None = None,
) -> Path:
    """The archive with its lines changed, and more entries."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w") as out:
        rows = [json.loads(line) for line in old.read("event.jsonl").splitlines()]
        change(rows)
        out.writestr("event.jsonl", b"".join(json.dumps(row).encode() + b"\n" for row in rows))
        for name in old.namelist():
            if name.startswith("photos/"):
                out.writestr(name, old.read(name))
        for name, data in (more or {}).items():
            out.writestr(name, data)
    return path


def of(rows: Rows, table: str, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = [line["row"] for line in rows[1:] if line["table"] == table][number]
    return found


def first_sheet(rows: Rows) -> dict[str, Any]:
    found: dict[str, Any] = of(rows, "reading")["entry"]["sheets"][0]
    return found


def set_in(table: str, **values: Any) -> Callable[[Rows], object]:
    return lambda rows: of(rows, table).update(values)


def assert_untouched(new: Store, tmp_path: Path) -> None:
    with new.read() as db:
        assert events(db) == []
    left = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert {p.name for p in left} <= {
        "bad.kdscan",
        *(f"new.sqlite{s}" for s in ("", "-wal", "-shm")),
    }


CHANGES: dict[str, Callable[[Rows], object]] = {
    "a hash that leads out": set_in("photo", sha256="../victim/private"),
    "a hash of another length": set_in("photo", sha256="ab"),
    "a suffix that leads out": set_in("photo", suffix="/../../x"),
    "another suffix": set_in("photo", suffix=".png"),
    "a size below nothing": set_in("photo", size=-1),
    "a number that is too large": set_in("photo", pages=2**70),
    "a number that is none": set_in("photo", size="7"),
    "another format": lambda rows: rows[0].update(format=99),
    "another game": lambda rows: rows[0].update(game="chess"),
    "a name of control": lambda rows: rows[0].update(name="a\x1b[2J"),
    "a name of spaces": lambda rows: rows[0].update(name="  "),
    "a name that is too long": lambda rows: rows[0].update(name="x" * 100_000),
    "details that are a list": lambda rows: rows[0].update(details=[]),
    "a player without a name": lambda rows: of(rows, "player").pop("name"),
    "two players of one name": lambda rows: of(rows, "player", 1).update(
        of(rows, "player") | {"id": 99}
    ),
    "a player of control": set_in("player", name="A\nB"),
    "a column too much": set_in("player", secret=1),
    "an entry that is none": set_in("reading", entry={}),
    "an entry without cells": lambda rows: first_sheet(rows).pop("cells"),
    "a coat that is none": lambda rows: of(rows, "reading")["entry"]["sheets"][0]["cells"][
        0
    ].update(coat="velvet"),
    "probabilities that are none": lambda rows: of(rows, "reading")["kept"][0].update(probs={}),
    "a key that no version has written": lambda rows: first_sheet(rows).update(secret=1),
    "a sheet that is not in its reading": set_in("sheet", number=1),
    "a page below nothing": set_in("sheet", page=-1),
    "a round before the first": set_in("game", round=0),
    "a seat of nobody": set_in("seat", player_id=999),
    "a correction of nothing known": set_in("correction", field="../cell"),
    "a correction off the map": lambda rows: [
        line["row"].update(field="cell:99,1") for line in rows[1:] if line["table"] == "correction"
    ],
    "a text with NUL": set_in("correction", who="A\0"),
    "a surrogate": set_in("correction", who="\ud800"),
    "no number": set_in("sheet", confidence=float("nan")),
    "a table that is none": lambda rows: rows[1].update(table="setting"),
    "a moment that is none": set_in("photo", added_at="soon"),
    "photos without rows": lambda rows: rows.__delitem__(slice(3, None)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_kdscan_would_not_write_is_refused_and_leaves_nothing(
    change: Callable[[Rows], object], archive: Path, new: Store, tmp_path: Path
) -> None:
    with pytest.raises(UsageError):
        load_event(new, changed(archive, tmp_path / "bad.kdscan", change))
    assert_untouched(new, tmp_path)


@pytest.mark.parametrize(
    "name", ["photos/../../evil.jpg", "/etc/evil", "photos/x", f"photos/{'ab' * 32}.jpg", "evil"]
)
def test_an_entry_that_is_no_photo_of_the_event_is_refused(
    name: str, archive: Path, new: Store, tmp_path: Path
) -> None:
    path = changed(archive, tmp_path / "bad.kdscan", lambda rows: None, more={name: b"evil"})
    with pytest.raises(UsageError):
        load_event(new, path)
    assert_untouched(new, tmp_path)


def test_nesting_without_end_is_refused(archive: Path, new: Store, tmp_path: Path) -> None:
    path = tmp_path / "bad.kdscan"
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w") as out:
        first = old.read("event.jsonl").splitlines()[0]
        deep = b'{"table": "player", "row": ' + 100_000 * b"[" + 100_000 * b"]" + b"}"
        out.writestr("event.jsonl", first + b"\n" + deep)
    with pytest.raises(UsageError):
        load_event(new, path)
    assert_untouched(new, tmp_path)


def test_a_photo_that_was_there_before_stays(archive: Path, new: Store, tmp_path: Path) -> None:
    sha = new.photos.put(b"photo 0", ".jpg")
    bad = changed(archive, tmp_path / "bad.kdscan", CHANGES["a seat of nobody"])
    with pytest.raises(UsageError):
        load_event(new, bad)
    assert new.photos.get(sha, ".jpg") == b"photo 0"


@pytest.mark.parametrize(("sha256", "suffix"), [("../x", ""), ("ab" * 32, "/../x"), ("", ".jpg")])
def test_no_path_is_made_of_anything_else(sha256: str, suffix: str, tmp_path: Path) -> None:
    for root in (str(tmp_path), "memory://club"):
        with pytest.raises(ValueError, match="no photo"):
            PhotoFiles(root).place(sha256, suffix)
