"""Where lines, shield, circles and castle lie in a print, from what all of its cells share.

scikit-image labels and measures the regions that edges enclose; it is imported on use, because
only learning needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.prints.known import CellGeometry
from kdscan.prints.lattice import LATTICE_PX, PATCH, Patch
from kdscan.sheet.parts import Castle, LineStyle, Point, Polygon

THRESHOLDS = (0.45, 0.6, 0.8, 1.0, 1.25, 1.5, 1.8, 2.1)
"""What counts as an edge, times the mean edge nearby: veils have weak outlines."""
CIRCLE_RADIUS = (0.02, 0.11)
"""Cells, of a circle's inside. Printed circles have 0.04 to 0.09."""
SHIELD_AREA = (0.06, 0.8)
"""Cells², of a shield's inside."""
MOST_CIRCLES = 4
"""The rules let a shield have four crosses at most."""

_LINE = 0.55  # least edge, times those nearby, along a printed line between cells
_OVER_MOST, _OVER_ALL = 1.5, 1.1  # a line's profile over the median and the highest elsewhere
_RIM = 0.06  # cells beyond a region's inside within which its outline ends
_MIDDLE = PATCH * LATTICE_PX / 2 - 0.5


@dataclass(frozen=True)
class Described:
    """A cell's print. offset: cells, by which the lattice is off the lines between cells, None
    where no lines were found on that axis; geometry is told from the true centre."""

    offset: tuple[float | None, float | None]
    lines: LineStyle
    cell: CellGeometry


@dataclass(frozen=True, eq=False)
class _Region:
    """What edges enclose: its filled mask, in the patch, and how round and solid it is."""

    center_xy: tuple[float, float]
    radius: float  # pixels, of a disc of its area
    solidity: float
    roundness: float  # 1 for a disc
    box: tuple[int, int, int, int]  # x0, y0, x1, y1
    mask: NDArray[np.bool_]


def describe_cell(common: Patch) -> Described:
    """Lines, shield and circles in the edges that all cells share; see `Measured.common`."""
    off_x, ruled_x = _line_offset(common)
    off_y, ruled_y = _line_offset(common.T)
    middle = np.array(
        [_MIDDLE + (off_x or 0.0) * LATTICE_PX, _MIDDLE + (off_y or 0.0) * LATTICE_PX]
    )
    regions = [r for level in THRESHOLDS for r in _regions(common, level)]
    circles = _circles(common, regions, middle)
    shield = _shield(common, regions, circles, middle)
    style: LineStyle = "none"
    if off_x is not None or off_y is not None:
        style = "ruled" if max(ruled_x, ruled_y) > 0.8 else "dashed"
    centers = tuple(_in_cells(c.center_xy, middle) for c in circles)
    radius = float(np.median([_outline_radius(common, c) for c in circles])) if circles else 0.0
    cell = CellGeometry(shield, centers, radius / LATTICE_PX)
    return Described((off_x, off_y), style, cell)


def describe_castle(edge: Patch) -> Castle:
    """Roofs and keep, in cells from the castle's centre: what lines enclose above and below.

    edge: the castle's patch of the edges. Where nothing is enclosed, one roof stands for it.
    """
    best: list[_Region] = []
    for level in THRESHOLDS[2:]:
        found = [r for r in _regions(edge, level) if _may_be_castle(r)]
        best = found if len(found) > len(best) else best
    middle = np.array([_MIDDLE, _MIDDLE])
    polygons = [_polygon(r.mask, middle) for r in best]
    polygons = [p for p in polygons if len(p) >= 3]
    top = min((min(y for _, y in p) for p in polygons), default=0.0)
    roofs = tuple(p for p in polygons if min(y for _, y in p) < top + 0.2)
    keep = tuple(p for p in polygons if p not in roofs)
    return Castle(roofs or (((-0.3, 0.0), (0.0, -0.35), (0.3, 0.0)),), keep)


