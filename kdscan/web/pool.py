"""The page's workers: each does one task at a time, within a time limit, or is replaced."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from kdscan.errors import ReaderDied
from kdscan.web.tasks import Allowed, Task
from kdscan.workers.frames import Frame
from kdscan.workers.pool import Processes, cores
from kdscan.workers.process import MEMORY_MB

Found = TypeVar("Found")


@dataclass(frozen=True)
class Limits:
    """Limits for one file. seconds: for the whole file; memory_mb: see `Process`."""

    seconds: float = 30.0
    pages: int = 20
    memory_mb: int = MEMORY_MB


class Pool:
    """A fixed number of workers; `ask` waits for a free one, first come, first served."""

    def __init__(self, size: int, limits: Limits) -> None:
        self.size, self.limits = size, limits
        self._processes = Processes(size, "kdscan.web.worker", limits.memory_mb)
        self._threads = ThreadPoolExecutor(size)
        self._turns, self._asked, self._cores = asyncio.Semaphore(size), 0, cores()

    async def start(self) -> None:
        """Start all workers, so that the first photo finds one; raises ModelError."""
        started = self._processes.start()
        await asyncio.gather(*(self._wait_for(one.wait_until_ready) for one in started))

    async def ask(self, task: Task) -> AsyncIterator[Frame]:
        """The answer of `kdscan.web.worker`. Raises ReaderDied and ModelError."""
        limits, finished = self.limits, False
        async with self._turns:
            self._asked += 1
            threads = max(1, self._cores // self._asked)  # a single one may use all cores
            allowed = Allowed(task, limits.pages, threads)
            try:
                with self._processes.one() as process:
                    frames = process.ask(allowed, limits.seconds * task.weight)
                    try:
                        while (frame := await self._wait_for(next, frames, None)) is not None:
                            yield frame
                        finished = True
                    except ReaderDied as died:
                        if "seconds" in died.values:
                            raise
                        raise ReaderDied(
                            "reading this photo crashed; the photo is kept, try again"
                        ) from died
                    finally:
                        if not finished:  # the caller may have gone
                            process.stop()
                            await asyncio.to_thread(process.kill)
            finally:
                self._asked -= 1

    async def _wait_for(self, function: Callable[..., Found], *args: object) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *args)

    @property
    def busy(self) -> bool:
        """Whether all workers are busy."""
        return self._asked == self.size

    @property
    def pids(self) -> list[int]:
        """Process ids of the living workers."""
        return self._processes.pids

    async def close(self) -> None:
        """End all workers."""
        await asyncio.to_thread(self._processes.close)
        self._threads.shutdown()
