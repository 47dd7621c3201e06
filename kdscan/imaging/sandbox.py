"""Decoding in a child process with limits: what a hostile file can cost stays small.

A PDF of six hundred bytes can ask for eight gigabytes, another one for an hour. Whatever is not
a plain JPEG or PNG of moderate size is therefore decoded by `kdscan.imaging.decoder`, a child that
may use so much memory and time and no more. It is started when the first such file comes, and
kept for the next ones; where it dies, the file gets an error and the next one a new child.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from kdscan.errors import ImageTooLarge, UnreadableImage

SECONDS = 10.0
"""Processor time for one page, and for finding a file's pages. HEIC of 48 megapixels takes 2."""

PATIENCE = 4.0
"""So many times as long may it take by the clock, on a machine that has much else to do."""

MEMORY_MB = 950
"""What a child may use beyond what it has when it is ready: a picture of 120 megapixels twice, or
once with all that a decoder keeps beside it."""

_ERRORS = {kind.__name__: kind for kind in (ImageTooLarge, UnreadableImage)}

_QUIET = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
"""Threads and heaps that decoding does not need, but which count as memory."""

Bgr = NDArray[np.uint8]


class Decoder:
    """A child that decodes one file at a time; safe to share between threads."""

    def __init__(self, seconds: float = SECONDS, memory_mb: int = MEMORY_MB) -> None:
        self._limits = (str(seconds), str(memory_mb))
        self._patience = PATIENCE * seconds
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._open: bytes | None = None

    def open(self, data: bytes) -> tuple[int, tuple[int, int] | None]:
        """How many pages a file has; of a large JPEG how wide and high it is as stored.

        Raises `PhotoError`, also for a file that asks for more than the limits.
        """
        with self._lock:
            answer = self._opened(data)
        return answer["count"], tuple(answer["half"]) if answer["half"] else None

    def read(self, data: bytes, page: int, half: bool = False) -> tuple[Bgr, tuple[int, int]]:
        """A page of a file as (H, W, 3) uint8 BGR, and the whole's width and height.

        half: decoded at half its size, see `kdscan.imaging.photo.Pages.half`.
        Raises `PhotoError`, also for a page that asks for more than the limits.
        """
        with self._lock:
            if self._open is not data or self._child is None or self._child.poll() is not None:
                self._opened(data)
            with self._asked({"page": page, "half": half}) as (answer, pipe):
                height, width = answer["shape"]
                bgr = np.empty((height, width, 3), np.uint8)
                _fill(bgr.data.cast("B"), pipe)
        return bgr, tuple(answer["whole"])

    def close(self) -> None:
        """End the child; a later call starts another."""
        with self._lock:
            self._end()

    def _opened(self, data: bytes) -> dict[str, Any]:
        with self._asked({"bytes": len(data)}, data) as (answer, _):
            pass
        self._open = data
        return answer

    @contextlib.contextmanager
    def _asked(
        self, request: dict[str, Any], data: bytes = b""
    ) -> Iterator[tuple[dict[str, Any], IO[bytes]]]:
        """Send a request; yields the answer, and where what follows it can be read."""
        child, in_step = self._living(), False
        assert child.stdin is not None and child.stdout is not None
        too_late = threading.Timer(self._patience, child.kill)
        too_late.start()
        try:
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.write(data)
            child.stdin.flush()
            answer = json.loads(child.stdout.readline())
            if "error" in answer:
                in_step = True
                raise _ERRORS[answer["error"]](answer["text"], **answer["values"])
            yield answer, child.stdout
            in_step = True
        except (OSError, EOFError, json.JSONDecodeError) as error:
            raise UnreadableImage(
                "decoding it took more memory or time than any photo needs; save it as a plain "
                "JPEG or PNG and try again"
            ) from error
        finally:
            too_late.cancel()
            if not in_step:  # it is dead, or half an answer is left in its pipe
                self._end()

    def _living(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            self._child = subprocess.Popen(
                [sys.executable, "-m", "kdscan.imaging.decoder", *self._limits],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | _QUIET,
            )
        return self._child

    def _end(self) -> None:
        child, self._child, self._open = self._child, None, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # what could not be sent
                pipe.close()


def _fill(view: memoryview, pipe: IO[bytes]) -> None:
    done = 0
    while done < len(view):
        count = pipe.readinto(view[done:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        done += count


shared = Decoder()
"""The child of this process."""

atexit.register(shared.close)


def open_confined(
    data: bytes,
) -> tuple[int, Callable[[int], Bgr], Callable[[], tuple[Bgr, tuple[int, int]]] | None]:
    """The number of pages of a file, page → (H, W, 3) uint8 BGR, and that of a large JPEG at half
    its size. Raises `PhotoError`."""
    count, whole = shared.open(data)
    half = (lambda: shared.read(data, 0, half=True)) if whole else None
    return count, lambda page: shared.read(data, page)[0], half