def _line_offset(common: Patch) -> tuple[float | None, float]:
    """Cells along x by which the lattice is off the lines between columns, None without lines;
    and the share of a line that is printed.

    A line runs through the whole patch, a shield's side does not: the profile is a low quantile
    along y, of edges that dashes are closed in.
    """
    closed = cv2.blur(cv2.GaussianBlur(common, (0, 0), 2.5), (1, round(0.2 * LATTICE_PX)))
    profile = np.quantile(closed, 0.1, axis=0)
    width = len(profile) - LATTICE_PX
    folded = (profile[:width] + profile[LATTICE_PX:]) / 2  # at both sides of the cell
    at = int(folded.argmax())
    away = np.abs(np.arange(width) - at)
    rest = folded[np.minimum(away, LATTICE_PX - away) > 9]
    if folded[at] < max(_LINE, _OVER_MOST * np.median(rest), _OVER_ALL * rest.max()):
        return None, 0.0
    near = np.arange(max(at - 4, 0), min(at + 5, width))
    weight = np.clip(folded[near] - folded[at] * 0.5, 0, None)
    where = float((near * weight).sum() / weight.sum())
    along = cv2.GaussianBlur(common, (0, 0), 1.5)[:, at : at + 1]
    printed = float(np.mean(along > 0.5 * np.quantile(along, 0.9)))
    return (where - (_MIDDLE - LATTICE_PX / 2)) / LATTICE_PX, printed


def _regions(edge: Patch, level: float) -> Iterator[_Region]:
    """What edges stronger than `level` enclose without touching the patch's rim."""
    from skimage import measure

    size = edge.shape[0]
    labelled: Any = measure.label(edge < level, connectivity=1)  # type: ignore[no-untyped-call]
    for found in measure.regionprops(labelled):  # type: ignore[no-untyped-call]
        y0, x0, y1, x1 = found.bbox
        if found.area < 12 or min(x0, y0) == 0 or max(x1, y1) == size:
            continue
        filled: Any = found.image_filled
        mask = np.zeros(edge.shape, bool)
        mask[y0:y1, x0:x1] = filled
        area = float(filled.sum())
        cy, cx = np.argwhere(mask).mean(0)
        reach = 0.5 * float(np.hypot(x1 - x0, y1 - y0)) / np.sqrt(2)
        yield _Region(
            (float(cx), float(cy)),
            float(np.sqrt(area / np.pi)),
            float(found.area_filled / max(found.area_convex, 1)),
            float(np.sqrt(area / np.pi)) / reach,
            (int(x0), int(y0), int(x1), int(y1)),
            mask,
        )


