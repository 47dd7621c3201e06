"""Where lines, shield, circles and castle lie in a print, from what all of its cells share.

A line is a ridge across the whole cell, unlike a shield's side or a row of circles. A shield's
outline is, in polar coordinates around a point inside, a distance for each direction: dynamic
programming finds the smooth closed path of high contrast that encloses hardly any, across gaps and
circles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats, Photo, Plane, edges
from kdscan.imaging.rectify import flatten, shift_cells
from kdscan.paper.parts import Castle, LineStyle, Point, Polygon
from kdscan.rules.duel.board import CASTLE, COLS, ROWS
from kdscan.templates.cells import centers_within, register_cells, shifted_to
from kdscan.templates.circles import NO_CIRCLES, Circles, find_circles, likeness_map
from kdscan.templates.features import (
    EDGE,
    PATTERN_MARGIN,
    PATTERN_PX,
    Pattern,
    Period,
    energy_of,
    pattern_of,
    peak_offset,
)
from kdscan.templates.template import (
    COVERAGE_STEP,
    OWN_CENTERS,
    TEMPLATE_MARGIN,
    TEMPLATE_PX,
    CellGeometry,
    Template,
)

MIN_LINE = 7.0
"""Least height of a line's peak in the profile, relative to the typical value."""
MIN_PRINTED = 0.5
"""Least share of a line's length that is printed, dashes merged; a column of circles has 0.4."""
REACH, PLACED_REACH = 0.32, 0.06
"""Cells by which the lattice may be off its lines; the same if a person placed it."""
MIN_CONTRAST = 0.3
"""Least mean contrast along a shield's outline, relative to the strongest in the cell."""
THRESHOLDS = (0.8, 1.0, 1.25, 1.5, 1.8, 2.1)
"""Thresholds for edges of the castle, relative to the mean edge nearby."""

_WIDTHS = (1.5, 3.0)  # pixels: standard deviations of the filters for lines
_LOW = 0.08  # share of a line that may be covered by other things
_ALONG = 0.06  # cells within which dashes and dots merge
_SIDES = 0.12  # cells on both sides of a border that are compared
_TURNED = 0.5  # weight of differences between both sides against what they share
_USUAL_OFF = 0.2  # cells: standard deviation of the lattice's offset
_OVER = 1.3  # least height relative to the highest peak elsewhere
_BOXED = 0.06  # cells by which either line of two neighbouring boxes lies off their middle
_FLOOR = 0.01  # contrast below which there is no line
_PAD = 40  # pixels of padding around the period

_DIRECTIONS = 120
_NEAREST, _FARTHEST = 0.1, 0.62  # cells from a point inside to a shield's outline
_SEEDS = (-0.14, 0.0, 0.14)  # cells: x and y of points that may lie inside a shield
_STEP = 5  # pixels by which the distance may change from one direction to the next
_BEND = 0.02  # contrast that a change by one pixel costs
_HALF = 0.49  # cells: shields of neighbouring cells do not overlap
_STRONG = 0.97  # quantile of the contrast that counts as the strongest
_LINED = 0.7  # factor of the contrast of lines between cells, on which a shield's side may lie
_UNKNOWN = 0.35  # contrast where circles are, which may hide the outline
_ENCLOSED, _PLAIN, _OWN = 0.06, 0.15, 8  # what contrast above the second number costs for each
# pixel between the centre and the path; pixels of the path's own line, which cost nothing
_THICKEST = 12  # pixels from one edge of a shield's outline to the other
_OPPOSITE = 0.2  # least strength of the other edge, relative to the stronger one
_WEAKEST, _SURE = 0.1, 0.7  # quantile of the contrast along an outline; the value that is certain
_DOUBT, _DOUBTED = 0.65, 9  # factor of circles along a shield's outline, which has corners; pixels

_ON_LINE = np.arange(-3, 4)  # pixels from the middle of a line between cells
_APART, _WHOLE = 0.015, 0.9  # cells: a shield's side that is closer to a line with a smaller share
# printed is what was taken for that line

_CASTLE_REACH = 0.47  # cells from the centre: what reaches farther is bounded by the cell's lines
_SMALLEST, _LARGEST = 0.006, 0.4  # square cells: parts of a castle
_CASTLE_PX = 3 * TEMPLATE_PX // 2
_MIDDLE = _CASTLE_PX / 2 - 0.5
_LEFT, _TOP = (round(v - _MIDDLE) for v in OWN_CENTERS[CASTLE])
_CORNER_CELLS = ([0, 0, -1, -1], [0, -1, -1, 0])

