"""Learns a layout from one photo of an unmarked sheet.

The shields of a sheet are printed alike, so the median of the 34 registered cells is the print
without dust, curl and shadow. In it lines enclose regions of bare paper: the small round ones are
the circles, the largest one is the shield.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import dist

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.errors import LayoutError
from kdscan.imaging.blank import darkness
from kdscan.imaging.rectify import flatten
from kdscan.kinds.common.pens import circle, polygon
from kdscan.prints.known import castle_of
from kdscan.records import CASTLE, CELLS, Photo, RectifiedSheet
from kdscan.records.arrays import Floats
from kdscan.sheet.parts import Castle, Layout, LineStyle, Point, Polygon

FINE_PX = 160
"""Pixels a cell of the rectified sheet."""

WIDE_PX = 200
"""Pixels: side of the median cell, 1.25 cells wide so that circles at its border are complete."""

_REACH = 20  # pixels by which cells are shifted over each other; refining is better than that
_MARGIN = (WIDE_PX / 2 + _REACH) / FINE_PX - 0.5  # cells around the grid
_LINES = (0.04, 0.08, 0.15, 0.25, 0.4, 0.55)  # what counts as a line, as a share of the darkest ink
_GAPS = (0, 3, 5)  # pixels of broken line that are closed
_VOTES = 2  # of all thresholds and gaps together
_CIRCLE_R = (0.02, 0.11)  # cells
_SHIELD = (0.06, 0.8)  # share of the cell that a shield covers
_FRAME = 0.93 * FINE_PX  # what is wider and higher than this is the cell's own frame

Ink = NDArray[np.float32]
Circle = tuple[float, float, float]  # centre x, y and radius in pixels


@dataclass(frozen=True, eq=False)
class CellPrint:
    """What is printed in a cell, in cells from its centre, x right, y down.

    ink: (200, 200) float32, the median cell with its rim. shield: polygon. circles: centres.
    radius: of the circles. offset: where the cell's centre lies in `ink`, seen from its middle.
    """

    ink: Ink
    shield: Polygon
    circles: tuple[Point, ...]
    radius: float
    offset: Point = (0.0, 0.0)


def cell_inks(photo: Photo, sheet: RectifiedSheet) -> tuple[Ink, Ink]:
    """The median of the shields' cells and the castle's cell, each (200, 200) float32, 0..1."""
    flat = flatten(photo, sheet.centers_xy, FINE_PX, _MARGIN)
    ink = darkness(flat, FINE_PX / 3)
    wide = {at: _cut(ink, at) for at in (*CELLS, CASTLE)}
    shields = np.stack([wide[at] for at in CELLS])
    inner = slice(_REACH, _REACH + WIDE_PX)
    common = np.median(shields[:, inner, inner], axis=0).astype(np.float32)
    for _ in range(2):  # register each cell with the median, then update the median
        shifted = np.stack([_laid_over(cell, common) for cell in shields])
        common = np.median(shifted, axis=0).astype(np.float32)
    return common, wide[CASTLE][inner, inner]


def _cut(ink: Ink, cell: tuple[int, int]) -> Ink:
    y, x, side = cell[0] * FINE_PX, cell[1] * FINE_PX, WIDE_PX + 2 * _REACH
    return ink[y : y + side, x : x + side]


def _laid_over(cell: Ink, common: Ink) -> Ink:
    likeness = cv2.matchTemplate(cell, common, cv2.TM_CCOEFF_NORMED)
    _, _, _, (x, y) = cv2.minMaxLoc(likeness)
    return cell[y : y + WIDE_PX, x : x + WIDE_PX]


def find_print(ink: Ink) -> CellPrint:
    """Shield and circles of a cell.

    ink: (200, 200) float32, as of `cell_inks`.
    Raises LayoutError when there is no closed shield with one to four circles.
    """
    outlines = [outline for regions in _all_regions(ink) for outline in regions]
    shields = sorted(filter(_may_be_shield, outlines), key=cv2.contourArea)
    rounds = _same_size(_by_votes([c for c in map(_as_circle, outlines) if c]))
    circles = _without_neighbours(rounds, shields[-1]) if shields else []
    if not shields or not 1 <= len(circles) <= 4:
        raise LayoutError(
            "no shield with one to four small circles was found in the cells; photograph an"
            " unmarked sheet from straight above, sharp and evenly lit"
        )
    rim = _half_a_line(ink, circles[0]) / FINE_PX
    return CellPrint(
        ink,
        _polygon(shields[-1], rim),
        tuple(_in_cells(x, y) for x, y, _ in sorted(circles, key=lambda c: (c[1], c[0]))),
        float(np.median([radius for *_, radius in circles])) / FINE_PX + rim,
    )


def _all_regions(ink: Ink, shares: Sequence[float] = _LINES) -> Iterator[list[NDArray[np.int32]]]:
    """Outlines of the regions that lines enclose, for several thresholds of line detection."""
    darkest = max(float(np.percentile(ink, 99)), 0.02)
    for gap in _GAPS:
        for share in shares:
            lines = (ink > share * darkest).astype(np.uint8)
            if gap:
                lines = np.asarray(cv2.morphologyEx(lines, cv2.MORPH_CLOSE, np.ones((gap, gap))))
            yield regions_of(1 - lines)


def regions_of(paper: NDArray[np.uint8]) -> list[NDArray[np.int32]]:
    """Outer outlines (N, 1, 2), in pixels, of connected paper that does not touch the rim."""
    count, label, stats, _ = cv2.connectedComponentsWithStats(paper, connectivity=4)
    size = paper.shape[0]
    outlines = []
    for i in range(1, count):
        x, y, w, h, area = (int(v) for v in stats[i])
        if area < 12 or x == 0 or y == 0 or x + w == size or y + h == size:
            continue
        mask = (label == i).astype(np.uint8)
        found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        outlines.append(np.asarray(max(found, key=cv2.contourArea), np.int32))
    return outlines


def _may_be_shield(outline: NDArray[np.int32]) -> bool:
    share = cv2.contourArea(outline) / FINE_PX**2
    return _SHIELD[0] < share < _SHIELD[1] and min(cv2.boundingRect(outline)[2:]) < _FRAME


def _as_circle(outline: NDArray[np.int32]) -> Circle | None:
    """Centre and radius of an outline, None if it is not a small circle."""
    (x, y), reach = cv2.minEnclosingCircle(outline)
    radius = float(np.sqrt(cv2.contourArea(outline) / np.pi)) + 0.5
    if not _CIRCLE_R[0] * FINE_PX < radius < _CIRCLE_R[1] * FINE_PX:
        return None
    _, _, w, h = cv2.boundingRect(outline)
    is_round = radius > 0.84 * (reach + 0.5) and max(w, h) < 1.25 * min(w, h)
    return (float(x), float(y), radius) if is_round else None


def _by_votes(circles: list[Circle]) -> list[Circle]:
    """The largest circle at each place that is detected with several thresholds; others are
    noise."""
    kept: list[Circle] = []
    for x, y, radius in sorted(circles, key=lambda c: -c[2]):
        if all(np.hypot(x - a, y - b) > 1.2 * r for a, b, r in kept):
            votes = sum(np.hypot(x - a, y - b) < 0.5 * radius for a, b, _ in circles)
            kept += [(x, y, radius)] if votes >= _VOTES else []
    return kept


def _without_neighbours(circles: list[Circle], shield: NDArray[np.int32]) -> list[Circle]:
    """The circles without their copies in neighbouring cells.

    As the lattice may be off by a tenth of a cell, the copies are chosen that are most compact
    together with the shield.
    """
    x, y, w, h = cv2.boundingRect(shield)
    step, best = 0.08 * FINE_PX, (np.inf, circles)
    for off_x in (0.0, -step, step):
        for off_y in (0.0, -step, step):
            mine = _nearest_copies(circles, WIDE_PX / 2 - 0.5 + np.array([off_x, off_y]))
            low = np.array([(x, y), *((a - r, b - r) for a, b, r in mine)]).min(0)
            high = np.array([(x + w, y + h), *((a + r, b + r) for a, b, r in mine)]).max(0)
            span = float(np.maximum(high - low, 0.9 * FINE_PX).sum())
            best = (span, mine) if span < best[0] - 1 else best
    return best[1]


def _nearest_copies(circles: list[Circle], middle: NDArray[np.float64]) -> list[Circle]:
    kept: list[Circle] = []
    for x, y, radius in sorted(circles, key=lambda c: np.abs(np.array(c[:2]) - middle).max()):
        away = [np.abs(np.array([x - a, y - b])) for a, b, _ in kept]
        near = [np.hypot(*np.minimum(d, np.abs(d - FINE_PX))) for d in away]
        if all(d > 1.2 * radius for d in near):
            kept.append((x, y, radius))
    return kept


def _same_size(circles: list[Circle]) -> list[Circle]:
    """The circles of one size: the size that most of them have."""
    families = [[c for c in circles if abs(c[2] - r) < 0.25 * r] for *_, r in circles]
    return max(families, key=len, default=[])


def _half_a_line(ink: Ink, circle: tuple[float, float, float]) -> float:
    """Half of a circle's line width, in pixels: half of how far the ink reaches outwards."""
    x, y, radius = circle
    r = np.arange(radius - 2, radius + 0.06 * FINE_PX, 0.5)
    a = np.linspace(0, 2 * np.pi, 48, endpoint=False)[:, None]
    at = np.stack([x + r * np.cos(a), y + r * np.sin(a)]).astype(np.float32)
    profile = np.median(cv2.remap(ink, at[0], at[1], cv2.INTER_LINEAR), axis=0)
    return float(np.sum(profile > 0.5 * profile.max()) * 0.25)


