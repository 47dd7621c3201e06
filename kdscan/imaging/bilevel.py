"""Black and white pictures without greys: text mode of scanners and of scanning apps.

Pencil and pale pens are lost in them. If the threshold between black and white follows the paper's
illumination, as in most apps, a filled shield becomes hollow and looks empty.
"""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.imaging.picture import Floats, Photo
from kdscan.imaging.pyramid import finest_decoded, level

BLACK, WHITE = 24, 232
"""Grey levels: anything darker is black, anything lighter white; a JPEG blurs both a little."""

MOST_GREY = 0.06
"""Largest share of pixels between the two in a bilevel picture. It is 0.04 at most in 208 such
pictures of maps, saved as JPEG of quality 60 or more; at least 0.09 in 72 pictures from an app that
whitens paper but keeps greys, 0.14 in 232 other photos, and 0.09 in a rendering of our own sheet's
PDF."""

_MOST_HALVED = 0.2
"""The same after averaging 2 × 2 pixels, which turns edges grey: at most 0.19 in 104 pictures."""

_STEP = 3
"""Pixels from one that is examined to the next, along rows and columns."""


def is_bilevel(photo: Photo, outline_xy: Floats) -> bool:
    """Whether a map has next to no grey; outline_xy: (4, 2), photo frame.

    A large photo is decoded in full only if its half has few greys.
    """
    k = finest_decoded(photo)
    if k and _grey_share(photo, outline_xy, k) > _MOST_HALVED:
        return False
    return _grey_share(photo, outline_xy, 0) <= MOST_GREY


def _grey_share(photo: Photo, outline_xy: Floats, k: int) -> float:
    low, high = np.maximum(outline_xy.min(0), 0) / 2**k, np.maximum(outline_xy.max(0), 0) / 2**k
    (x0, y0), (x1, y1) = low.astype(int), np.ceil(high).astype(int)
    part = level(photo, k)[y0 : y1 + 1 : _STEP, x0 : x1 + 1 : _STEP]
    if part.size == 0:
        return 1.0
    grey = cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_BGR2GRAY)
    return float(np.mean((grey >= BLACK) & (grey < WHITE)))
