"""The same batch on a Dask cluster.

The cluster's workers need the same version of kdscan, and see the photos and the folder
where they are kept under the same names: a shared folder, or URLs. The store is written
by this program alone. Start workers with one thread each (`dask worker ADDRESS
--nthreads 1 --nworkers auto`): each thread would else wait for the others.
"""

from __future__ import annotations

import threading
from typing import Any

from distributed import CancelledError, Client, as_completed
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from kdscan.errors import ReaderDied, UsageError
from kdscan.tournament.batch.pool import TRIES
from kdscan.tournament.batch.tasks import Result, Task, failed, perform

CONNECT_SECONDS = 20

_ONE_AT_A_TIME = threading.Lock()
"""PDFium and the models' sessions are made for one thread; a worker may have several."""


def perform_alone(task: Task) -> Result:
    """Do a task on a worker of the cluster."""
    with _ONE_AT_A_TIME:
        return perform(task)


class Cluster:
    """Workers of a Dask cluster; a context manager.

    A worker that is lost takes no task along: Dask gives its tasks to others. A task of
    which several workers died has failed, as in `pool`.
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
        self._tasks: dict[Any, Task] = {}
        self._deaths: dict[Task, int] = {}
        self._finished = as_completed(loop=self._client.loop)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def room(self) -> int:
        """Three tasks a thread: workers find the next one waiting beside them."""
        threads: int = sum(self._client.nthreads().values())
        return max(3 * threads, 1) - len(self._tasks)

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return bool(self._tasks)

    def submit(self, task: Task) -> None:
        """Send a task to the scheduler."""
        future = self._client.submit(perform_alone, task, pure=False)
        self._tasks[future] = task
        self._finished.add(future)

    def results(self) -> list[tuple[Task, Result]]:
        """Wait for a result, or for one that has to be tried again; raises like `Pool`."""
        future = next(self._finished)
        task = self._tasks.pop(future)
        try:
            result: Result = future.result()
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

    def _lost(self, task: Task) -> list[tuple[Task, Result]]:
        """Several workers died with this task, or with one that stood beside it: try once more."""
        deaths = self._deaths.pop(task, 0) + 1
        if deaths < TRIES:
            self._deaths[task] = deaths
            self.submit(task)
            return []
        error = ReaderDied(
            "several processes died while they read it; the file may be damaged: save it anew or "
            "photograph again"
        )
        return [(task, failed(task, error))]
