"""The smooth mapping between the lattice and the photo that the cells' centres define.

A homography is fitted to the centres; their residuals, interpolated bilinearly, follow curl and
folds. The sheet is rectified by sampling the photo through both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats, FrozenArrays, Photo, median
from kdscan.imaging.pyramid import finest_for, level, level_for
from kdscan.rules.duel.board import COLS, ROWS


@dataclass(frozen=True, eq=False)
class RectifiedSheet(FrozenArrays):
    """The grid rectified and upright, at a fixed number of pixels per cell.

    bgr: (H, W, 3) uint8; see `kdscan.imaging.rectify` for pixels per cell and margin.
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
    x, y = (float(v) for v in point_xy)
    return cv2.pointPolygonTest(corners_xy.astype(np.float32), (x, y), False) >= 0


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
    right, bottom = cols - 0.5, rows - 0.5
    corners = np.array([[(-0.5, -0.5), (right, -0.5), (right, bottom), (-0.5, bottom)]])
    return np.asarray(lattice_to_photo(centers, corners)[0])


def cell_corners(centers_xy: Floats) -> Floats:
    """(R + 1, C + 1, 2): corners of cells with centres (R, C, 2): means of four, extrapolated
    outwards."""
    wide = np.pad(centers_xy, ((1, 1), (1, 1), (0, 0)), mode="reflect", reflect_type="odd")
    return np.asarray((wide[:-1, :-1] + wide[1:, :-1] + wide[:-1, 1:] + wide[1:, 1:]) / 4)
