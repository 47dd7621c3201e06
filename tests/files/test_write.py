"""Files are written atomically, and never over a store."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kdscan.cli.main import main
from kdscan.errors import UsageError
from kdscan.event.store import open_store
from kdscan.files.write import (
    default_folder,
    make_folder,
    remove_file,
    write_file,
    writing,
    writing_text,
)


def only_file(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


def test_a_file_is_written(tmp_path: Path) -> None:
    with writing_text(tmp_path / "a.csv") as out:
        out.write("ą\n")
    assert (tmp_path / "a.csv").read_bytes() == "ą\n".encode()
    assert only_file(tmp_path) == ["a.csv"]


def test_what_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def gone(_: int) -> None:
        raise OSError("the disk is gone")

    with pytest.raises(RuntimeError), writing(path) as out:
        out.write(b"half")
        raise RuntimeError
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"cannot be written \(No space left on device\);"):
        write_file(path, b"new")
    monkeypatch.setattr(os, "fsync", gone)
    with pytest.raises(UsageError, match=r"cannot be written \(the disk is gone\);"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert only_file(tmp_path) == ["a.pdf"]


def test_a_link_stays_a_link_and_permissions_stay(tmp_path: Path) -> None:
    target = tmp_path / "real.csv"
    target.write_bytes(b"old")
    target.chmod(0o640)
    (tmp_path / "link.csv").symlink_to(target)
    write_file(tmp_path / "link.csv", b"new")
    assert (tmp_path / "link.csv").is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such permissions")
def test_a_new_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    before = os.umask(0o026)
    try:
        write_file(tmp_path / "a", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_a_file_is_removed_once(tmp_path: Path) -> None:
    write_file(tmp_path / "a", b"")
    for _ in range(2):
        remove_file(tmp_path / "a")
        assert only_file(tmp_path) == []
    with pytest.raises(UsageError, match=r"cannot be removed \([A-Z][^\[]+\)"):
        remove_file(tmp_path)


def test_nobody_can_lay_a_trap_under_the_name_of_the_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    opened = os.open

    def noted(path: str, *rest: int) -> int:
        names.append(str(path))
        return opened(path, *rest)

    monkeypatch.setattr(os, "open", noted)
    for _ in range(2):
        write_file(tmp_path / "a", b"")
    parts = {name for name in names if name.endswith(".part")}
    assert len(parts) == 2


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"through")
    reader.join(10)
    assert got == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_stdout_by_name_is_the_file_that_the_shell_has_opened(name: str, tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from kdscan.files.write import write_file; print('first');"
        f"write_file(Path({name!r}), b'second\\n')"
    )
    with (tmp_path / "all.txt").open("wb") as out:
        before = os.fstat(out.fileno()).st_ino
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
        assert (tmp_path / "all.txt").stat().st_ino == before
    assert (tmp_path / "all.txt").read_text("utf-8") == "first\nsecond\n"
    assert only_file(tmp_path) == ["all.txt"]


@pytest.mark.parametrize("name", ["club.sqlite", "club.sqlite-wal", "link", "photo"])
def test_a_store_is_never_written_over(name: str, tmp_path: Path) -> None:
    with open_store(str(tmp_path / "club.sqlite")) as store:
        photo = Path(store.photos.place(store.photos.put(b"photo", ".jpg"), ".jpg"))
    (tmp_path / "link").symlink_to(tmp_path / "club.sqlite")
    path = photo if name == "photo" else tmp_path / name
    before = path.read_bytes() if path.exists() else None
    assert main(["sheet", "-o", str(path)]) == UsageError.exit_code
    assert (path.read_bytes() if path.exists() else None) == before


@pytest.mark.parametrize("name", ["gone/a.pdf", "", "nul\0l", "x" * 300])
def test_a_name_that_cannot_be_is_wrong_usage(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be written|there is no folder"):
        write_file(tmp_path / name, b"")
    assert only_file(tmp_path) == []


def test_new_folders_reach_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino))
    make_folder(tmp_path / "a" / "b")
    assert {tmp_path.stat().st_ino, (tmp_path / "a").stat().st_ino} <= set(synced)


def test_a_dash_is_stdout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_file(Path("-"), b"\xffone")
    with writing_text(Path("-")) as out:
        out.write("żwo")
    print("three")
    assert capfdbinary.readouterr().out == b"\xffone\xc5\xbcwothree\n"
    assert not list(tmp_path.iterdir())


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr("platformdirs.user_data_path", unknown)
    with pytest.raises(UsageError, match="set HOME"):
        default_folder()
