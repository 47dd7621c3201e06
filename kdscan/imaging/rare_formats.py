"""HEIC, PDF, WebP, AVIF, TIFF, BMP and GIF → pixels, by libheif, PDFium and Pillow.

Imported by the process that decodes untrusted files alone: all three take long to import.

libtiff stops where a strip or tile has given all its rows: it compares no checksum behind them, nor
whether the coded data end there. Each piece of a TIFF is therefore looked at once more. Numbers and
sections are those of TIFF 6.0.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from math import sqrt
from typing import Any

import cv2
import numpy as np
import pillow_heif
import pypdfium2 as pdfium
from numpy.typing import NDArray
from PIL import ExifTags, Image, UnidentifiedImageError
from PIL.ExifTags import Base

from kdscan.errors import ImageTooLarge, UnreadableImage
from kdscan.files.photos import format_of
from kdscan.imaging import formats
from kdscan.imaging.formats import (
    OPENING,
    Read,
    at_most_half,
    check_size,
    damaged,
    decode_jpeg,
    rare_picture,
    tags_in,
    to_bgr,
    upright,
)
from kdscan.imaging.hevc import is_damaged
from kdscan.imaging.picture import Bgr

# All formats


def open_file(data: bytes) -> tuple[int, Read]:
    """The number of pages of a file of any format, and what reads them; raises `PhotoError`.

    Every picture in a file is a page: each of a TIFF, a collection of HEIC or MPO, and what is
    attached to a PDF. Previews, masks and gain maps are none, nor is the film in a photo, nor what
    follows the first picture of an animation.
    """
    pillow = dict.fromkeys(PILLOW, _open_pillow)
    return formats.open_file(data, OPENING | {"HEIC": _open_heif, "PDF": _open_pdf} | pillow)


# HEIC


def _open_heif(data: bytes) -> tuple[int, Read]:
    """Its primary picture first. libheif has applied the rotation already; the Exif orientation
    must not be applied again."""
    images = list(pillow_heif.open_heif(io.BytesIO(data), bgr_mode=True))
    images.sort(key=lambda image: not image.info.get("primary"))
    for image in images:
        check_size(*image.size)
    if is_damaged(data):
        raise damaged("HEIC")

    def read(page: int, whole: bool) -> tuple[Bgr, bool]:
        # Of all pictures with more than 8 bits, pillow_heif gives 16 for grey ones alone.
        return at_most_half(to_bgr(np.asarray(images[page])), whole)

    return len(images), read


# PDF

DPI, LEAST_DPI = 300.0, 150.0
"""Resolution for pages that are drawn, not scanned, the usual one of office scanners; and the least
one for what is drawn on a picture."""

LONGEST_PX = 6000
"""Longest side of a rendered page: A4 at 500 dpi; limits the memory that posters use."""

SCANNED, FINE = 0.25, 0.05
"""Least share of a scanned page that its pictures cover, and of that part of them which has the
page's resolution; a smaller one is a logo. Many scans are cut into strips."""

_MASK = re.compile(rb"/S?Mask \d+ \d+ R")
"""Refers to a picture's mask, in which scans of several layers have lines, finer than their
colours."""


def _open_pdf(data: bytes) -> tuple[int, Read]:
    """Its pages, and then those of what is attached to it. PDFium is not thread-safe: render from
    one thread at a time."""
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        # The code may be that of a file before, where PDFium finds no page.
        if error.err_code != pdfium.raw.FPDF_ERR_PASSWORD or b"/Encrypt" not in data:
            raise
        raise UnreadableImage(
            "the PDF is protected by a password; save a copy without one"
        ) from error
    masked = _MASK.search(data) is not None
    attached = []
    for k in range(document.count_attachments()):
        file = bytes(document.get_attachment(k).get_data())
        if format_of(file):
            count, read_attached = open_file(file)
            attached += [partial(read_attached, page) for page in range(count)]

    def read(number: int, whole: bool) -> tuple[Bgr, bool]:
        if number >= len(document):
            return attached[number - len(document)](whole)
        page = document[number]
        try:
            bitmap = page.render(scale=_scale(page, masked))
            pixels = bitmap.to_numpy().copy()
            bitmap.close()
        finally:
            page.close()
        return np.asarray(pixels, np.uint8), False

    return len(document) + len(attached), read


