"""A text is read to its end, if it has one."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from kdscan import files
from kdscan.cli.main import main
from kdscan.files import read_error, read_text


def test_all_of_a_text_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("\ufeffż\r\nb".encode())
    assert read_text(tmp_path / "a") == "ż\nb"
    assert read_text(io.StringIO("\ufeffa\n")) == "a\n"


def test_one_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 3)
    (tmp_path / "a").write_text("1234")
    assert read_text(io.StringIO("123")) == "123"
    for source in (tmp_path / "a", io.StringIO("1234")):
        with pytest.raises(OSError, match="too large"):
            read_text(source)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere", "there is no such file"),
        ("", "this is a folder"),
        ("photo.jpg", "this is not UTF-8 text"),
        ("a\0b", "could not be read: .*null"),
        ("x" * 5000, "could not be read: File name too long"),
        ("long", "could not be read: File too large"),
    ],
)
def test_why_a_text_cannot_be_read_is_said(
    name: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST", 3)
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    (tmp_path / "long").write_text("1234")
    with pytest.raises((OSError, ValueError)) as caught:
        read_text(tmp_path / name)
    assert isinstance(caught.value, OSError | ValueError)
    assert re.search(why, str(read_error(caught.value)))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="the system has no /dev/zero")
@pytest.mark.parametrize(
    "words",
    [
        ["board", "/dev/zero"],
        ["board", "/dev/null", "--spellbook", "/dev/zero"],
        ["sheet", "-o", "x.pdf", "--layout", "/dev/zero"],
        ["pair", "--event", "Cup", "--store", "x.sqlite", "--players", "/dev/zero"],
        ["import", "/dev/zero", "--store", "x.sqlite"],
    ],
)
def test_a_device_without_end_is_wrong_usage(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "LARGEST", 100_000)
    assert main(words) == 2
