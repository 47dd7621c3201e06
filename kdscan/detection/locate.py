"""Stage: photo → outlines of the maps in it, without markers.

A network predicts for every 8 × 8 pixel patch of a thumbnail whether it lies on a map's grid,
where in the lattice, and how uncertain that is. Hundreds of such votes determine a homography by
RANSAC; votes displaced by curl or clutter are outliers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import sigmoid
from kdscan.imaging.picture import (
    GRID_CORNERS,
    Floats,
    FrozenArrays,
    Network,
    Photo,
    RectifiedSheet,
    cut_out,
    inverse,
    lies_in,
    mapped,
    project,
    reduced,
)
from kdscan.rules import Cell, Problem
from kdscan.rules.duel.board import CELLS, COLS, ROWS


@dataclass(frozen=True, eq=False)
class SheetOutline(FrozenArrays):
    """Where the map's grid lies in the photo, by a homography alone.

    corners_xy: (4, 2) float64, photo frame: top left, top right, bottom right,
        bottom left corner of the grid (lattice (-.5, -.5), (6.5, -.5), (6.5, 4.5),
        (-.5, 4.5)) as the reader of the sheet sees it.
    confidence: 0..1, probability that a map lies there.
    votes_xy: (2, 2) float64, photo frame: top left and bottom right corner of what looks like a map
        there, if known.
    """

    corners_xy: NDArray[np.float64]
    confidence: float
    votes_xy: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        if self.corners_xy.shape != (4, 2):
            raise ValueError(f"an outline has 4 corners, not {self.corners_xy.shape}")
        super().__post_init__()


THUMB_PX = 384
"""Longer side of the thumbnail that the network sees."""
STRIDE = 8
"""Thumbnail pixels between votes."""
LATTICE_SCALE = (3.5, 2.5)
"""Half the grid in cells: the network's u, v run from -1 to 1 across the grid."""
_MIDDLE = np.array([(COLS - 1) / 2, (ROWS - 1) / 2])

MIN_VOTES = 24
"""Regions with fewer votes are not maps: a map that fills a quarter of the frame has over 100."""
OUTLIER = 0.35
"""Cells: RANSAC's inlier threshold."""
MIN_AGREE = 0.4
"""Share of votes that must agree on one grid."""
TURNED_PX = 1536
"""Pixels: longer side of a photo that is rotated before it is searched."""
ZOOM_BELOW, ZOOM_MARGIN = 0.6, 0.35
"""A region that fills less than the first share of the frame is located again in a window around
it, with a margin of the second share of its size."""
WINDOW_MAPS = 1.7
"""Side of the windows in which further maps are searched, relative to the mean size of those found:
a small map with its margins fits."""
LEAST_WINDOW = 0.25
"""Least side of these windows, relative to the photo's longer side: 49 cover a square photo."""


