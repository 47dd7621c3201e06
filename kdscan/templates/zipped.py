"""Zips in which nothing is compressed twice, and which may come from strangers."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

MAX_BYTES = 8 << 20
"""Most bytes of a file and of each part; a print's picture has 2.2 million before PNG
compression."""

BROKEN = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, KeyError, OverflowError),
)
"""Exceptions of zipfile and json for malformed content."""

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that equal prints make equal files


def packed(parts: Mapping[str, bytes]) -> bytes:
    """A zip of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), content)
    return out.getvalue()


def unpacked(data: bytes, name: str) -> bytes:
    """A part of a zip; raises one of `BROKEN` if it is missing or too large."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return part_of(archive, name)


def part_of(archive: zipfile.ZipFile, name: str, most: int = MAX_BYTES) -> bytes:
    """A part of a file whose checksum is right; raises ValueError if it has more bytes than
    `most`."""
    with archive.open(name) as part:
        content = part.read(most + 1)
    if len(content) > most:
        raise ValueError(f"{name} is too large")
    return content
