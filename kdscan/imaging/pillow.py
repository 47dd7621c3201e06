"""PNG, WebP, AVIF, TIFF, BMP and GIF → pixels, by Pillow."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from kdscan.imaging.photo import check_size, unknown

STRIP_PX = 512
"""Rows of a picture that are converted to BGR at a time."""

FORMATS = ("PNG", "WEBP", "AVIF", "TIFF", "BMP", "GIF")

SENSOR_BITS = 12
"""A 16-bit picture that uses at most this many bits contains raw sensor levels; shifted down like
any other it would be almost black."""

REDUCED_OR_MASK = 0b101
"""Bits of a TIFF page's NewSubfileType (TIFF 6.0, page 36): a smaller version of another page, or a
mask of one."""

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
    frames = _tiff_pages(image) if image.format == "TIFF" else [0]
    return len(frames), lambda page: _decode(image, frames[page])


def _tiff_pages(image: Any) -> list[int]:
    """The frames of a TIFF that are pages; all of them if none is."""
    frames = list(range(image.n_frames))
    pages = []
    for frame in frames:
        with _bombs():
            image.seek(frame)
        if not int(image.tag_v2.get(ExifTags.Base.NewSubfileType, 0)) & REDUCED_OR_MASK:
            pages.append(frame)
    return pages or frames


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
        grey = _to_8_bit(np.asarray(upright))
        upright = Image.fromarray(255 - grey if _white_is_0(image) else grey)
    width, height = upright.size
    bgr = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, STRIP_PX):  # converting all at once takes 3 × the memory
        bottom = min(top + STRIP_PX, height)
        strip = upright.crop((0, top, width, bottom))
        bgr[top:bottom] = np.asarray(_opaque(strip).convert("RGB"))[..., ::-1]
    # Of coloured 16-bit pictures Pillow keeps the upper 8 bits.
    return _whitened(bgr, SENSOR_BITS - 8)


def _white_is_0(image: Any) -> bool:
    """Whether the least level of a TIFF is white, which Pillow observes up to 8 bits alone."""
    levels = ExifTags.Base.PhotometricInterpretation
    return bool(image.format == "TIFF" and image.tag_v2.get(levels) == 0)


def _opaque(image: Image.Image) -> Image.Image:
    if image.mode == "La":  # grey already multiplied by its opacity
        image = image.convert("LA")
    if not image.has_transparency_data:
        return image
    white = Image.new("RGBA", image.size, "white")
    white.alpha_composite(image.convert("RGBA"))
    return white


def _to_8_bit(grey: NDArray[Any]) -> Bgr:
    """Convert grey of more than 8 bits to 8; types without a fixed white level are stretched to
    0..255."""
    if (grey.dtype.kind, grey.dtype.itemsize) == ("u", 2):  # of either byte order
        return np.asarray(_whitened(grey, SENSOR_BITS) >> 8, np.uint8)
    values = np.nan_to_num(grey.astype(np.float64))
    low, high = values.min(), values.max()
    return np.asarray((values - low) * (255 / max(high - low, 1e-12)), np.uint8)


def _whitened(levels: NDArray[Any], most_bits: int) -> NDArray[Any]:
    """Levels that use at most `most_bits`, shifted up until they use all bits of their type."""
    used = int(levels.max()).bit_length()
    return levels << (8 * levels.itemsize - used) if 0 < used <= most_bits else levels
