"""Where lines, shield, circles and castle lie in a print, from what all of its cells share.

scikit-image labels and measures the regions that edges enclose; it is imported on use, because
only learning needs it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats, Photo
from kdscan.imaging.rectify import CENTERS, flatten, lattice_to_flat, shift_cells
from kdscan.paper.parts import Castle, LineStyle, Point, Polygon
from kdscan.rules.duel.board import CASTLE
from kdscan.templates.circle_cells import cell_shifts, rim_response
from kdscan.templates.circles import NO_CIRCLES, Circles, find_circles
from kdscan.templates.corners import centers_within, shifted_to
from kdscan.templates.features import edges
from kdscan.templates.known import (
    KNOWN_STEP,
    PRINT_MARGIN,
    PRINT_PX,
    PRINT_WH,
    CellGeometry,
    KnownPrint,
)
from kdscan.templates.lattice import aspect, measure_cells
from kdscan.templates.lines import REACH, Line, find_line, off_crossing, without_lines
from kdscan.templates.outline import contrast_of, find_outline, outline_mask
from kdscan.templates.pattern import PATTERN_MARGIN, PATTERN_PX, Pattern, pattern_of

THRESHOLDS = (0.8, 1.0, 1.25, 1.5, 1.8, 2.1)
"""Thresholds for edges of the castle, relative to the mean edge nearby."""
_CASTLE = 0.47  # cells from the cell's centre: what reaches farther is bounded by the cell's lines
_SMALLEST = 0.006  # square cells: smallest part of a castle
PLACED_REACH = 0.06
"""Cells by which corners placed by a person may be off the lines."""


OWN_CENTERS = lattice_to_flat(CENTERS, PRINT_PX, PRINT_MARGIN)
"""(5, 7, 2): where a print's cells lie in its picture."""
_CASTLE_PX = 3 * PRINT_PX // 2
_MIDDLE = _CASTLE_PX / 2 - 0.5
_LEFT, _TOP = (round(v - _MIDDLE) for v in OWN_CENTERS[CASTLE])
_CASTLE_CELL = np.s_[_TOP : _TOP + _CASTLE_PX, _LEFT : _LEFT + _CASTLE_PX]
_CORNER_CELLS = ([0, 0, -1, -1], [0, -1, -1, 0])


@dataclass(frozen=True)
class CellDescription:
    """What is printed in a cell. offset: cells by which the lattice is off the lines between cells,
    None if no lines were found on that axis. The geometry is relative to the true centre."""

    offset: tuple[float | None, float | None]
    lines: LineStyle
    cell: CellGeometry


