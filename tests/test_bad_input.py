"""No input ends in "a bug in kdscan", and no name steers a terminal."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kdscan.cli.main import CLOSED
from kdscan.document import PhotoReport, photo_json
from kdscan.event.actions import AddPlayer, PairRound
from kdscan.event.store import Store, open_store
from kdscan.files import escape_control
from kdscan.i18n import ENGLISH
from tests.command import Command
from tests.event.entries import do

WRONG_USAGE, STORE_FAILED = 2, 8
NO_TEXT = os.fsdecode(b"caf\xe9")
STEERS = "a\x1b[2Jb\nc"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    with open_store(str(tmp_path / "cup.sqlite")) as opened:
        do(opened, AddPlayer("Ada"), AddPlayer("Bob"), PairRound())
    return opened


@pytest.mark.parametrize(
    "words",
    [
        ["batch", ".", "--event", "Cup", "--round", "99999999999999999999"],
        ["batch", ".", "--event", "Cup", "--workers", "100000"],
        ["batch", "x.jpg", "--event", "a\nb", "--store", "new.sqlite"],
        ["batch", "x.jpg", "--event", NO_TEXT, "--store", "new.sqlite"],
        ["batch", "x.jpg", "--event", "x" * 1000, "--store", "new.sqlite"],
        ["standings", "--event", NO_TEXT],
        ["result", "--event", "Cup", "--round", "1", "--table", "9" * 30, "Ada=1", "Bob=2"],
        ["result", "--event", "Cup", "--round", "1", "--table", "1", f"{NO_TEXT}=1", "Bob=2"],
        ["pair", "--event", "Cup", "--drop", NO_TEXT],
        ["correct", NO_TEXT, "--event", "Cup", "--confirm"],
        ["pair", "--event", "Cup", "--seed", "9" * 5000],
    ],
    ids=lambda words: f"{words[0]} {words[-1][:12]}",
)
def test_odd_words_are_wrong_usage(
    words: list[str], store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    if "--event" in words and "--store" not in words:
        words = [*words, "--store", "cup.sqlite"]
    assert "\x1b" not in (said := run(*words, code=WRONG_USAGE).err)
    assert said.count("\n") <= 2


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE event SET details = '{'",
        "UPDATE event SET created_at = 'yesterday'",
        "UPDATE action SET action = '{'",
    ],
)
def test_a_damaged_store_is_said_so(damage: str, store: Store, run: Command) -> None:
    with store.write() as db:
        db.exec_driver_sql(damage)
    path = str(store.engine.url.database)
    said = run("standings", "--event", "Cup", "--store", path, code=STORE_FAILED).err
    assert "is damaged; use a backup" in said


def test_names_are_shown_and_not_sent_to_the_terminal(run: Command) -> None:
    assert (
        r"a\x1b2Jb\nc: there is no such file" in run("score", STEERS.replace("[", ""), code=3).err
    )
    assert ENGLISH.t("{name}", name=STEERS) == r"a\x1b[2Jb\nc"
    assert ENGLISH.t("{name}", name=Path(STEERS)) == r"a\x1b[2Jb\nc"


@pytest.mark.parametrize("name", [NO_TEXT, "\ud800.jpg", "ok ż.jpg"])
def test_json_holds_no_lone_surrogate(name: str) -> None:
    kept = json.loads(json.dumps(photo_json(PhotoReport(name))))["photo"]
    kept.encode()  # text
    assert kept == escape_control(name)
    assert ("ż" in kept) == ("ż" in name)


def kdscan(*words: str, stdout: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "kdscan", *words]
    return subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("words", [["--help"], ["simulate", "1"], ["--version"]])
def test_a_full_disk_below_stdout_is_no_bug(words: list[str]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    with kdscan(*words, stdout=full) as process:
        _, said = process.communicate()
    os.close(full)
    assert process.returncode == WRONG_USAGE
    assert said.decode().startswith("kdscan: the output could not be written")
    assert said.count(b"\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="other systems end such programs otherwise")
def test_a_reader_that_has_enough_is_no_error() -> None:
    with kdscan("simulate", "3000", stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait() == CLOSED
        assert process.stderr.read() == b""


def test_an_empty_name_is_not_the_folder_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Command
) -> None:
    """As a variable that is not set: "$PHOTOS"."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(Path(__file__).parent.parent / "samples/01.jpg", tmp_path)
    monkeypatch.setenv("KDSCAN_STORE", str(tmp_path / "s.sqlite"))
    assert "there is no such file or folder" in run("batch", "", "--event", "x", code=2).err
    assert not (tmp_path / "s.sqlite").exists()
    assert "there is no such file; check" in run("score", "", code=3).err
