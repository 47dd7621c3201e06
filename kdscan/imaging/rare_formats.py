"""HEIC, PDF, WebP, AVIF, TIFF, BMP and GIF → pixels, by libheif, PDFium and Pillow.

Imported by the process that decodes untrusted files alone: all three take long to import.
"""

from __future__ import annotations

import io
import re
from functools import partial
from math import sqrt
from typing import Any

import cv2
import numpy as np
import pillow_heif
import pypdfium2 as pdfium
from PIL import ExifTags, Image, UnidentifiedImageError

from kdscan.errors import ImageTooLarge, UnreadableImage
from kdscan.files.photos import format_of
from kdscan.imaging import formats, tiff
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
from kdscan.imaging.tiff import inflates


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
    frames = tiff.pages(image) if image.format == "TIFF" else [0]

    def read(page: int, whole: bool) -> tuple[Bgr, bool]:
        image.seek(frames[page])
        check_size(*image.size)
        if image.format == "TIFF":
            tiff.check_page(data, image)
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
