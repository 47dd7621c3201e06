"""How a worker's answers travel through a pipe: a JSON header, then bytes as they are.

Nothing here can run code, whatever a hostile picture made of the worker that sent it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

LENGTH = 4
"""Bytes of the big-endian number before a header."""

MAX_HEADER = 16_000_000
MAX_BLOB = 64_000_000


class FrameError(ValueError):
    """The stream holds no frame; the worker is not to be trusted any more."""


@dataclass(frozen=True)
class Frame:
    """One message: plain values, and pictures as bytes."""

    header: dict[str, Any]
    blobs: tuple[bytes, ...] = ()


class Source(Protocol):
    """An asyncio stream, as far as reading frames needs it."""

    async def readexactly(self, n: int, /) -> bytes: ...


def write_frame(out: BinaryIO, header: dict[str, Any], blobs: Sequence[bytes] = ()) -> None:
    """Write one message and flush."""
    text = json.dumps(header | {"blobs": [len(blob) for blob in blobs]}).encode()
    out.write(len(text).to_bytes(LENGTH, "big") + text)
    for blob in blobs:
        out.write(blob)
    out.flush()


async def read_frame(source: Source) -> Frame:
    """Read one message; raises FrameError, or what `source` raises at its end."""
    size = int.from_bytes(await source.readexactly(LENGTH), "big")
    if size > MAX_HEADER:
        raise FrameError(f"a header of {size} bytes")
    try:
        header = json.loads(await source.readexactly(size))
        sizes = header.pop("blobs")
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise FrameError("a header that is no JSON object") from error
    if not isinstance(sizes, list) or not all(
        isinstance(n, int) and 0 <= n <= MAX_BLOB for n in sizes
    ):
        raise FrameError("sizes that cannot be")
    return Frame(header, tuple([await source.readexactly(n) for n in sizes]))
