"""Pages of a TIFF, and whether their pieces are damaged, which libtiff does not tell.

libtiff stops where a strip or tile has given all its rows: it compares no checksum behind them, nor
whether the coded data end there. Each piece is therefore looked at once more. Numbers and sections
are those of TIFF 6.0.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL.ExifTags import Base

from kdscan.errors import UnreadableImage
from kdscan.imaging.formats import damaged, decode_jpeg, rare_picture

REDUCED_OR_MASK = 0b101
"""Bits of a page's NewSubfileType (page 36): a smaller version, or a mask, of another page."""

LZW, JPEG, DEFLATE, PACK_BITS = 5, 7, (8, 32946), 32773
"""Values of Compression whose pieces can be checked; libtiff writes others without a checksum."""

CODINGS = (1, 2, 3, 4, LZW, 6, JPEG, *DEFLATE, PACK_BITS, 34925, 50000)
"""Those that libtiff reads: no coding, of telefaxes, these, an older JPEG, LZMA, Zstandard."""

LZW_CLEAR = 256
"""The code that empties the table (section 13); the next one ends the data."""

_LZW_WIDTHS = np.repeat((9, 10, 11, 12), (254, 512, 1024, 3071))
_LZW_STARTS = np.cumsum(_LZW_WIDTHS) - _LZW_WIDTHS
"""Bits of each code behind an emptied table, as many as libtiff reads, and bits before each."""


def pages(image: Any) -> list[int]:
    """The frames of a TIFF that are pages; a raw photo has none, it keeps its page where Pillow
    does not look."""
    full, previews = [], []
    for frame in range(image.n_frames):
        image.seek(frame)
        if not int(image.tag_v2.get(Base.NewSubfileType, 0)) & REDUCED_OR_MASK:
            full.append(frame)
        elif Base.SubIFDs not in image.tag_v2:
            previews.append(frame)
    if not full and not previews:
        raise rare_picture()
    return full or previews


def check_page(data: bytes, image: Any) -> None:
    """Raise `UnreadableImage` for a frame that Pillow cannot read or would take for another, or of
    which a piece is damaged; or the error of a piece's decoder."""
    tags = image.tag_v2
    planes = tags.get(Base.PlanarConfiguration) == 2
    white_is_0 = tags.get(Base.PhotometricInterpretation) == 0
    swapped = tags.prefix == b"MM" and any(tile.codec_name == "libtiff" for tile in image.tile)
    wide = max(tags.get(Base.BitsPerSample, (1,))) > 8
    tables, coding = bytes(tags.get(Base.JPEGTables, b"")), tags.get(Base.Compression, 1)
    rare = image.mode in ("I", "F") or coding not in CODINGS
    if rare or (wide and (planes or white_is_0 or swapped)):
        raise rare_picture()
    with suppress(UnreadableImage):
        if all(_is_whole(coding, piece, sizes, tables) for piece, sizes in _pieces(data, tags)):
            return
    raise damaged("TIFF")


def _pieces(data: bytes, tags: Any) -> Iterator[tuple[bytes, tuple[int, ...]]]:
    """The coded data of each strip or tile, and how many bytes it may hold: those of its rows
    within the picture, or of all its rows. None whose bits are reversed, nor of a JPEG of two
    channels, which libjpeg-turbo does not take."""
    bits = tags.get(Base.BitsPerSample, (1,))
    if tags.get(Base.FillOrder) == 2 or (tags.get(Base.Compression) == JPEG and len(bits) == 2):
        return
    width, height = tags[Base.ImageWidth], tags[Base.ImageLength]
    wide, high = tags.get(Base.TileWidth, width), tags.get(Base.TileLength)
    rows = high or min(tags.get(Base.RowsPerStrip, height), height)
    planes = tags.get(Base.PlanarConfiguration) == 2
    row = -(-wide * (bits[0] if planes else sum(bits)) // 8)
    offsets = tags.get(Base.TileOffsets) or tags.get(Base.StripOffsets, ())
    counts = tags.get(Base.TileByteCounts) or tags.get(Base.StripByteCounts, ())
    last = height % rows
    for number, (start, size) in enumerate(zip(offsets, counts, strict=False), 1):
        ends = not high and last and number % -(-height // rows) == 0
        yield data[start : start + size], (row * rows, row * last if ends else row * rows)


def _is_whole(coding: int, piece: bytes, sizes: tuple[int, ...], tables: bytes) -> bool:
    """Whether a piece's checksum is right, or else the number of bytes that it holds; may raise the
    decoder's error."""
    if coding == JPEG:
        decode_jpeg(tables[:-2] + piece[2:] if tables else piece)
    elif coding in DEFLATE:
        return inflates(piece)
    elif coding == PACK_BITS:
        return _unpacks(piece, sizes)
    elif coding == LZW and piece[:1] != b"\0":  # older data begin so
        return _lzw_size(piece) in sizes
    return True


def inflates(stream: bytes) -> bool:
    """Whether a zlib stream is complete; raises zlib.error where it is damaged."""
    inflating = zlib.decompressobj()
    while stream:
        inflating.decompress(stream, 1 << 24)
        stream = inflating.unconsumed_tail
    return inflating.eof


def _unpacks(piece: bytes, sizes: tuple[int, ...]) -> bool:
    """Whether data coded by PackBits (section 9) hold so many bytes; zeros may pad them."""
    at = size = 0
    end = len(piece.rstrip(b"\0"))
    while at < end or (at < len(piece) and size not in sizes):
        count = piece[at]
        size += count + 1 if count < 128 else (257 - count) % 129
        at += count + 2 if count < 128 else 1 + (count > 128)
    return size in sizes and at <= len(piece)


def _lzw_size(piece: bytes) -> int:
    """The bytes that data coded by LZW hold (section 13); ValueError for codes that cannot be."""
    levels = np.frombuffer(piece + bytes(2), np.uint8).astype(np.int32)
    size, at, code = 0, 0, LZW_CLEAR
    while code == LZW_CLEAR:
        starts = at + _LZW_STARTS
        starts = starts[starts + _LZW_WIDTHS <= 8 * len(piece)]
        widths, first = _LZW_WIDTHS[: len(starts)], starts >> 3
        three = levels[first] << 16 | levels[first + 1] << 8 | levels[first + 2]
        codes = three >> 24 - (starts & 7) - widths & (1 << widths) - 1
        stops = np.flatnonzero(codes >> 1 == LZW_CLEAR >> 1)
        if not len(stops):
            code, end = 0, len(codes)
        else:
            end = int(stops[0])
            code, at = int(codes[end]), int(starts[end] + widths[end])
        size += _lzw_strings(codes[:end])
    return size


def _lzw_strings(codes: NDArray[np.int32]) -> int:
    """The bytes of codes behind an empty table. Each puts a string into it: that of the code and
    one byte more."""
    before = np.maximum(codes - LZW_CLEAR - 1, 0)  # which string it extends, from 1; 0: a byte
    if len(codes) == len(_LZW_WIDTHS) or (before > np.arange(len(codes))).any():
        raise ValueError("a code that is not in the table")
    chain = np.concatenate(([0], before))
    longer = (np.arange(len(chain)) > 0).astype(np.int64)
    while chain.any():
        longer += longer[chain]
        chain = chain[chain]
    return len(codes) + int(longer[before].sum())
