"""The program of a worker process, which performs tasks.

    python -m kdscan.workers.serve MODULE MEMORY_MB

MODULE has `prepare()`, which loads what no task should have to wait for, and `answer(task)`, which
yields frames. Tasks come pickled on stdin, from the program that started this one. Frames go to
stdout, and what decoders print there to stderr. A hostile file can do harm only in this process.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

from kdscan.errors import KdscanError
from kdscan.workers.frames import DONE, Frame, write_frame


def main() -> None:
    """Serve until stdin ends; only frames reach the real stdout."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Windows: Ctrl-C reaches all of a console
    volunteer_for_oom_kill()
    work = importlib.import_module(sys.argv[1])
    limit_memory(int(sys.argv[2]))
    _answer(out, work.prepare)
    while True:
        try:
            task = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        _answer(out, work.answer, task)


def _answer(out: BinaryIO, work: Callable[..., Iterable[Frame] | None], *task: object) -> None:
    error: dict[str, Any] | None = None
    try:
        for frame in work(*task) or ():
            write_frame(out, frame)
    except KdscanError as caught:
        values = {k: v if isinstance(v, int | float) else str(v) for k, v in caught.values.items()}
        error = {"kind": type(caught).__name__, "text": caught.text, "values": values}
    write_frame(out, Frame({DONE: error}))


def volunteer_for_oom_kill() -> None:
    """Make the system end this process, not its parent, if memory runs out."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # unavailable; the time limit is left
            Path("/proc/self/oom_score_adj").write_text("1000", "ascii")


def limit_memory(megabytes: int) -> None:
    """Limit the address space to `megabytes` more than now, if the system reports its current
    size."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        lower_limit(resource.RLIMIT_AS, pages * resource.getpagesize() + megabytes * 1_000_000)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def lower_limit(what: int, most: int) -> None:
    """Set the soft limit of a resource, to no more than its hard limit."""
    import resource

    _, hard = resource.getrlimit(what)
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (soft, hard))


if __name__ == "__main__":
    with contextlib.suppress(MemoryError, BrokenPipeError):  # the parent reports the end
        main()