def unknown_print(name: str) -> KnownPrint:
    """An empty print."""
    w, h = PRINT_WH
    return KnownPrint(
        name=name,
        bgr=np.zeros((h, w, 3), np.uint8),
        known=np.ones((h // KNOWN_STEP, w // KNOWN_STEP), np.float32),
        cell=CellGeometry((), (), 0.0),
        castle=Castle((), ()),
        lines="none",
        aspect=1.0,
        residual=0.0,
        sheets=1,
    )


def describe_print(
    known: KnownPrint, photo: Photo, centers_xy: Floats, placed: bool = False
) -> KnownPrint:
    """The print with picture and geometry measured in a photo.

    centers_xy: (5, 7, 2) photo frame, approximate cell centres. placed: given by a person.
    """
    measured = measure_cells(photo, centers_xy)
    centers = shifted_to(measured.centers_xy, centers_xy) if placed else measured.centers_xy
    common = pattern_of(flatten(photo, centers, PATTERN_PX, PATTERN_MARGIN))
    found = describe_cell(common, placed)
    centers = shift_cells(centers, np.array([off or 0.0 for off in found.offset]))
    bgr = flatten(photo, centers, PRINT_PX, PRINT_MARGIN)
    return KnownPrint(  # not `replace`, which cannot make a `FiledPrint`
        name=known.name,
        bgr=bgr,
        known=known.known,
        cell=found.cell,
        castle=describe_castle(edges(bgr, PRINT_PX)[_CASTLE_CELL]),
        lines=found.lines,
        aspect=aspect(centers) if known.aspect == 1.0 else known.aspect,
        residual=measured.residual,
        sheets=known.sheets,
        by_itself=known.by_itself,
    )


def with_corners(known: KnownPrint, corners_xy: Floats) -> KnownPrint:
    """The print with its grid's corners, (4, 2) in the pixels of its picture, corrected by a
    person, and its geometry measured anew. Parts outside the old picture become unknown.

    Raises LayoutError for implausible corners.
    """
    photo, centers = Photo(known.bgr), centers_within(corners_xy)
    h, w = known.bgr.shape[:2]
    again = describe_print(known, photo, centers, placed=True)
    levels = np.repeat(np.repeat(known.known, KNOWN_STEP, 0), KNOWN_STEP, 1)
    to_old = cv2.getPerspectiveTransform(
        OWN_CENTERS[_CORNER_CELLS].astype(np.float32),
        centers[_CORNER_CELLS].astype(np.float32),
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    moved = cv2.warpPerspective(levels, to_old, (w, h), flags=flags)
    small = cv2.resize(moved, known.known.shape[::-1], interpolation=cv2.INTER_AREA)
    return replace(again, known=np.asarray(np.clip(small, 0, 1), np.float32))


def describe_cell(common: Pattern, placed: bool = False) -> CellDescription:
    """Lines, shield and circles in what all cells share.

    placed: a person placed the cells; then only lines very close to that place count, and without
    any the cells stay there.
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
        if phase is not None:
            places[:, axis] = (places[:, axis] - phase + 0.5) % 1 - 0.5
        else:
            along = shown[:, 1:-1].swapaxes(1, 2) if axis == 0 else shown[:, :, 1:-1]
            places[:, axis] += cell_shifts(along, places[:, axis])
    order = np.lexsort((places[:, 0], places[:, 1].round(2)))
    return tuple((float(x), float(y)) for x, y in places[order])


def _style(columns: Line | None, rows: Line | None) -> LineStyle:
    printed = [line.printed for line in (columns, rows) if line]
    if not printed:
        return "none"
    return "ruled" if max(printed) > 0.8 else "dashed"


def describe_castle(edge: NDArray[np.float32]) -> Castle:
    """Roofs and keep, in cells from the castle's centre: what lines enclose above and below.

    edge: (192, 192), the castle and a quarter of a cell around it, see `edges`. If nothing is
    enclosed, one default roof is returned.
    """
    best = max((_parts(edge, level) for level in THRESHOLDS), key=len)
    polygons = [p for p in map(_polygon, best) if len(p) >= 3]
    top = min((min(y for _, y in p) for p in polygons), default=0.0)
    roofs = tuple(p for p in polygons if min(y for _, y in p) < top + 0.2)
    keep = tuple(p for p in polygons if p not in roofs)
    return Castle(roofs or (((-0.3, 0.0), (0.0, -0.35), (0.3, 0.0)),), keep)


def _parts(edge: NDArray[np.float32], level: float) -> list[NDArray[np.bool_]]:
    """Masks of what edges stronger than `level` enclose within the castle's cell."""
    from skimage import measure

    masks = []
    labelled: Any = measure.label(edge < level, connectivity=1)  # type: ignore[no-untyped-call]
    for found in measure.regionprops(labelled):  # type: ignore[no-untyped-call]
        y0, x0, y1, x1 = found.bbox
        reach = np.abs(np.array(found.bbox) - _MIDDLE).max() / PRINT_PX
        # The cheapest test comes first: there are hundreds of specks.
        if (
            reach < _CASTLE
            and (y1 - y0) * (x1 - x0) > _SMALLEST * PRINT_PX**2
            and _SMALLEST < found.area_filled / PRINT_PX**2 < 0.4
            and found.area_filled > 0.6 * found.area_convex
        ):
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
    corners = cv2.approxPolyDP(outline, 0.005 * PRINT_PX, closed=True)[:, 0]
    return tuple((float(x), float(y)) for y, x in (corners - _MIDDLE) / PRINT_PX)