def _circles(
    common: Patch, regions: Iterable[_Region], middle: NDArray[np.float64]
) -> list[_Region]:
    """The small circles of the cell around `middle`, of one size, from top to bottom."""
    low, high = (r * LATTICE_PX for r in CIRCLE_RADIUS)
    round_ones = [
        r
        for r in regions
        if low < r.radius < high
        and r.roundness > 0.86
        and r.solidity > 0.85
        and max(r.box[2] - r.box[0], r.box[3] - r.box[1])
        < 1.35 * min(r.box[2] - r.box[0], r.box[3] - r.box[1])
    ]
    places: list[list[_Region]] = []  # the same circle at several thresholds
    for one in sorted(round_ones, key=lambda r: -r.radius):
        for same in places:
            if np.hypot(*np.subtract(same[0].center_xy, one.center_xy)) < 0.7 * same[0].radius:
                same.append(one)
                break
        else:
            places.append([one])
    voted = [sorted(p, key=lambda r: r.radius)[len(p) // 2] for p in places if len(p) >= 2]
    families = [[c for c in voted if abs(c.radius - r.radius) < 0.3 * r.radius] for r in voted]
    kept: list[_Region] = []
    family = max(families, key=len) if families else []
    for one in sorted(
        family,
        key=lambda r: float(np.abs(np.array(r.center_xy) - middle).max()),
    ):
        away = [np.abs(np.subtract(one.center_xy, k.center_xy)) for k in kept]
        apart = [np.hypot(*np.minimum(d, np.abs(d - LATTICE_PX))) for d in away]
        inside = np.abs(np.array(one.center_xy) - middle).max() < 0.52 * LATTICE_PX
        if inside and all(d > 1.5 * one.radius for d in apart):
            kept.append(one)
    return sorted(kept[:MOST_CIRCLES], key=lambda r: (r.center_xy[1], r.center_xy[0]))


def _shield(
    common: Patch, regions: Iterable[_Region], circles: list[_Region], middle: NDArray[np.float64]
) -> Polygon:
    """The outline of the largest region that may be a shield and holds no circle, () if none is.

    Of the regions that several thresholds agree on the median one is taken.
    """
    fitting = [r for r in regions if _may_be_shield(r, circles, middle)]
    if not fitting:
        return ()
    most = max(
        ([s for s in fitting if _overlap(r.mask, s.mask) > 0.75] for r in fitting),
        key=lambda group: (len(group), float(np.median([s.radius for s in group]))),
    )
    one = sorted(most, key=lambda r: r.radius)[len(most) // 2]
    return _polygon(_grown(one.mask, _rim(common, one.mask)), middle)


def _may_be_shield(region: _Region, circles: list[_Region], middle: NDArray[np.float64]) -> bool:
    area = np.pi * (region.radius / LATTICE_PX) ** 2
    x0, y0, x1, y1 = region.box
    holds = any(region.mask[round(c.center_xy[1]), round(c.center_xy[0])] for c in circles)
    near = np.abs(np.array(region.center_xy) - middle).max() < 0.35 * LATTICE_PX
    small = max(x1 - x0, y1 - y0) < 0.93 * LATTICE_PX
    in_range = SHIELD_AREA[0] < area < SHIELD_AREA[1]
    return bool(in_range and region.solidity > 0.88 and near and small and not holds)


def _may_be_castle(region: _Region) -> bool:
    area = np.pi * (region.radius / LATTICE_PX) ** 2
    away = np.abs(np.array(region.center_xy) - _MIDDLE).max()
    return bool(0.006 < area < 0.4 and region.solidity > 0.6 and away < 0.48 * LATTICE_PX)


def _overlap(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    """Intersection over union."""
    return float((one & other).sum() / max((one | other).sum(), 1))


def _outside(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Pixels from each place outside of a mask to the mask's edge."""
    return np.asarray(cv2.distanceTransform((~mask).astype(np.uint8), cv2.DIST_L2, 5), np.float32)


def _rim(common: Patch, mask: NDArray[np.bool_]) -> float:
    """Pixels from a region to the middle of its outline, the centroid of the edges there."""
    away = _outside(mask)
    steps = np.arange(0, _RIM * LATTICE_PX, 1.0)
    profile = [float(np.median(common[(away > s) & (away <= s + 1)])) for s in steps]
    weight = np.clip(np.array(profile) - 0.5 * max(profile), 0, None)
    return float(((steps + 0.5) * weight).sum() / weight.sum()) if weight.sum() > 0 else 0.0


def _grown(mask: NDArray[np.bool_], by: float) -> NDArray[np.bool_]:
    return np.asarray(mask | (_outside(mask) <= by))


def _outline_radius(common: Patch, circle: _Region) -> float:
    """Pixels from a circle's centre to the middle of its line."""
    return circle.radius + _rim(common, circle.mask)


def _polygon(mask: NDArray[np.bool_], middle: NDArray[np.float64]) -> Polygon:
    """A mask's outline with few corners, in cells from `middle`."""
    from skimage import measure

    outlines: Any = measure.find_contours(mask.astype(np.float32), 0.5)  # type: ignore[no-untyped-call]
    corners: Any = measure.approximate_polygon(  # type: ignore[no-untyped-call]
        max(outlines, key=len), 0.005 * LATTICE_PX
    )
    return tuple(_in_cells((x, y), middle) for y, x in corners[:-1])


def _in_cells(at_xy: tuple[float, float], middle: NDArray[np.float64]) -> Point:
    x, y = (np.array(at_xy) - middle) / LATTICE_PX
    return (float(x), float(y))
