"""Image pyramid: a photo at half, quarter and eighth of its size, computed once for all stages.

Halving averages 2 × 2 pixels, which is almost free. The decoder yields the half of a large JPEG in
less than half the time (`kdscan.imaging.photo`), and the whole is decoded only if a stage needs it.
Point p of the photo lies at (p + .5) / 2**k - .5 on level k; an odd last row or column is dropped.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats, Photo

LEVELS = 4
"""Number of levels; level 0 is the photo. An eighth suffices for phones' pictures."""

_cache: WeakKeyDictionary[Photo, dict[int, NDArray[np.uint8]]] = WeakKeyDictionary()


def level(photo: Photo, k: int) -> NDArray[np.uint8]:
    """The photo halved k times, (H >> k, W >> k, 3) uint8; k from 0 to `LEVELS` - 1."""
    if k == 0:
        return photo.bgr
    levels = _cache.setdefault(photo, {})
    if k == 1 and photo.half is not None:
        return photo.half
    if k not in levels:
        h, w = photo.height >> k, photo.width >> k
        even = level(photo, k - 1)[: 2 * h, : 2 * w]
        levels[k] = np.asarray(cv2.resize(even, (w, h), interpolation=cv2.INTER_AREA), np.uint8)
    return levels[k]


def finest_decoded(photo: Photo) -> int:
    """The finest level available without decoding a large photo in full."""
    return 0 if photo.half is None else 1


def finest_for(photo: Photo, wide: float, enough: float) -> int:
    """The finest level needed to sample an object `wide` photo pixels across: `finest_decoded` if
    that has `enough` pixels across it, else level 0, the whole photo."""
    k = finest_decoded(photo)
    return k if wide / 2**k >= enough else 0


def level_for(photo: Photo, shrink: float) -> int:
    """The coarsest level that is still fine enough if `shrink` photo pixels become one, and has at
    least two pixels on each side (a photo of fewer is level 0)."""
    least = min(photo.width, photo.height)
    k = int(np.log2(max(shrink, 1.0)))
    return max(0, min(k, LEVELS - 1, least.bit_length() - 2))


def _source_for(photo: Photo, scale: float) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """The level from which to resize to a scale, and the width and height of the result."""
    size = (max(1, round(photo.width * scale)), max(1, round(photo.height * scale)))
    return level(photo, level_for(photo, 1 / scale)), size


def reduced(photo: Photo, longer: int) -> tuple[NDArray[np.uint8], float]:
    """The photo resized to `longer` pixels on its longer side, and the scale.

    Point p of the photo lies at (p + .5) * scale - .5.
    """
    scale = longer / max(photo.width, photo.height)
    fine, size = _source_for(photo, scale)
    how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(fine, size, interpolation=how), np.uint8), scale


def mapped(photo: Photo, matrix: Floats, longer: int) -> tuple[Photo, Floats]:
    """The photo with at most `longer` pixels on its longer side, then mapped linearly; its border
    pixels are replicated.

    matrix: (2, 2), applied to (x, y).
    Returns the complete mapped photo, and the (3, 3) matrix from its frame to the photo's.
    """
    small, scale = at_most(photo, longer)
    h, w = small.shape[:2]
    corners = np.array([(-0.5, -0.5), (w - 0.5, -0.5), (w - 0.5, h - 0.5), (-0.5, h - 0.5)])
    low, high = (corners @ matrix.T).min(0), (corners @ matrix.T).max(0)
    there = np.column_stack([matrix, -low - 0.5])
    size = (int(np.ceil(high[0] - low[0])), int(np.ceil(high[1] - low[1])))
    view = cv2.warpAffine(small, there, size, borderMode=cv2.BORDER_REPLICATE)
    back = np.linalg.inv(np.vstack([there, (0, 0, 1)]))
    shift = 0.5 / scale - 0.5
    larger = np.array([[1 / scale, 0, shift], [0, 1 / scale, shift], [0, 0, 1]])
    return Photo(np.asarray(view, np.uint8)), np.asarray(larger @ back)


def window(
    photo: Photo, low: Floats, high: Floats, longer: int
) -> tuple[Photo, tuple[int, int], int]:
    """A part of a photo, at the coarsest level with `longer` pixels on its longer side.

    low, high: (2,) x and y, photo frame: the part's top left and bottom right corners.
    Returns the part, the (x, y) of its corner in the photo, and `shrink`, the photo pixels per
    pixel: point p of the part lies at (p + .5) * shrink - .5 + corner. A large photo is not decoded
    in full for this, so the part may be half as fine as requested.
    """
    k = max(level_for(photo, float(max(high - low)) / longer), finest_decoded(photo))
    pixels = level(photo, k)
    x0, y0 = (int(v) for v in np.maximum(low, 0) / 2**k)
    x1, y1 = (int(v) + 1 for v in high / 2**k)
    return Photo(pixels[y0:y1, x0:x1]), (x0 << k, y0 << k), 1 << k


def at_most(photo: Photo, longer: int) -> tuple[NDArray[np.uint8], float]:
    """The photo `reduced` to `longer` pixels, or as it is if it has no more, and the scale."""
    if max(photo.width, photo.height) <= longer:
        return photo.bgr, 1.0
    return reduced(photo, longer)


def grey_at_most(photo: Photo, longer: int) -> tuple[NDArray[np.uint8], float]:
    """As `at_most`, but grey and without area averaging, which printed codes do not need and which
    takes seven times as long."""
    scale = min(1.0, longer / max(photo.width, photo.height))
    fine, size = _source_for(photo, scale)
    return np.asarray(cv2.resize(cv2.cvtColor(fine, cv2.COLOR_BGR2GRAY), size), np.uint8), scale
