"""Several processes that do the same work, each replaced when it has died."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from queue import SimpleQueue

from kdscan.workers.process import MEMORY_MB, Process


class Processes:
    """A number of processes, each started when it is needed; thread-safe.

    work, memory_mb: see `Process`.
    """

    def __init__(self, count: int, work: str, memory_mb: int = MEMORY_MB) -> None:
        self._count, self._how = count, (work, memory_mb)
        self._all: dict[int, Process] = {}
        self._lock, self._closed = threading.Lock(), False
        self._free: SimpleQueue[int] = SimpleQueue()
        for number in range(count):
            self._free.put(number)

    def start(self) -> list[Process]:
        """Start all of them, so that they are loading when the first tasks come; returns them."""
        return [self._living(number) for number in range(self._count)]

    @contextlib.contextmanager
    def one(self) -> Iterator[Process]:
        """A process for exclusive use; waits for a free one."""
        number = self._free.get()
        try:
            yield self._living(number)
        finally:
            self._free.put(number)

    @property
    def pids(self) -> list[int]:
        """Process ids of the living ones."""
        return [process.pid for process in self._all.values() if process.alive]

    def close(self) -> None:
        """End all of them permanently; callers that wait for an answer get ReaderDied."""
        with self._lock:
            self._closed = True
            for process in self._all.values():
                process.stop()
            for process in self._all.values():
                process.kill()

    def _living(self, number: int) -> Process:
        with self._lock:
            last = self._all.get(number)
            if last is None or not (last.alive or self._closed):
                if last is not None:
                    last.kill()
                self._all[number] = Process(*self._how)
            return self._all[number]
