"""Workers that die affect only their own task."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from kdscan.errors import ModelError, ReaderDied
from kdscan.event.batch.pool import Pool
from kdscan.event.batch.tasks import Ingest, Ingested, TaskResult

MISBEHAVING = "tests.event.workers"


def do(pool: Pool, *names: str, folder: Path) -> dict[str, TaskResult]:
    found: dict[str, TaskResult] = {}
    for name in names:
        pool.submit(Ingest(name, str(folder / name), ""))
    while pool.busy:
        for task, result in pool.results():
            assert isinstance(task, Ingest)
            assert task.name not in found
            found[task.name] = result
    return found


def test_a_worker_that_dies_or_hangs_costs_one_row(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    names = ["a", "dies", "b", "dies-once", "hangs", "c"]
    with Pool(2, seconds=1.5, work=MISBEHAVING) as pool:
        assert pool.room == 6
        found = do(pool, *names, folder=tmp_path)
        assert pool.room == 6
    assert sorted(found) == sorted(names)
    problems = {n: r.problem for n, r in found.items() if isinstance(r, Ingested)}
    assert {n for n, p in problems.items() if p} == {"dies", "hangs"}
    assert problems["dies"] is not None
    assert problems["hangs"] is not None
    assert problems["dies"]["code"] == problems["hangs"]["code"] == ReaderDied.code
    assert "SIGKILL" in problems["dies"]["message"]
    assert "more than 2 s" in problems["hangs"]["message"]
    assert capfd.readouterr().out == ""


def test_what_no_photo_is_to_blame_for_ends_the_run(tmp_path: Path) -> None:
    with Pool(1, work=MISBEHAVING) as pool, pytest.raises(ModelError):
        do(pool, "model", folder=tmp_path)


def test_a_worker_killed_while_idle_is_replaced(tmp_path: Path) -> None:
    with Pool(1, work=MISBEHAVING) as pool:
        (first,) = do(pool, "a", folder=tmp_path).values()
        assert isinstance(first, Ingested)
        os.kill(first.size, signal.SIGKILL)  # as the system does when memory is short
        (second,) = do(pool, "b", folder=tmp_path).values()
        assert isinstance(second, Ingested)
        assert second.problem is None
        assert second.size != first.size