def thumbnail(photo: Photo) -> tuple[NDArray[np.float32], float]:
    """The photo reduced to `THUMB_PX` on its longer side, padded to a whole number of strides.

    Returns (1, 3, h, w) float32, 0..1, BGR, h and w multiples of 32, and the scale
    (thumbnail pixels per photo pixel). Point p of the photo lies at (p + .5) * scale - .5.
    """
    small, scale = reduced(photo, THUMB_PX)
    height, width = small.shape[:2]
    out = np.zeros((-(-height // 32) * 32, -(-width // 32) * 32, 3), np.uint8)
    out[:height, :width] = small
    return np.ascontiguousarray(out.transpose(2, 0, 1)[None], np.float32) / np.float32(255), scale


@dataclass(frozen=True, eq=False)
class _Region:
    """The N votes of one connected region.

    photo_xy, lattice_xy: (N, 2), the same places in both frames. log_precision: (N,), minus the
    logarithm of the expected error in cells. confidence: mean probability of lying on a grid.
    """

    photo_xy: Floats
    lattice_xy: Floats
    log_precision: Floats
    confidence: float


class Located(NamedTuple):
    """What is found in a photo. outlines: of maps, the largest first. middles: (2,), photo frame,
    of all regions that seem to be maps, including those that no grid fits."""

    outlines: tuple[SheetOutline, ...]
    middles: tuple[Floats, ...]


def locate(photo: Photo, network: Network) -> Located:
    """Find the maps in a photo.

    A small map is processed twice: once to find it, and again in an enlarged window to place it.
    network: `thumbnail` → on-grid logit (1, 1, h, w), lattice place u, v (1, 2, h, w)
        from -1 to 1 across the grid, and the log of its expected error (1, 1, h, w).
    """
    regions = _regions(photo, (0, 0), 1, network)
    near = [_zoomed(photo, region, network) for region in regions]
    return Located(_outlines(near, ()), _middles(regions))


def locate_beside(photo: Photo, network: Network, known: Located) -> Located:
    """What was found in a photo with several maps, and further maps found in windows of it, which
    may be too small for the thumbnail of the whole photo.

    The windows overlap by half and have `WINDOW_MAPS` times the maps' mean size. A map that one
    window cuts off may be whole in another, which takes precedence. network: as for `locate`.
    """
    sizes = [float(np.ptp(one.corners_xy, axis=0).max()) for one in known.outlines]
    least = LEAST_WINDOW * max(photo.width, photo.height)
    side = max(WINDOW_MAPS * sum(sizes) / len(sizes), least)
    lefts, tops = (
        np.linspace(0, max(0.0, whole - side), max(1, math.ceil(2 * whole / side) - 1))
        for whole in (photo.width, photo.height)
    )
    regions = [
        region
        for low in (np.array([x, y]) for y in tops for x in lefts)
        for region in _regions(*cut_out(photo, low, low + side, THUMB_PX), network)
        if not any(lies_in(region.photo_xy.mean(0), one.corners_xy) for one in known.outlines)
    ]
    regions.sort(key=lambda one: -len(one.log_precision))
    return Located(_outlines(regions, known.outlines), known.middles + _middles(regions))


def _outlines(
    regions: Iterable[_Region], known: Sequence[SheetOutline]
) -> tuple[SheetOutline, ...]:
    """The known outlines and those of further regions, the largest first."""
    found = list(known)
    for region in regions:
        corners = _fit(region) if len(region.log_precision) >= MIN_VOTES else None
        if corners is not None and not any(lies_in(corners.mean(0), o.corners_xy) for o in found):
            votes = np.stack([region.photo_xy.min(0), region.photo_xy.max(0)])
            found.append(SheetOutline(corners, region.confidence, votes))
    return tuple(sorted(found, key=lambda one: -_area(one.corners_xy)))


def _middles(regions: Iterable[_Region]) -> tuple[Floats, ...]:
    return tuple(r.photo_xy.mean(0) for r in regions if len(r.log_precision) >= MIN_VOTES)


def locate_turned(photo: Photo, network: Network, turn: float) -> tuple[SheetOutline, ...]:
    """The outlines found in the photo rotated by `turn` radians, from x to y; in the frame of the
    unrotated photo."""
    c, s = np.cos(turn), np.sin(turn)
    view, back = mapped(photo, np.array([[c, -s], [s, c]]), TURNED_PX)
    seen = locate(view, network).outlines
    return tuple(SheetOutline(project(back, o.corners_xy), o.confidence) for o in seen)


def _regions(photo: Photo, corner: tuple[int, int], shrink: int, network: Network) -> list[_Region]:
    """Connected regions of map in a photo or a `cut_out` of it, in the frame of the whole photo.

    corner, shrink: as returned by `cut_out`.
    """
    thumb, scale = thumbnail(photo)
    on_grid, uv, log_error = network(thumb)
    confidence = sigmoid(on_grid[0, 0].astype(np.float64))
    count, label = cv2.connectedComponents((confidence > 0.5).astype(np.uint8), connectivity=4)
    regions = []
    for i in range(1, count):
        rows, cols = np.nonzero(label == i)
        if len(rows) < MIN_VOTES / 3:
            continue
        thumb_xy = (np.stack([cols, rows], -1).astype(np.float64) + 0.5) * STRIDE - 0.5
        lattice_xy = uv[0, :, rows, cols].astype(np.float64) * LATTICE_SCALE + _MIDDLE
        regions.append(
            _Region(
                photo_xy=(thumb_xy + 0.5) / scale * shrink - 0.5 + corner,
                lattice_xy=lattice_xy,
                log_precision=-log_error[0, 0, rows, cols].astype(np.float64),
                confidence=float(np.mean(confidence[rows, cols])),
            )
        )
    return regions


def _zoomed(photo: Photo, far: _Region, network: Network) -> _Region:
    """The same map located in a window around it, unless it fills the frame already."""
    low, high = far.photo_xy.min(0), far.photo_xy.max(0)
    side = float(max(high - low)) * (1 + 2 * ZOOM_MARGIN)
    if side > ZOOM_BELOW * max(photo.width, photo.height):
        return far
    middle = (low + high) / 2
    near = _regions(*cut_out(photo, middle - side / 2, middle + side / 2, THUMB_PX), network)

    def inside(region: _Region) -> int:
        """Votes within the original region: a neighbouring map may be larger."""
        return int(((region.photo_xy >= low) & (region.photo_xy <= high)).all(1).sum())

    return max(near, key=inside, default=far)


def _fit(region: _Region) -> Floats | None:
    """Corners (4, 2), photo frame, of the grid on which the most precise votes agree, or None."""
    photo_xy, lattice_xy, log_precision = region.photo_xy, region.lattice_xy, region.log_precision
    keep = np.argsort(-log_precision)[: max(MIN_VOTES, int(0.7 * len(log_precision)))]
    h: Any
    h, _ = cv2.findHomography(photo_xy[keep], lattice_xy[keep], cv2.RANSAC, OUTLIER)
    for _ in range(3):  # RANSAC's sample is rough: fit again to all that agree
        if h is None:
            return None
        error = np.linalg.norm(project(np.asarray(h, np.float64), photo_xy) - lattice_xy, axis=1)
        agree = error < OUTLIER
        if agree.mean() < MIN_AGREE:
            return None
        h, _ = cv2.findHomography(photo_xy[agree], lattice_xy[agree], 0)
    if h is None:
        return None
    to_lattice = np.asarray(h, np.float64)
    corners = project(inverse(to_lattice), GRID_CORNERS)
    middle = project(to_lattice, np.asarray(photo_xy.mean(0), np.float64))
    inside = bool(np.all(np.abs(middle - _MIDDLE) < np.array([COLS, ROWS])))
    if not inside or not cv2.isContourConvex(corners.astype(np.float32)) or _area(corners) <= 0:
        return None
    return corners


def _area(corners_xy: Floats) -> float:
    """Signed area of a polygon; positive when the corners run clockwise as seen."""
    x, y = corners_xy.T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2)


# What the picture's edge cuts off: cells outside the picture must not be scored silently.

CUT_OFF = "cut_off"
"""Code of the problem that names shields which the picture's edge cuts off."""

MIN_EDGE_DISTANCE = 0.25
"""Cells. A shield whose centre lies closer to the picture's edge than this, or outside, cannot be
read."""
MAX_BEYOND = 0.3
"""Cells. An outline that reaches further than this beyond the picture means a map that is cut
off."""

SIDES = ("left", "right", "top", "bottom")


def clipped_cells(photo: Photo, sheet: RectifiedSheet) -> tuple[Cell, ...]:
    """The shields that the picture's edge cuts off."""
    legible = legible_cells(photo, sheet.centers_xy, sheet.px_per_cell)
    return tuple(cell for cell in CELLS if not legible[cell])


def legible_cells(photo: Photo, centers_xy: Floats, px_per_cell: float) -> NDArray[np.bool_]:
    """(5, 7): cells that the picture's edge does not cut off. centers_xy: (5, 7, 2), photo
    frame."""
    nearest = edge_distances((photo.width, photo.height), centers_xy.reshape(-1, 2)).min(1)
    legible = nearest >= MIN_EDGE_DISTANCE * px_per_cell
    return np.asarray(legible).reshape(centers_xy.shape[:2])


def cut_sides(photo: Photo, outline: SheetOutline) -> tuple[str, ...]:
    """The sides of the picture (left, right, top, bottom) beyond which a map reaches: its outline
    does, and what looks like a map touches them. Without the latter, of 68 pictures of other games,
    forms and puzzles 28 would be maps that are cut off, not 4; of 35 halves of maps all are."""
    size_wh = photo.width, photo.height
    corners = outline.corners_xy
    cell = float(np.linalg.norm(np.diff(corners, axis=0), axis=1).mean()) / 6
    cut = edge_distances(size_wh, corners).min(0) < -MAX_BEYOND * cell
    if outline.votes_xy is not None:
        cut &= edge_distances(size_wh, outline.votes_xy).min(0) < STRIDE / THUMB_PX * max(size_wh)
    return tuple(side for side, beyond in zip(SIDES, cut, strict=True) if beyond)


def edge_distances(wh: tuple[int, int], points_xy: Floats) -> Floats:
    """(K, 4): pixels from each point to the four sides of a picture of that width and height, in
    the order of `SIDES`; negative outside the picture."""
    x, y = points_xy.T
    return np.stack([x, wh[0] - 1 - x, y, wh[1] - 1 - y], 1)


def map_cut_off(sides: Sequence[str]) -> tuple[Problem, ...]:
    """The problem reported for a sheet if a map beside it extends beyond these sides of the
    picture; none without sides."""
    if not sides:
        return ()
    edge = edges_text(sides)
    why = f"another map seems to reach beyond the {edge} of the picture; it was not read"
    return (Problem("map_cut_off", "warning", why),)


def edges_text(sides: Sequence[str]) -> str:
    """Sides for a message, each text as it is translated: "left edge", "left and top edges"."""
    if len(sides) > 2:
        return "edges"
    return f"{' and '.join(sides)} edge{'s' if len(sides) > 1 else ''}"
