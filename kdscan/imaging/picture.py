"""A decoded photo, its pyramid, and the view of a sheet in it from straight above.

Frames of coordinates, used everywhere:

* **photo**: pixels of the upright photo (EXIF applied), origin at the top left
  corner of the picture, x right, y down; the centre of the first pixel lies at
  (0, 0). Arrays of points end in ``_xy``.
* **lattice**: the sheet's own grid as its reader sees it, in cells: x = column,
  y = row; the *centre* of the cell in row r and column c lies at (c, r), so the
  grid spans x from -0.5 to 6.5 and y from -0.5 to 4.5.
  A kingdom of tiles has its own lattice, with as many rows and columns as it may span.
* **sheet**: millimetres on the paper, origin at the top left corner of the page.

The cells' centres define a smooth mapping between lattice and photo: a homography is fitted to
them; their residuals, interpolated bilinearly, follow curl and folds. The sheet is rectified by
sampling the photo through both. Arrays inside records cannot be written to: `FrozenArrays` marks
them so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import median
from kdscan.rules.duel.board import COLS, ROWS

Floats = NDArray[np.float64]

Bgr = NDArray[np.uint8]
"""A picture: (H, W, 3), blue, green and red."""

Plane = NDArray[np.float32]
"""A value for each pixel: (H, W)."""

Network = Callable[..., tuple[NDArray[np.float32], ...]]
"""A model: takes one float32 batch for each input, returns one array for each output."""


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
        self.height, self.width = (int(side) << (whole is not None) for side in bgr.shape[:2])

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


# Image pyramid: a photo at half, quarter and eighth of its size, computed once for all stages.
# Halving averages 2 × 2 pixels, which is almost free. The decoder yields the half of a large JPEG
# in less than half the time (`kdscan.imaging.photo`), and the whole is decoded only if a stage
# needs it. Point p of the photo lies at (p + .5) / 2**k - .5 on level k; an odd last row or column
# is dropped.

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
    return int(photo.half is not None)


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
    corners = (np.array([(0, 0), (w, 0), (w, h), (0, h)]) - 0.5) @ matrix.T
    there = np.column_stack([matrix, -corners.min(0) - 0.5])
    size = np.ceil(np.ptp(corners, axis=0)).astype(int).tolist()
    view = cv2.warpAffine(small, there, size, borderMode=cv2.BORDER_REPLICATE)
    back = np.linalg.inv(np.vstack([there, (0, 0, 1)]))
    shift = 0.5 / scale - 0.5
    larger = np.array([[1 / scale, 0, shift], [0, 1 / scale, shift], [0, 0, 1]])
    return Photo(np.asarray(view, np.uint8)), np.asarray(larger @ back)


def cut_out(
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


# The lattice and the view from straight above


@dataclass(frozen=True, eq=False)
class RectifiedSheet(FrozenArrays):
    """The grid rectified and upright, at a fixed number of pixels per cell.

    bgr: (H, W, 3) uint8; see `FLAT_PX` and `FLAT_MARGIN`.
    centers_xy: (R, C, 2) float64, photo frame: centre of each cell (the castle's
        too), after curl and folds were followed; (5, 7, 2) for a map.
    outline_xy: (4, 2) float64, photo frame: corners of the grid, as in SheetOutline.
    px_per_cell: resolution of the photo there, in photo pixels per cell.
    confidence: 0..1, probability that every cell is in place.
    """

    bgr: NDArray[np.uint8]
    centers_xy: NDArray[np.float64]
    outline_xy: NDArray[np.float64]
    px_per_cell: float
    confidence: float


@dataclass(frozen=True, eq=False)
class Ink(FrozenArrays):
    """The ink of a rectified sheet.

    probability: (H, W) float32, 0..1, of ink at each pixel of `RectifiedSheet.bgr`.
    pen_bgr: the pen's transmittance for blue, green and red, 0..1.
    """

    probability: NDArray[np.float32]
    pen_bgr: tuple[float, float, float]


FLAT_PX = 128
"""Pixels per cell of a rectified sheet."""
ENOUGH_PX = 100
"""Pixels per cell. If the half of a large photo has as many, the photo is not decoded in full: on
23 such photos, with up to 128 pixels per cell in the half, the log loss of totals was 0.03 either
way."""
FLAT_MARGIN = 0.125
"""Cells of margin around the grid of a rectified sheet: crops are 1.25 cells wide."""

STEP = 8
"""Rectified pixels between computed sampling points; the mapping is smooth, the rest is
interpolated."""

GRID_CORNERS = np.array([(-0.5, -0.5), (6.5, -0.5), (6.5, 4.5), (-0.5, 4.5)])
"""(4, 2) float64: the grid's corners in the lattice frame, in the order of `SheetOutline`."""


