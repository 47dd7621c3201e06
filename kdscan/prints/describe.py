"""Where lines, shield, circles and castle lie in a print, from what all of its cells share.

scikit-image labels and measures the regions that edges enclose; it is imported on use, because
only learning needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kdscan.prints.circles import NO_CIRCLES, Circles, find_circles
from kdscan.prints.known import CellGeometry
from kdscan.prints.lattice import LATTICE_PX, PATCH, Patch
from kdscan.prints.lines import REACH, Line, find_line, off_crossing, without_lines
from kdscan.prints.outline import contrast_of, find_outline, outline_mask
from kdscan.prints.owners import MIN_LEAD, owners, presence
from kdscan.prints.pattern import PATTERN_PX, Pattern
from kdscan.sheet.parts import Castle, LineStyle, Point, Polygon

THRESHOLDS = (0.45, 0.6, 0.8, 1.0, 1.25, 1.5, 1.8, 2.1)
"""What counts as an edge, times the mean edge nearby: veils have weak outlines."""
_CASTLE = 0.47  # cells from the cell's centre: what reaches farther is bounded by its lines
PLACED_REACH = 0.06
"""Cells by which a person's finger may miss the lines."""
_MIDDLE = PATCH * LATTICE_PX / 2 - 0.5


@dataclass(frozen=True)
class CellDescription:
    """A cell's print. offset: cells, by which the lattice is off the lines between cells, None
    where no lines were found on that axis; geometry is told from the true centre.

    sure_owners: whether each circle is known to belong to this cell, not to the next one.
    sure_phase: whether lines tell where the cell's centre lies on both axes; where they are one
        of two that neighbouring boxes have, it may be off by a few hundredths of a cell.
    """

    offset: tuple[float | None, float | None]
    lines: LineStyle
    cell: CellGeometry
    sure_owners: bool = False
    sure_phase: bool = False


@dataclass(frozen=True, eq=False)
class _Region:
    """What edges enclose: its filled mask, in the patch, and how round and solid it is."""

    center_xy: tuple[float, float]
    radius: float  # pixels, of a disc of its area
    solidity: float
    box: tuple[int, int, int, int]  # x0, y0, x1, y1
    mask: NDArray[np.bool_]


def describe_cell(common: Pattern, placed: bool = False) -> CellDescription:
    """Lines, shield and circles in what all cells share; see `Measured.common`.

    placed: a person said where the cells lie; then only lines right beside there are theirs, and
    where none is found the cells lie as was said.
    """
    median, mean = common.median, common.mean
    reach = PLACED_REACH if placed else REACH
    columns = find_line(mean, median, reach)
    rows = find_line(mean.transpose(1, 0, 2), median.transpose(1, 0, 2), reach)
    bare = without_lines(median, columns, rows)
    first = find_outline(contrast_of(bare, NO_CIRCLES))
    found = find_circles(bare, outline_mask(first) * off_crossing(columns, rows))
    unseen = 0.0 if placed else None
    off = (columns.at if columns else unseen, rows.at if rows else unseen)
    centers, sure = _own_circles(common, found, off)
    middle = np.array([v or 0.0 for v in off])
    outline = find_outline(contrast_of(bare, found))
    shield = tuple((x - float(middle[0]), y - float(middle[1])) for x, y in outline)
    radius = float(np.sqrt(np.prod(found.size))) / PATTERN_PX
    cell = CellGeometry(shield, centers, radius)
    told = all(line is not None and line.sure for line in (columns, rows))
    return CellDescription(off, _style(columns, rows), cell, sure, told)


def _own_circles(
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
        sure = sure and bool((lead > MIN_LEAD).all())
    order = np.lexsort((places[:, 0], places[:, 1].round(2)))
    return tuple((float(x), float(y)) for x, y in places[order]), sure


def _style(columns: Line | None, rows: Line | None) -> LineStyle:
    printed = [line.printed for line in (columns, rows) if line]
    if not printed:
        return "none"
    return "ruled" if max(printed) > 0.8 else "dashed"


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


def _may_be_castle(region: _Region) -> bool:
    area = np.pi * (region.radius / LATTICE_PX) ** 2
    reach = np.abs(np.array(region.box) - _MIDDLE).max()
    return bool(0.006 < area < 0.4 and region.solidity > 0.6 and reach < _CASTLE * LATTICE_PX)


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
