"""PNG, WebP, AVIF, TIFF, BMP and GIF → pixels, by Pillow."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from kdscan.imaging.limits import check_size, unknown_format
from kdscan.imaging.picture import Bgr

STRIP_PX = 512
"""Rows of a picture that are converted to BGR at a time."""

FORMATS = ("PNG", "WEBP", "AVIF", "TIFF", "BMP", "GIF")

SENSOR_BITS = 12
"""A 16-bit picture that uses at most this many bits contains raw sensor levels; shifted down like
any other it would be almost black."""

REDUCED_OR_MASK = 0b101
"""Bits of a TIFF page's NewSubfileType (TIFF 6.0, page 36): a smaller version of another page, or a
mask of one."""

THUMBNAIL_PX = 1000
"""Longer side of a raw photo's smaller version below which it is too small to read."""


def open_pillow(data: bytes) -> tuple[int, Callable[[int], Bgr]]:
    """Return the number of pages and the function page → (H, W, 3) uint8 BGR, upright.

    Raises `UnreadableImage`, `ImageTooLarge`, and all that Pillow raises.
    """
    with _bombs():
        try:
            image = Image.open(io.BytesIO(data), formats=FORMATS)
        except UnidentifiedImageError as error:
            raise unknown_format() from error
    check_size(*image.size)
    frames = _tiff_pages(image) if image.format == "TIFF" else [0]
    return len(frames), lambda page: _decode(image, frames[page])


def _tiff_pages(image: Any) -> list[int]:
    """The frames of a TIFF that are pages; if none is, those that are worth reading. A raw photo
    keeps its page where Pillow does not look, and at least a thumbnail here."""
    pages, smaller = [], []
    for frame in range(image.n_frames):
        with _bombs():
            image.seek(frame)
        if not int(image.tag_v2.get(ExifTags.Base.NewSubfileType, 0)) & REDUCED_OR_MASK:
            pages.append(frame)
        elif max(image.size) >= THUMBNAIL_PX or ExifTags.Base.SubIFDs not in image.tag_v2:
            smaller.append(frame)
    if not pages and not smaller:
        raise unknown_format()
    return pages or smaller


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
    if image.format == "TIFF":
        _mend_raw_modes(image)
    turned = image.getexif().get(ExifTags.Base.Orientation, 1) != 1
    upright = ImageOps.exif_transpose(image) if turned else image
    if upright.mode.startswith(("I", "F")):
        grey = _to_8_bit(_levels(upright, image))
        upright = Image.fromarray(255 - grey if _white_is_0(image) else grey)
    width, height = upright.size
    bgr = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, STRIP_PX):  # converting all at once takes 3 × the memory
        bottom = min(top + STRIP_PX, height)
        strip = upright.crop((0, top, width, bottom))
        bgr[top:bottom] = np.asarray(_opaque(strip).convert("RGB"))[..., ::-1]
    # Of coloured 16-bit pictures Pillow keeps the upper 8 bits.
    return _whitened(bgr, SENSOR_BITS - 8)


def _mend_raw_modes(image: Any) -> None:
    """Decode two kinds of TIFF as they were written: Pillow takes unpacked planes of 16 bits for
    planes of 8, and packed big-endian levels, which come in this machine's order, for big-endian.
    """
    big = image.tag_v2.prefix == b"MM"
    tiles, depths = [], image.tag_v2.get(ExifTags.Base.BitsPerSample, ())
    for tile in image.tile:
        mode, *others = tile.args
        if tile.codec_name == "raw" and len(mode) == 1 and 16 in depths:
            mode += ";16B" if big else ";16L"
        elif tile.codec_name == "libtiff" and mode.startswith(("I;", "F;")):
            mode = mode.replace("B", "N")
        tiles.append(tile._replace(args=(mode, *others)))
    image.tile = tiles


def _levels(upright: Image.Image, image: Any) -> NDArray[Any]:
    """Grey of more than 8 bits; Pillow takes unsigned levels of 32 bits in a TIFF for signed."""
    levels = np.asarray(upright)
    unsigned = image.format == "TIFF" and image.tag_v2.get(ExifTags.Base.SampleFormat, (1,))[0] == 1
    return levels.view(np.uint32) if unsigned and levels.dtype == np.int32 else levels


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
