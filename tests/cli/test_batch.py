"""`kdscan batch` and `kdscan export` as people use them."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kdscan.cli.main import main
from kdscan.event.store import open_store
from tests.command import Command
from tests.event.entries import came_in
from tests.readings import BOARD, make_kingdom, make_sheet

SAMPLES = Path(__file__).parent.parent.parent / "samples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("pile") / "cup"
    top.mkdir()
    for name in ("02.jpg", "04.jpg"):
        shutil.copy(SAMPLES / name, top)
    shutil.copy(SAMPLES / "02.jpg", top / "twice.jpg")
    (top / "bad.jpg").write_text("no picture")
    return top


def batch(folder: Path, store: Path, *more: str) -> list[str]:
    return ["batch", str(folder), "--event", "Spring cup", "--store", str(store), *more]


def exported(store: Path, run: Command) -> str:
    return run("export", "--event", "Spring cup", "--store", store, "--csv", "-").out


def test_killed_it_ends_like_an_unbroken_run(folder: Path, tmp_path: Path, run: Command) -> None:
    whole, broken = tmp_path / "whole.sqlite", tmp_path / "broken.sqlite"
    out = tmp_path / "out.csv"
    words = batch(folder, whole, "--workers", "1", "--round", "2", "--csv", str(out))
    said = run(*words, code=7).out
    assert "bad.jpg: this is not a picture" in said
    assert "3 read now, 1 given again\n" in said and "sheets: 2" in said
    command = [
        sys.executable,
        "-m",
        "kdscan",
        *batch(folder, broken, "--workers", "1", "--round", "2"),
    ]
    kill_when(command, broken, 2)
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 7
    assert "given again" in finished.stdout
    result = exported(broken, run)
    assert result == exported(whole, run) == out.read_text("utf-8-sig")
    table = list(csv.DictReader(result.splitlines()))
    assert [(row["file"], row["status"]) for row in table] == [
        ("cup/02.jpg", table[0]["status"]),
        ("cup/04.jpg", table[1]["status"]),
        ("cup/bad.jpg", "failed"),
        ("cup/twice.jpg", "same photo"),
    ]
    assert {row["round"] for row in table[:2]} == {"2"}


def kill_when(command: list[str], store: Path, photos: int) -> None:
    """Start the command and kill it, and it alone, once so many photos are kept."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kept = store.with_suffix(".photos")
    while process.poll() is None and len(list(kept.rglob("*.jpg"))) < photos:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    process.wait()


@pytest.mark.usefixtures("read_here")
def test_json_lines_hold_the_boards(folder: Path, tmp_path: Path, run: Command) -> None:
    store, out = tmp_path / "s.sqlite", tmp_path / "out.jsonl"
    run(*batch(folder / "04.jpg", store, "--json-lines", str(out)))
    alone = run("score", folder / "04.jpg", "--json").json["photos"][0]["sheets"][0]
    (line,) = out.read_text("utf-8").splitlines()
    assert json.loads(line)["data"] == alone


@pytest.mark.usefixtures("read_here")
def test_what_is_written_to_stdout_stands_alone_there(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "s.sqlite"
    words = batch(folder / "bad.jpg", store, "--json-lines", "-")
    assert main(words) == 7
    (row,) = capfdbinary.readouterr().out.splitlines()
    assert json.loads(row)["error"] == "unreadable_image"
    event = ["--event", "Spring cup", "--store", str(store)]
    for more, start in (
        (["export", "--archive", "-"], b"PK"),
        (["report", "-o", "-"], b"<!doctype"),
    ):
        assert main([*more, *event]) == 0
        assert capfdbinary.readouterr().out.startswith(start)
    assert not (tmp_path / "-").exists()


def test_photos_of_a_sheet_that_differ_are_told_with_the_one_that_counts(
    folder: Path, tmp_path: Path, run: Command
) -> None:
    store = tmp_path / "two.sqlite"
    with open_store(str(store)) as opened:
        for name, board in (("last.jpg", BOARD), ("before.jpg", BOARD.replace("d+", ". ", 1))):
            came_in(opened, name, make_sheet(board), event="Spring cup")
    said = run(*batch(folder / "bad.jpg", store), code=7).out
    assert "photos of one sheet that differ: say which one counts: 1\n" in said
    assert "sheets: 1, 1 of them to check" in said
    before = next(line for line in said.splitlines() if "before.jpg" in line)
    assert "points; last.jpg counts for now, with " in before and "it shows more" in before
    assert "kdscan serve" in said


def test_kingdoms_that_keep_their_old_size_are_named(tmp_path: Path, run: Command) -> None:
    url = str(tmp_path / "castles.sqlite")
    event = ["--event", "Cup", "--store", url]
    (tmp_path / "players.csv").write_text("name,player\nAda,A\nBob,B\n")
    players = str(tmp_path / "players.csv")
    with open_store(url) as kept:
        came_in(kept, "k.jpg", make_kingdom(), game="kingdomino")
    words = ["pair", *event, "--players", players]
    assert "k.jpg" not in run(*words).err
    changed = run(*words, "--again", "--great-duel").err
    assert "1 (k.jpg)" in changed and f"kdscan batch PHOTO... --event Cup --store {url}" in changed