def _grid(xs: NDArray[Any], ys: NDArray[Any]) -> Floats:
    """(rows, cols, 2) float64, read-only: every combination of x and y, x first."""
    grid = np.stack(np.meshgrid(xs, ys), -1).astype(np.float64)
    grid.setflags(write=False)
    return grid


@cache
def lattice_points(rows: int, cols: int) -> Floats:
    """(rows, cols, 2) float64: the cells' centres in the lattice frame, x before y; read-only."""
    return _grid(np.arange(cols), np.arange(rows))


CENTERS = lattice_points(ROWS, COLS)
"""(5, 7, 2) float64: the centres of a map's cells in the lattice frame."""


def lattice_to_flat(lattice_xy: Floats, px_per_cell: float, margin: float) -> Floats:
    """Lattice points (..., 2) in the pixels of a rectified view; `margin` in cells, see
    `flatten`."""
    return np.asarray((lattice_xy + 0.5 + margin) * px_per_cell - 0.5, np.float64)


def lies_in(point_xy: Floats, corners_xy: Floats) -> bool:
    """Whether a point (2,) lies in a polygon (N, 2), or on its edge."""
    return cv2.pointPolygonTest(corners_xy.astype(np.float32), point_xy.tolist(), False) >= 0


def overlap(one_xy: Floats, other_xy: Floats) -> bool:
    """Whether the middle of either outline (N, 2) lies in the other."""
    return lies_in(one_xy.mean(0), other_xy) or lies_in(other_xy.mean(0), one_xy)


def project(homography: Floats, points_xy: Floats) -> Floats:
    """Apply a (3, 3) homography to points of shape (..., 2)."""
    p = points_xy @ homography[:, :2].T + homography[:, 2]
    return np.asarray(p[..., :2] / p[..., 2:])


def inverse(homography: Floats) -> Floats:
    """The inverse of a (3, 3) homography."""
    return np.asarray(np.linalg.inv(homography), np.float64)


def lattice_to_photo_homography(corners_xy: Floats) -> Floats:
    """(3, 3) homography from the lattice to the photo, from the grid's (4, 2) corners."""
    src, dst = GRID_CORNERS.astype(np.float32), np.asarray(corners_xy, np.float32)
    return np.asarray(cv2.getPerspectiveTransform(src, dst), np.float64)


def fit_homography(centers_xy: Floats) -> Floats:
    """(3, 3) homography from the lattice to (R, C, 2) photo centres, by least squares; read-only.

    Raises ValueError for centres on a line.
    """
    rows, cols = centers_xy.shape[:2]
    return _fit_cached(rows, cols, np.asarray(centers_xy, np.float64).tobytes())


@lru_cache(maxsize=32)
def _fit_cached(rows: int, cols: int, centers: bytes) -> Floats:
    """`fit_homography`, cached: the windows of one sheet need the same homography twenty times."""
    xy = np.frombuffer(centers, np.float64).reshape(-1, 2)
    h, _ = cv2.findHomography(lattice_points(rows, cols).reshape(-1, 2), xy, 0)
    if h is None:
        raise ValueError("centres lie on a line")
    fitted = np.asarray(h, np.float64)
    fitted.setflags(write=False)
    return fitted


