"""The format of workers' answers in a pipe: a JSON header, then raw bytes.

Reading it cannot run code, even if a hostile picture has taken over the worker.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

LENGTH = 4
"""Bytes of the big-endian length before a header."""

MAX_HEADER = 16_000_000

MAX_BLOBS = 400_000_000
"""Most bytes after one header; the largest content is a picture of 120 megapixels."""

DONE = "done"
"""Key of an answer's last header: None, or the error that the work raised."""


class FrameError(ValueError):
    """The stream contains no valid frame, so the worker can no longer be trusted."""


@dataclass(frozen=True)
class Frame:
    """One message: plain values, and pictures as bytes."""

    header: dict[str, Any]
    blobs: tuple[bytes, ...] = ()


class Source(Protocol):
    """The part of a pipe that reading frames needs."""

    def read(self, n: int, /) -> bytes: ...


def write_frame(out: BinaryIO, frame: Frame) -> None:
    """Write one message and flush."""
    sizes = [len(blob) for blob in frame.blobs]
    text = json.dumps(frame.header | {"blobs": sizes}).encode()
    out.write(len(text).to_bytes(LENGTH, "big") + text)
    for blob in frame.blobs:
        out.write(blob)
    out.flush()


def read_frame(source: Source) -> Frame:
    """Read one message; raises FrameError, or EOFError at the end."""
    size = int.from_bytes(_exactly(source, LENGTH), "big")
    if size > MAX_HEADER:
        raise FrameError(f"a header of {size} bytes")
    try:
        header = json.loads(_exactly(source, size))
        sizes = header.pop("blobs")
    except (ValueError, RecursionError, KeyError, AttributeError, TypeError) as error:
        raise FrameError("a header that is no JSON object") from error
    if not isinstance(sizes, list) or not all(isinstance(n, int) and n >= 0 for n in sizes):
        raise FrameError("invalid sizes")
    if sum(sizes) > MAX_BLOBS:
        raise FrameError(f"{sum(sizes)} bytes behind one header")
    return Frame(header, tuple(_exactly(source, n) for n in sizes))


def _exactly(source: Source, n: int) -> bytes:
    data = source.read(n)
    if len(data) < n:
        raise EOFError
    return data
