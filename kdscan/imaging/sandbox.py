"""Decoding in a child process with limits on memory and time, as a defence against hostile files.

A PDF of six hundred bytes can demand eight gigabytes, another one an hour. Everything but plain
JPEGs and PNGs of moderate size is therefore decoded by `kdscan.imaging.decoder`. The child is
started for the first such file and kept for later ones; if it dies, that file gets an error and
the next one a new child.
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

CPU_SECONDS = 10.0
"""Seconds of processor time for one page, and for finding a file's pages. A HEIC of 48 megapixels
takes 2."""

CLOCK_FACTOR = 4.0
"""Limit of elapsed time as a multiple of the processor time, for busy machines."""

MEMORY_MB = 950
"""Memory that the child may use beyond its own at start: a picture of 120 megapixels twice, or once
with the decoder's buffers."""

_ERRORS = {kind.__name__: kind for kind in (ImageTooLarge, UnreadableImage)}

_CHILD_ENV = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
"""Environment without extra threads and heaps, which would count towards the memory limit."""

Bgr = NDArray[np.uint8]


class Decoder:
    """A child process that decodes one file at a time; thread-safe."""

    def __init__(self, seconds: float = CPU_SECONDS, memory_mb: int = MEMORY_MB) -> None:
        self._limits = (str(seconds), str(memory_mb))
        self._clock_seconds = CLOCK_FACTOR * seconds
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._open: bytes | None = None

    def open(self, data: bytes) -> tuple[int, tuple[int, int] | None]:
        """The number of pages; for a large JPEG also its width and height as stored, else None.

        Raises `PhotoError`, also for a file that exceeds the limits.
        """
        with self._lock:
            answer = self._send_file(data)
        return answer["count"], tuple(answer["half"]) if answer["half"] else None

    def read(self, data: bytes, page: int, half: bool = False) -> tuple[Bgr, tuple[int, int]]:
        """A page of a file as (H, W, 3) uint8 BGR, and its full width and height.

        half: decode at half the size, see `kdscan.imaging.photo.Pages.half`.
        Raises `PhotoError`, also for a page that exceeds the limits.
        """
        with self._lock:
            if self._open is not data or self._child is None or self._child.poll() is not None:
                self._send_file(data)
            with self._request({"page": page, "half": half}) as (answer, pipe):
                height, width = answer["shape"]
                bgr = np.empty((height, width, 3), np.uint8)
                _read_into(bgr.data.cast("B"), pipe)
        return bgr, tuple(answer["whole"])

    def close(self) -> None:
        """End the child; a later call starts another."""
        with self._lock:
            self._kill()

    def _send_file(self, data: bytes) -> dict[str, Any]:
        with self._request({"bytes": len(data)}, data) as (answer, _):
            pass
        self._open = data
        return answer

    @contextlib.contextmanager
    def _request(
        self, request: dict[str, Any], data: bytes = b""
    ) -> Iterator[tuple[dict[str, Any], IO[bytes]]]:
        """Send a request; yields the answer and the pipe from which pixels follow."""
        child, in_sync = self._running_child(), False
        assert child.stdin is not None and child.stdout is not None
        too_late = threading.Timer(self._clock_seconds, child.kill)
        too_late.start()
        try:
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.write(data)
            child.stdin.flush()
            answer = json.loads(child.stdout.readline())
            if "error" in answer:
                in_sync = True
                raise _ERRORS[answer["error"]](answer["text"], **answer["values"])
            yield answer, child.stdout
            in_sync = True
        except (OSError, EOFError, json.JSONDecodeError) as error:
            raise UnreadableImage(
                "decoding it took more memory or time than any photo needs; save it as a plain "
                "JPEG or PNG and try again"
            ) from error
        finally:
            too_late.cancel()
            if not in_sync:  # the child is dead, or part of an answer is left in its pipe
                self._kill()

    def _running_child(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._kill()
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", "kdscan.imaging.decoder", *self._limits],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | _CHILD_ENV,
            )
        return self._child

    def _kill(self) -> None:
        child, self._child, self._open = self._child, None, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # unsent data in the buffer
                pipe.close()


def _read_into(view: memoryview, pipe: IO[bytes]) -> None:
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
    """The arguments of `kdscan.imaging.photo.Pages` for a file that is decoded by the child: count,
    read and half. Raises `PhotoError`."""
    count, whole = shared.open(data)
    half = (lambda: shared.read(data, 0, half=True)) if whole else None
    return count, lambda page: shared.read(data, page)[0], half
