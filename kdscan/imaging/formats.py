"""What a file is, what is refused before it is decoded, and JPEG and PNG → pixels.

A file's format is recognised by its first bytes, never by its name. JPEG goes through libjpeg-turbo
by simplejpeg, which reports that a picture is damaged; OpenCV, which does not, decodes PNG after
its checksums were compared. `kdscan.imaging.rare_formats` decodes the others.
"""

from __future__ import annotations

import re
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray

from kdscan.errors import ImageTooLarge, KdscanError, UnreadableImage
from kdscan.files.photos import format_of
from kdscan.imaging.arrays import encoded
from kdscan.imaging.picture import Bgr

MAX_PIXELS = 120_000_000
"""Most pixels of one picture: more than the 108 megapixels of phones; 360 MB as BGR."""

MAX_BYTES = 200_000_000
"""Largest file; a scan of a hundred pages is smaller."""

MAX_PAGES = 2000
"""Most pages of one file."""

LARGE_PIXELS = 8_000_000
"""A JPEG with at least this many pixels is first decoded at half its size, which saves most of the
work: maps in such large photos are rarely too small for that."""

PLAIN_PIXELS, PLAIN_BYTES = 50_000_000, 50_000_000
"""A JPEG or PNG up to this size is decoded in the program itself: ordinary photos at no extra cost.
A larger picture of any format is first taken at half its size, to save memory."""

FORMATS = "JPEG, PNG, WebP, HEIC, AVIF, TIFF, BMP, GIF, PDF"
"""What is read, for people."""

DRAWN = b"drawn by kdscan"
"""The last bytes of a picture that kdscan drew over a photo; decoders ignore what follows one."""

_ARCHIVE = re.compile(rb"PK\x03\x04|PK\x05\x06|Rar!|7z\xbc\xaf|\x1f\x8b|BZh|.{257}ustar", re.DOTALL)
"""ZIP, RAR, 7z, gzip, bzip2 and tar."""

Read = Callable[[int, bool], tuple[Bgr, bool]]
"""(page, whole) → its pixels (H, W, 3) uint8 BGR, upright, and whether they have half the picture's
size, which a large one may have unless `whole`."""

Opening = dict[str, Callable[[bytes], tuple[int, Read]]]
"""For each format: data → the number of pages, and what reads them."""


def check_format(data: bytes) -> str:
    """As `format_of`; raises `UnreadableImage` for any other file, for an empty one, and for a
    picture that kdscan drew over a photo: beside this it would count as another photo."""
    if not data:
        raise UnreadableImage("the file is empty; copy or send it again")
    if data.endswith(DRAWN):
        raise UnreadableImage("kdscan drew this picture; name the photo that it shows")
    if (kind := format_of(data)) is not None:
        return kind
    if _ARCHIVE.match(data):
        raise UnreadableImage(
            "this is an archive or an office document; take the photos out of it and name those"
        )
    raise UnreadableImage(
        "this is not a picture that kdscan knows; save it as {formats}", formats=FORMATS
    )


def is_plain(data: bytes) -> bool:
    """Whether a file is a JPEG or PNG of moderate size, which is cheap to decode; raises as
    `check_format` does, and for a damaged header."""
    kind = check_format(data)
    if kind not in OPENING or len(data) > PLAIN_BYTES:
        return False
    with refusing(kind):
        if kind == "JPEG":
            header = _jpeg_header(data)
            return header.width * header.height <= PLAIN_PIXELS and _has_few_scans(data)
        width, height = _png_size(data)
        return width * height <= PLAIN_PIXELS


@contextmanager
def refusing(kind: str) -> Iterator[None]:
    """Turn any exception of a decoder for a broken or hostile file into a `PhotoError`."""
    try:
        with warnings.catch_warnings():
            # Pillow warns of odd metadata, and of sizes that `check_size` allows.
            warnings.simplefilter("ignore")
            yield
    except KdscanError:
        raise
    except MemoryError as error:
        raise ImageTooLarge("the picture has too many pixels; save it smaller") from error
    except Exception as error:
        # Decoders raise nearly anything: OSError, SyntaxError, struct.error, their own.
        raise damaged(kind) from error


def damaged(kind: str) -> UnreadableImage:
    """The error for a file of a format that is damaged."""
    return UnreadableImage("the {format} is damaged or cut off; copy or send it again", format=kind)


