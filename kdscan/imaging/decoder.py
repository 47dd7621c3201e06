"""The child process that decodes untrusted files: see `kdscan.imaging.sandbox`.

    python -m kdscan.imaging.decoder SECONDS MEMORY_MB

Requests on stdin are JSON objects, one a line: `bytes`, the size of a file that follows, or `page`,
the number of a page of that file, and `half`, whether at half its size. Each answer on stdout is a
JSON object on a line, followed by the pixels if a page was requested. Whatever decoders print goes
to stderr.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from kdscan.errors import PhotoError
from kdscan.imaging.photo import Pages, decode_here


def main() -> None:
    """Serve until stdin ends."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    seconds, memory_mb = float(sys.argv[1]), int(sys.argv[2])
    _limit_memory(memory_mb)
    pages: Pages | None = None
    for line in sys.stdin.buffer:
        request = json.loads(line)
        _limit_time(seconds)
        pixels = None
        try:
            if "bytes" in request:
                pages = None  # frees the last file's memory
                pages = decode_here(sys.stdin.buffer.read(request["bytes"]))
                answer: dict[str, Any] = {"count": len(pages), "half": pages.whole_wh}
            else:
                assert pages is not None
                pixels, whole = _page(pages, request["page"], request["half"])
                answer = {"shape": pixels.shape[:2], "whole": whole}
        except PhotoError as error:
            values = {
                key: value if isinstance(value, int | float) else str(value)
                for key, value in error.values.items()
            }
            answer = {"error": type(error).__name__, "text": error.text, "values": values}
        _send(out, answer, pixels)


def _page(pages: Pages, page: int, half: bool) -> tuple[Any, tuple[int, int]]:
    if half:
        return pages.read_half()
    bgr = pages.read_page(page)
    return bgr, (bgr.shape[1], bgr.shape[0])


def _send(out: BinaryIO, answer: dict[str, Any], pixels: Any) -> None:
    out.write(json.dumps(answer).encode() + b"\n")
    if pixels is not None:
        out.write(np.ascontiguousarray(pixels).data.cast("B"))
    out.flush()


def _limit_memory(megabytes: int) -> None:
    """Limit further address space, on systems that support it."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        most = pages * resource.getpagesize() + megabytes * 1_000_000
        _lower(resource.RLIMIT_AS, most)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _lower(what: int, most: int) -> None:
    """Set a resource limit, unless the process was started with a lower one."""
    import resource

    _, hard = resource.getrlimit(what)
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (soft, hard))


def _limit_time(seconds: float) -> None:
    """Limit further processor time, on systems that support it."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        most = int(time.process_time() + seconds) + 1
        _lower(resource.RLIMIT_CPU, most)


if __name__ == "__main__":
    with contextlib.suppress(MemoryError):  # the parent notices the exit and reports it
        main()
