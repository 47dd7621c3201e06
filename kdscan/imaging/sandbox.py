"""Decoding in a child process with limits on memory and time, as a defence against hostile files.

A PDF of six hundred bytes can demand eight gigabytes, another one an hour. Everything but plain
JPEGs and PNGs of moderate size is therefore decoded by `kdscan.imaging.decoder` in a child process.
It is started for the first such file and kept for later ones; if it dies, that file gets an error
and the next one a new child.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from kdscan.errors import ReaderDied, UnreadableImage
from kdscan.imaging.decoder import Request
from kdscan.imaging.picture import Bgr
from kdscan.workers.process import Process

CPU_SECONDS = 10.0
"""Seconds of processor time for one page, and for finding a file's pages. A HEIC of 48 megapixels
takes 2."""

CLOCK_FACTOR = 4.0
"""Limit of elapsed time as a multiple of the processor time, for busy machines."""

MEMORY_MB = 950
"""Memory that the child may use beyond what it uses at start: a picture of 120 megapixels twice, or
once with the decoder's buffers."""


class Decoder:
    """A child process that decodes one file at a time; thread-safe."""

    def __init__(self, seconds: float = CPU_SECONDS, memory_mb: int = MEMORY_MB) -> None:
        self._seconds, self._memory_mb = seconds, memory_mb
        self._lock = threading.Lock()
        self._child: Process | None = None
        self._open: bytes | None = None

    def open(self, data: bytes) -> tuple[int, bool]:
        """The number of pages, and whether the first can be decoded at half its size.

        Raises `PhotoError`, also for a file that exceeds the limits.
        """
        found, _ = self._ask(data)
        return found["count"], found["half"]

    def read(self, data: bytes, page: int, half: bool = False) -> Bgr:
        """A page of a file as (H, W, 3) uint8 BGR.

        half: decode at half the size, see `kdscan.imaging.photo.Pages.half`.
        Raises `PhotoError`, also for a page that exceeds the limits.
        """
        found, (pixels,) = self._ask(data, page, half)
        return np.frombuffer(pixels, np.uint8).reshape(*found["shape"], 3)

    def close(self) -> None:
        """End the child; a later call starts another."""
        with self._lock:
            if self._child is not None:
                self._child.kill()
            self._child = None

    def _ask(
        self, data: bytes, page: int | None = None, half: bool = False
    ) -> tuple[dict[str, Any], tuple[bytes, ...]]:
        with self._lock:
            if self._child is None or not self._child.alive:
                if self._child is not None:
                    self._child.kill()
                self._child = Process("kdscan.imaging.decoder", self._memory_mb)
                self._open = None
            known, self._open = self._open is data, None
            request = Request(None if known else data, page, half, self._seconds)
            try:
                (frame,) = self._child.ask(request, CLOCK_FACTOR * self._seconds)
            except ReaderDied as error:
                raise UnreadableImage(
                    "decoding it took more memory or time than any photo needs; save it as a plain "
                    "JPEG or PNG and try again"
                ) from error
            self._open = data
        return frame.header, frame.blobs


shared = Decoder()
"""The child of this process."""

atexit.register(shared.close)


def open_confined(data: bytes) -> tuple[int, Callable[[int], Bgr], Callable[[], Bgr] | None]:
    """The arguments of `kdscan.imaging.photo.Pages` for a file that is decoded by the child: count,
    read and half. Raises `PhotoError`."""
    count, has_half = shared.open(data)
    half = partial(_read, data, 0, half=True) if has_half else None
    return count, partial(_read, data), half


def _read(data: bytes, page: int, half: bool = False) -> Bgr:
    """As `Decoder.read`, by the child of the process that calls it."""
    return shared.read(data, page, half)
