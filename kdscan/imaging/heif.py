"""HEIC → pixels, by libheif."""

from __future__ import annotations

import io
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.limits import check_size
from kdscan.imaging.picture import Bgr


def open_heif(data: bytes) -> Callable[[int], Bgr]:
    """The function page → (H, W, 3) uint8 BGR, upright; a HEIC has one page, its primary picture.

    Raises `UnreadableImage`, `ImageTooLarge`, and all that libheif raises.
    """
    import pillow_heif  # deferred: only HEIC files need it

    heif = pillow_heif.open_heif(io.BytesIO(data), bgr_mode=True)
    image = heif[heif.primary_index]
    check_size(*image.size)
    return lambda _: _decode(np.asarray(image))


def _decode(pixels: NDArray[np.uint8] | NDArray[np.uint16]) -> Bgr:
    # libheif has applied the rotation already; the EXIF orientation must not be applied again.
    if pixels.ndim == 2:
        # Of all pictures with more than 8 bits, pillow_heif gives 16 for grey ones alone.
        grey = pixels >> 8 if pixels.dtype == np.uint16 else pixels
        return np.asarray(cv2.cvtColor(grey.astype(np.uint8), cv2.COLOR_GRAY2BGR), np.uint8)
    if pixels.shape[2] == 4:
        alpha = pixels[..., 3:].astype(np.uint16)
        mixed = pixels[..., :3] * alpha + 255 * (255 - alpha)
        return (mixed // 255).astype(np.uint8)
    return np.ascontiguousarray(pixels)
