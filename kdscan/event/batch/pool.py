"""Performs a batch's tasks in processes of this machine; one may die without affecting others.

If a worker dies or takes too long, its task is tried a second time in a fresh process. After that
the task has failed, and the next one begins.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol

from kdscan.errors import ReaderDied
from kdscan.event.batch.tasks import Task, TaskResult
from kdscan.workers.pool import Processes

SECONDS = 120.0
"""Time limit of a task: a hundred times what a large photo needs."""

TRIES = 2
"""A task has failed after killing this many workers."""


class Workers(Protocol):
    """What performs tasks: processes of this machine, or a cluster."""

    @property
    def room(self) -> int:
        """How many more tasks it can take now."""

    @property
    def busy(self) -> bool:
        """Whether there are results to come."""

    def submit(self, task: Task) -> None:
        """Give it a task."""

    def results(self) -> list[tuple[Task, TaskResult]]:
        """Wait for at least one result; raises errors that no single photo causes."""


class Pool:
    """Worker processes of this machine, and for each a thread that waits for it; a context manager.

    count: number of processes. seconds: time limit of a task. work: what they do, see
    `kdscan.workers.serve`.
    """

    def __init__(
        self, count: int, seconds: float = SECONDS, work: str = "kdscan.event.batch.tasks"
    ) -> None:
        self._count, self._seconds = count, seconds
        self._processes = Processes(count, work)
        self._processes.start()
        self._threads = ThreadPoolExecutor(count)
        self._tasks: dict[Future[TaskResult], Task] = {}

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._processes.close()
        self._threads.shutdown()

    @property
    def room(self) -> int:
        """Two tasks in reserve for each worker, so that none has to wait after finishing one."""
        return 3 * self._count - len(self._tasks)

    @property
    def busy(self) -> bool:
        """Whether there are results to come."""
        return bool(self._tasks)

    def submit(self, task: Task) -> None:
        """Queue a task; it starts when a worker is free."""
        self._tasks[self._threads.submit(self._perform, task)] = task

    def results(self) -> list[tuple[Task, TaskResult]]:
        """Wait for at least one result; raises errors that no single photo causes."""
        done, _ = wait(self._tasks, return_when=FIRST_COMPLETED)
        return [(self._tasks.pop(future), future.result()) for future in done]

    def _perform(self, task: Task) -> TaskResult:
        """Have a free worker perform it, and another one again if that worker dies."""
        for _ in range(TRIES):
            try:
                with self._processes.one() as process:
                    (frame,) = process.ask(task, self._seconds * task.weight)
                return task.result.from_frame(frame)
            except ReaderDied as error:
                died = error
        return task.failed(died)
