"""Which files belong to a batch."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kdscan.errors import UsageError
from kdscan.event.tasks import Source, fetch, sources


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "cup"
    for name in ("b.JPG", "round 2/a.heic", "truth.json", ".hidden.jpg", ".git/x.jpg", "ż.pdf"):
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    return top


def test_a_folder_gives_its_photos_under_its_own_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["cup/b.JPG", "cup/round 2/a.heic", "cup/ż.pdf"]
    assert [s.name for s in sources([str(folder)])] == names
    monkeypatch.chdir(folder)
    assert [s.name for s in sources(["."])] == names
    assert sources(["."]) == sources([str(folder), ".", str(folder / "b.JPG")])


def test_a_picture_that_cannot_be_read_is_not_passed_over(folder: Path) -> None:
    for name in ("photo.JXL", "IMG_1.CR2", "IMG_1.jpg", "IMG_2.CR2"):
        (folder / name).touch()
    names = {source.name for source in sources([str(folder)])}
    assert {"cup/photo.JXL", "cup/IMG_1.jpg", "cup/IMG_2.CR2"} <= names
    assert "cup/IMG_1.CR2" not in names  # the camera kept both


def test_a_file_is_taken_whatever_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    assert sources(["cup/truth.json", "cup/none.jpg"]) == [
        Source("cup/none.jpg", str(folder / "none.jpg")),
        Source("cup/truth.json", str(folder / "truth.json")),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow no such names")
def test_names_are_text_that_can_be_kept_and_shown(folder: Path) -> None:
    odd = [os.fsdecode(b"caf\xe9.jpg"), "a\nb\x1b[31m.jpg", "left\u202eright.jpg"]
    for name in odd:
        (folder / name).write_bytes(b"")
    given = sources([str(folder / name) for name in odd])
    names = [Path(s.name).name for s in given]
    assert names == [r"a\nb\x1b[31m.jpg", r"caf\xe9.jpg", r"left\u202eright.jpg"]
    assert {Path(s.place).name for s in given} == set(odd)
    assert {s.place for s in given} < {s.place for s in sources([str(folder)])}
    assert "cup/" + names[0] in {s.name for s in sources([str(folder)])}


def test_urls_are_listed_and_fetched(folder: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    for name in ("b.jpg", "deep/a.png", "note.txt"):
        memory.pipe_file(f"/cup/{name}", name.encode())
    found = sources(["memory://cup"])
    assert [s.name for s in found] == ["memory:///cup/b.jpg", "memory:///cup/deep/a.png"]
    assert [fetch(s.place) for s in found] == [b"b.jpg", b"deep/a.png"]
    assert [s.name for s in sources(["memory://cup/*.jpg"])] == ["memory:///cup/b.jpg"]
    with pytest.raises(UsageError):
        sources(["memory://cup/*.tif"])
