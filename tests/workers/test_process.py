"""A process that performs tasks, dies, hangs, or is abandoned half-way."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kdscan.errors import ModelError, NoSheetFound, ReaderDied
from kdscan.workers.pool import Processes
from kdscan.workers.process import Process

WORK = "tests.workers.old_work"


@pytest.fixture
def process() -> Iterator[Process]:
    one = Process(WORK, memory_mb=200)
    yield one
    one.kill()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_it_answers_one_task_after_the_other(
    capfd: pytest.CaptureFixture[str],
) -> None:
    process = Process(WORK)  # not the fixture's, which began before output was caught
    for task in ("a", "noise"):
        first, second = process.ask(task, 60)
        assert (first.header["pid"], first.blobs) == (process.pid, (task.encode(),))
        assert second.header == {"more": task}
    process.kill()
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "decoders print what they like")


def test_what_the_work_raises_is_raised_here_and_costs_no_process(process: Process) -> None:
    with pytest.raises(NoSheetFound, match="3 things") as caught:
        list(process.ask("raise", 60))
    assert caught.value.values == {"n": 3, "where": "a.jpg"}
    assert len(list(process.ask("a", 60))) == 2


@pytest.mark.skipif(os.name != "posix", reason="Windows knows no groups of processes")
def test_ctrl_c_does_not_reach_it_even_while_it_starts() -> None:
    code = (
        "import os, signal\nfrom kdscan.workers.process import Process\n"
        f"process = Process({WORK!r})\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "os.killpg(0, signal.SIGINT)\n"
        "process.wait_until_ready()\nprocess.kill()"
    )
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.parametrize(
    ("task", "words"), [("die", "SIGKILL"), ("hang", "more than 1 s"), ("half", "ended;")]
)
def test_what_it_dies_of_is_said(process: Process, task: str, words: str) -> None:
    process.wait_until_ready()
    with pytest.raises(ReaderDied, match=words):
        list(process.ask(task, 1))
    assert not process.alive
    assert gone(process.pid)
    with pytest.raises(ReaderDied):
        list(process.ask("a", 1))


def test_nothing_ends_it_after_an_answer_in_time(process: Process) -> None:
    list(process.ask("a", 60))
    for timer in threading.enumerate():
        if isinstance(timer, threading.Timer):
            timer.join(10)
            assert not timer.is_alive()


def test_memory_is_limited(process: Process) -> None:
    with pytest.raises(ReaderDied):
        list(process.ask("swell", 60))


def test_half_an_answer_reaches_nobody_else(process: Process) -> None:
    frames = process.ask("a", 60)
    next(frames)
    del frames
    assert gone(process.pid)


def test_it_may_be_stopped_while_another_thread_waits(process: Process) -> None:
    process.wait_until_ready()
    threading.Timer(0.2, process.stop).start()
    start = time.monotonic()
    with pytest.raises(ReaderDied):
        list(process.ask("hang", 60))
    assert time.monotonic() - start < 30


def test_what_keeps_it_from_starting_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELS", "missing")
    process = Process(WORK)
    with pytest.raises(ModelError, match="model tiles is missing"):
        process.wait_until_ready()
    process.kill()


def test_no_file_is_blamed_if_it_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELS", "too large")
    process = Process(WORK)
    with pytest.raises(ReaderDied, match=r"did not start \(SIGKILL\); free some memory"):
        process.wait_until_ready()
    process.kill()


def test_it_imports_nothing_from_the_folder_where_it_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    process = Process(WORK)
    assert next(process.ask("a", 60)).header["cwd"] == str(tmp_path)
    process.kill()


def test_a_pool_replaces_what_died_and_ends_for_good() -> None:
    pool = Processes(2, WORK)
    first, second = pool.start()
    first.kill()
    pids = set()
    for _ in range(4):
        with pool.one() as process:
            pids |= {frame.header["pid"] for frame in process.ask("a", 60) if frame.blobs}
    assert second.pid in pids
    assert pids == set(pool.pids)
    assert first.pid not in pids
    pool.close()
    assert all(map(gone, pids))
    with pool.one() as process, pytest.raises(ReaderDied):
        list(process.ask("a", 60))
    assert pool.pids == []