def lattice_to_photo(centers_xy: Floats, points_xy: Floats) -> Floats:
    """Photo coordinates of lattice points, through curl and folds.

    centers_xy: (R, C, 2) photo frame. points_xy: (H, W, 2) lattice frame.
    Returns (H, W, 2) float64: the homography of the centres plus their residuals,
    bilinear between them and constant beyond.
    """
    h = fit_homography(centers_xy)
    residual = (centers_xy - project(h, lattice_points(*centers_xy.shape[:2]))).astype(np.float32)
    at = points_xy.astype(np.float32)
    bend = cv2.remap(
        residual, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return project(h, points_xy) + bend


def shift_cells(centers_xy: Floats, cells_xy: Floats) -> Floats:
    """Centres (R, C, 2), photo frame, each shifted by an offset (R, C, 2) in cells, or all by one
    of (2,)."""
    return lattice_to_photo(centers_xy, lattice_points(*centers_xy.shape[:2]) + cells_xy)


def flatten(
    photo: Photo,
    centers_xy: Floats,
    px_per_cell: int,
    margin: float,
    finest: int = 0,
    border: int = cv2.BORDER_REPLICATE,
) -> NDArray[np.uint8]:
    """Sample the photo through the lattice.

    centers_xy: (R, C, 2) photo frame. margin: in cells. finest: finest pyramid level to use.
    border: OpenCV's way to fill what lies outside the photo.
    Returns ((R + 2 margin) * px, (C + 2 margin) * px, 3) uint8; the centre of cell
    (r, c) lies at pixel ((c + .5 + margin) * px - .5, (r + .5 + margin) * px - .5).
    """
    rows, cols = centers_xy.shape[:2]
    grid, size_wh = sampling_grid(rows, cols, px_per_cell, margin, STEP)
    coarse = lattice_to_photo(centers_xy, grid)
    shrink = resolution(centers_xy) / px_per_cell
    return sample(photo, coarse, STEP, size_wh, shrink, finest, border)


@lru_cache(maxsize=16)
def sampling_grid(
    rows: int, cols: int, px_per_cell: int, margin: float, step: int
) -> tuple[Floats, tuple[int, int]]:
    """Every `step`-th pixel of a rectified sheet, (h, w, 2) lattice frame, and its width and height
    in pixels."""
    w, h = round((cols + 2 * margin) * px_per_cell), round((rows + 2 * margin) * px_per_cell)
    gx = (np.arange(0, w + step, step) + 0.5) / px_per_cell - 0.5 - margin
    gy = (np.arange(0, h + step, step) + 0.5) / px_per_cell - 0.5 - margin
    return _grid(gx, gy), (w, h)


def sample(
    photo: Photo,
    coarse: Floats,
    step: int,
    size_wh: tuple[int, int],
    shrink: float,
    finest: int = 0,
    border: int = cv2.BORDER_REPLICATE,
) -> NDArray[np.uint8]:
    """Sample the photo through a smooth mapping given at every `step`-th pixel from pixel 0.

    coarse: (rows, cols, 2) photo frame, reaching beyond the last pixel. shrink: photo pixels a
    pixel. finest, border: as in `flatten`.
    Returns (H, W, 3) uint8.
    """
    k = max(level_for(photo, shrink), finest)
    bgr = level(photo, k)
    rows, cols = coarse.shape[:2]
    matrix = np.array([[1 / step, 0, 0], [0, 1 / step, 0]], np.float64)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    crop, maps = [], []
    # One axis after the other: numpy is slow along short ones, OpenCV with both in one array.
    for axis, wide in enumerate(bgr.shape[1::-1]):
        at = (coarse[..., axis] + 0.5) / 2**k - 0.5
        low = int(np.clip(at.min() - 4, 0, wide - 1))
        crop.append(slice(low, int(np.clip(at.max() + 5, low + 1, wide))))
        small, whole_wh = (at - low).astype(np.float32), ((cols - 1) * step, (rows - 1) * step)
        maps.append(
            cv2.warpAffine(small, matrix, whole_wh, flags=flags, borderMode=cv2.BORDER_REPLICATE)
        )
    xs, ys = (np.asarray(whole)[: size_wh[1], : size_wh[0]] for whole in maps)
    out = cv2.remap(bgr[crop[1], crop[0]], xs, ys, cv2.INTER_LINEAR, borderMode=border)
    return np.asarray(out, np.uint8)


def resolution(centers_xy: Floats) -> float:
    """Median distance of neighbouring centres, in photo pixels per cell."""
    steps = [np.linalg.norm(np.diff(centers_xy, axis=axis), axis=-1).ravel() for axis in (1, 0)]
    return float(median(np.concatenate(steps)))


def rectify(
    photo: Photo,
    centers: Floats,
    confidence: float,
    px: int = FLAT_PX,
    enough_px: int = ENOUGH_PX,
    border: int = cv2.BORDER_REPLICATE,
) -> RectifiedSheet:
    """The sheet with these cell centres, (R, C, 2) photo frame, as seen from straight above.

    px: pixels per cell. enough_px: as `ENOUGH_PX`, which is for maps. border: as in `flatten`.
    """
    px_per_cell = resolution(centers)
    finest = finest_for(photo, px_per_cell, enough_px)
    bgr = flatten(photo, centers, px, FLAT_MARGIN, finest, border)
    return RectifiedSheet(bgr, centers, outline_of(centers), px_per_cell, confidence)


def outline_of(centers: Floats) -> Floats:
    """(4, 2): corners of the grid with these cell centres, (R, C, 2); both photo frame."""
    rows, cols = centers.shape[:2]
    corners = np.array([[(0, 0), (cols, 0), (cols, rows), (0, rows)]]) - 0.5
    return np.asarray(lattice_to_photo(centers, corners)[0])


def cell_corners(centers_xy: Floats) -> Floats:
    """(R + 1, C + 1, 2): corners of cells with centres (R, C, 2): means of four, extrapolated
    outwards."""
    wide = np.pad(centers_xy, ((1, 1), (1, 1), (0, 0)), mode="reflect", reflect_type="odd")
    return np.asarray((wide[:-1, :-1] + wide[1:, :-1] + wide[:-1, 1:] + wide[1:, 1:]) / 4)
