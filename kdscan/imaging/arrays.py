"""Small computations on whole arrays: probabilities, quantiles, colours and edges."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

_FINE = 0.0094  # cells: standard deviation of the blur that removes noise and hatching before edges
_EDGE_MAX = 4.0  # times the edges nearby; so a drawn line counts no more than a printed one
_LEVELS = np.arange(256) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)
_WHITE = np.array([0.950456, 1, 1.088754], np.float32)  # the point D65
_LAB = np.array([[0.0, 116, 0, -16], [500, -500, 0, 0], [0, 200, -200, 0]])


def sigmoid(logits: Any) -> NDArray[Any]:
    """The probabilities for logits (log odds), elementwise."""
    return np.asarray(1 / (1 + np.exp(-logits)))


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities along the last axis."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def median(values: NDArray[Any]) -> NDArray[Any]:
    """The median of finite numbers along the first axis.

    Like `quantile` faster than numpy's own, whose first use imports masked arrays.
    """
    low, high = (len(values) - 1) // 2, len(values) // 2
    ordered = np.sort(values, axis=0)  # twice as fast as a partition
    return np.asarray(np.mean(ordered[low : high + 1], axis=0))


def quantile(values: NDArray[Any], *shares: float) -> list[float]:
    """Quantiles (shares 0..1) of finite numbers, flattened, interpolated linearly."""
    at = [share * (values.size - 1) for share in shares]
    low = [int(place) for place in at]
    high = [min(place + 1, values.size - 1) for place in low]
    parted = np.partition(values.ravel(), [*low, *high])
    return [
        float(parted[i] + (place - i) * (parted[k] - parted[i]))
        for place, i, k in zip(at, low, high, strict=True)
    ]


def cielab(bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A picture (H, W, 3) in CIELAB, L from 0 to 100.

    OpenCV's own conversion fills tables on its first call, which takes 80 ms.
    """
    linear = cv2.LUT(bgr, _LINEAR.astype(np.float32))
    xyz = cv2.cvtColor(linear, cv2.COLOR_BGR2XYZ) / _WHITE
    dark = xyz * np.float32(24389 / 27 / 116) + np.float32(16 / 116)
    roots = np.where(xyz > 216 / 24389, cv2.pow(xyz, 1 / 3), dark)
    return np.asarray(cv2.transform(roots, _LAB), np.float32)


def encoded(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Levels that are proportional to the light, as cameras and screens have them (sRGB)."""
    curve = np.interp(_LEVELS, _LINEAR, np.arange(256))
    return np.asarray(cv2.LUT(bgr, curve.astype(np.uint8)), np.uint8)


def blur_widely(picture: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """A Gaussian blur of many pixels, computed at a quarter of the resolution."""
    h, w = picture.shape[:2]
    small = cv2.resize(picture, (w // 4, h // 4), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma / 4)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def edges(bgr: NDArray[np.uint8], px: int) -> NDArray[np.float32]:
    """(H, W) float32, 0..4: strength of colour edges relative to those nearby.

    Gradient magnitude in CIELAB over its mean within a third of a cell: so an outline is equally
    strong on sea and on sand. px: pixels per cell.
    """
    lab = cv2.GaussianBlur(cielab(bgr), (0, 0), _FINE * px)
    dx, dy = (cv2.Scharr(lab, cv2.CV_32F, *along, scale=1 / 32) for along in ((1, 0), (0, 1)))
    strength = np.sqrt(cv2.transform(dx * dx + dy * dy, np.ones((1, 3))))  # sum of L, a and b
    near = blur_widely(strength, px / 3) + 0.3
    return np.asarray(np.minimum(strength / near, _EDGE_MAX), np.float32)
