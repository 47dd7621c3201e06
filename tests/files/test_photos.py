"""Which files of a folder are photos."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kdscan.errors import UsageError
from kdscan.files.photos import expand_patterns, photos_at, photos_in

SAMPLE = Path(__file__).parents[2] / "samples" / "04.jpg"
SHA = "ab" + "0" * 62


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "cup"
    (top / "round 2").mkdir(parents=True)
    return top


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in photos_in(folder))


def test_files_without_a_known_suffix_are_told_by_their_first_bytes(folder: Path) -> None:
    for name in ("IMG_0002", "photo.jpg_large", "round 2/image.jpg (1)"):
        shutil.copy(SAMPLE, folder / name)
    (folder / "notes.txt").write_text("BM of the cup")
    (folder / "truth.json").write_text("{}")
    assert names(folder) == ["IMG_0002", "photo.jpg_large", "round 2/image.jpg (1)"]


def test_links_to_folders_are_followed_once(folder: Path) -> None:
    elsewhere = folder.parent / "phone"
    elsewhere.mkdir()
    shutil.copy(SAMPLE, elsewhere / "b.jpg")
    for link, target in (("card", elsewhere), ("round 2/card", elsewhere), ("round 2/up", folder)):
        (folder / link).symlink_to(target, target_is_directory=True)
    assert [path.name for path in photos_in(folder)] == ["b.jpg"]


def test_unreadable_pictures_and_archives_are_not_passed_over(folder: Path) -> None:
    for name in ("photo.JXL", "IMG_1.CR2", "IMG_1.jpg", "IMG_2.CR2", "round 2/all.zip"):
        (folder / name).touch()
    assert names(folder) == ["IMG_1.jpg", "IMG_2.CR2", "photo.JXL", "round 2/all.zip"]


@pytest.mark.parametrize("root", ["club.photos", "kept/photos", "."])
def test_photos_and_views_of_any_store_are_left_out(root: str, folder: Path) -> None:
    for name in (f"ab/{SHA}.jpg", f"views/ab/{SHA}-0-thumb.jpg", f"views/ab/{SHA}-0-ink0.png"):
        path = folder / root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SAMPLE, path)
    (folder / "link").symlink_to(folder / root / "ab", target_is_directory=True)
    shutil.copy(SAMPLE, folder / "a.jpg")
    assert names(folder) == ["a.jpg"]


def test_patterns_and_folders_become_photos(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b.jpg", "a.jpg", "round 2/c.png", "[x].jpg"):
        (folder / name).touch()
    monkeypatch.chdir(folder)
    assert photos_at(["?.jpg", "round 2", "none.jpg"]) == [
        *("a.jpg", "b.jpg", str(Path("round 2", "c.png")), "none.jpg")
    ]
    assert expand_patterns(["[x].jpg", "s3://cup/*.jpg", "-"]) == ["[x].jpg", "s3://cup/*.jpg", "-"]
    with pytest.raises(UsageError, match="no file matches"):
        expand_patterns(["*.tif"])
    (folder / "empty").mkdir()
    with pytest.raises(UsageError, match="no photo in this folder"):
        photos_at(["empty"])