def check_bytes(size: int) -> None:
    """Raise `ImageTooLarge` for a file of more than `MAX_BYTES`."""
    if size > MAX_BYTES:
        raise ImageTooLarge(
            "the file is {size} MB, but the limit is {most} MB; save it smaller or split it",
            size=f"{size / 1e6:.0f}",
            most=MAX_BYTES // 1_000_000,
        )


def check_size(width: int, height: int) -> None:
    """Raise `ImageTooLarge` for more than `MAX_PIXELS`, `UnreadableImage` for none."""
    if width <= 0 or height <= 0:
        raise UnreadableImage("the picture has no pixels; take or export it again")
    if width * height > MAX_PIXELS:
        raise ImageTooLarge(
            "the picture claims {width} × {height} pixels, but the limit is {most} megapixels; "
            "save it smaller",
            width=width,
            height=height,
            most=MAX_PIXELS // 1_000_000,
        )


def to_bgr(levels: NDArray[Any]) -> Bgr:
    """A picture (H, W, 3) uint8 of one that is grey (H, W) or has an opacity (H, W, 4), in 8 or 16
    bits; what is transparent lies on white. Raises `UnreadableImage` for a sensor's raw levels."""
    if levels.dtype == np.uint16:
        if 0 < levels.max() < 1 << SENSOR_BITS:
            raise rare_picture()
        levels = levels >> 8
    if levels.ndim == 2:
        levels = cv2.cvtColor(levels.astype(np.uint8), cv2.COLOR_GRAY2BGR)
    if levels.shape[2] == 4:
        alpha = levels[..., 3:].astype(np.uint16)
        levels = (levels[..., :3] * alpha + 255 * (255 - alpha)) // 255
    return np.ascontiguousarray(levels, np.uint8)


SENSOR_BITS = 12
"""A picture of 16 bits that uses at most this many holds a sensor's raw levels, nearly all dark."""


def rare_picture() -> UnreadableImage:
    """The error for a picture in a rare coding, or of other levels than 8 or 16 bits."""
    return UnreadableImage(
        "this picture has raw levels of a sensor, or a rare coding; save it as JPEG or PNG"
    )


def at_most_half(bgr: Bgr, whole: bool) -> tuple[Bgr, bool]:
    """A picture; at half its size if it is large and may be halved, see `Read`."""
    height, width = bgr.shape[:2]
    if whole or height * width <= PLAIN_PIXELS or height % 2 or width % 2:
        return bgr, False
    half = cv2.resize(bgr, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(half, np.uint8), True


def png(picture: NDArray[Any]) -> bytes:
    """A picture, (H, W) or (H, W, 3) BGR, uint8 or uint16, as PNG, without metadata."""
    return cv2.imencode(".png", picture)[1].tobytes()


def jpeg(picture: NDArray[Any], quality: int) -> bytes:
    """A picture, (H, W) or (H, W, 3) BGR, uint8, as JPEG; quality: 0 to 100."""
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


# JPEG (ITU T.81)

_END = b"\xff\xd9"
"""The marker of an image's end (B.1.1.3)."""

_MARKER = re.compile(rb"\xff([^\x00\x01\xd0-\xd8\xff])", re.DOTALL)
"""A marker with a length, unlike those that compressed data contain (B.1.1.5 and F.1.2.3); and the
one of the image's end."""

_TRAILER = re.compile(rb"SEFH.{8}((?:.{12})+).{4}SEFT\Z", re.DOTALL)
"""The directory of what Samsung's phones append, sometimes in place of the image's end. The second
number of each entry says how far before the directory its data begin."""

_RARE_CODINGS = {0xC3: "lossless", 0xC9: "arithmetic", 0xCA: "arithmetic", 0xCB: "lossless"} | (
    dict.fromkeys((0xC5, 0xC6, 0xC7, 0xCD, 0xCE, 0xCF), "hierarchical")
)
"""Frame headers of codings that are hardly ever used (B.1.1.3)."""

PLAIN_SCANS = 16
"""Most scans of a plain JPEG: progressive ones have ten, hostile ones thousands."""

_HARMLESS = "Adobe color transform|bad ICC|JFIF revision|Invalid SOS parameters"
"""Warnings of libjpeg (jerror.h) of odd metadata; all others mean a damaged picture."""

_PADDING = r"(\d+) extraneous bytes before marker 0xd9"
"""The warning for bytes behind the last pixel. Some cameras pad with zeros."""

_GAIN_MAPS = (b"hdrgm", b"hdrgainmap", b"urn:iso:std:iso:ts:21496")
"""Names in the header of a picture that says how bright another one can be shown."""

_FLIPS = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}
"""OpenCV's code of how a picture is flipped, by its Exif orientation."""