_ANGLES = np.arange(_DIRECTIONS) * 2 * np.pi / _DIRECTIONS
_AWAY = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], -1)


def measure_geometry(
    template: Template, photo: Photo, centers_xy: Floats, placed: bool = False
) -> Template:
    """The template with picture and geometry measured in a photo.

    centers_xy: (5, 7, 2) photo frame, approximate cell centres. placed: given by a person.
    """
    cells = register_cells(photo, centers_xy)
    centers = shifted_to(cells.centers_xy, centers_xy) if placed else cells.centers_xy
    across, down = (np.linalg.norm(np.diff(centers, axis=axis), axis=-1).mean() for axis in (1, 0))
    aspect = float(down / across) if template.aspect == 1.0 else template.aspect
    pattern = pattern_of(flatten(photo, centers, PATTERN_PX, PATTERN_MARGIN))
    found = measure_cell(pattern, aspect, placed)
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
    moved = measure_geometry(template, photo, centers, placed=True)
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


def measure_cell(pattern: Pattern, aspect: float, placed: bool = False) -> MeasuredCell:
    """Lines, shield and circles in what all cells share.

    placed: a person placed the cells; then only lines very close to that place count, and without
    any the cells stay there.
    """
    median, mean = pattern.median, pattern.mean
    reach = PLACED_REACH if placed else REACH
    columns = find_line(median, mean, reach)
    rows = find_line(median.transpose(1, 0, 2), mean.transpose(1, 0, 2), reach)
    bare, trusted = _without_lines(median, columns, rows)
    first, _ = find_outline(median, bare, NO_CIRCLES)
    if first:  # its corners look like circles
        along = np.zeros((3 * PATTERN_PX, 3 * PATTERN_PX), np.uint8)
        at = np.round((np.array(first) + 1.5) * PATTERN_PX - 0.5).astype(np.int32)
        cv2.polylines(along, [at], True, (1,), _DOUBTED)
        trusted[along.reshape(3, PATTERN_PX, 3, PATTERN_PX).max((0, 2)) > 0] *= _DOUBT
    circles = find_circles(median, bare, trusted, aspect)
    outline, certainty = find_outline(median, bare, circles)
    missing = 0.0 if placed else None
    across, down = (
        line.at if line and not _is_side(line, [xy[axis] for xy in outline]) else missing
        for axis, line in enumerate((columns, rows))
    )
    off = (across, down)
    middle = [v or 0.0 for v in off]
    shield = tuple((x - middle[0], y - middle[1]) for x, y in outline)
    places = _in_own_cells(pattern, circles, off)
    order = sorted(range(len(places)), key=lambda i: (round(places[i][1], 2), places[i][0]))
    radius = float(np.sqrt(np.prod(circles.radii))) / PATTERN_PX
    printed = [line.printed for line in (columns, rows) if line]
    style: LineStyle = "none" if not printed else "ruled" if max(printed) > 0.8 else "dashed"
    cell = CellGeometry(
        shield,
        tuple(places[i] for i in order),
        radius,
        tuple(round(circles.certainty[i], 2) for i in order),
        round(certainty, 2),
    )
    return MeasuredCell(off, style, cell)


@dataclass(frozen=True)
class Line:
    """A line between cells. at: cells by which the lattice is off the lines of one axis. printed:
    share of its length. apart: pixels from the middle to either line of neighbouring boxes."""

    at: float
    printed: float
    apart: float

    @property
    def px(self) -> int:
        """Its place in the period."""
        return round(self.at * PATTERN_PX - 0.5) % PATTERN_PX


def _is_side(line: Line, outline: Sequence[float]) -> bool:
    """Whether a line is a row of shields' sides. outline: the coordinates of one of them on the
    line's axis, in cells from the period's centre."""
    if not outline or line.printed >= _WHOLE:
        return False
    away = np.abs(np.array([min(outline), max(outline)]) - line.at)
    return bool((away > 0.5 - _APART).any())


