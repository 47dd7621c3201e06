"""Workers of a Dask cluster in place of this machine's processes.

The cluster's workers need the same version of kdscan, and must see the photos and the folder in
which they are stored under the same names: a shared folder, or URLs. Only this program writes to
the store. Start workers with one thread each (`dask worker ADDRESS --nthreads 1 --nworkers auto`);
otherwise each thread would wait for the others.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

from distributed import CancelledError, Client
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker

from kdscan.errors import ReaderDied, UsageError
from kdscan.workers.pool import Result, Task

CONNECT_SECONDS = 20

TRIES = 2
"""A task has failed after so many times killing several workers, perhaps with one beside it."""

_ONE_AT_A_TIME = threading.Lock()
"""PDFium and the models' sessions are made for one thread, but a worker may have several."""


def perform_alone(task: Task[Result]) -> Result:
    """Perform a task on a worker of the cluster."""
    with _ONE_AT_A_TIME:
        return task.perform()


class Cluster:
    """Workers of a Dask cluster, as a pool; a context manager. Dask gives a lost worker's tasks to
    others."""

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

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def max_workers(self) -> int:
        """Threads of all workers that there are now."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, task: Task[Result]) -> Future[Result]:
        """The future result of a task; raises ReaderDied for one that killed its workers, and
        `UsageError` if the scheduler is gone."""
        result: Future[Result] = Future()
        self._try(task, result, TRIES)
        return result

    def _try(self, task: Task[Result], result: Future[Result], left: int) -> None:
        def done(future: Any) -> None:
            try:
                result.set_result(future.result())
            except KilledWorker:
                if left > 1:
                    self._try(task, result, left - 1)
                    return
                error = ReaderDied(
                    "several processes died while reading it; the file may be damaged: save it "
                    "again or take the photo again"
                )
                result.set_exception(error)
            except (CancelledError, CommClosedError) as cause:
                gone = UsageError(
                    "--cluster: the scheduler is gone; what was read is kept, run the command "
                    "again when it is back"
                )
                gone.__cause__ = cause
                result.set_exception(gone)
            except BaseException as error:
                result.set_exception(error)
            finally:
                future.release()

        self._client.submit(perform_alone, task, pure=False).add_done_callback(done)