ORIENTATION = 0x0112  # the tag's number


@dataclass(frozen=True)
class _JpegHeader:
    """width, height: as stored. inks: whether levels say how much of four inks is printed, not how
    little, as Adobe has it. orientation: of the Exif data. others: the file's further pictures
    (kind, first byte, size), as CIPA DC-007 describes them."""

    width: int
    height: int
    inks: bool = False
    orientation: int = 1
    others: tuple[tuple[int, int, int], ...] = ()


def _markers(data: bytes) -> Iterator[tuple[int, int]]:
    """The kinds of a JPEG's markers up to the end of its image, and where they end."""
    at = 2
    while (marker := _MARKER.search(data, at)) and marker[0] != _END:
        at = marker.end()
        yield marker[1][0], at
        at += int.from_bytes(data[at : at + 2], "big")


def _jpeg_header(data: bytes) -> _JpegHeader:
    """What a JPEG says before its pixels.

    Raises `PhotoError`, also for a coding that cannot be read; ValueError without a frame header.
    """
    orientation = 1
    others: tuple[tuple[int, int, int], ...] = ()
    for kind, at in _markers(data):
        length, body = int.from_bytes(data[at : at + 2], "big"), data[at + 2 : at + 8]
        if length < 2 or len(body) < 5 or kind == 0xDA:  # of the first scan
            break
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            coding = f"{body[0]} bit" if body[0] != 8 else _RARE_CODINGS.get(kind)
            if coding:
                raise UnreadableImage(
                    "this is a kind of JPEG that kdscan cannot read ({coding}); save it as a plain "
                    "JPEG or as PNG",
                    coding=coding,
                )
            height, width = struct.unpack(">HH", body[1:5])
            check_size(width, height)
            inks = body[5:] == b"\4" and b"Adobe" not in data[:at]
            return _JpegHeader(width, height, inks, orientation, others)
        end = at + length
        if kind == 0xE1 and body == b"Exif\0\0":
            orientation = tags_in(data[at + 8 : end])[1].get(ORIENTATION, 1)
        elif kind == 0xE2 and body[:4] == b"MPF\0":
            others = _mpf_entries(data[at + 6 : end], at + 6)
    raise ValueError("no frame header")


def tags_in(tiff: bytes) -> tuple[Literal["little", "big"], dict[int, int]]:
    """The order of bytes, and the values in the first directory of data in the form of TIFF (TIFF
    6.0, section 2), or where they lie."""
    order: Literal["little", "big"] = "little" if tiff[:2] == b"II" else "big"

    def number(at: int, size: int) -> int:
        return int.from_bytes(tiff[at : at + size], order)

    first = number(4, 4) + 2
    entries = range(first, first + 12 * number(first - 2, 2), 12)
    return order, {number(k, 2): number(k + 8, 2 if number(k + 2, 2) == 3 else 4) for k in entries}


def _mpf_entries(tiff: bytes, start: int) -> tuple[tuple[int, int, int], ...]:
    """The pictures of a file but for its first one (CIPA DC-007, 5.2.3); start: of the data."""
    order, tags = tags_in(tiff)
    first, count = tags.get(0xB002, 0), min(tags.get(0xB001, 1), MAX_PAGES + 1)
    entries = []
    for at in range(first + 16, first + 16 * count, 16):
        kind, size, offset = (int.from_bytes(tiff[k : k + 4], order) for k in range(at, at + 12, 4))
        entries.append((kind & 0xFFFFFF, start + offset, size))
    return tuple(entries)


def _open_jpeg(data: bytes) -> tuple[int, Read]:
    header = _jpeg_header(data)
    pictures = [data]
    for kind, start, size in header.others:
        other = data[start : start + size]
        # One of no kind is another picture, unless it is a preview or says how bright the first is.
        if (kind == 0 or kind >> 16 == 2) and format_of(other) == "JPEG":
            about = _jpeg_header(other)
            same = (about.width, about.height) == (header.width, header.height)
            if same and not any(name in other[:4096] for name in _GAIN_MAPS):
                pictures.append(other)

    def read(page: int, whole: bool) -> tuple[Bgr, bool]:
        picture = pictures[page]
        about = _jpeg_header(picture)
        even = about.width % 2 == about.height % 2 == 0
        large = about.width * about.height >= LARGE_PIXELS
        half = not whole and even and large and _has_few_scans(picture)
        return decode_jpeg(picture, half), half

    return len(pictures), read


