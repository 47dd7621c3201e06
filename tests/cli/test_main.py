"""The command line as a whole: how it starts, what it prints, how it ends."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kdscan.cli import main as main_module
from kdscan.errors import ImageTooLarge, KdscanError, LayoutError, ModelError, NoSheetFound
from kdscan.event.events import open_row
from kdscan.event.store import open_store
from tests.command import Command

SAMPLE = str(Path(__file__).parents[2] / "samples" / "01.jpg")

HEAVY = {"sqlalchemy", "cv2", "numpy", "onnxruntime", "PIL", "reportlab", "pypdfium2", "torch"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["scor"]])
def test_no_command_is_imported_before_it_is_called(arguments: list[str]) -> None:
    code = f"""
import sys
from kdscan.cli.main import COMMANDS, main
main({arguments!r})
modules = {{"kdscan.cli." + place.partition(":")[0] for place, _ in COMMANDS.values()}}
assert not (modules | {HEAVY!r}) & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)


@pytest.mark.parametrize("photo", ["photo.jpg", "my photos/IMG 1.HEIC"])
def test_a_photo_without_a_command_is_met_with_the_command(photo: str, run: Command) -> None:
    assert f"kdscan score {photo}" in run(photo, code=2).err


@pytest.mark.parametrize(
    "words",
    [
        "nonsense",
        "score",
        "score --nonsense a.jpg",
        "score --risk little a.jpg",
        "score --game chess a.jpg",
        "score --overlay out.gif a.jpg",
        "sheet -o a.pdf --count 0",
    ],
)
def test_wrong_usage_is_2_and_says_why(words: str, run: Command) -> None:
    out, err = run(*words.split(), code=2)
    assert out == "" and err.startswith("kdscan: ") and "Traceback" not in err


@pytest.mark.parametrize(
    ("closed", "words", "code", "message"),
    [
        ("0<&-", "score -", 3, "the file is empty"),
        ("0<&-", "board -", 2, "contains no board"),
        ("1>&-", "simulate 1", 0, ""),
        ("1</dev/null", "simulate 1", 2, "the output could not be written"),
        ("2>&-", "board missing.txt", 2, ""),
        ("0<&- 1>&- 2>&-", "--help", 0, ""),
        pytest.param(
            "2>/dev/full",
            "board missing.txt",
            2,
            "",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux"),
        ),
    ],
)
def test_streams_may_be_closed_or_full(closed: str, words: str, code: int, message: str) -> None:
    """As they are for a program that a service starts."""
    line = f"exec {shlex.quote(sys.executable)} -m kdscan {words} {closed}"
    buffered = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, env=buffered)
    assert done.returncode == code, done.stderr
    assert message in done.stderr and "bug" not in done.stderr


def fail(error: BaseException) -> Any:
    """A function that raises it."""

    def call(*_: object, **__: object) -> None:
        raise error

    return call


def failed_import(cause: BaseException) -> ImportError:
    """What pybind11 makes of Ctrl-C."""
    error = ImportError("initialization failed")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (LayoutError("a"), 2, "a"),
        (ImageTooLarge("a"), 3, "a"),
        (NoSheetFound("a"), 4, "a"),
        (ModelError("a"), 6, "a"),
        (KdscanError("a"), 1, "a"),
        (ZeroDivisionError("a"), 1, "Please report it"),
        (MemoryError(), 2, "close other programs"),
        (OSError(errno.EMFILE, "Too many open files"), 2, "close other programs"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (failed_import(KeyboardInterrupt()), 130, "interrupted"),
    ],
)
def test_errors_end_in_their_exit_code(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.setattr(main_module, "load", fail(error))
    text = run("score", "a.jpg", code=code).err
    assert text.startswith("kdscan: ") and message in text and "Traceback" not in text


@pytest.mark.parametrize("home", ["unset", "missing", "a file"])
@pytest.mark.parametrize("words", ["--install-completion bash", f"score {SAMPLE}", "layout list"])
def test_a_home_that_cannot_be_used_is_no_bug(
    home: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    (tmp_path / "file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / ("file" if home == "a file" else "none")))
    if home == "unset":
        monkeypatch.delenv("HOME")
        monkeypatch.setattr("pwd.getpwuid", fail(KeyError("no such user")))
    text = run(*words.split(), code=None).err
    assert "bug" not in text and "Traceback" not in text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows deletes no folder that is in use")
@pytest.mark.parametrize(
    "words", ["export --csv a --json-lines b", "batch a.jpg --event cup --store {0}/s"]
)
def test_a_current_folder_that_was_deleted_is_no_bug(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    text = run(*words.format(tmp_path).split(), code=2).err
    assert "the folder that you are in no longer exists" in text


LONG = "x" * 300
"""Longer than any file's name may be."""


@pytest.mark.parametrize(
    "words",
    [
        f"batch {LONG}/a.jpg --event cup --store {{0}}/s",
        f"batch {SAMPLE} --event cup --store {{0}}/s --csv {LONG}/a.csv",
        f"batch {SAMPLE} --event cup --store {{0}}/s --photos {LONG}/photos",
        f"batch {SAMPLE} --event cup --store {{0}}/{LONG}/s",
        f"score {SAMPLE} --overlay {LONG}/a.png",
        f"score {SAMPLE} --overlay {LONG}.png",
        f"sheet --players {LONG} -o a.pdf",
        f"board {LONG}",
        f"import {LONG} --store {{0}}/s",
    ],
)
def test_a_name_that_is_too_long_is_no_bug(words: str, tmp_path: Path, run: Command) -> None:
    assert run(*words.format(tmp_path).split(), code=2).err.startswith("kdscan: ")


@pytest.mark.parametrize(
    "words",
    [
        "batch {samples} --event cup --csv - --json-lines -",
        "batch {samples} --event cup --csv {folder}/a --json-lines {folder}/../{name}/a",
        "export --csv - --json-lines -",
        "export --json-lines - --archive -",
        "standings --csv - --json",
        "layout show club -o - --json",
        "layout learn blank.jpg -o {folder}/club.toml --overlay {folder}/club.toml",
    ],
)
def test_two_outputs_never_go_to_one_place(words: str, tmp_path: Path, run: Command) -> None:
    samples = Path(SAMPLE).parent
    given = words.format(samples=samples, folder=tmp_path, name=tmp_path.name).split()
    said = run(*given, "--store", tmp_path / "s.sqlite", code=2)
    assert said.out == "" and "would both write to" in said.err
    assert list(tmp_path.iterdir()) == []


def test_the_only_event_is_meant_where_none_is_named(tmp_path: Path, run: Command) -> None:
    url = str(tmp_path / "cup.sqlite")
    with open_store(url) as kept, kept.write() as db:
        open_row(db, "Spring cup")
    assert run("standings", "--store", url).out.startswith("Spring cup: ")
    with open_store(url) as kept, kept.write() as db:
        open_row(db, "Autumn cup")
    said = run("standings", "--store", url, code=2).err
    assert "choose one with --event: Spring cup, Autumn cup" in said


def test_quiet_leaves_errors_alone_on_stderr(tmp_path: Path, run: Command) -> None:
    out = str(tmp_path / "sheet.pdf")
    assert run("sheet", "-o", out).err
    assert run("sheet", "-o", out, "--quiet").err == ""
    assert run("sheet", "-o", tmp_path / "none" / "a.pdf", "--quiet", code=2).err
