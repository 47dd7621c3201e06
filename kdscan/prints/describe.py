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

from kdscan.prints.circles import Circles, find_circles
from kdscan.prints.known import CellGeometry
from kdscan.prints.lattice import LATTICE_PX, PATCH, Patch
from kdscan.prints.lines import Line, find_line, without_lines
from kdscan.prints.owners import SURE, owners, presence
from kdscan.prints.pattern import EDGE, PATTERN_PX, Pattern, Period
from kdscan.sheet.parts import Castle, LineStyle, Point, Polygon

THRESHOLDS = (0.45, 0.6, 0.8, 1.0, 1.25, 1.5, 1.8, 2.1)
"""What counts as an edge, times the mean edge nearby: veils have weak outlines."""
SHIELD_AREA = (0.06, 0.8)
"""Cells², of a shield's inside."""

_RIM = 0.06  # cells beyond a region's inside within which its outline ends
_MIDDLE = PATCH * LATTICE_PX / 2 - 0.5


@dataclass(frozen=True)
class Described:
    """A cell's print. offset: cells, by which the lattice is off the lines between cells, None
    where no lines were found on that axis; geometry is told from the true centre.

    sure_owners: whether each circle is known to belong to this cell, not to the next one.
    """

    offset: tuple[float | None, float | None]
    lines: LineStyle
    cell: CellGeometry
    sure_owners: bool = False


@dataclass(frozen=True, eq=False)
class _Region:
    """What edges enclose: its filled mask, in the patch, and how round and solid it is."""

    center_xy: tuple[float, float]
    radius: float  # pixels, of a disc of its area
    solidity: float
    box: tuple[int, int, int, int]  # x0, y0, x1, y1
    mask: NDArray[np.bool_]


def describe_cell(common: Pattern) -> Described:
    """Lines, shield and circles in what all cells share; see `Measured.common`."""
    median, mean = common.median, common.mean
    columns = find_line(mean, median)
    rows = find_line(mean.transpose(1, 0, 2), median.transpose(1, 0, 2))
    bare = without_lines(median, columns, rows)
    found = find_circles(bare)
    off = (columns.at if columns else None, rows.at if rows else None)
    centers, sure = _owned(common, found, off)
    middle = np.array([_MIDDLE + (v or 0.0) * LATTICE_PX for v in off])
    edge = _patch_of(bare[..., EDGE])
    regions = [r for level in THRESHOLDS for r in _regions(edge, level)]
    shield = _shield(edge, regions, found.xy + (PATCH - 1) / 2 * PATTERN_PX, middle)
    radius = float(np.sqrt(np.prod(found.radii))) / PATTERN_PX
    cell = CellGeometry(shield, centers, radius)
    return Described(off, _style(columns, rows), cell, sure)


def _owned(
    common: Pattern, found: Circles, off: tuple[float | None, float | None]
) -> tuple[tuple[Point, ...], bool]:
    """The circles of a cell, in cells from its true centre, from top to bottom; and whether
    all of them surely are this cell's."""
    if not len(found.xy):
        return (), True
    places = (found.xy + 0.5) / PATTERN_PX - 0.5
    shown = presence(common, found)
    sure = True
    for axis, phase in enumerate(off):
        along = shown[:, 1:-1].swapaxes(1, 2) if axis == 0 else shown[:, :, 1:-1]
        if phase is not None:
            places[:, axis] = (places[:, axis] - phase + 0.5) % 1 - 0.5
            continue
        by, lead = owners(along, places[:, axis])
        places[:, axis] += by
        sure = sure and bool((lead > SURE).all())
    order = np.lexsort((places[:, 0], places[:, 1].round(2)))
    return tuple((float(x), float(y)) for x, y in places[order]), sure


def _style(columns: Line | None, rows: Line | None) -> LineStyle:
    printed = [line.printed for line in (columns, rows) if line]
    if not printed:
        return "none"
    return "ruled" if max(printed) > 0.8 else "dashed"


def _patch_of(period: Period) -> Patch:
    """A period with a quarter of each neighbour."""
    pad = round((PATCH - 1) / 2 * PATTERN_PX)
    wide = np.pad(period, pad, mode="wrap")
    return np.asarray(cv2.GaussianBlur(wide, (0, 0), 1.5), np.float32)


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
        yield _Region(
            (float(cx), float(cy)),
            float(np.sqrt(area / np.pi)),
            float(found.area_filled / max(found.area_convex, 1)),
            (int(x0), int(y0), int(x1), int(y1)),
            mask,
        )


def _shield(
    common: Patch,
    regions: Iterable[_Region],
    circles: NDArray[np.float64],
    middle: NDArray[np.float64],
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


def _may_be_shield(
    region: _Region, circles: NDArray[np.float64], middle: NDArray[np.float64]
) -> bool:
    area = np.pi * (region.radius / LATTICE_PX) ** 2
    x0, y0, x1, y1 = region.box
    size = len(region.mask)
    inside = circles[(circles > 0).all(1) & (circles < size - 1).all(1)]
    holds = any(region.mask[round(y), round(x)] for x, y in inside)
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
