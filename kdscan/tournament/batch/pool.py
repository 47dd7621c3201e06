"""Processes that read photos, each of which may die of one without taking more along.

Every worker has a pipe of its own, so that none can be killed while it holds a lock
that the others need. A worker that dies or takes too long costs its task a second try
in a fresh process; after that the task has failed, and the next one begins.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol

from kdscan.errors import KdscanError, ReaderDied
from kdscan.tournament.batch.tasks import (
    Result,
    Task,
    be_the_first_to_go,
    failed,
    perform,
    prepare,
    weight,
)

SECONDS = 120.0
"""A task that takes longer is given up: a hundred times what a large photo needs."""

AT_HAND = 2
"""So many tasks lie in a worker's pipe: it begins the next one while the books are kept."""

START_SECONDS = 120.0
"""So long may a process take to start, on a machine that has much else to do."""

TRIES = 2
"""So many workers may die of a task before it is the task's fault."""


Work = Callable[[Task], Result]


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


@dataclass
class _Worker:
    """A process. tasks: what it was given, the one it works on first."""

    process: SpawnProcess
    pipe: Connection
    tasks: deque[Task] = field(default_factory=deque)
    deadline: float = 0.0
    ready: bool = False


class Pool:
    """Worker processes of this machine; a context manager.

    count: how many processes. seconds: how long a task may take. work: what is done with
    a task, a function that can be imported.
    """

    def __init__(self, count: int, seconds: float = SECONDS, work: Work = perform) -> None:
        self._seconds, self._work = seconds, work
        self._waiting: deque[Task] = deque()
        self._deaths: dict[Task, int] = {}
        self._workers = [_start(work) for _ in range(count)]

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            _end(worker)

    @property
    def room(self) -> int:
        """A task a worker more than it holds: those who finish never wait."""
        return (AT_HAND + 1) * len(self._workers) - self._unfinished()

    @property
    def busy(self) -> bool:
        """Whether results are still to come."""
        return self._unfinished() > 0

    def _unfinished(self) -> int:
        return len(self._waiting) + sum(len(worker.tasks) for worker in self._workers)

    def submit(self, task: Task) -> None:
        """Queue a task and start it if a worker is free."""
        self._waiting.append(task)
        self._feed()

    def _feed(self) -> None:
        """Give tasks out, to those who have the fewest."""
        while self._waiting:
            number = min(range(len(self._workers)), key=lambda n: len(self._workers[n].tasks))
            worker = self._workers[number]
            if len(worker.tasks) >= AT_HAND:
                return
            try:
                worker.pipe.send(self._waiting[0])
            except OSError:  # it died
                if worker.tasks:
                    return  # `results` will find out of what
                self._workers[number] = self._renewed(worker)
                continue
            worker.tasks.append(self._waiting.popleft())
            if len(worker.tasks) == 1:
                # A process that has yet to import everything gets time for that too.
                more = 0.0 if worker.ready else START_SECONDS
                worker.deadline = self._deadline(worker) + more

    def results(self) -> list[tuple[Task, Result]]:
        """Wait for at least one result; raises what no photo is to blame for."""
        found: list[tuple[Task, Result]] = []
        while not found and self.busy:
            working = {w.pipe: n for n, w in enumerate(self._workers) if w.tasks}
            first = min(self._workers[n].deadline for n in working.values())
            ready = wait(list(working), timeout=max(0.0, first - time.monotonic()))
            for pipe, number in working.items():
                if pipe in ready:  # a result, the word that it is ready, or its end
                    found += self._receive(number)
                elif time.monotonic() > self._workers[number].deadline:
                    found += self._lost(number, slow=True)
            self._feed()
        return found

    def _deadline(self, worker: _Worker) -> float:
        """When the task that a worker begins now has taken too long."""
        times = weight(worker.tasks[0]) if worker.tasks else 1.0
        return time.monotonic() + self._seconds * times

    def _renewed(self, worker: _Worker) -> _Worker:
        _end(worker)
        return _start(self._work)

    def _receive(self, number: int) -> list[tuple[Task, Result]]:
        worker = self._workers[number]
        try:
            result = worker.pipe.recv()
        except (EOFError, OSError):
            return self._lost(number)
        if result is None:
            worker.ready, worker.deadline = True, self._deadline(worker)
            return []
        task = worker.tasks.popleft()
        worker.deadline = self._deadline(worker)
        self._deaths.pop(task, None)
        if isinstance(result, KdscanError):
            raise result
        return [(task, result)]

    def _lost(self, number: int, slow: bool = False) -> list[tuple[Task, Result]]:
        """A worker is gone, or shall be: replace it, and try its task again once."""
        worker = self._workers[number]
        task = worker.tasks.popleft()
        ended = _signal_name(worker.process)
        self._waiting.extendleft(reversed(worker.tasks))
        self._workers[number] = self._renewed(worker)
        deaths = self._deaths.pop(task, 0) + 1
        if deaths < TRIES:
            self._deaths[task] = deaths
            self._waiting.appendleft(task)
            return []
        if slow:
            error = ReaderDied(
                "reading took more than {seconds} s; the file may be damaged: save it anew or "
                "photograph again",
                seconds=round(self._seconds),
            )
        else:
            error = ReaderDied(
                "the process that read it ended{signal}; the file may be damaged: save it anew or "
                "photograph again",
                signal=ended,
            )
        return [(task, failed(task, error))]


def _start(work: Work) -> _Worker:
    """A fresh process: spawned, so that it holds no other worker's pipe open."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _end(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.kill()
    worker.process.join()
    worker.process.close()


def _signal_name(process: SpawnProcess) -> str:
    process.join(timeout=1)
    code = process.exitcode
    if code is None or code >= 0:
        return ""
    with contextlib.suppress(ValueError):
        return f" ({signal.Signals(-code).name})"
    return ""


def _serve(pipe: Connection, work: Work) -> None:
    """A worker's life: tasks in, results out, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that asked
    be_the_first_to_go()
    sys.stdout.flush()
    os.dup2(2, 1)  # stdout is for data; decoders print what they like
    prepare()
    with contextlib.suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            task: Any = pipe.recv()
            try:
                pipe.send(work(task))
            except KdscanError as error:
                pipe.send(error)
