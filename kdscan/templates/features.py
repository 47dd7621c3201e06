"""Features of prints: normalised local contrast and edges, which do not depend on illumination, and
derivatives of a period."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

_NEAR = 0.12  # cells: variation on a wider scale is normalised out
_WIDE_PX = 16  # pixels per cell at which that wide variation is computed
_NOISE = 3.0  # grey levels: contrast below this is not amplified
_FINE = 0.0094  # cells: standard deviation of the blur that removes noise and hatching before edges
_EDGE_MAX = 4.0  # times the edges nearby; so a drawn line counts no more than a printed one
_SIGMA = 1.4  # pixels, of the derivatives

Maps = NDArray[np.float32]
"""Some maps of a picture, (N, H, W)."""


def normalize_contrast(bgr: NDArray[np.uint8], px: int) -> NDArray[np.uint8]:
    """(H, W) uint8 around 128: a picture's grey with normalised local mean and contrast.

    px: pixels per cell, a multiple of `_WIDE_PX`.
    """
    grey = cv2.GaussianBlur(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY), (0, 0), 0.7).astype(np.float32)
    size = grey.shape[1::-1]
    away = grey - np.asarray(cv2.resize(_local_mean(grey, px), size), np.float32)
    spread = np.sqrt(_local_mean(away * away, px)) + _NOISE
    away *= cv2.resize(45 / spread, size)
    away += 128
    return np.asarray(np.clip(away, 0, 255, out=away), np.uint8)


def _local_mean(values: NDArray[np.float32], px: int) -> NDArray[np.float32]:
    """The mean nearby, computed at `_WIDE_PX` pixels per cell, which is fine enough."""
    scale = _WIDE_PX / px
    small = cv2.resize(values, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small, (0, 0), _NEAR * _WIDE_PX), np.float32)


def cielab(bgr: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A picture (H, W, 3) in CIELAB, L from 0 to 100."""
    scaled = bgr.astype(np.float32) / np.float32(255)
    return np.asarray(cv2.cvtColor(scaled, cv2.COLOR_BGR2LAB), np.float32)


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


def blur_widely(picture: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """A Gaussian blur of many pixels, computed at a quarter of the resolution."""
    h, w = picture.shape[:2]
    small = cv2.resize(picture, (w // 4, h // 4), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma / 4)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def derivatives(channel: NDArray[np.float32]) -> tuple[Maps, Maps]:
    """First (2, H, W) and second (3, H, W: xx, xy, yy) derivatives of a period, per pixel."""
    pad = 8
    wide = np.pad(channel, pad, mode="wrap")
    smooth = cv2.GaussianBlur(wide, (0, 0), _SIGMA)
    dx, dy = (cv2.Sobel(smooth, cv2.CV_32F, *a, ksize=3, scale=1 / 8) for a in ((1, 0), (0, 1)))
    second = [
        cv2.Sobel(d, cv2.CV_32F, *a, ksize=3, scale=1 / 8)
        for d, a in ((dx, (1, 0)), (dx, (0, 1)), (dy, (0, 1)))
    ]
    cut = np.s_[:, pad:-pad, pad:-pad]
    first, second_ = np.stack([dx, dy])[cut], np.stack(second)[cut]
    return np.asarray(first, np.float32), np.asarray(second_, np.float32)


def energy_of(channel: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W): edge energy of one channel (H, W) of a period, as large on a line's centre as at a
    step."""
    (dx, dy), (xx, xy, yy) = derivatives(channel)
    bends = xx * xx + 2 * xy * xy + yy * yy
    return np.asarray(np.sqrt(dx * dx + dy * dy + (2 * _SIGMA) * bends), np.float32)
