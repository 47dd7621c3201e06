"""Pixels to files: PNG losslessly, JPEG nearly so; neither has any metadata."""

from __future__ import annotations

from typing import Any

import cv2
from numpy.typing import NDArray


def png(picture: NDArray[Any]) -> bytes:
    """A picture, (H, W) or (H, W, 3) BGR, uint8 or uint16, as PNG."""
    return cv2.imencode(".png", picture)[1].tobytes()


def jpeg(picture: NDArray[Any], quality: int) -> bytes:
    """A picture, (H, W) or (H, W, 3) BGR, uint8, as JPEG; quality: 0 to 100."""
    return cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