def _in_cells(x: float, y: float) -> Point:
    middle = WIDE_PX / 2 - 0.5
    return ((float(x) - middle) / FINE_PX, (float(y) - middle) / FINE_PX)


def _polygon(outline: NDArray[np.int32], rim: float = 0.0) -> Polygon:
    """An outline with few corners, grown by `rim` cells to the middle of its line."""
    corners = cv2.approxPolyDP(outline, 0.009 * FINE_PX, True)[:, 0].astype(np.float64)
    middle = corners.mean(0)
    reach = max(float(np.linalg.norm(corners - middle, axis=1).mean()), 1.0)
    grown = middle + (corners - middle) * (1 + rim * FINE_PX / reach)
    return tuple(_in_cells(x, y) for x, y in grown)


def find_castle(ink: Ink) -> Castle:
    """Roofs and keep, in cells from the centre: what lines enclose above and below.

    Where nothing is enclosed, one roof stands for the castle, as good as any.
    """
    regions: list[NDArray[np.int32]] = []
    for candidate in _all_regions(ink, _LINES[2:]):
        regions = max(regions, [r for r in candidate if _may_be_castle(r)], key=len)
    polygons = [p for p in map(_polygon, regions) if len(p) >= 3]
    return castle_of(polygons)


def _may_be_castle(outline: NDArray[np.int32]) -> bool:
    share = cv2.contourArea(outline) / FINE_PX**2
    (x, y, w, h), rim = cv2.boundingRect(outline), (WIDE_PX - FINE_PX) // 2
    inside = min(x, y) > rim and max(x + w, y + h) < WIDE_PX - rim
    solid = share * FINE_PX**2 > 0.6 * cv2.contourArea(cv2.convexHull(outline))
    return inside and solid and 0.006 < share < 0.4


