"""Detects a print's circles in the pattern that all cells share.

All circles of a print have one size and style. A point is a circle's centre if nearly everywhere at
one radius around it the pattern has the same kind of edge: a step (a disc) or a ridge (a ring). The
response is a low quantile over directions, which tolerates other circles or the shield touching it
but rejects corners and straight lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.rules.duel.board import MAX_CROSSES
from kdscan.templates.features import Maps, derivatives
from kdscan.templates.pattern import EDGE, PATTERN_PX, Period, peak_offset

RADII = np.linspace(0.04, 0.1, 9)
"""Fractions of a cell's shorter side; printed circles have 0.044 to 0.095."""
ASPECTS = (0.76, 0.87, 1.0, 1.15, 1.32)
"""Height of a cell over its width; where cells are drawn square, a circle becomes an ellipse."""

_ANGLES = 16
_FEW_OCCLUDED, _OCCLUDED = 1, 3  # directions that something else may cover
_FLOOR = 0.006  # contrast per pixel below which nothing was printed
_ALIKE = 0.5  # least response, relative to the best circle's
MIN_RESPONSE = 2.0
"""Least response of a circle, relative to the typical change in the pattern."""

_TOUCHED = 0.2  # factor for a circle that others touch
_ENOUGH = 10.0  # times the typical change; a stronger response counts no more
_EVEN = 0.4  # least response of nearly all directions, relative to their median
_LARGEST, _THICKEST = 0.13, 0.06  # cells: largest radius; half an outline's greatest width
_OUTLINED = 0.3  # least strength of an outline's opposite step, relative to the main one
_SEEN = 1.3  # radii around a circle that are compared
_IS_CIRCLE, _IS_GAP = 0.8, 0.3
"""Correlations with the best circle. A place above `_IS_CIRCLE` is a circle too; if there is one, a
place below `_IS_GAP` is no circle but a gap beside a shield. In 160 prints of generated pads the
number of circles is right in 149, instead of 145 without this rule."""
_APART = 1.9  # radii: least distance between centres; printed circles may touch
_PAD = 40  # pixels of padding around the period
_MOST_PLACES = 1500  # pixels that are examined closely


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles of one size and style.

    xy: (N, 2) pixels of the period, N up to four. radii: along x and y in pixels, at which they
    respond; size: those of their outline.
    response: (N,), relative to the typical change in the pattern; at least `MIN_RESPONSE`.
    channel, ridge, sign: how they are drawn: in L, a, b or edges; as a line or a step.
    """

    xy: NDArray[np.float64]
    radii: tuple[float, float]
    response: NDArray[np.float64]
    channel: int = 0
    ridge: bool = False
    sign: int = 1
    size: tuple[float, float] = (0.0, 0.0)


NO_CIRCLES = Circles(np.zeros((0, 2)), (0.0, 0.0), np.zeros(0))


def find_circles(period: Period, trusted: NDArray[np.float32]) -> Circles:
    """The family of up to four circles of one size and style with the largest total response.

    trusted: (H, W) 0..1, weight of responses at each pixel.
    """
    best, most = NO_CIRCLES, 0.0
    for style in _styles(period):
        for radii, around in _around(style.maps, style.ridge):
            for sign in style.signs:
                places = _low_quantile_around(around, sign) * trusted
                if style.weight * MAX_CROSSES * float(places.max()) <= most:
                    continue
                xy, response = _peaks(places, radii)
                weight = style.weight * float(response.sum())
                if weight > most:
                    most = weight
                    best = Circles(xy, radii, response, style.channel, style.ridge, sign)
    if not len(best.xy):
        return best
    return _with_similar(period, _with_outline_radii(period, best), trusted)


class _Style(NamedTuple):
    """How circles may be drawn, see `Circles`. maps: derivatives relative to the typical change.
    weight: factor of responses, to compare those of different styles."""

    channel: int
    ridge: bool
    signs: tuple[int, ...]
    maps: Maps
    weight: float


def _styles(period: Period) -> Iterator[_Style]:
    for channel in range(period.shape[2]):
        steps, ridges = derivatives(period[..., channel])
        if channel == EDGE:  # an outline is a ridge of the edges
            yield _Style(channel, True, (-1,), _relative(ridges, 0.5), 0.5)
        else:
            yield _Style(channel, False, (1, -1), _relative(steps, 1), 1.0)
            yield _Style(channel, True, (1, -1), _relative(ridges, 0.5), 1.0)


def _relative(maps: Maps, floor: float) -> Maps:
    """Derivatives relative to the typical change; floor: least change, in multiples of `_FLOOR`."""
    usual = 1.5 * float(np.median(np.abs(maps))) + _FLOOR * floor
    return maps / np.float32(usual)


def _with_outline_radii(period: Period, found: Circles) -> Circles:
    """The circles with the radii, along x and y, of the middle of their outline; for a disc without
    an outline, of its step. Of two that would overlap the weaker one is dropped."""
    base = float(np.sqrt(found.radii[0] * found.radii[1]))
    ways = [_outline(period, found.xy, base, aspect) for aspect in ASPECTS]
    _, radius, unit = max(ways, key=lambda way: way[0])
    kept: list[int] = []
    for i in np.argsort(-found.response):
        away = (np.linalg.norm((found.xy[i] - found.xy[k]) / unit) for k in kept)
        if all(distance > _APART * radius for distance in away):
            kept.append(int(i))
    size = (radius * float(unit[0]), radius * float(unit[1]))
    return replace(found, xy=found.xy[kept], response=found.response[kept], size=size)


def _outline(
    period: Period, xy: NDArray[np.float64], base: float, aspect: float
) -> tuple[float, float, NDArray[np.float64]]:
    """How clear the outline of circles is if cells have that aspect, its mean radius in pixels, and
    the radii along x and y as multiples of it.

    An outline is a step and the opposite one beyond it; its middle lies between them.
    """
    unit = np.array([np.sqrt(aspect), 1 / np.sqrt(aspect)])
    r = np.arange(0.4 * base, min(3 * base, _LARGEST * PATTERN_PX), 0.25)
    change = _radial_change(period, xy, unit, r)
    strength = np.linalg.norm(change, axis=0)
    main = int(np.argmax(strength * ((r > 0.7 * base) & (r < 2 * base))))
    back = -(change * change[:, main : main + 1]).sum(0) / max(float(strength[main]), 1e-6)
    back[np.abs(r - r[main]) > _THICKEST * PATTERN_PX] = -1
    other = int(np.argmax(back))
    most, least = float(strength[main]), max(float(back[other]), 0.0)
    middle = (r[main] + r[other]) / 2 if least > _OUTLINED * most else r[main]
    return most + least, float(middle), unit


def _with_similar(period: Period, found: Circles, trusted: NDArray[np.float32]) -> Circles:
    """The circles without those that do not look at all like a family's best one, and with others
    that do although something, mostly a shield's corner, lies on their outline. If that would make
    more than four, none are added."""
    size, reach = period.shape[0], [round(_SEEN * r) for r in found.size]
    wide = np.pad(period[..., :EDGE], ((_PAD, _PAD), (_PAD, _PAD), (0, 0)), mode="wrap")
    best = np.round(found.xy[int(np.argmax(found.response))]).astype(int) % size + _PAD
    (x, y), (rx, ry) = best, reach
    sample = wide[y - ry : y + ry + 1, x - rx : x + rx + 1]
    across, down = (np.arange(-r, r + 1) / (r + 0.5) for r in reach)
    grid = np.hypot(across, down[:, None])
    mask = np.repeat((grid <= 1).astype(np.float32)[..., None], EDGE, axis=2)
    top, left = _PAD - ry, _PAD - rx
    view = wide[top : top + size + 2 * ry, left : left + size + 2 * rx]
    alike = cv2.matchTemplate(view, sample, cv2.TM_CCOEFF_NORMED, mask=mask)
    alike = np.where(np.isfinite(alike), alike, -1) * (trusted > 0)
    ys, xs = np.mgrid[:size, :size]
    at_x, at_y = np.round(found.xy).astype(int).T % size
    likeness = alike[at_y, at_x]
    if (likeness > _IS_CIRCLE).sum() > 1:
        kept = likeness > _IS_GAP
        found = replace(found, xy=found.xy[kept], response=found.response[kept])

    def take(px: float, py: float) -> None:
        away = [np.minimum(d % size, -d % size) for d in (xs - px, ys - py)]
        alike[np.hypot(away[0] / found.size[0], away[1] / found.size[1]) < _APART] = -1

    for px, py in found.xy:
        take(px, py)
    more: list[tuple[float, float]] = []
    room = MAX_CROSSES - len(found.xy)
    while alike.max() > _IS_CIRCLE and len(more) <= room:
        py, px = (int(v) for v in np.unravel_index(int(alike.argmax()), alike.shape))
        more.append((px, py))
        take(px, py)
    if not 0 < len(more) <= room:
        return found
    response = np.concatenate([found.response, np.full(len(more), MIN_RESPONSE)])
    return replace(found, xy=np.concatenate([found.xy, more]), response=response)


def _radial_change(
    period: Period, xy: NDArray[np.float64], unit: NDArray[np.float64], r: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(3, len(r)): change of L, a and b outwards at these distances in pixels from the circles'
    centres; the median of all directions of all circles."""
    angles = np.arange(48) * 2 * np.pi / 48
    x = xy[:, 0, None, None] + r[None, :, None] * unit[0] * np.cos(angles) + _PAD
    y = xy[:, 1, None, None] + r[None, :, None] * unit[1] * np.sin(angles) + _PAD
    shape = (len(xy), len(r) * len(angles))
    at_x, at_y = (np.asarray(v.reshape(shape), np.float32) for v in (x, y))
    out = []
    for channel in range(EDGE):
        wide = np.pad(period[..., channel], _PAD, mode="wrap")
        seen = cv2.remap(wide, at_x, at_y, cv2.INTER_LINEAR).reshape(len(xy), len(r), len(angles))
        profile = np.median(seen.transpose(1, 0, 2).reshape(len(r), -1), axis=1)
        smooth = cv2.GaussianBlur(profile[None].astype(np.float64), (0, 0), 4.0)[0]
        out.append(np.gradient(smooth, r))
    return np.stack(out)


