"""A process that performs tasks within limits of memory and time."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

from kdscan import errors
from kdscan.errors import ReaderDied
from kdscan.workers.frames import DONE, Frame, read_frame

START_SECONDS = 120.0
"""Seconds that a process may take to start, ample even on a busy machine."""

MEMORY_MB = 4000
"""Megabytes of address space that a process that reads photos may use beyond its imports."""

_LEAN = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
"""Environment without threads and heaps that no worker needs and that count as memory."""

_ERRORS = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type)}


class Process:
    """A child process that does one task at a time; once ended it is not started again.

    work: name of the module that defines its tasks, see `kdscan.workers.serve`. memory_mb:
    megabytes of address space that it may use beyond what it uses after importing that module.
    """

    def __init__(self, work: str, memory_mb: int = MEMORY_MB) -> None:
        # The child imports from this process's path, but never from the current folder, which may
        # hold files that somebody else sent; an empty entry would mean that folder.
        found = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", "kdscan.workers.serve", work, str(memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | _LEAN | found,
            process_group=0,  # Ctrl-C is for this process, even before the child can ignore it
        )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._in, self._out = self._child.stdin, self._child.stdout
        self._ready = self._ended = False
        self._late: float | None = None

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it can accept tasks."""
        return not self._ended and self._child.poll() is None

    def wait_until_ready(self) -> None:
        """Return when it has loaded everything; raises ReaderDied, or the KdscanError of
        loading."""
        if not self._ready:
            with self._within(START_SECONDS):
                _raise(self._receive())
            self._ready = True

    def ask(self, task: object, seconds: float) -> Iterator[Frame]:
        """The frames of its answer to a task, which is pickled.

        The process is ended if it takes longer than `seconds`, or if the caller stops iterating
        before the end: the rest would be mistaken for the answer to the next task.

        Raises ReaderDied if it died during the task, or the KdscanError that the work raised.
        """
        in_step = False
        try:
            self.wait_until_ready()
            with self._within(seconds):
                self._send(task)
                while DONE not in (frame := self._receive()).header:
                    yield frame
            in_step = True
            _raise(frame)
        finally:
            if not in_step:
                self.kill()

    def stop(self) -> None:
        """End it now, from any thread; a caller that waits for its answer gets ReaderDied."""
        self._ended = True
        self._child.kill()

    def kill(self) -> None:
        """End it and wait until it is gone."""
        self.stop()
        self._child.wait()
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):  # unsent data
                pipe.close()

    @contextlib.contextmanager
    def _within(self, seconds: float) -> Iterator[None]:
        def give_up() -> None:
            self._late = seconds
            self.stop()

        too_late = threading.Timer(seconds, give_up)
        too_late.daemon = True
        too_late.start()
        try:
            yield
        finally:
            too_late.cancel()

    def _send(self, task: object) -> None:
        try:
            pickle.dump(task, self._in)
            self._in.flush()
        except (OSError, ValueError) as error:  # ValueError: the pipe was closed
            raise self._died() from error

    def _receive(self) -> Frame:
        try:
            return read_frame(self._out)
        except (OSError, EOFError, ValueError) as error:
            raise self._died() from error

    def _died(self) -> ReaderDied:
        if self._late is not None and self._ready:
            return ReaderDied(
                "reading took more than {seconds} s; the file may be damaged: save it again or "
                "take the photo again",
                seconds=round(self._late),
            )
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(1)
        name = ""
        with contextlib.suppress(ValueError):  # an exit code, or not ended yet
            name = f" ({signal.Signals(-(self._child.returncode or 0)).name})"
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


def _raise(last: Frame) -> None:
    """Raise the error at the end of an answer, if any."""
    error = last.header[DONE]
    if error is not None:
        raise _ERRORS[error["kind"]](error["text"], **error["values"])