def line_style(ink: Ink) -> LineStyle:
    """How the lines between cells are printed, by how much of the cell's rim is inked."""
    darkest = max(float(np.percentile(ink, 99)), 0.02)
    reach, rim = round(0.05 * FINE_PX), (WIDE_PX - FINE_PX) // 2
    near, far = slice(rim - reach, rim + reach), slice(-rim - reach, -rim + reach)
    rims = [ink[near], ink[far], ink[:, near].T, ink[:, far].T]
    inked = np.mean([np.mean(rim.max(0) > 0.25 * darkest) for rim in rims])
    return (
        "ruled"
        if inked > 0.8
        else "dashed"
        if inked > 0.45
        else "dotted"
        if inked > 0.2
        else "none"
    )


def aspect(centers_xy: Floats) -> float:
    """Height of a cell over its width, as the photo shows it."""
    across = np.linalg.norm(np.diff(centers_xy, axis=1), axis=-1)
    down = np.linalg.norm(np.diff(centers_xy, axis=0), axis=-1)
    return float(down.mean() / across.mean())


def learn(
    photo: Photo, sheet: RectifiedSheet, name: str, cell_mm: float = 24.0
) -> tuple[Layout, CellPrint]:
    """A layout from an unmarked sheet, and what it was made of.

    cell_mm: width of a cell on paper; the height follows from the photo, so that it has
        to be taken from straight above.
    Raises LayoutError when no shield or circle can be made out.
    """
    ink, castle_ink = cell_inks(photo, sheet)
    found = find_print(ink)
    castle = find_castle(castle_ink)
    w, h = round(cell_mm, 2), round(cell_mm * aspect(sheet.centers_xy), 2)
    found = _inside(found)
    radius = found.radius * min(w, h)
    for i, a in enumerate(found.circles):
        others = [dist((a[0] * w, a[1] * h), (b[0] * w, b[1] * h)) / 2 for b in found.circles[:i]]
        room = [(0.5 - abs(a[0])) * w, (0.5 - abs(a[1])) * h]
        radius = min(radius, *others, *room)

    def mm(points: Polygon) -> Polygon:
        return tuple((_round(x, w), _round(y, h)) for x, y in points)

    border = round(cell_mm / 2, 2)
    return Layout(
        name=name,
        page_mm=(round(7 * w + 2 * border, 2), round(5 * h + 2 * border, 2)),
        grid_mm=(border, border),
        cell_mm=(w, h),
        shield=mm(found.shield),
        circles=mm(found.circles),
        circle_radius_mm=round(radius - 0.005, 2),
        lines=line_style(ink),
        castle=Castle(tuple(map(mm, castle.roofs)), tuple(map(mm, castle.keep))),
    ), found