def _has_few_scans(data: bytes) -> bool:
    """Whether decoding a JPEG takes time in proportion to its size. With many scans, decoding at
    half the size takes as long as in full. What follows the picture is not looked at: phones append
    a film."""
    scans = (kind for kind, _ in _markers(data) if kind == 0xDA)
    return len(list(islice(scans, PLAIN_SCANS + 1))) <= PLAIN_SCANS


def decode_jpeg(data: bytes, half: bool = False) -> Bgr:
    """The pixels (H, W, 3) uint8 BGR, upright, or at half the size; raises `UnreadableImage` for a
    damaged picture, and ValueError."""
    header = _jpeg_header(data)
    size = {"min_height": header.height // 2, "min_width": header.width // 2} if half else {}
    colours = "CMYK" if header.inks else "BGR"
    try:
        levels = simplejpeg.decode_jpeg(data, colours, **size)
    except ValueError as error:
        if not data.endswith(_END):  # a whole picture may lack it
            end = len(data)
            if trailer := _TRAILER.search(data, len(data) - 4096):
                end = trailer.start() - int(np.frombuffer(trailer[1], "<u4")[1::3].max())
            return decode_jpeg(data[:end] + _END, half)
        padding = re.search(_PADDING, str(error))
        padded = padding and bytes(int(padding[1])) + _END in data
        if not padded and not re.search(_HARMLESS, str(error)):
            raise damaged("JPEG") from error
        levels = simplejpeg.decode_jpeg(data, colours, strict=False, **size)
    if header.inks:
        bare = 255 - levels.astype(np.uint16)
        levels = bare[..., 2::-1] * bare[..., 3:] // 255
    return upright(levels, header.orientation)


def upright(bgr: Any, orientation: int) -> Bgr:
    """A picture turned upright, by the orientation in its Exif data."""
    if orientation in range(5, 9):
        bgr = cv2.transpose(bgr)
    if orientation in _FLIPS:
        bgr = cv2.flip(bgr, _FLIPS[orientation])
    return np.asarray(bgr, np.uint8)


# PNG (ISO/IEC 15948)


def _png_size(data: bytes) -> tuple[int, int]:
    """Width and height; struct.error for a header that is cut off."""
    width, height = struct.unpack(">16x2I9x", data[:33])
    return width, height


_ABOUT = b"eXIf", b"gAMA", b"sRGB", b"cICP"
"""Chunks that say how a picture is turned, and how its levels grow with the light."""


def _open_png(data: bytes) -> tuple[int, Read]:
    check_size(*_png_size(data))

    def read(_page: int, whole: bool) -> tuple[Bgr, bool]:
        at, kind, about = 8, b"", {}
        while kind != b"IEND":
            length, kind = struct.unpack_from(">I4s", data, at)
            end = at + 8 + length
            (checksum,) = struct.unpack_from(">I", data, end)
            if kind[:1].isupper() and zlib.crc32(data[at + 4 : end]) != checksum:
                raise damaged("PNG")
            if kind in _ABOUT:
                about[kind] = data[at + 8 : end]
            at = end + 4
        levels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
        if levels is None:
            raise damaged("PNG")
        orientation = tags_in(about.get(b"eXIf", b""))[1].get(ORIENTATION, 1)
        bgr = upright(to_bgr(levels), orientation)
        # Levels may be proportional to the light: that code of ITU-T H.273, or a gamma of 100,000.
        by_gamma = b"sRGB" not in about and about.get(b"gAMA") == b"\0\1\x86\xa0"
        if by_gamma or about.get(b"cICP", b"")[1:2] == b"\b":
            bgr = encoded(bgr)
        return at_most_half(bgr, whole)

    return 1, read


OPENING: Opening = {"JPEG": _open_jpeg, "PNG": _open_png}
"""The formats of this file."""


def open_file(data: bytes, opening: Opening = OPENING) -> tuple[int, Read]:
    """The number of pages of a file of these formats, and what reads them; raises `PhotoError`."""
    kind = check_format(data)
    with refusing(kind):
        count, read = opening[kind](data)
        if count > MAX_PAGES:
            raise ImageTooLarge(
                "the file has {pages} pages, but the limit is {most}; split it",
                pages=count,
                most=MAX_PAGES,
            )

    def read_page(page: int, whole: bool) -> tuple[Bgr, bool]:
        with refusing(kind):
            return read(page, whole)

    return count, read_page
