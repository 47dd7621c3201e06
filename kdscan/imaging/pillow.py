"""PNG, WebP and TIFF → pixels, by Pillow."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from kdscan.imaging.photo import check_size, unknown

STRIP_PX = 512
"""Rows of a picture that are converted to BGR at a time."""

FORMATS = ("PNG", "WEBP", "TIFF")

Bgr = NDArray[np.uint8]


def open_pillow(data: bytes) -> tuple[int, Callable[[int], Bgr]]:
    """Return the number of pages and the function page → (H, W, 3) uint8 BGR, upright.

    Raises `UnreadableImage`, `ImageTooLarge`, and all that Pillow raises.
    """
    with _bombs():
        try:
            image = Image.open(io.BytesIO(data), formats=FORMATS)
        except UnidentifiedImageError as error:
            raise unknown() from error
    check_size(*image.size)
    count = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
    return count, partial(_decode, image)


@contextmanager
def _bombs() -> Iterator[None]:
    """Turn Pillow's decompression bomb error into a MemoryError."""
    try:
        yield
    except Image.DecompressionBombError as error:
        raise MemoryError from error


def _decode(image: Image.Image, page: int) -> Bgr:
    with _bombs():
        image.seek(page)
    check_size(*image.size)
    turned = image.getexif().get(ExifTags.Base.Orientation, 1) != 1
    upright = ImageOps.exif_transpose(image) if turned else image
    if upright.mode.startswith(("I", "F")):
        upright = Image.fromarray(_to_8_bit(np.asarray(upright)))
    width, height = upright.size
    bgr = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, STRIP_PX):  # in strips: converting at once takes memory threefold
        bottom = min(top + STRIP_PX, height)
        strip = upright.crop((0, top, width, bottom))
        bgr[top:bottom] = np.asarray(_opaque(strip).convert("RGB"))[..., ::-1]
    return bgr


def _opaque(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image
    white = Image.new("RGBA", image.size, "white")
    white.alpha_composite(image.convert("RGBA"))
    return white


def _to_8_bit(grey: NDArray[Any]) -> Bgr:
    """Grey of more than 8 bits to 8; types without a fixed white level are stretched to 0..255."""
    if (grey.dtype.kind, grey.dtype.itemsize) == ("u", 2):  # of either byte order
        return np.asarray(grey >> 8, np.uint8)
    values = np.nan_to_num(grey.astype(np.float64))
    low, high = values.min(), values.max()
    return np.asarray((values - low) * (255 / max(high - low, 1e-12)), np.uint8)
