"""Workers for tests, in this process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from kdscan.event.tasks import Ingest, Learn, PageResult, Read
from tests.event.entries import entry, kept
from tests.readings import make_sheet


def perform(task: Any) -> Any:
    """The true result of a task."""
    return task.perform()


def read_by_hand(task: Any) -> Any:
    """Takes files in as always; every page holds the same map."""
    if isinstance(task, Ingest):
        return task.perform()
    if isinstance(task, Learn):
        return []
    sheet = make_sheet(doubtful=[(0, 1)])
    return PageResult(dict(entry(sheet, page=task.page)), kept(sheet), 0.01)


class Here:
    """A worker in this process. done: its tasks."""

    max_workers = 1

    def __init__(self, work: Callable[[Any], Any] = perform) -> None:
        self._work = work
        self.done: list[Any] = []

    def submit(self, task: Any) -> Future[Any]:
        self.done.append(task)
        future: Future[Any] = Future()
        try:
            future.set_result(self._work(task))
        except Exception as error:
            future.set_exception(error)
        return future


def pages_of(workers: Here) -> int:
    """How many pages were read."""
    return sum(isinstance(task, Read) for task in workers.done)