def find_line(median: Period, mean: Period, reach: float = REACH) -> Line | None:
    """The line between columns, at most `reach` cells off, or None. For rows transpose the
    periods."""
    ridges = []
    for period in (median, mean):
        for channel in range(period.shape[2]):
            for width in _WIDTHS:
                wide = np.pad(period[..., channel], 24, mode="wrap")
                smooth = cv2.GaussianBlur(wide, (0, 0), width, sigmaY=_ALONG * PATTERN_PX)
                sides = [np.roll(smooth, by, 1) for by in (round(2 * width), -round(2 * width))]
                ridge = (2 * smooth - sides[0] - sides[1])[24:-24, 24:-24]
                ridge = ridge / (1.5 * np.median(np.abs(ridge)) + _FLOOR)
                ridges += [ridge] if channel == EDGE else [ridge, -ridge]
    stack = np.stack(ridges)
    profiles = np.maximum(np.quantile(stack, _LOW, axis=1), 0)
    profile = np.sqrt((profiles**2).sum(0))
    size = len(profile)
    steps = np.arange(-round(reach * size), round(reach * size) + 1)
    likely = profile[steps % size] * np.exp(-((steps / size / _USUAL_OFF) ** 2) / 2)
    at = int(steps[likely.argmax()]) % size  # the line is the left side of the period
    away = np.abs(np.arange(size) - at)
    elsewhere = profile[np.minimum(away, size - away) > 0.12 * size].max()
    if profile[at] <= max(MIN_LINE, _OVER * elsewhere):
        return None
    along = stack[int(profiles[:, at].argmax()), :, at]
    printed = float(np.mean(along > 0.5 * np.quantile(along, 0.9)))
    if printed < MIN_PRINTED:
        return None
    place = _mirror_axis(median, at)
    return Line(((place + 0.5) / PATTERN_PX + 0.5) % 1 - 0.5, printed, abs(place - at))


def _mirror_axis(median: Period, at: int) -> float:
    """The axis of symmetry near a line, in pixels: the print is symmetrical where two cells meet,
    whether there is one line, two of neighbouring boxes, or a gap."""
    wide = np.pad(median[..., :EDGE], ((0, 0), (_PAD, _PAD), (0, 0)), mode="wrap")
    along = np.median(wide, axis=0).T.astype(np.float64)
    change = np.gradient(cv2.GaussianBlur(along, (0, 1), 1.0), axis=1)
    away = np.arange(0.5, _SIDES * PATTERN_PX, 0.5)
    steps = np.arange(-_BOXED * PATTERN_PX, _BOXED * PATTERN_PX + 0.1, 0.25)
    pixels = np.arange(change.shape[1])
    alike = np.empty(len(steps))
    for n, step in enumerate(steps):
        right, left = (
            np.stack([np.interp(_PAD + at + step + side * away, pixels, c) for c in change])
            for side in (1, -1)
        )
        alike[n] = -2 * (right * left).sum() - _TURNED * ((right + left) ** 2).sum()
    best = int(np.argmax(alike))
    inner = 0 < best < len(steps) - 1
    return at + float(steps[best] + 0.25 * (peak_offset(alike, best) if inner else 0.0))


def _without_lines(median: Period, columns: Line | None, rows: Line | None) -> tuple[Period, Plane]:
    """The median without lines, and (H, W): 0 where no circle's centre can be, on lines and near
    their crossings, else 1."""
    left, free = median.copy(), np.ones(median.shape[:2], np.float32)
    half = round(0.045 * PATTERN_PX)
    for axis, line in ((1, columns), (0, rows)):
        if line is not None:
            wide = half + round(line.apart)
            at = line.px + np.arange(-wide, wide + 1)
            along = np.moveaxis(left, axis, 0)
            inside = along[at % PATTERN_PX]
            rim = (along[(at[0] - 2) % PATTERN_PX] + along[(at[-1] + 2) % PATTERN_PX]) / 2
            typical = np.median(inside, axis=1, keepdims=True) - np.median(rim, axis=0)
            along[at % PATTERN_PX] = inside - typical
            np.moveaxis(free, axis, 0)[(line.px + _ON_LINE) % PATTERN_PX] = 0
    if columns is not None and rows is not None:
        around, rim = np.arange(-half, half + 1), np.array([-half - 2, half + 2])
        crossing, corners = (
            np.ix_((rows.px + by) % PATTERN_PX, (columns.px + by) % PATTERN_PX)
            for by in (around, rim)
        )
        left[crossing] = left[corners].mean((0, 1))
        free[crossing] = 0
    return left, free


