"""Where lines, shield, circles and castle lie in a print, from what all of its cells share.

A network looks at what the cells share, and says how likely each place is a circle's centre or
inside the shield, and where the lines between cells are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import edges, sigmoid, softmax
from kdscan.imaging.picture import Floats, Network, Photo, Plane, flatten, shift_cells
from kdscan.inference.store import default_models
from kdscan.paper.layout import Castle, LineStyle, Polygon
from kdscan.rules.duel.board import CASTLE, COLS, MAX_CROSSES, ROWS
from kdscan.templates.cells import centers_within, register_cells, shifted_to
from kdscan.templates.features import (
    EDGE,
    PATTERN_MARGIN,
    PERIOD_PX,
    Pattern,
    Period,
    pattern_of,
    period_of,
)
from kdscan.templates.template import (
    COVERAGE_STEP,
    OWN_CENTERS,
    TEMPLATE_MARGIN,
    TEMPLATE_PX,
    CellGeometry,
    Template,
)

MIN_SHIELD = 0.02
"""Least area of a shield in square cells."""
REACH, PLACED_REACH = 0.32, 0.06
"""Cells by which the lattice may be off its lines; the same if a person placed it."""
MIN_LINE, MIN_CIRCLE = 0.3, 0.5
"""Least probability of the place of lines, and of a circle."""
MAX_UNRULED = 0.15
"""Probability from which a print has no lines. Of 26 generated prints without lines 17 have more
than 0.5, six others more than this; of 92 with lines three have more than 0.5, none in between."""
SURE, DOUBTFUL = 0.95, 0.55
"""Probabilities of a circle or a shield from which it is certain, and up to which it is not."""
THRESHOLDS = (0.8, 1.0, 1.25, 1.5, 1.8, 2.1)
"""Thresholds for edges of the castle, relative to the mean edge nearby."""

_USUAL_OFF = 0.2  # cells: standard deviation of the lattice's offset
_FLIPS = ((1, 1), (-1, 1), (1, -1), (-1, -1))  # ways in which the network sees a period
_NEAR = np.arange(-2, 3)  # pixels of a map around a peak
_PEAK = 6.1  # what a circle's peak sums up to within `_NEAR`
_ENLARGED = 4  # times a map is enlarged before the shield's outline is followed
_SMOOTHED = 0.005  # cells by which the outline's corners may be off it
_AROUND = 1.3  # radii around a circle that are compared

_CASTLE_REACH = 0.47  # cells from the centre: what reaches farther is bounded by the cell's lines
_SMALLEST, _LARGEST = 0.006, 0.4  # square cells: parts of a castle
_CASTLE_PX = 3 * TEMPLATE_PX // 2
_MIDDLE = _CASTLE_PX / 2 - 0.5
_LEFT, _TOP = (round(v - _MIDDLE) for v in OWN_CENTERS[CASTLE])
_CORNER_CELLS = ([0, 0, -1, -1], [0, -1, -1, 0])


def measure_geometry(
    template: Template, photo: Photo, centers_xy: Floats, network: Network, placed: bool = False
) -> Template:
    """The template with picture and geometry measured in a photo.

    centers_xy: (5, 7, 2) photo frame, approximate cell centres. network: see `measure_cell`.
    placed: given by a person.
    """
    cells = register_cells(photo, centers_xy)
    centers = shifted_to(cells.centers_xy, centers_xy) if placed else cells.centers_xy
    across, down = (np.linalg.norm(np.diff(centers, axis=axis), axis=-1).mean() for axis in (1, 0))
    aspect = float(down / across) if template.aspect == 1.0 else template.aspect
    pattern = pattern_of(flatten(photo, centers, PERIOD_PX, PATTERN_MARGIN))
    found = measure_cell(pattern, network, placed)
    centers = shift_cells(centers, np.array([off or 0.0 for off in found.offset]))
    bgr = flatten(photo, centers, TEMPLATE_PX, TEMPLATE_MARGIN)
    castle = edges(bgr, TEMPLATE_PX)[_TOP : _TOP + _CASTLE_PX, _LEFT : _LEFT + _CASTLE_PX]
    return Template(  # not `replace`, which cannot make a `StoredTemplate`
        name=template.name,
        bgr=bgr,
        coverage=template.coverage,
        cell=found.cell,
        castle=find_castle(castle),
        lines=found.lines,
        aspect=aspect,
        residual=cells.residual,
        sheets=template.sheets,
        by_itself=template.by_itself,
    )


def with_corners(template: Template, corners_xy: Floats) -> Template:
    """The template with its grid's corners, (4, 2) in the pixels of its picture, corrected by a
    person, and its geometry measured anew. Parts outside the old picture become unknown.

    Raises LayoutError for implausible corners.
    """
    photo, centers = Photo(template.bgr), centers_within(corners_xy)
    h, w = template.bgr.shape[:2]
    moved = measure_geometry(template, photo, centers, default_models().geometry, placed=True)
    levels = np.repeat(np.repeat(template.coverage, COVERAGE_STEP, 0), COVERAGE_STEP, 1)
    to_old = cv2.getPerspectiveTransform(
        OWN_CENTERS[_CORNER_CELLS].astype(np.float32), centers[_CORNER_CELLS].astype(np.float32)
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    warped = cv2.warpPerspective(levels, to_old, (w, h), flags=flags)
    small = cv2.resize(warped, template.coverage.shape[::-1], interpolation=cv2.INTER_AREA)
    return replace(moved, coverage=np.asarray(np.clip(small, 0, 1), np.float32))


@dataclass(frozen=True)
class MeasuredCell:
    """What is printed in a cell. offset: cells by which the lattice is off the lines between cells,
    None if no lines were found on that axis. The geometry is relative to the true centre."""

    offset: tuple[float | None, float | None]
    lines: LineStyle
    cell: CellGeometry


@dataclass(frozen=True, eq=False)
class CellMaps:
    """What the network sees in a period.

    centres, inside: (48, 48), probability of circles' centres and of the shield's inside. radius:
    of the circles in cells. style: (3,), probabilities of no lines, whole and broken ones, which
    it confuses. lines: (2, 48), where they are, if there are any: those between columns and those
    between rows.
    """

    centres: Floats
    inside: Floats
    radius: float
    style: Floats
    lines: Floats


def see_cell(period: Period, network: Network) -> CellMaps:
    """Look at a period, mirrored in four ways.

    network: (B, 8, 96, 96), see `period_of` → (B, 3, 48, 48): logits of centres and inside, log of
    the radius; logits (B, 3) of the style; logits (B, 2, 48) of the lines' places.
    """
    views = np.stack([period[::y, ::x] for x, y in _FLIPS]).transpose(0, 3, 1, 2)
    seen = []
    for (x, y), maps, style, lines in zip(
        _FLIPS, *network(np.ascontiguousarray(views)), strict=True
    ):
        chances = sigmoid(maps[:2, ::y, ::x])
        places = softmax(np.stack([lines[0, ::x], lines[1, ::y]]))
        seen.append((*chances, maps[2, ::y, ::x], softmax(style), places))
    centres, inside, sizes, style, lines = (
        np.asarray(np.mean(part, axis=0), np.float64) for part in zip(*seen, strict=True)
    )
    radius = float(np.exp(np.average(sizes, weights=centres)))
    return CellMaps(centres, inside, radius, style, lines)


def measure_cell(pattern: Pattern, network: Network, placed: bool = False) -> MeasuredCell:
    """Lines, shield and circles in what all cells share; network: see `see_cell`.

    placed: a person placed the cells; then only lines very close to that place count, and without
    any the cells stay there.
    """
    period = period_of(pattern.cells)
    maps = see_cell(period, network)
    off = [0.0 if placed else None] * 2
    ruled = maps.style[0] < MAX_UNRULED
    if ruled:
        off = [_offset(at, PLACED_REACH if placed else REACH, off[0]) for at in maps.lines]
    shield, shield_certainty = outline_in(maps.inside, np.array([v or 0.0 for v in off]))
    circles, certainty = circles_in(maps.centres)
    circles = _in_own_cells(pattern, period, circles, maps.radius, off)
    order = sorted(range(len(circles)), key=lambda i: (round(circles[i, 1], 2), circles[i, 0]))
    cell = CellGeometry(
        shield,
        tuple((float(x), float(y)) for x, y in circles[order]),
        maps.radius if len(circles) else 0.0,
        tuple(round(certainty[i], 2) for i in order),
        round(shield_certainty, 2),
    )
    return MeasuredCell((off[0], off[1]), "ruled" if ruled else "none", cell)


def _offset(chances: Floats, reach: float, missing: float | None) -> float | None:
    """Cells by which the lattice is off the lines of one axis. chances: (48,), that they are at
    each pixel of the period, whose borders are the lattice's. missing: if there are none."""
    size = len(chances)
    chances = np.roll(chances, size // 2)
    off = (np.arange(size) + 0.5) / size - 0.5
    likely = chances * np.exp(-((off / _USUAL_OFF) ** 2) / 2) * (np.abs(off) <= reach)
    near = int(likely.argmax()) + _NEAR
    weights = chances[near % size]
    if weights.sum() < MIN_LINE:
        return missing
    return float(np.average((near + 0.5) / size - 0.5, weights=weights))


def circles_in(centres: Floats) -> tuple[Floats, list[float]]:
    """Places (N, 2) of circles in cells from the period's centre, and how certain each is.

    centres: (48, 48), how near each pixel probably is to one.
    """
    left, size = centres.copy(), len(centres)
    places, chances = [], []
    for _ in range(MAX_CROSSES + 1):
        y, x = np.unravel_index(int(left.argmax()), left.shape)
        around = np.ix_((y + _NEAR) % size, (x + _NEAR) % size)
        weights = left[around].copy()
        left[around] = 0
        chances.append(min(float(weights.sum()) / _PEAK, 1.0))
        at = np.average(_NEAR, weights=weights.sum(0)), np.average(_NEAR, weights=weights.sum(1))
        places.append(((np.array([x, y]) + at + 0.5) / size) % 1 - 0.5)
    count = sum(chance >= MIN_CIRCLE for chance in chances[:MAX_CROSSES])
    other = 1 - chances[count]
    return np.array(places[:count]).reshape(-1, 2), [
        _certainty(min(chance, other)) for chance in chances[:count]
    ]


def _certainty(chance: float) -> float:
    return float(np.clip((chance - DOUBTFUL) / (SURE - DOUBTFUL), 0, 1))


def outline_in(inside: Floats, middle: Floats) -> tuple[Polygon, float]:
    """The shield's outline in cells from a place in the period, () if there is none, and how
    certain it is: by the overlap that is expected.

    inside: (48, 48), the probability that each pixel is inside it.
    """
    px = _ENLARGED * len(inside)
    wide = np.tile(inside, (3, 3)).astype(np.float32)
    large = cv2.resize(wide, (3 * px, 3 * px), interpolation=cv2.INTER_CUBIC)
    contours = cv2.findContours(
        (large > 0.5).astype(np.uint8), cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE
    )[0]
    best, largest = None, 0.0
    for contour in contours:
        outline = (contour[:, 0] + 0.5) / px - 1.5 - middle
        if np.abs((outline.min(0) + outline.max(0)) / 2).max() <= 0.5:
            area = cv2.contourArea(contour) / px**2
            if area > largest:
                best, largest = outline, area
    if best is None or largest < MIN_SHIELD:
        return (), 0.0
    sure = inside > 0.5
    overlap = inside[sure].sum() / (sure.sum() + inside[~sure].sum())
    alone = min(largest / sure.mean(), 1.0)
    corners = cv2.approxPolyDP(best.astype(np.float32)[:, None], _SMOOTHED, True)[:, 0]
    return tuple((float(x), float(y)) for x, y in corners), _certainty(float(overlap * alone))


def _in_own_cells(
    pattern: Pattern, period: Period, places: Floats, radius: float, off: Sequence[float | None]
) -> Floats:
    """The circles of a cell, in cells from its true centre.

    Without lines it is the sheet's ends that show which of two neighbouring cells a circle between
    them belongs to: there one of the two is missing, and its circles with it.
    """
    for axis, phase in enumerate(off):
        if phase is not None:
            places[:, axis] = (places[:, axis] - phase + 0.5) % 1 - 0.5
    if None not in off or not len(places):
        return places
    half = int(np.ceil(_AROUND * radius * PERIOD_PX))
    colours, shared = pattern.channels[..., :EDGE], period[..., :EDGE]
    for place in places:
        at = np.round((place + [v or 0.0 for v in off] + 0.5) * PERIOD_PX - 0.5).astype(int)
        around = np.arange(-half, half + 1)
        sample = shared[np.ix_((at[1] + around) % PERIOD_PX, (at[0] + around) % PERIOD_PX)]
        alike = cv2.matchTemplate(colours, np.ascontiguousarray(sample), cv2.TM_CCOEFF_NORMED)
        shown = np.full((ROWS + 2, COLS + 2), np.nan)
        for row, col in np.ndindex(shown.shape):
            x, y = (
                at
                + np.round((np.array([col, row]) - 1 + PATTERN_MARGIN) * PERIOD_PX).astype(int)
                - half
            )
            inside = 0 <= x < alike.shape[1] and 0 <= y < alike.shape[0]
            if inside and (row - 1, col - 1) != CASTLE:
                shown[row, col] = alike[max(y - 2, 0) : y + 3, max(x - 2, 0) : x + 3].max()
        for axis, phase in enumerate(off):
            if phase is None:
                lanes = shown[1:-1].T if axis == 0 else shown[:, 1:-1]
                ends = [
                    np.median(v[np.isfinite(v)]) if np.isfinite(v).any() else np.nan for v in lanes
                ]
                other, own, step = (
                    (ends[0], ends[-2], -1) if place[axis] > 0 else (ends[-1], ends[1], 1)
                )
                if other > own:  # false where either is NaN
                    place[axis] += step
    return places


def find_castle(edge: Plane) -> Castle:
    """Roofs and keep, in cells from the castle's centre: what lines enclose above and below.

    edge: (192, 192), the castle and a quarter of a cell around it, see `edges`. If nothing is
    enclosed, one default roof is returned.
    """
    polygons = max((_enclosed(edge < level) for level in THRESHOLDS), key=len)
    top = min((min(y for _, y in p) for p in polygons), default=0.0)
    roofs = tuple(p for p in polygons if min(y for _, y in p) < top + 0.2)
    keep = tuple(p for p in polygons if p not in roofs)
    return Castle(roofs or (((-0.3, 0.0), (0.0, -0.35), (0.3, 0.0)),), keep)


def _enclosed(free: NDArray[np.bool_]) -> list[Polygon]:
    """Outlines, with few corners, of compact regions that edges enclose in the castle's cell."""
    polygons = []
    count, labels, stats, _ = cv2.connectedComponentsWithStats(
        free.astype(np.uint8), connectivity=4
    )
    for label in range(1, count):
        x, y, w, h, _ = stats[label]
        reach = np.abs(np.array([x, y, x + w, y + h]) - _MIDDLE).max() / TEMPLATE_PX
        if reach >= _CASTLE_REACH or w * h <= _SMALLEST * TEMPLATE_PX**2:
            continue
        mask = (labels == label).astype(np.uint8)
        outline = max(cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0], key=len)
        area, hull = cv2.contourArea(outline), cv2.contourArea(cv2.convexHull(outline))
        if _SMALLEST < area / TEMPLATE_PX**2 < _LARGEST and area > 0.6 * hull:
            corners = cv2.approxPolyDP(outline, 0.005 * TEMPLATE_PX, closed=True)[:, 0]
            if len(corners) >= 3:
                polygons.append(
                    tuple((float(x), float(y)) for x, y in (corners - _MIDDLE) / TEMPLATE_PX)
                )
    return polygons
