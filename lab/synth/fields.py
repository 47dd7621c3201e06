"""What all drawing shares: random choices, noise and colours; rasters, polygons, a canvas in mm."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdscan.paper.layout import Point

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]
I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]
Size = tuple[int, int]
"""Width and height or, as a shape, height and width of a picture in pixels."""
Rng = np.random.Generator
T = TypeVar("T")
D = TypeVar("D", bound="np.integer[Any] | np.floating[Any]")
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


def shade(rng: Rng, *ranges: tuple[float, float]) -> Color:
    """As `color`, for OpenCV to draw with."""
    return as_bgr(color(rng, *ranges))


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


def stretched(picture: NDArray[D], size_wh: Size, how: int = cv2.INTER_LINEAR) -> NDArray[D]:
    """A picture at another size, bilinear."""
    return np.asarray(cv2.resize(picture, size_wh, interpolation=how), picture.dtype)


def shrunk(picture: NDArray[D], size_wh: Size) -> NDArray[D]:
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
    return items[int(rng.integers(len(items)))]


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


STEP, FINE = 8, 4
"""Photo pixels from node to node of the coarse and of the finer raster."""
FINE_SHIFT = 6.5
"""Node k of the finer raster lies at photo pixel FINE * k - FINE_SHIFT."""

SHIFT = 4
"""Fractional bits of the coordinates that OpenCV draws at: its accuracy is 1/16 of a pixel."""


class Coarse:
    """The coarse raster of a photo. xy: (rows, cols, 2) float64, photo pixels of the nodes; node
    (i, j) lies at (8 j - 4.5, 8 i - 4.5)."""

    def __init__(self, size_wh: Size) -> None:
        self.w, self.h = size_wh
        self.cols, self.rows = -(-self.w // STEP) + 2, -(-self.h // STEP) + 2
        x, y = np.arange(self.cols) * STEP - 4.5, np.arange(self.rows) * STEP - 4.5
        self.xy: F64 = np.stack(np.meshgrid(x, y), -1)

    @property
    def fine_shape(self) -> tuple[int, int]:
        """Rows and columns of the finer raster."""
        return 2 * self.rows, 2 * self.cols

    def full(self, field: F32) -> F32:
        """Interpolate from the coarse or the finer raster to all pixels of the photo."""
        step = STEP if field.shape[0] == self.rows else FINE
        return grow(field, step)[: self.h, : self.w]


def to_fine(photo_xy: F64) -> F64:
    """Photo pixels (..., 2) to indices (column, row) on the finer raster."""
    return (photo_xy + FINE_SHIFT) / FINE


def finer(field: F32) -> F32:
    """Interpolate from the coarse raster to the finer one."""
    h, w = field.shape[:2]
    return f32(cv2.resize(field, (2 * w, 2 * h)))


def grow(field: F32, step: int) -> F32:
    """Interpolate a block of nodes, `step` pixels apart, to the pixels inside it."""
    h, w = field.shape[:2]
    big = cv2.resize(field, (w * step, h * step), interpolation=cv2.INTER_LINEAR)
    return f32(big[STEP:-STEP, STEP:-STEP])


def fixed(points: F64) -> NDArray[np.int32]:
    """Pixels (..., 2) as fixed-point numbers with `SHIFT` fractional bits."""
    return np.round(points * (1 << SHIFT)).astype(np.int32)


def fill_into(mask: U8, polygon: F64, value: int | tuple[int, ...] = 255) -> None:
    """Fill the polygon (K, 2) in `mask`, in place."""
    points = fixed(np.clip(polygon, -20000, 20000))
    cv2.fillPoly(mask, [points], value, cv2.LINE_AA, SHIFT)


def unit(mask: U8) -> F32:
    """A mask of 0..255 as 0..1."""
    return f32(mask * np.float32(1 / 255))


def fill(shape: Size, polygon: F64) -> U8:
    """Mask (H, W), 255 inside the polygon (K, 2)."""
    mask = np.zeros(shape, np.uint8)
    fill_into(mask, polygon)
    return mask


def blur(image: F32, sigma: float) -> F32:
    """Gaussian blur by `sigma` pixels, computed at reduced size if it is wide."""
    if sigma < 0.3:
        return image
    if sigma <= 6:
        return f32(cv2.GaussianBlur(image, (0, 0), sigma))
    h, w = image.shape[:2]
    size = (max(2, round(w * 3 / sigma)), max(2, round(h * 3 / sigma)))
    small = cv2.GaussianBlur(cv2.resize(image, size, interpolation=cv2.INTER_AREA), (0, 0), 3.0)
    return f32(cv2.resize(small, (w, h)))


def lit(image: U8, factor: F32) -> U8:
    """`image` times `factor` (H, W, 3) or (H, W), clipped."""
    return u8(cv2.multiply(image, _in_color(factor), dtype=cv2.CV_8U))


def added(image: U8, extra: F32) -> U8:
    """`image` plus `extra` (H, W, 3) or (H, W), clipped."""
    return u8(cv2.add(image, _in_color(extra), dtype=cv2.CV_8U))


def _in_color(field: F32) -> F32:
    return f32(cv2.merge([field] * 3)) if field.ndim == 2 else field


def blend_into(view: U8, picture: U8, weight: F32) -> None:
    """Blend `picture` into `view` (H, W, 3) with `weight` (H, W), 0..1, in place."""
    view[:] = cv2.blendLinear(picture, np.ascontiguousarray(view), weight, 1 - weight)


def wash(view: U8, color: Color | F32 | F64, weight: F32) -> None:
    """Blend one colour (3,) into `view`, in place; `weight` as in `blend_into`."""
    flat: U8 = np.empty_like(view)
    flat[:] = np.round(color)
    blend_into(view, flat, weight)


def looked_up(picture: NDArray[D], x_y: F32, border: int = cv2.BORDER_REPLICATE) -> NDArray[D]:
    """Look up `picture` (H, W, C) at (h, w, 2) columns and rows, bilinear."""
    linear, at = cv2.INTER_LINEAR, np.ascontiguousarray(x_y)
    # the stubs ask for a second map, which remap takes to be absent only when it is None
    found = cv2.remap(picture, at, None, linear, borderMode=border)  # type: ignore[call-overload]
    return np.asarray(found, picture.dtype)


class Canvas:
    """Draws on a page, (H, W, 3) or (H, W) uint8, at points in mm from its top left corner."""

    def __init__(self, page: U8, px_per_mm: float) -> None:
        self.page, self.scale = page, px_per_mm

    def px(self, points: Iterable[Point]) -> NDArray[np.int32]:
        return fixed(np.array(list(points)) * self.scale - 0.5)

    def width(self, mm: float) -> int:
        return max(1, round(mm * self.scale))

    def fill(self, points: Iterable[Point], color: Color, opacity: float = 1.0) -> None:
        outline = self.px(points)
        with self._through(outline, 0, opacity):
            cv2.fillPoly(self.page, [outline], color, cv2.LINE_AA, SHIFT)

    def outline(self, points: Iterable[Point], color: Color, mm: float) -> None:
        cv2.polylines(self.page, [self.px(points)], True, color, self.width(mm), cv2.LINE_AA, SHIFT)

    def line(self, points: Iterable[Point], color: Color, mm: float, opacity: float = 1.0) -> None:
        path, thick = self.px(points), self.width(mm)
        with self._through(path, thick, opacity):
            cv2.polylines(self.page, [path], False, color, thick, cv2.LINE_AA, SHIFT)

    def circle(
        self, at: Point, radius: float, color: Color, mm: float | None, opacity: float = 1.0
    ) -> None:
        center = self.px([at])
        x, y = (int(v) for v in center[0])
        r = round(radius * self.scale * (1 << SHIFT))
        thick = -1 if mm is None else self.width(mm)
        with self._through(center, (r >> SHIFT) + max(thick, 0), opacity):
            cv2.circle(self.page, (x, y), r, color, thick, cv2.LINE_AA, SHIFT)

    @contextmanager
    def _through(self, points: NDArray[np.int32], margin: int, opacity: float) -> Iterator[None]:
        """Let the page show through whatever is drawn within `margin` pixels of `points`."""
        if opacity >= 1:
            yield
            return
        low = np.maximum((points.min(0) >> SHIFT) - margin - 2, 0)
        high = np.maximum((points.max(0) >> SHIFT) + margin + 3, 0)
        patch = self.page[low[1] : high[1], low[0] : high[0]]
        before = patch.copy()
        yield
        if patch.size:
            patch[:] = cv2.addWeighted(patch, opacity, before, 1 - opacity, 0)

    def text(self, at: Point, text: str, size_mm: float, color: Color, rng: Rng) -> None:
        faces = [cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SIMPLEX]
        if rng.random() < 0.3:
            faces = [cv2.FONT_HERSHEY_SCRIPT_COMPLEX]
        face = any_of(rng, faces)
        scale = size_mm * self.scale / 22
        (w, h), _ = cv2.getTextSize(text, face, scale, 1)
        x, y = at[0] * self.scale - w / 2, at[1] * self.scale + h / 2
        thick = max(1, round(scale * 1.3))
        cv2.putText(self.page, text, (int(x), int(y)), face, scale, color, thick, cv2.LINE_AA)


def smooth_noise(rng: Rng, shape: Size, cells: float) -> F32:
    """Noise of about unit variance, `cells` bumps across the longer side; (H, W) float32. As
    `lab.synth.fields.noise`, but it draws other numbers: seeds of trained sets depend on it."""
    h, w = shape
    k = max(h, w) / max(cells, 1)
    small = f32(rng.normal(0, 1, (max(2, round(h / k) + 2), max(2, round(w / k) + 2))))
    return f32(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC))
