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

        def done(future: Any) -> None:
            error: BaseException
            try:
                result.set_result(future.result())
                return
            except KilledWorker:
                error = ReaderDied(
                    "several processes died while reading it; the file may be damaged: save it "
                    "again or take the photo again"
                )
            except (CancelledError, CommClosedError) as cause:
                error = UsageError(
                    "--cluster: the scheduler is gone; what was read is kept, run the command "
                    "again when it is back"
                )
                error.__cause__ = cause
            except BaseException as cause:
                error = cause
            finally:
                future.release()
            result.set_exception(error)

        self._client.submit(perform_alone, task, pure=False).add_done_callback(done)
        return result