def _in_own_cells(
    pattern: Pattern, circles: Circles, off: tuple[float | None, float | None]
) -> tuple[Point, ...]:
    """The circles of a cell, in cells from its true centre.

    Without lines it is the sheet's ends that show which of two neighbouring cells a circle between
    them belongs to: there one of the two is missing, and its circles with it.
    """
    if circles.profile is None:
        return ()
    places = (circles.xy + 0.5) / PATTERN_PX - 0.5
    alike = likeness_map(pattern.channels[..., :EDGE], circles.profile, np.array(circles.radii))
    reach = 3
    for place, xy in zip(places, circles.xy, strict=True):
        shown = np.full((ROWS + 2, COLS + 2), np.nan)
        for row, col in np.ndindex(shown.shape):
            at = xy + (np.array([col, row]) - 1 + PATTERN_MARGIN) * PATTERN_PX
            x, y = np.round(at).astype(int)
            inside = 0 <= x < alike.shape[1] and 0 <= y < alike.shape[0]
            if inside and (row - 1, col - 1) != CASTLE:
                shown[row, col] = alike[
                    max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1
                ].max()
        for axis, phase in enumerate(off):
            if phase is not None:
                place[axis] = (place[axis] - phase + 0.5) % 1 - 0.5
                continue
            across = shown[1:-1].T if axis == 0 else shown[:, 1:-1]
            ends = [
                np.median(v[np.isfinite(v)]) if np.isfinite(v).any() else np.nan for v in across
            ]
            other, own, step = (
                (ends[0], ends[-2], -1) if place[axis] > 0 else (ends[-1], ends[1], 1)
            )
            if other > own:  # false where either is NaN
                place[axis] += step
    return tuple((float(x), float(y)) for x, y in places)


def _contrast(period: Period, hidden: Plane) -> Plane:
    """(H, W) 0..1: contrast of lines and steps at each pixel. hidden: (H, W), 1 at circles."""
    strength = np.sqrt(np.sum([energy_of(period[..., c]) ** 2 for c in range(EDGE)], axis=0))
    edge = np.maximum(period[..., EDGE] - np.median(period[..., EDGE]), 0)
    both = np.zeros(strength.shape, np.float32)
    for plane, weight in ((strength, 0.6), (edge, 0.4)):
        top = float(np.quantile(plane[hidden == 0], _STRONG)) + 1e-6
        both += np.float32(weight) * np.minimum(plane / top, 1)
    both[hidden > 0] = _UNKNOWN
    wide = cv2.GaussianBlur(np.pad(both, 16, mode="wrap"), (0, 0), 1.5)
    return np.asarray(wide[16:-16, 16:-16], np.float32)


def find_outline(median: Period, bare: Period, circles: Circles) -> tuple[Polygon, float]:
    """The shield's outline in cells from the period's centre, () if there is none; and how certain
    it is, 0..1, by its weakest tenth.

    bare: the median without lines between cells, whose remains count less than other things.
    """
    hidden = np.zeros(median.shape[:2], np.float32)
    axes = [round(1.3 * radius + 3) for radius in circles.radii]
    for x, y in circles.xy:
        for dx, dy in np.ndindex(3, 3):  # also beyond the sides
            at = (round(x) + (dx - 1) * PATTERN_PX, round(y) + (dy - 1) * PATTERN_PX)
            cv2.ellipse(hidden, at, axes, 0, 0, 360, (1.0,), -1)
    contrast = np.maximum(_contrast(bare, hidden), _LINED * _contrast(median, hidden))
    seeds = np.array([(x, y) for y in _SEEDS for x in _SEEDS])
    paths, scores, _ = _closed_paths(contrast, hidden, seeds)
    best = int(scores.argmax())
    outline = _points(seeds[best], paths[best])
    for _ in range(2):  # again from its own centroid
        middle = outline.mean(0)
        (path,), _, (along,) = _closed_paths(contrast, hidden, middle[None])
        outline = _points(middle, path)
    if along.mean() < MIN_CONTRAST:
        return (), 0.0
    corners = cv2.approxPolyDP(_on_line(median, outline).astype(np.float32)[:, None], 0.006, True)
    certainty = float(np.clip(np.quantile(along, _WEAKEST) / _SURE, 0, 1))
    return tuple((float(x), float(y)) for x, y in corners[:, 0]), certainty