def _scale(page: Any, drawn: bool) -> float:
    """Pixels per point: the resolution of the finest pictures of some size; raises `PhotoError` for
    a picture that is too large or damaged. drawn: more may be drawn on them than is here."""
    width, height = page.get_size()
    pictures = []
    for thing in page.get_objects():
        if thing.type != pdfium.raw.FPDF_PAGEOBJ_IMAGE:
            drawn |= thing.type != pdfium.raw.FPDF_PAGEOBJ_FORM  # its content follows
            continue
        px_wide, px_high = thing.get_px_size()
        if px_wide * px_high > formats.MAX_PIXELS:
            raise ImageTooLarge(
                "the page holds a picture of {width} × {height} pixels, but the limit is "
                "{most} megapixels; export it smaller",
                width=px_wide,
                height=px_high,
                most=formats.MAX_PIXELS // 1_000_000,
            )
        _check_stream(thing)
        # Its bounds are those in the form around it, which the page may draw at any size.
        left, bottom, right, top = thing.get_bounds()
        area = (right - left) * (top - bottom)
        while (thing := thing.container) is not None:
            matrix = thing.get_matrix()
            area *= abs(matrix.a * matrix.d - matrix.b * matrix.c)
        if area > 0:
            pictures.append((sqrt(px_wide * px_high / area), area / (width * height)))
    scale = DPI / 72
    pictures.sort(reverse=True)
    covered = np.cumsum([share for _, share in pictures])
    if pictures and covered[-1] > SCANNED:
        scale = max(pictures[np.argmax(covered > FINE)][0], LEAST_DPI / 72 * drawn)
    longest: float = max(width, height)
    # Sides are rounded up; one pixel more would blur a scan.
    return min(scale, LONGEST_PX / longest) - 0.5 / longest


def _check_stream(picture: Any) -> None:
    """Raise `UnreadableImage`, or a decoder's error, for a picture of a page whose data are
    damaged, which PDFium would draw as far as it can."""
    filters = picture.get_filters()
    try:
        if filters[-1:] == ["DCTDecode"]:
            decode_jpeg(bytes(picture.get_data(decode_simple=True)))
        elif filters == ["FlateDecode"] and not inflates(bytes(picture.get_data())):
            raise ValueError
    except UnreadableImage as error:
        raise damaged("PDF") from error


# WebP, AVIF, TIFF, BMP and GIF

STRIP_PX = 512
"""Rows of a picture that are converted at a time; all at once take 3 × the memory."""

PILLOW = "WebP", "AVIF", "TIFF", "BMP", "GIF"

Image.MAX_IMAGE_PIXELS = None  # `check_size` decides


def _open_pillow(data: bytes) -> tuple[int, Read]:
    try:
        image = Image.open(io.BytesIO(data), formats=PILLOW)
    except (KeyError, UnidentifiedImageError) as error:
        if ExifTags.Base.ImageWidth in tags_in(data)[1]:  # a TIFF whose directory is there
            raise rare_picture() from error
        raise
    check_size(*image.size)
    frames = tiff_pages(image) if image.format == "TIFF" else [0]

    def read(page: int, whole: bool) -> tuple[Bgr, bool]:
        image.seek(frames[page])
        check_size(*image.size)
        if image.format == "TIFF":
            check_page(data, image)
        plain = image.info.get("compression") in UNCHECKED and image.mode != "1"
        pixels = _pixels(image)
        tops = range(0, len(pixels), STRIP_PX) if plain and len(pixels[0]) > 1 else ()
        if any(_has_noise(pixels[top : top + STRIP_PX + 8]) for top in tops):
            raise damaged(str(image.format))
        return at_most_half(pixels, whole)

    return len(frames), read


UNCHECKED = "raw", "packbits", 0, 3
"""Codings of a TIFF and of a BMP in which damage changes little else."""

HUE_NOISE, GREY_NOISE = (14, 80, 40, 3), (128, 70, 12, 1)
"""Random bytes in place of pixels, which no checksum tells: over so many pixels side by side,
neighbours differ by more than the first step on average, and so many rows above and below by less
than the second. Of 1,000 pieces of 21 random colours 99% differ by 96 in hue, greys by 85."""


def _has_noise(bgr: Bgr) -> bool:
    """Whether uncompressed pixels, (H, W, 3), hold a low piece of noise."""
    levels = bgr.astype(np.int16)
    hues = levels[..., 1:2] - levels[..., ::2]
    coloured = bool(hues.any())
    wide, least, calm, high = HUE_NOISE if coloured else GREY_NOISE
    steps = np.abs(np.diff(hues if coloured else levels[..., 1:2], axis=1))
    means = cv2.blur(steps.mean(2, dtype=np.float32), (wide, 1))
    rows = np.ones((high, 1), np.uint8)
    above, below = (cv2.erode(means, rows, anchor=(0, k)) for k in (high - 1, 0))
    beside = np.maximum(above[:-2], below[2:])
    return bool(((means[1:-1] > least) & (beside < calm)).any())


def _pixels(image: Image.Image) -> Bgr:
    image.load()  # turns a TIFF
    try:
        orientation = image.getexif().get(ExifTags.Base.Orientation, 1)
    except Exception:  # of odd metadata, which are no reason to refuse a picture
        orientation = 1
    if image.mode.startswith("I"):
        return upright(to_bgr(np.asarray(image).astype(np.uint16)), orientation)
    if image.mode == "La":  # grey already multiplied by its opacity
        image = image.convert("LA")
    mode = "RGBA" if image.has_transparency_data else "RGB"
    width, height = image.size
    bgr = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, STRIP_PX):
        strip = image.crop((0, top, width, min(top + STRIP_PX, height))).convert(mode)
        bgr[top : top + STRIP_PX] = to_bgr(np.asarray(strip))[..., ::-1]
    return upright(bgr, orientation)


# TIFF: its pages, and whether their pieces are damaged

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


def tiff_pages(image: Any) -> list[int]:
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
