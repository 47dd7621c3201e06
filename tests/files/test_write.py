"""Files are written atomically, and never over a store."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kdscan.cli.main import main
from kdscan.errors import UsageError
from kdscan.event.store import open_store
from kdscan.files import default_folder, make_folder, remove_file, write_file, writing, writing_text


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_and_removed(tmp_path: Path) -> None:
    with writing_text(tmp_path / "a.csv") as out:
        out.write("ą\n")
    assert (tmp_path / "a.csv").read_bytes() == "ą\n".encode()
    assert names_in(tmp_path) == ["a.csv"]
    for _ in range(2):
        remove_file(tmp_path / "a.csv")
        assert names_in(tmp_path) == []
    with pytest.raises(UsageError, match=r"cannot be removed \([A-Z][^\[]+\)"):
        remove_file(tmp_path)


def test_what_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(RuntimeError), writing(path) as out:
        out.write(b"half")
        raise RuntimeError
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"cannot be written \(No space left on device\);"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["a.pdf"]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such permissions")
def test_links_and_permissions_stay(tmp_path: Path) -> None:
    target = tmp_path / "real.csv"
    target.write_bytes(b"old")
    target.chmod(0o640)
    (tmp_path / "link.csv").symlink_to(target)
    write_file(tmp_path / "link.csv", b"new")
    assert (tmp_path / "link.csv").is_symlink()
    assert target.read_bytes() == b"new"
    before = os.umask(0o026)
    try:
        write_file(tmp_path / "a", b"")
    finally:
        os.umask(before)
    for path in (target, tmp_path / "a"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_stdout_is_the_file_that_the_shell_has_opened(name: str, tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from kdscan.files import write_file; print('first');"
        f"write_file(Path({name!r}), b'second\\n')"
    )
    with (tmp_path / "all.txt").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert (tmp_path / "all.txt").read_text("utf-8") == "first\nsecond\n"
    assert names_in(tmp_path) == ["all.txt"]


@pytest.mark.parametrize("name", ["club.sqlite", "link"])
def test_a_store_is_never_written_over(name: str, tmp_path: Path) -> None:
    open_store(str(tmp_path / "club.sqlite")).engine.dispose()
    (tmp_path / "link").symlink_to(tmp_path / "club.sqlite")
    before = (tmp_path / name).read_bytes()
    assert main(["sheet", "-o", str(tmp_path / name)]) == UsageError.exit_code
    assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("name", ["gone/a.pdf", "", "nul\0l", "x" * 300])
def test_a_name_that_cannot_be_is_wrong_usage(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written|there is no folder"):
        write_file(tmp_path / name, b"")
    assert names_in(tmp_path) == []


def test_new_folders_reach_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    make_folder(tmp_path / "a" / "b")
    assert {tmp_path.stat().st_ino, (tmp_path / "a").stat().st_ino} <= set(synced)


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr("platformdirs.user_data_path", unknown)
    with pytest.raises(UsageError, match="set HOME"):
        default_folder()
