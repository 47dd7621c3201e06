"""Tasks performed by processes with limits of time and memory, replaced when they die.

    with Pool(2, Limits(seconds=30), prepare=load_models) as pool:
        future = pool.submit(task)

Each process is a fresh Python, started by `python -m kdscan.workers.pool`, with a pipe of its own.
Tasks travel to it pickled. Results come back as msgpack and are converted to the type that
`perform` is annotated with, so that a process which a hostile picture has taken over cannot run
code here. (`concurrent.futures` and pebble unpickle results, import the caller's main module, which
need not be guarded, and look for modules in the current folder, which may hold files of others.)
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import typing
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO, Protocol, TypeVar

import msgspec

from kdscan import errors
from kdscan.errors import KdscanError, ReaderDied

START_SECONDS = 120.0
"""Seconds that a process may take to start, ample even on a busy machine."""

MAX_BYTES = 400_000_000
"""Most bytes of one answer; the largest content is a picture of 120 megapixels."""

_LEAN = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
"""Environment without threads and heaps that no worker needs and that count as memory."""

_DONE, _FAILED = b"\0", b"\1"
"""First byte of an answer: what follows is a result, or an error."""

Result = TypeVar("Result", covariant=True)


class Task(Protocol[Result]):
    """What a process does; it can be pickled, `perform` is annotated with what msgspec can convert,
    and errors that it raises on purpose are `KdscanError`s. Any other kills the process.

    weight: its time limit relative to `Limits.seconds`.
    """

    @property
    def weight(self) -> float: ...

    def perform(self) -> Result: ...


@dataclass(frozen=True)
class Limits:
    """seconds: elapsed time for a task of weight 1. memory_mb: megabytes of address space that a
    process may use beyond what it uses when the module of `prepare` is imported."""

    seconds: float = 120.0
    memory_mb: int = 4000


def nothing() -> None:
    """Prepare nothing."""


class Pool:
    """Processes that perform tasks, first come, first served; thread-safe, and a context manager.

    max_workers: number of processes, each started when it is needed. prepare: a function of a
    module, called once in each process before its first task, without its time limit. tries: a
    task has failed after killing this many processes.
    """

    def __init__(
        self,
        max_workers: int,
        limits: Limits = Limits(),
        prepare: Callable[[], None] = nothing,
        tries: int = 1,
    ) -> None:
        self.max_workers, self.limits = max_workers, limits
        self._prepare, self._tries = prepare, tries
        self._threads = ThreadPoolExecutor(max_workers)
        self._idle: SimpleQueue[_Worker | None] = SimpleQueue()
        for _ in range(max_workers):
            self._idle.put(None)
        self._workers: set[_Worker] = set()
        self._lock, self._closed = threading.Lock(), False

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start all processes, so that no task has to wait for one; returns when they are ready.

        Raises what `prepare` raises, and ReaderDied.
        """
        workers = [self._living(self._idle.get()) for _ in range(self.max_workers)]
        try:
            for worker in workers:
                worker.wait_until_ready()
        finally:
            for worker in workers:
                self._idle.put(worker)

    def submit(self, task: Task[Result]) -> Future[Result]:
        """The future result of a task. It raises what `perform` or `prepare` raises, and ReaderDied
        for a task that killed its process, exceeded its limits or was cut short by `close`."""
        return self._threads.submit(self._perform, task)

    @property
    def busy(self) -> bool:
        """Whether all processes are busy."""
        return self._idle.empty()

    @property
    def pids(self) -> list[int]:
        """Process ids of the living processes."""
        return [worker.pid for worker in list(self._workers) if worker.alive]

    def close(self) -> None:
        """End all processes permanently; waiting tasks are cancelled."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._closed = True
            for worker in self._workers:
                worker.kill()
        self._threads.shutdown()
        for worker in self._workers:
            worker.reap()

    def _perform(self, task: Task[Result]) -> Result:
        expected = typing.get_type_hints(type(task).perform)["return"]
        seconds = self.limits.seconds * task.weight
        for left in reversed(range(self._tries)):
            worker = self._idle.get()
            try:
                worker = self._living(worker)
                worker.wait_until_ready()
                result: Result = worker.ask(task, expected, seconds)
                return result
            except ReaderDied:
                if left == 0 or self._closed:
                    raise
            finally:
                self._idle.put(worker)
        raise AssertionError("a pool tries at least once")

    def _living(self, worker: _Worker | None) -> _Worker:
        """A worker in place of one that died or was never started."""
        if worker is not None and worker.alive:
            return worker
        with self._lock:
            if worker is not None:
                self._workers.discard(worker)
                worker.kill()
                worker.reap()
            if self._closed:
                raise ReaderDied("the program is ending; try again")
            worker = _Worker(self._prepare, self.limits.memory_mb)
            self._workers.add(worker)
            return worker


class _Worker:
    """One process, as the thread sees it that waits for its answers."""

    def __init__(self, prepare: Callable[[], None], memory_mb: int) -> None:
        self._start = (prepare, memory_mb)
        # An empty entry of the path would mean the current folder.
        path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", "kdscan.workers.pool"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _LEAN | path,
            process_group=0,  # Ctrl-C is for this process, even before the child can ignore it
        )
        self.pid, self._ready, self._late, self._killed = self._child.pid, False, 0.0, False

    @property
    def alive(self) -> bool:
        """Whether it can accept tasks."""
        return not self._killed and self._child.poll() is None

    def wait_until_ready(self) -> None:
        """Return when it has prepared; raises ReaderDied, or the KdscanError of preparing."""
        if not self._ready:
            try:
                self.ask(self._start, type(None), START_SECONDS)
            except BaseException:
                self.kill()
                raise
            self._ready = True

    def ask(self, task: object, expected: Any, seconds: float) -> Any:
        """The answer to a task, of the expected type, within a time limit."""
        limit = threading.Timer(seconds, self._stop_late, (seconds,))
        limit.daemon = True
        limit.start()
        assert self._child.stdin is not None and self._child.stdout is not None
        try:
            pickle.dump(task, self._child.stdin)
            self._child.stdin.flush()
            size = int.from_bytes(self._child.stdout.read(8), "big")
            answer = self._child.stdout.read(size) if size <= MAX_BYTES else b""
            if len(answer) < max(size, 1):
                raise EOFError
            body = memoryview(answer)[1:]
            if answer[:1] == _DONE:
                return msgspec.msgpack.decode(body, type=expected)
            kind, text, values = msgspec.msgpack.decode(body, type=tuple[str, str, dict[str, Any]])
            error = getattr(errors, kind)(text, **values)
        except (OSError, EOFError, ValueError, AttributeError) as cause:
            raise self._died() from cause
        except BaseException:
            self.kill()
            raise
        finally:
            limit.cancel()
        raise error

    def kill(self) -> None:
        """End it now, from any thread; who waits for its answer gets ReaderDied."""
        self._killed = True
        self._child.kill()

    def reap(self) -> None:
        """Return when it is gone."""
        self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            with contextlib.suppress(OSError):  # unsent data
                if pipe is not None:
                    pipe.close()

    def _stop_late(self, seconds: float) -> None:
        self._late = seconds
        self.kill()

    def _died(self) -> ReaderDied:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(1)
        self.kill()  # if it lives, what else comes from it cannot be trusted
        if self._late and self._ready:
            return ReaderDied(
                "reading took more than {seconds} s; the file may be damaged: save it again or "
                "take the photo again",
                seconds=round(self._late),
            )
        self._child.wait()
        name = ""
        with contextlib.suppress(ValueError):  # an exit code
            name = f" ({signal.Signals(-self._child.returncode).name})"
        if not self._ready:
            return ReaderDied(
                "a process that reads photos did not start{signal}; free some memory, or start "
                "fewer with --workers",
                signal=name,
            )
        return ReaderDied(
            "the process reading it ended{signal}; the file may be damaged: save it again or "
            "take the photo again",
            signal=name,
        )


def cores() -> int:
    """Number of cores that this process may use, at least 1: those it may run on, and no more than
    the quota of its container or service allows (`docker run --cpus`, systemd's `CPUQuota=`)."""
    count = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    with contextlib.suppress(OSError, ValueError):  # not Linux; a name that is no text
        lines = Path("/proc/self/cgroup").read_text("utf-8").splitlines()
        name = next((line[len("0::/") :] for line in lines if line.startswith("0::/")), "")
        group = Path("/sys/fs/cgroup") / name
        for folder in (group, *group.parents):
            with contextlib.suppress(OSError, ValueError):  # the outermost has none; or it is "max"
                quota, period = (folder / "cpu.max").read_text("utf-8").split()
                count = min(count, ceil(int(quota) / int(period)))
    return count


def serve() -> None:
    """The program of a process: perform tasks until stdin ends. What decoders print on stdout goes
    to stderr."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Windows: Ctrl-C reaches all of a console
    if sys.platform == "linux":  # if memory runs out, the system ends this process, not its parent
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000", "ascii")
    prepare, memory_mb = pickle.load(sys.stdin.buffer)
    limit_memory(memory_mb)
    _answer(out, prepare)
    while True:
        try:
            task = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        _answer(out, task.perform)
        del task


def _answer(out: BinaryIO, perform: Callable[[], object]) -> None:
    message = bytearray(_DONE)
    try:
        msgspec.msgpack.Encoder().encode_into(perform(), message, 1)
    except KdscanError as error:
        values = {k: v if isinstance(v, int | float) else str(v) for k, v in error.values.items()}
        message[:] = _FAILED + msgspec.msgpack.encode((type(error).__name__, error.text, values))
    out.write(len(message).to_bytes(8, "big"))
    out.write(message)
    out.flush()


def limit_memory(megabytes: int) -> None:
    """Limit the address space to `megabytes` more than now, if the system reports its current
    size."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most = pages * resource.getpagesize() + megabytes * 1_000_000
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    with contextlib.suppress(MemoryError, BrokenPipeError):  # the parent reports the end
        serve()
