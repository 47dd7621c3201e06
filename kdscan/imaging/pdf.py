"""PDF pages → pixels, at the resolution of the scan they contain."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from kdscan.errors import ImageTooLarge, UnreadableImage
from kdscan.imaging import limits
from kdscan.imaging.picture import Bgr

POINTS_PER_INCH = 72.0

DPI = 300.0
"""Resolution for pages that are drawn, not scanned; the usual resolution of office scanners."""

LONGEST_PX = 6000
"""Longest side of a rendered page: A4 at 500 dpi; limits the memory that posters use."""

PASSWORD_ERROR = 4
"""FPDF_ERR_PASSWORD in PDFium's public header fpdfview.h."""


def open_pdf(data: bytes) -> tuple[int, Callable[[int], Bgr]]:
    """Return the number of pages and the function page → (H, W, 3) uint8 BGR.

    PDFium is not thread-safe: render from one thread at a time.
    Raises `UnreadableImage`, and all that PDFium raises.
    """
    import pypdfium2 as pdfium  # deferred: only PDF files need it

    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if error.err_code != PASSWORD_ERROR:
            raise
        raise UnreadableImage(
            "the PDF is protected by a password; save a copy without one"
        ) from error
    return len(document), lambda n: _render(document, n)


def _render(document: Any, number: int) -> Bgr:
    page = document[number]
    try:
        bitmap = page.render(scale=_scale(page))
        pixels = bitmap.to_numpy().copy()
        bitmap.close()
    finally:
        page.close()
    return np.asarray(pixels, np.uint8)


def _scale(page: Any) -> float:
    """Pixels per point: the resolution of the finest picture that covers a quarter of the page."""
    from pypdfium2 import raw

    width, height = page.get_size()
    finest = 0.0
    for image in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]):
        px_wide, px_high = image.get_px_size()
        if px_wide * px_high > limits.MAX_PIXELS:
            raise ImageTooLarge(
                "the page holds a picture of {width} × {height} pixels, but the limit is "
                "{most} megapixels; export it smaller",
                width=px_wide,
                height=px_high,
                most=limits.MAX_PIXELS // 1_000_000,
            )
        area = _area(image)
        if area > width * height / 4:
            finest = max(finest, sqrt(px_wide * px_high / area))
    longest = max(width, height)
    scale = min(finest or DPI / POINTS_PER_INCH, LONGEST_PX / longest)
    return float(scale - 0.5 / longest)  # sides are rounded up; one pixel more would blur a scan


def _area(image: Any) -> float:
    """A picture's area on its page in square points. Its bounds are those in the form around it,
    if any, which the page may draw at any size."""
    left, bottom, right, top = image.get_bounds()
    area = (right - left) * (top - bottom)
    while (image := image.container) is not None:
        matrix = image.get_matrix()
        area *= abs(matrix.a * matrix.d - matrix.b * matrix.c)
    return float(area)
