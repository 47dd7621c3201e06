"""A decoded photo, the types of arrays, and functions on them.

Frames of coordinates, used everywhere:

* **photo**: pixels of the upright photo (EXIF applied), origin at the top left
  corner of the picture, x right, y down; the centre of the first pixel lies at
  (0, 0). Arrays of points end in ``_xy``.
* **lattice**: the sheet's own grid as its reader sees it, in cells: x = column,
  y = row; the *centre* of the cell in row r and column c lies at (c, r), so the
  grid spans x from -0.5 to 6.5 and y from -0.5 to 4.5.
  A kingdom of tiles has its own lattice, with as many rows and columns as it may span.
* **sheet**: millimetres on the paper, origin at the top left corner of the page.

Arrays inside records cannot be written to: `FrozenArrays` marks them so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Bgr = NDArray[np.uint8]
"""A picture: (H, W, 3), blue, green and red."""

Plane = NDArray[np.float32]
"""A value for each pixel: (H, W)."""

Network = Callable[..., tuple[NDArray[np.float32], ...]]
"""A model: takes one float32 batch for each input, returns one array for each output."""


def sigmoid(logits: Any) -> NDArray[Any]:
    """The probabilities for logits (log odds), elementwise."""
    return np.asarray(1 / (1 + np.exp(-logits)))


def softmax(logits: Floats) -> Floats:
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


_FINE = 0.0094  # cells: standard deviation of the blur that removes noise and hatching before edges
_EDGE_MAX = 4.0  # times the edges nearby; so a drawn line counts no more than a printed one


_LEVELS = np.arange(256) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)
_WHITE = np.array([0.950456, 1, 1.088754], np.float32)  # the point D65
_LAB = np.array([[0.0, 116, 0, -16], [500, -500, 0, 0], [0, 200, -200, 0]])


def cielab(bgr: Bgr) -> NDArray[np.float32]:
    """A picture (H, W, 3) in CIELAB, L from 0 to 100.

    OpenCV's own conversion fills tables on its first call, which takes 80 ms.
    """
    linear = cv2.LUT(bgr, _LINEAR.astype(np.float32))
    xyz = cv2.cvtColor(linear, cv2.COLOR_BGR2XYZ) / _WHITE
    dark = xyz * np.float32(24389 / 27 / 116) + np.float32(16 / 116)
    roots = np.where(xyz > 216 / 24389, cv2.pow(xyz, 1 / 3), dark)
    return np.asarray(cv2.transform(roots, _LAB), np.float32)


def blur_widely(picture: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    """A Gaussian blur of many pixels, computed at a quarter of the resolution."""
    h, w = picture.shape[:2]
    small = cv2.resize(picture, (w // 4, h // 4), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma / 4)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)


def edges(bgr: Bgr, px: int) -> NDArray[np.float32]:
    """(H, W) float32, 0..4: strength of colour edges relative to those nearby.

    Gradient magnitude in CIELAB over its mean within a third of a cell: so an outline is equally
    strong on sea and on sand. px: pixels per cell.
    """
    lab = cv2.GaussianBlur(cielab(bgr), (0, 0), _FINE * px)
    dx, dy = (cv2.Scharr(lab, cv2.CV_32F, *along, scale=1 / 32) for along in ((1, 0), (0, 1)))
    strength = np.sqrt(cv2.transform(dx * dx + dy * dy, np.ones((1, 3))))  # sum of L, a and b
    near = blur_widely(strength, px / 3) + 0.3
    return np.asarray(np.minimum(strength / near, _EDGE_MAX), np.float32)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of `array` that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


class FrozenArrays:
    """Base of frozen records: arrays in them cannot be written to either."""

    def __post_init__(self) -> None:
        for name, value in list(vars(self).items()):
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, frozen(value))


class Photo:
    """A decoded picture: EXIF rotation applied, no alpha, 8 bit.

    It can be pickled, to be read by another process.

    name: where it came from, for people.
    page: page of a PDF or TIFF, from 0.
    width, height: pixels.
    half: (H / 2, W / 2, 3) uint8 if the file was first decoded at exactly half its size, else None.
    """

    def __init__(
        self,
        bgr: NDArray[np.uint8],
        name: str = "",
        page: int = 0,
        whole: Callable[[], NDArray[np.uint8]] | None = None,
    ) -> None:
        """bgr: (H, W, 3) uint8, channels in OpenCV's order. whole: decodes the picture in full, of
        which `bgr` then is the half."""
        self._picture = _picture(bgr)
        self.name, self.page, self._whole = name, page, whole
        times = 1 if whole is None else 2
        self.height, self.width = times * int(bgr.shape[0]), times * int(bgr.shape[1])

    def __reduce__(self) -> tuple[Callable[..., Photo], tuple[object, ...]]:
        return Photo, (self._picture, self.name, self.page, self._whole)

    def __repr__(self) -> str:
        page = f", page {self.page}" if self.page else ""
        return f"<Photo {self.name!r}{page}: {self.width} x {self.height}>"

    @property
    def half(self) -> NDArray[np.uint8] | None:
        return None if self._whole is None else self._picture

    @cached_property
    def bgr(self) -> NDArray[np.uint8]:
        """(H, W, 3) uint8, channels in OpenCV's order."""
        return self._picture if self._whole is None else _picture(self._whole())


def check_photo(given: object) -> None:
    """Raise TypeError unless a photo was given: paths, bytes and arrays have to be loaded first."""
    if not isinstance(given, Photo):
        kind = type(given).__name__
        raise TypeError(f"this is read from the photos that load_photos yields, not from a {kind}")


def _picture(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if not isinstance(bgr, np.ndarray):
        raise TypeError(f"a photo is an array, not a {type(bgr).__name__}; load_photos reads files")
    if bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        raise ValueError(f"a photo is (H, W, 3) uint8, not {bgr.shape} {bgr.dtype}")
    return frozen(bgr)
