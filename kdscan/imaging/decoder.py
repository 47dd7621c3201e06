"""The program of the child process that decodes untrusted files: see `kdscan.imaging.sandbox`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from kdscan.imaging.photo import Pages, decode_here
from kdscan.workers.frames import Frame
from kdscan.workers.serve import lower_limit

_open: list[Pages] = []
"""The currently open file, if any."""


@dataclass(frozen=True)
class Request:
    """A request for a page of a file, or without a page for the number of its pages.

    data: the file, None for the last one. half: whether at half its size. seconds: limit of
    processor time.
    """

    data: bytes | None
    page: int | None
    half: bool
    seconds: float


def prepare() -> None:
    """Nothing to load in advance: formats are imported on first use."""


def answer(request: Request) -> Iterator[Frame]:
    """One frame: the number of pages, or a page's shape and pixels."""
    _limit_time(request.seconds)
    if request.data is not None:
        _open.clear()  # frees the last file's memory
        _open.append(decode_here(request.data))
    (pages,) = _open
    if request.page is None:
        yield Frame({"count": len(pages), "half": pages.half is not None})
        return
    bgr = pages.read_half() if request.half else pages.read_page(request.page)
    pixels = cast(bytes, np.ascontiguousarray(bgr).data.cast("B"))  # a copy would double the memory
    yield Frame({"shape": bgr.shape[:2]}, (pixels,))


def _limit_time(seconds: float) -> None:
    """Limit further processor time, on systems that support it."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        lower_limit(resource.RLIMIT_CPU, int(time.process_time() + seconds) + 1)