def _inside(found: CellPrint) -> CellPrint:
    """The same print with the lattice moved so that a cell holds its shield and circles."""
    x, y = np.array([*found.shield, *found.circles]).T
    dx, dy = (
        float(np.clip(0.0, high - 0.495, low + 0.495)) if high - low < 0.98 else 0.0
        for low, high in ((x.min(), x.max()), (y.min(), y.max()))
    )

    def moved(points: Polygon) -> Polygon:
        return tuple((a - dx, b - dy) for a, b in points)

    return replace(found, shield=moved(found.shield), circles=moved(found.circles), offset=(dx, dy))


def _round(share: float, side_mm: float) -> float:
    """A place in a cell in mm, to a hundredth, inside the cell."""
    return round(float(np.clip(share, -0.499, 0.499)) * side_mm, 2)


def draw_print(found: CellPrint) -> NDArray[np.uint8]:
    """The learned cell, three times as large, with the shield in red and circles in blue."""
    scale = 3
    dark = found.ink / max(float(found.ink.max()), 1e-3)
    grey = np.asarray(255 * (1 - dark), np.uint8)
    large = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    out = np.asarray(cv2.cvtColor(large, cv2.COLOR_GRAY2BGR), np.uint8)

    def px(points: Polygon) -> NDArray[np.float64]:
        where = (np.array(points) + found.offset) * FINE_PX + WIDE_PX / 2
        return np.asarray(where * scale)

    polygon(out, px(found.shield), (0, 94, 213), 2)
    for at in px(found.circles):
        circle(out, at, found.radius * FINE_PX * scale, (178, 114, 0), 2)
    return out
