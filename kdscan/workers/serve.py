"""The program of a worker process: it does the tasks that it is asked to do.

    python -m kdscan.workers.serve MODULE MEMORY_MB

MODULE has `prepare()`, which loads what no task shall wait for, and `answer(task)`, which yields
frames. Tasks come pickled on stdin, from the program that started this; frames go to stdout, and
what decoders print there to stderr. Everything a stranger's file can do wrong happens here.
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
    """Serve until stdin ends; nothing but frames reaches the real stdout."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program that asked
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
    """Have the system end this process, not its caller, when memory runs out."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # a system that hides it; the time limit is left
            Path("/proc/self/oom_score_adj").write_text("1000", "ascii")


def limit_memory(megabytes: int) -> None:
    """Limit address space to `megabytes` more than now, where the system tells how much that is."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        lower(resource.RLIMIT_AS, pages * resource.getpagesize() + megabytes * 1_000_000)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def lower(what: int, most: int) -> None:
    """Set a limit; one that the program was started with is kept, and the lower one counts."""
    import resource

    _, hard = resource.getrlimit(what)
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (soft, hard))


if __name__ == "__main__":
    with contextlib.suppress(MemoryError, BrokenPipeError):  # who asked sees the end and says it
        main()