def _on_line(median: Period, outline: Floats) -> Floats:
    """An outline (N, 2) moved to the middle of its line: between the stronger edge nearby and the
    opposite one, if there is one."""
    along = np.roll(outline, -3, 0) - np.roll(outline, 3, 0)
    outward = along[:, ::-1] * (1, -1)
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-6)
    outward *= np.sign(np.median(((outline - outline.mean(0)) * outward).sum(1)))
    away = np.arange(-10, _THICKEST + 10.0)
    at = outline[:, None] + outward[:, None] * (away / PATTERN_PX)[:, None]
    colours = _sampled(median[..., :EDGE], at)
    profile = cv2.GaussianBlur(np.median(colours, axis=0), (1, 0), sigmaX=0.1, sigmaY=1.2)
    change = np.gradient(profile, axis=0)
    strength = np.linalg.norm(change, axis=1)
    main = int(np.argmax(strength * (np.abs(away) <= 6)))
    opposite = -(change @ change[main]) / max(float(strength[main]), 1e-6)
    opposite[np.abs(away - away[main]) > _THICKEST] = -1
    inner = opposite[1:-1]
    inner[(inner < opposite[:-2]) | (inner < opposite[2:])] = -1
    other = 1 + int(np.argmax(inner))
    other = other if opposite[other] > _OPPOSITE * strength[main] else main
    return np.asarray(outline + outward * (away[main] + away[other]) / 2 / PATTERN_PX)


def _sampled(period: Period, xy: Floats) -> Period:
    """Values of a period, (H, W) or (H, W, C), at points (..., N, 2) in cells from its centre."""
    at = ((xy + 1.5) * PATTERN_PX - 0.5).astype(np.float32).reshape(-1, *xy.shape[-2:])
    pad = [(PATTERN_PX, PATTERN_PX)] * 2 + [(0, 0)] * (period.ndim - 2)
    wide = np.pad(period, pad, mode="wrap")
    values = cv2.remap(wide, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    return np.asarray(values, np.float32).reshape(*xy.shape[:-1], *period.shape[2:])


def _closed_paths(
    contrast: Plane, hidden: Plane, seeds_xy: Floats
) -> tuple[NDArray[np.int_], Floats, Plane]:
    """The best closed path around each seed, (N, 2) cells: distances (N, directions) in pixels
    beyond `_NEAREST`, its score (N,), and the contrast along it, (N, directions). Dynamic
    programming (Viterbi)."""
    reach = _NEAREST + np.arange(round((_FARTHEST - _NEAREST) * PATTERN_PX)) / PATTERN_PX
    away = _AWAY[:, None] * reach[:, None]
    at = seeds_xy[:, None, None] + away
    polar, over = _sampled(contrast, at), _sampled(hidden, at)
    polar[:, np.abs(away).max(-1) > _HALF] = -1  # shields do not reach beyond their cells
    enclosed = np.where((polar > _PLAIN) & (over < 0.3), polar, 0).cumsum(2)
    value_at = polar.copy()
    value_at[..., _OWN:] -= _ENCLOSED * enclosed[..., :-_OWN]
    seeds, turns = np.arange(len(seeds_xy)), np.arange(_DIRECTIONS)
    wide = np.full((len(seeds), polar.shape[2] + 2 * _STEP), -1e9)
    moves = np.lib.stride_tricks.sliding_window_view(wide, 2 * _STEP + 1, 1)
    bends = _BEND * np.abs(np.arange(-_STEP, _STEP + 1))
    value, moved_by = np.zeros(polar.shape[::2]), []
    for turn in range(2 * _DIRECTIONS):  # twice round, so that the end meets the beginning
        wide[:, _STEP:-_STEP] = value
        options = moves - bends
        moved_by.append(options.argmax(-1) - _STEP)
        value = options.max(-1) + value_at[:, turn % _DIRECTIONS]
    end, back = value.argmax(1), []
    for moved in reversed(moved_by):
        back.append(end)
        end = end + moved[seeds, end]
    half = _DIRECTIONS // 2
    paths = np.roll(np.array(back[::-1]).T[:, half : half + _DIRECTIONS], half, axis=1)
    on_path = seeds[:, None], turns, paths
    return paths, value_at[on_path].mean(1), polar[on_path]


def _points(seed_xy: Floats, path: NDArray[Any]) -> Floats:
    return np.asarray(seed_xy + _AWAY * (_NEAREST + path / PATTERN_PX)[:, None])


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
