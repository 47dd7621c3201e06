"""Processes that perform tasks, die, hang, and are replaced."""

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
from kdscan.workers.pool import Limits, Pool, cores
from tests.workers.work import Do, Lie, prepare


@pytest.fixture
def pool() -> Iterator[Pool]:
    with Pool(1, Limits(seconds=60, memory_mb=300), prepare) as pool:
        yield pool


def test_tasks_are_performed_in_one_process_in_turn(pool: Pool) -> None:
    first, second = (pool.submit(Do(text)).result() for text in ("a", "b"))
    assert (bytes(first.content), bytes(second.content)) == (b"a", b"b")
    assert [first.pid] == [second.pid] == pool.pids


def test_output_of_decoders_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with Pool(1) as pool:
        pool.submit(Do("print")).result()
    output = capfd.readouterr()
    assert (output.out, output.err) == ("", "decoders print what they like")


def test_an_error_of_a_task_costs_no_process(pool: Pool) -> None:
    pool.start()
    (pid,) = pool.pids
    with pytest.raises(NoSheetFound, match="3 things") as caught:
        pool.submit(Do("raise")).result()
    assert caught.value.values == {"n": 3, "where": "a.jpg"}
    assert pool.submit(Do("a")).result().pid == pid


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (Do("die"), "SIGKILL"),
        (Do("hang", weight=1 / 60), "more than 1 s"),
        (Do("exit"), "ended;"),
        (Do("swell"), "ended"),
        (Lie(), "ended"),
    ],
    ids=lambda value: getattr(value, "what", None),
)
def test_a_process_that_dies_hangs_or_lies_is_replaced(pool: Pool, task: Do, reason: str) -> None:
    pool.start()
    (pid,) = pool.pids
    with pytest.raises(ReaderDied, match=reason):
        pool.submit(task).result()
    assert pool.submit(Do("a")).result().pid != pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_task_is_tried_as_often_as_wanted(tmp_path: Path) -> None:
    with Pool(1, tries=2) as pool:
        pool.start()
        pids = set(pool.pids)
        failing = pool.submit(Do("die"))
        while not failing.done():
            pids |= set(pool.pids)
            time.sleep(0.01)
        assert len(pids) == 2
        assert isinstance(failing.exception(), ReaderDied)


def test_close_ends_what_is_running_and_cancels_the_rest(pool: Pool) -> None:
    pool.start()
    running, waiting = pool.submit(Do("hang")), pool.submit(Do("a"))
    while not running.running():
        time.sleep(0.01)
    threading.Timer(0.2, pool.close).start()
    assert isinstance(running.exception(30), ReaderDied)
    assert waiting.cancelled()
    assert pool.pids == []


@pytest.mark.parametrize(
    ("models", "kind", "reason"),
    [
        ("missing", ModelError, "model tiles is missing"),
        ("too large", ReaderDied, r"did not start \(SIGKILL\); free some memory"),
    ],
)
def test_errors_of_preparing_are_raised(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, models: str, kind: type[Exception], reason: str
) -> None:
    monkeypatch.setenv("MODELS", models)
    with pytest.raises(kind, match=reason):
        pool.start()
    with pytest.raises(kind, match=reason):
        pool.submit(Do("a")).result()


@pytest.mark.skipif(os.name != "posix", reason="Windows knows no groups of processes")
def test_ctrl_c_does_not_reach_processes_even_while_they_start() -> None:
    code = (
        "import os, signal\nfrom kdscan.workers.pool import Pool\n"
        "pool = Pool(1)\n"
        "signal.signal(signal.SIGINT, lambda *_: None)\n"
        "worker = pool._living(None)\n"
        "os.killpg(0, signal.SIGINT)\n"
        "worker.wait_until_ready()\npool.close()"
    )
    command = [sys.executable, "-c", code]
    output = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
    assert (output.returncode, output.stderr) == (0, "")


def test_nothing_is_imported_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    with Pool(1) as pool:
        assert pool.submit(Do("a")).result().folder == str(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="other systems have no such limits")
def test_a_limit_of_the_program_itself_is_not_exceeded() -> None:
    code = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
from kdscan.workers.pool import limit_memory
limit_memory(100)
print(resource.getrlimit(resource.RLIMIT_AS)[0] < 4 << 30)
limit_memory(100_000)
print(resource.getrlimit(resource.RLIMIT_AS)[0] == 8 << 30)
"""
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert output.stdout.split() == [b"True"] * 2


def test_cores_are_those_the_system_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert cores() == 1
    monkeypatch.delattr(os, "sched_getaffinity")  # macOS, Windows
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1
