"""Whether the pictures of a HEIC are damaged, which libheif does not pass on from its decoder.

Data coded by HEVC have no checksum. Where they are damaged, the decoder libde265 draws noise up to
the end of a slice, where it misses a sign, and warns. The pictures are decoded once more for that.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import byref, c_int, c_int64, c_void_p
from ctypes.util import find_library
from functools import cache
from importlib.metadata import files
from io import BytesIO
from typing import BinaryIO

DAMAGE = frozenset((1002, 1003, 1004, 1007, 1017, 1020, 1021))
"""Warnings of libde265 (de265.h) that a slice ends where it should not, or lies elsewhere."""


def is_damaged(data: bytes) -> bool:
    """Whether the decoder warns of any picture in a file, previews and tiles of others included;
    False where libde265 is not installed by itself. Raises LookupError."""
    library = _library()
    return library is not None and any(_warns(library, units) for units in _pictures(data))


def _warns(library: ctypes.CDLL, units: list[bytes]) -> bool:
    decoder, more = c_void_p(library.de265_new_decoder()), c_int(1)
    try:
        for unit in units:
            library.de265_push_NAL(decoder, unit, len(unit), c_int64(), None)
        library.de265_flush_data(decoder)
        while more.value and not library.de265_decode(decoder, byref(more)):
            library.de265_get_next_picture(decoder)
        # Warnings are queued up to a number, the first ones stay.
        return not DAMAGE.isdisjoint(iter(lambda: library.de265_get_warning(decoder), 0))
    finally:
        library.de265_free_decoder(decoder)


@cache
def _library() -> ctypes.CDLL | None:
    bundled = (file.locate() for file in files("pillow-heif") or () if "libde265" in file.name)
    path = next(map(str, bundled), None) or find_library("de265")
    if path is None:
        return None
    library = ctypes.CDLL(path)
    library.de265_new_decoder.restype = c_void_p
    return library


def _boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The kinds and contents of boxes (ISO/IEC 14496-12, 4.2)."""
    while len(data) >= 8:
        size, kind, start = int.from_bytes(data[:4], "big"), data[4:8], 8
        if size == 1:
            size, start = int.from_bytes(data[8:16], "big"), 16
        size = size or len(data)
        if size < start:  # phones append data of their own
            return
        yield kind, data[start:size]
        data = data[size:]


def _number(stream: BinaryIO, size: int) -> int:
    return int.from_bytes(stream.read(size), "big")


def _pictures(data: bytes) -> Iterator[list[bytes]]:
    """The NAL units of each picture coded by HEVC, parameter sets first (ISO/IEC 14496-12, 8.11,
    and 14496-15, 8.3.3.1)."""
    meta = dict(_boxes(dict(_boxes(data)).get(b"meta", b"")[4:]))
    if b"iprp" not in meta:  # a film alone
        return
    properties = dict(_boxes(meta[b"iprp"]))
    listed = list(_boxes(properties[b"ipco"]))
    settings: dict[int, bytes] = {}
    box = BytesIO(properties[b"ipma"])
    version, flags = _number(box, 1), _number(box, 3)
    for _ in range(_number(box, 4)):
        item = _number(box, 4 if version else 2)
        for _ in range(_number(box, 1)):
            index = _number(box, 2) & 0x7FFF if flags & 1 else _number(box, 1) & 0x7F
            kind, content = listed[index - 1]
            if kind == b"hvcC":
                settings[item] = content
    box = BytesIO(meta[b"iloc"])
    version, _, sizes = _number(box, 1), _number(box, 3), _number(box, 2)
    wide = 4 if version == 2 else 2
    for _ in range(_number(box, wide)):
        item, inside = _number(box, wide), version and _number(box, 2) & 15
        source, coded = meta[b"idat"] if inside else data, b""
        box.read(2)  # the number of the file that holds it: this one
        base = _number(box, sizes >> 4 & 15)
        for _ in range(_number(box, 2)):
            _number(box, sizes & 15 if version else 0)
            start, size = base + _number(box, sizes >> 12), _number(box, sizes >> 8 & 15)
            coded += source[start : start + size]
        if item in settings:
            units, setting = list[bytes](), BytesIO(settings[item][22:])  # parameter sets
            for _ in range(_number(setting, 1)):
                setting.read(1)
                units += _units(setting, 2, _number(setting, 2))
            yield [*units, *_units(BytesIO(coded), 4)]


def _units(box: BinaryIO, wide: int, count: int = 1 << 31) -> Iterator[bytes]:
    """NAL units, each below its length in so many bytes."""
    for _ in range(count):
        if not (unit := box.read(_number(box, wide))):
            break
        yield unit
