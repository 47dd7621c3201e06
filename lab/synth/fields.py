"""Random choices, smooth fields and colours, shared by all drawing code."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
Rng = np.random.Generator
T = TypeVar("T")
D = TypeVar("D", bound=np.generic)
Color = tuple[float, float, float]
"""Blue, green, red from 0 to 255, OpenCV's order."""

WHITE: Color = (255.0, 255.0, 255.0)

LUMA = np.array([0.114, 0.587, 0.299], np.float32)
"""Weights of blue, green and red in brightness (ITU-R BT.601)."""


SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
"""Corners, clockwise from the top left, of a square whose sides are 2."""


def noise(rng: Rng, shape: tuple[int, ...], bumps: float, stretch: float = 1.0) -> F32:
    """Smooth noise of about unit variance.

    shape: height and width. bumps: number of bumps along the longer side.
    stretch: how many times longer bumps are along x than along y.
    Returns (H, W) float32.
    """
    h, w = shape
    pitch = max(h, w) / max(bumps, 1.0)
    rows, cols = (min(n, round(n / p) + 3) for n, p in ((h, pitch), (w, pitch * stretch)))
    small = rng.standard_normal((max(rows, 2), max(cols, 2)), dtype=np.float32)
    return f32(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC))


def fractal(
    rng: Rng,
    shape: tuple[int, ...],
    bumps: float,
    octaves: int,
    stretch: float = 1.0,
    gain: float = 0.55,
) -> F32:
    """Sum of `octaves` noises, each twice as fine and `gain` times as strong; (H, W) float32."""
    total = noise(rng, shape, bumps, stretch)
    weight = 1.0
    for i in range(1, octaves):
        weight *= gain
        total += weight * noise(rng, shape, bumps * 2**i, stretch)
    return total / np.float32(np.sqrt((1 - gain ** (2 * octaves)) / (1 - gain**2)))


def paint(base_bgr: F32, tone: F32, other_bgr: F32) -> F32:
    """Blend two colours (3,) or pictures (H, W, 3) by `tone` (H, W), 0 giving the first; (H, W, 3)
    float32."""
    return base_bgr + tone[..., None] * (other_bgr - base_bgr)


def color(
    rng: Rng,
    saturation: tuple[float, float] = (0, 1),
    value: tuple[float, float] = (0, 1),
    hue: tuple[float, float] = (0, 360),
) -> F32:
    """A random colour from ranges of HSV; (3,) float32 BGR, 0..255."""
    h, s, v = rng.uniform(*hue) % 360, rng.uniform(*saturation), rng.uniform(*value)
    k = (np.array([1, 3, 5]) + h / 60) % 6  # blue, green, red
    bgr = 255 * (v - v * s * np.clip(np.minimum(k, 4 - k), 0, 1))
    return f32(bgr)


def shade(
    rng: Rng,
    saturation: tuple[float, float] = (0, 1),
    value: tuple[float, float] = (0, 1),
    hue: tuple[float, float] = (0, 360),
) -> Color:
    """As `color`, for OpenCV to draw with."""
    return as_bgr(color(rng, saturation, value, hue))


def rotation(angle: float) -> F64:
    """(2, 2): rotates points by `angle` radians from x towards y, as `rotation(a) @ xy`."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def toward(angle: ArrayLike) -> F64:
    """Unit vectors (..., 2) at angles in radians from x towards y."""
    return np.stack([np.cos(angle), np.sin(angle)], -1)


def points_at(path: F64, at: F64, places: F64 | None = None) -> F64:
    """Points (K, 2) at positions (K,) along a path (N, 2) whose own points lie at `places` (N,),
    or at 0, 1, 2 … if None."""
    own = np.arange(len(path)) if places is None else places
    return np.stack([np.interp(at, own, axis) for axis in path.T], 1)


def f32(values: ArrayLike) -> F32:
    """As float32."""
    return np.asarray(values, np.float32)


def u8(values: ArrayLike) -> U8:
    """As uint8; floats are cut off, not rounded."""
    return np.asarray(values, np.uint8)


def to_u8(image: F32) -> U8:
    """Clip to 0..255 and round."""
    return u8(cv2.convertScaleAbs(np.maximum(image, 0)))


def gaussian(picture: NDArray[D], sigma: float) -> NDArray[D]:
    """A picture (H, W) or (H, W, C), blurred."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), picture.dtype)


def stretched(
    picture: NDArray[D], size_wh: tuple[int, int], how: int = cv2.INTER_LINEAR
) -> NDArray[D]:
    """A picture at another size, bilinear."""
    return np.asarray(cv2.resize(picture, size_wh, interpolation=how), picture.dtype)


def shrunk(picture: NDArray[D], size_wh: tuple[int, int]) -> NDArray[D]:
    """A picture at a smaller size; each pixel is the mean of the area that it covers."""
    return stretched(picture, size_wh, cv2.INTER_AREA)


def scaled(picture: NDArray[D], factor: float) -> NDArray[D]:
    """A picture at a share of its size, as `shrunk`."""
    small = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return np.asarray(small, picture.dtype)


def plain_random(rng: Rng) -> random.Random:
    """A generator for the simulated games."""
    return random.Random(int(rng.integers(2**32)))


def any_of(rng: Rng, items: Sequence[T]) -> T:
    """One of some items, all equally likely."""
    return items[rng.integers(len(items))]


def weighted(rng: Rng, weights: Mapping[T, float]) -> T:
    """One of some items, by their weights."""
    shares = np.array(list(weights.values()))
    return list(weights)[int(rng.choice(len(shares), p=shares / shares.sum()))]


def log_uniform(rng: Rng, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def as_bgr(values: ArrayLike) -> Color:
    """Blue, green and red as plain numbers."""
    blue, green, red = (float(v) for v in np.asarray(values))
    return blue, green, red
