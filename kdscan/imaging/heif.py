"""HEIC → pixels, by libheif; and which files in the same container are pictures that it reads."""

from __future__ import annotations

import io
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import UnreadableImage
from kdscan.imaging.photo import FORMATS, check_size

HEVC = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs"}
"""Brands of pictures and sequences coded by HEVC (ISO/IEC 23008-12, annex B.4)."""

AVIF = {b"avif", b"avis"}
"""Brands of pictures and sequences coded by AV1 (AV1 Image File Format, section 6)."""

ANY_CODING = {b"mif1", b"msf1"}
"""Brands of pictures and sequences of any coding (ISO/IEC 23008-12, section 10)."""

Bgr = NDArray[np.uint8]


def is_heif(data: bytes) -> bool:
    """Whether a file is a HEIF picture, by the brands listed at its start. Films, raw photos and
    many other files use the same container.

    Raises `UnreadableImage` for AVIF, which libheif's wheels do not decode.
    """
    if data[4:8] != b"ftyp":
        return False
    end = min(int.from_bytes(data[:4], "big"), len(data))
    brands = {data[8:12], *(data[at : at + 4] for at in range(16, end, 4))}
    if brands & AVIF and not brands & HEVC:
        raise UnreadableImage(
            "this is an AVIF picture, which kdscan does not read; save it as {formats}",
            formats=FORMATS,
        )
    return bool(brands & (HEVC | ANY_CODING))


def open_heif(data: bytes) -> Callable[[int], Bgr]:
    """The function page → (H, W, 3) uint8 BGR, upright; a HEIC has one page, its primary picture.

    Raises `UnreadableImage`, `ImageTooLarge`, and all that libheif raises.
    """
    import pillow_heif  # deferred: only HEIC files need it

    heif = pillow_heif.open_heif(io.BytesIO(data), bgr_mode=True)
    image = heif[heif.primary_index]
    check_size(*image.size)
    return lambda _: _decode(np.asarray(image))


def _decode(pixels: NDArray[np.uint8]) -> Bgr:
    # libheif has applied the rotation already; the EXIF orientation must not be applied again.
    if pixels.ndim == 2:
        return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_GRAY2BGR), np.uint8)
    if pixels.shape[2] == 4:
        alpha = pixels[..., 3:].astype(np.uint16)
        mixed = pixels[..., :3] * alpha + 255 * (255 - alpha)
        return (mixed // 255).astype(np.uint8)
    return np.ascontiguousarray(pixels)