def _low_quantile_around(around: Maps, sign: int) -> NDArray[np.float32]:
    """(H, W): what nearly all directions of `around`, (angles, H, W), times `sign`, reach; 0 if
    that is much less than their median."""
    mean: NDArray[np.float32] = sign * around.mean(0)
    found = np.zeros_like(mean)
    likely = np.flatnonzero(mean.ravel() > MIN_RESPONSE)
    if len(likely) > _MOST_PLACES:
        likely = likely[np.argpartition(-mean.ravel()[likely], _MOST_PLACES)[:_MOST_PLACES]]
    if len(likely):
        values = sign * around.reshape(_ANGLES, -1)[:, likely]
        values = np.sort(values, axis=0)  # seven times as fast as a partition of so few
        fewest, low, middle = values[_FEW_OCCLUDED], values[_OCCLUDED], values[_ANGLES // 2]
        even = np.clip(fewest / np.maximum(middle, 1e-3), _TOUCHED, 1)
        clear = low > _EVEN * middle
        found.ravel()[likely] = np.where(clear, np.minimum(low, _ENOUGH) * even, 0)
    return np.asarray(found, np.float32)


def _around(maps: Maps, is_ridge: bool) -> Iterator[tuple[tuple[float, float], Maps]]:
    """For circles of each radius in cells of each aspect: the radii in pixels along x and y, and
    (angles, H, W), the outward derivative one radius away in each direction."""
    angles = np.arange(_ANGLES) * 2 * np.pi / _ANGLES
    cos, sin = np.cos(angles), np.sin(angles)
    for aspect in ASPECTS:
        unit = np.array([min(1.0, aspect), min(1.0, aspect) / aspect]) * PATTERN_PX
        normal = np.stack([cos / unit[0], sin / unit[1]])
        nx, ny = (normal / np.linalg.norm(normal, axis=0)).astype(np.float32)[:, :, None, None]
        if is_ridge:
            outward = nx * nx * maps[0] + 2 * nx * ny * maps[1] + ny * ny * maps[2]
        else:
            outward = nx * maps[0] + ny * maps[1]
        wide = np.pad(outward, ((0, 0), (_PAD, _PAD), (_PAD, _PAD)), mode="wrap")
        for radius in RADII:
            rx, ry = radius * unit
            around = np.empty_like(outward)
            for seen, direction, c, s in zip(around, wide, cos, sin, strict=True):
                y, x = _PAD + round(ry * s), _PAD + round(rx * c)
                seen[:] = direction[y : y + PATTERN_PX, x : x + PATTERN_PX]
            yield (float(rx), float(ry)), around


def _peaks(
    map_: NDArray[np.float32], radii: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Up to four peaks (N, 2) of similar height, by non-maximum suppression, and their
    responses."""
    left = map_.copy()
    size = map_.shape[0]
    ys, xs = np.mgrid[:size, :size]
    places: list[tuple[float, float]] = []
    values: list[float] = []
    for _ in range(MAX_CROSSES + 1):
        y, x = np.unravel_index(int(left.argmax()), left.shape)
        value = float(left[y, x])
        if value < max(MIN_RESPONSE, _ALIKE * values[0] if values else 0):
            break
        if len(values) == MAX_CROSSES:
            return np.zeros((0, 2)), np.zeros(0)  # a pattern of more is not circles
        places.append((x + peak_offset(map_[y], int(x)), y + peak_offset(map_[:, x], int(y))))
        values.append(value)
        away = [np.minimum(d, size - d) for d in (np.abs(xs - x), np.abs(ys - y))]
        left[np.hypot(away[0] / radii[0], away[1] / radii[1]) < 1.6] = -np.inf
    return np.array(places).reshape(-1, 2), np.array(values)
