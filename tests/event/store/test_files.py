"""Photos by content."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from kdscan.errors import StoreError
from kdscan.event.store.files import PhotoFiles, open_place, suffix_of


@pytest.fixture(params=["folder", "memory"])
def photos(request: pytest.FixtureRequest, tmp_path: Path) -> PhotoFiles:
    if request.param == "folder":
        return PhotoFiles(str(tmp_path / "photos"))
    pytest.importorskip("fsspec")
    return PhotoFiles(f"memory://{tmp_path.name}/photos")


def test_what_is_put_can_be_got(photos: PhotoFiles) -> None:
    sha = photos.put(b"abc", ".jpg")
    assert photos.put(b"abc", ".jpg") == sha
    assert photos.get(sha, ".jpg") == b"abc"
    with open_place(photos.place(sha, ".jpg")) as source:
        assert source.read() == b"abc"
    assert photos.place(sha, ".jpg").replace("\\", "/").endswith(f"/{sha[:2]}/{sha}.jpg")


def test_what_is_gone_or_damaged_is_said_so(tmp_path: Path) -> None:
    photos = PhotoFiles(str(tmp_path))
    sha = photos.put(b"abc", "")
    place = Path(photos.place(sha, ""))
    place.write_bytes(b"abd")
    with pytest.raises(StoreError, match="damaged"):
        photos.get(sha, "")
    place.unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        photos.get(sha, "")


def test_a_full_disk_leaves_no_half_photo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        PhotoFiles(str(tmp_path)).put(b"abc", "")
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("a.JPG", ".jpg"),
        ("dir.d/a", ""),
        ("C:\\photos\\a.heic", ".heic"),
        ("a.", ""),
        ("a.j/../../x", ""),
        ("a.verylongsuffix", ""),
        ("a.ж", ""),
    ],
)
def test_suffixes_are_plain(name: str, suffix: str) -> None:
    assert suffix_of(name) == suffix


def test_a_damaged_photo_is_replaced_when_it_comes_again(photos: PhotoFiles) -> None:
    sha = photos.put(b"abc", "")
    if "memory" in photos.root:
        import fsspec

        fsspec.filesystem("memory").pipe_file(photos.place(sha, ""), b"abd")
    else:
        Path(photos.place(sha, "")).write_bytes(b"abd")
    photos.put(b"abc", "")
    assert photos.get(sha, "") == b"abc"
