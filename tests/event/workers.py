"""Workers for tests: in this process, or in misbehaving processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kdscan.errors import ModelError
from kdscan.event.batch.tasks import (
    Done,
    Ingest,
    Ingested,
    Learn,
    Learned,
    Read,
    Task,
    TaskResult,
)
from kdscan.workers.frames import Frame
from tests.event.entries import entry, kept
from tests.readings import make_sheet


def read_by_hand(task: Task) -> TaskResult:
    """Takes files in as always; every page holds the same map."""
    if isinstance(task, Ingest):
        return task.perform()
    if isinstance(task, Learn):
        return Learned()
    sheet = make_sheet(doubtful=[(0, 1)])
    return Done(entry(sheet, page=task.page), kept(sheet), 0.01)


class Here:
    """One worker, in this process. done: what was asked of it."""

    def __init__(self, work: Callable[[Task], TaskResult] = read_by_hand) -> None:
        self._work = work
        self._waiting: list[Task] = []
        self.done: list[Task] = []

    @property
    def room(self) -> int:
        return 3 - len(self._waiting)

    @property
    def busy(self) -> bool:
        return bool(self._waiting)

    def submit(self, task: Task) -> None:
        self._waiting.append(task)

    def results(self) -> list[tuple[Task, TaskResult]]:
        task = self._waiting.pop()  # the newest first: order must not matter
        self.done.append(task)
        return [(task, self._work(task))]


def pages_of(workers: Here) -> int:
    """How many pages were read."""
    return sum(isinstance(task, Read) for task in workers.done)


def prepare() -> None:
    """Nothing to load."""


def answer(task: Ingest) -> Iterator[Frame]:
    """What a process does that is given this module: what the file's name says."""
    what, mark = Path(task.name).name, Path(task.place)
    if what == "model":
        raise ModelError("missing")
    if what == "hangs":
        time.sleep(60)
    if what == "dies" or (what == "dies-once" and not mark.exists()):
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    print("decoders print on stdout")
    yield Ingested("ab" * 32, what, os.getpid(), 1).to_frame()
