"""A batch's tasks done by processes of this machine, each of which may die without another.

A worker that dies or takes too long costs its task a second try in a fresh process; after that
the task has failed, and the next one begins.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Protocol

from kdscan.errors import ReaderDied
from kdscan.tournament.batch.tasks import Result, Task, failed, result_of, weight
from kdscan.workers.pool import Pool as Processes

SECONDS = 120.0
"""A task that takes longer is given up: a hundred times what a large photo needs."""

TRIES = 2
"""So many workers may die of a task before it is the task's fault."""


class Workers(Protocol):
    """Who performs tasks: processes of this machine, or a cluster."""

    @property
    def room(self) -> int:
        """How many more tasks it wants to be given now."""

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""

    def submit(self, task: Task) -> None:
        """Give it a task."""

    def results(self) -> list[tuple[Task, Result]]:
        """Wait for at least one result; raises what no photo is to blame for."""


class Pool:
    """Worker processes of this machine, and a thread for each that waits for it; a context manager.

    count: how many processes. seconds: how long a task may take. work: what they do, see
    `kdscan.workers.serve`.
    """

    def __init__(
        self, count: int, seconds: float = SECONDS, work: str = "kdscan.tournament.batch.tasks"
    ) -> None:
        self._count, self._seconds = count, seconds
        self._processes = Processes(count, work)
        self._processes.start()
        self._threads = ThreadPoolExecutor(count)
        self._tasks: dict[Future[Result], Task] = {}

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._processes.close()
        self._threads.shutdown()

    @property
    def room(self) -> int:
        """Two tasks in reserve for each worker, so that none waits when it has finished one."""
        return 3 * self._count - len(self._tasks)

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return bool(self._tasks)

    def submit(self, task: Task) -> None:
        """Queue a task; it is begun when a worker is free."""
        self._tasks[self._threads.submit(self._perform, task)] = task

    def results(self) -> list[tuple[Task, Result]]:
        """Wait for at least one result; raises what no photo is to blame for."""
        done, _ = wait(self._tasks, return_when=FIRST_COMPLETED)
        return [(self._tasks.pop(future), future.result()) for future in done]

    def _perform(self, task: Task) -> Result:
        """Have it done by a free worker, and again by another if that one dies."""
        for _ in range(TRIES):
            try:
                with self._processes.one() as process:
                    (frame,) = process.ask(task, self._seconds * weight(task))
                return result_of(task, frame)
            except ReaderDied as error:
                died = error
        return failed(task, died)
