"""The same batch on a Dask cluster.

The cluster's workers need the same version of kdscan, and must see the photos and the folder in
which they are stored under the same names: a shared folder, or URLs. Only this program writes to
the store. Start workers with one thread each (`dask worker ADDRESS --nthreads 1 --nworkers auto`);
otherwise each thread would wait for the others.
"""

from __future__ import annotations

import threading
from typing import Any

from distributed import CancelledError, Client, as_completed
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from kdscan.errors import ReaderDied, UsageError
from kdscan.event.batch.pool import TRIES
from kdscan.event.batch.tasks import Task, TaskResult, perform

CONNECT_SECONDS = 20

_ONE_AT_A_TIME = threading.Lock()
"""PDFium and the models' sessions are made for one thread, but a worker may have several."""


def perform_alone(task: Task) -> TaskResult:
    """Perform a task on a worker of the cluster."""
    with _ONE_AT_A_TIME:
        return perform(task)


class Cluster:
    """Workers of a Dask cluster; a context manager.

    No task is lost with a worker: Dask gives its tasks to others. A task that killed several
    workers has failed, as in `pool`.
    """

    def __init__(self, address: str) -> None:
        try:
            self._client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(
                "--cluster {address}: no scheduler answers there ({error}); start one with: dask "
                "scheduler",
                address=address,
                error=error,
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError as error:
            self._client.close()
            raise UsageError(
                "--cluster {address}: the scheduler has no workers; start some with: dask worker "
                "{address} --nworkers auto --nthreads 1",
                address=address,
            ) from error
        self._tasks: dict[Any, Task] = {}
        self._deaths: dict[Task, int] = {}
        self._finished = as_completed(loop=self._client.loop)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def room(self) -> int:
        """Three tasks per thread, so that workers find the next one waiting."""
        threads: int = sum(self._client.nthreads().values())
        return max(3 * threads, 1) - len(self._tasks)

    @property
    def busy(self) -> bool:
        """Whether there are results to come."""
        return bool(self._tasks)

    def submit(self, task: Task) -> None:
        """Send a task to the scheduler."""
        future = self._client.submit(perform_alone, task, pure=False)
        self._tasks[future] = task
        self._finished.add(future)

    def results(self) -> list[tuple[Task, TaskResult]]:
        """Wait for a result, or for a task that has to be tried again; raises like `Pool`."""
        future = next(self._finished)
        task = self._tasks.pop(future)
        try:
            result: TaskResult = future.result()
        except KilledWorker:
            return self._lost(task)
        except (CancelledError, CommClosedError) as error:
            raise UsageError(
                "--cluster: the scheduler is gone; what was read is kept, run the command again "
                "when it is back"
            ) from error
        finally:
            future.release()
        return [(task, result)]

    def _lost(self, task: Task) -> list[tuple[Task, TaskResult]]:
        """Several workers died with this task, or with one that ran beside it: try once more."""
        deaths = self._deaths.pop(task, 0) + 1
        if deaths < TRIES:
            self._deaths[task] = deaths
            self.submit(task)
            return []
        error = ReaderDied(
            "several processes died while reading it; the file may be damaged: save it again "
            "or take the photo again"
        )
        return [(task, task.failed(error))]
