"""Where lines, shield, circles and castle lie in a print, from what all of its cells share.

scikit-image labels and measures the regions that edges enclose; it is imported on use, because
only learning needs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.prints.circles import NO_CIRCLES, Circles, cell_shifts, find_circles, rim_response
from kdscan.prints.known import CellGeometry, castle_of
from kdscan.prints.lattice import LATTICE_PX, PATCH, Patch
from kdscan.prints.lines import REACH, Line, find_line, off_crossing, without_lines
from kdscan.prints.outline import contrast_of, find_outline, outline_mask
from kdscan.prints.pattern import PATTERN_PX, Pattern
from kdscan.sheet.parts import Castle, LineStyle, Point, Polygon

THRESHOLDS = (0.8, 1.0, 1.25, 1.5, 1.8, 2.1)
"""What counts as an edge of the castle, times the mean edge nearby."""
_CASTLE = 0.47  # cells from the cell's centre: what reaches farther is bounded by its lines
PLACED_REACH = 0.06
"""Cells by which a person's finger may miss the lines."""
_MIDDLE = PATCH * LATTICE_PX / 2 - 0.5


@dataclass(frozen=True)
class CellDescription:
    """A cell's print. offset: cells, by which the lattice is off the lines between cells, None
    where no lines were found on that axis; geometry is relative to the true centre."""

    offset: tuple[float | None, float | None]
    lines: LineStyle
    cell: CellGeometry


def describe_cell(common: Pattern, placed: bool = False) -> CellDescription:
    """Lines, shield and circles in what all cells share; see `Measured.common`.

    placed: a person placed the cells; then only lines right beside that place are theirs, and
    without any the cells stay there.
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
    centers = _own_circles(common, found, off)
    middle = np.array([v or 0.0 for v in off])
    outline = find_outline(contrast_of(bare, found))
    shield = tuple((x - float(middle[0]), y - float(middle[1])) for x, y in outline)
    radius = float(np.sqrt(np.prod(found.size))) / PATTERN_PX
    cell = CellGeometry(shield, centers, radius)
    return CellDescription(off, _style(columns, rows), cell)


def _own_circles(
    common: Pattern, found: Circles, off: tuple[float | None, float | None]
) -> tuple[Point, ...]:
    """The circles of a cell, in cells from its true centre, from top to bottom."""
    if not len(found.xy):
        return ()
    places = (found.xy + 0.5) / PATTERN_PX - 0.5
    shown = rim_response(common, found)
    for axis, phase in enumerate(off):
        along = shown[:, 1:-1].swapaxes(1, 2) if axis == 0 else shown[:, :, 1:-1]
        if phase is not None:
            places[:, axis] = (places[:, axis] - phase + 0.5) % 1 - 0.5
            continue
        places[:, axis] += cell_shifts(along, places[:, axis])
    order = np.lexsort((places[:, 0], places[:, 1].round(2)))
    return tuple((float(x), float(y)) for x, y in places[order])


def _style(columns: Line | None, rows: Line | None) -> LineStyle:
    printed = [line.printed for line in (columns, rows) if line]
    if not printed:
        return "none"
    return "ruled" if max(printed) > 0.8 else "dashed"


def describe_castle(edge: Patch) -> Castle:
    """Roofs and keep, in cells from the castle's centre: what lines enclose above and below.

    edge: the castle's patch of the edges. Where nothing is enclosed, one roof stands for it.
    """
    best = max((_parts(edge, level) for level in THRESHOLDS), key=len)
    polygons = [p for p in map(_polygon, best) if len(p) >= 3]
    return castle_of(polygons)


def _parts(edge: Patch, level: float) -> list[NDArray[np.bool_]]:
    """Masks of what edges stronger than `level` enclose within the castle's cell."""
    from skimage import measure

    masks = []
    labelled: Any = measure.label(edge < level, connectivity=1)  # type: ignore[no-untyped-call]
    for found in measure.regionprops(labelled):  # type: ignore[no-untyped-call]
        reach = np.abs(np.array(found.bbox) - _MIDDLE).max() / LATTICE_PX
        solid = found.area_filled > 0.6 * found.area_convex
        if solid and 0.006 < found.area_filled / LATTICE_PX**2 < 0.4 and reach < _CASTLE:
            y0, x0, y1, x1 = found.bbox
            mask = np.zeros(edge.shape, bool)
            mask[y0:y1, x0:x1] = found.image_filled
            masks.append(mask)
    return masks


def _polygon(mask: NDArray[np.bool_]) -> Polygon:
    """A mask's outline with few corners, in cells from the patch's middle."""
    from skimage import measure

    outlines: Any = measure.find_contours(mask.astype(np.float32), 0.5)  # type: ignore[no-untyped-call]
    outline = np.asarray(max(outlines, key=len)[:-1], np.float32)
    # scikit-image's approximate_polygon imports scipy.signal, which takes two seconds.
    corners = cv2.approxPolyDP(outline, 0.005 * LATTICE_PX, closed=True)[:, 0]
    return tuple((float(x), float(y)) for y, x in (corners - _MIDDLE) / LATTICE_PX)
