"""Detects a print's circles in the median of its cells.

All circles of a print have one size and style. The clearest one shows what they look like: nearly
everywhere at one radius around it the median has the same kind of edge, a step (a disc) or a ridge
(a ring). All places that look like it are circles; how alike they are says how certain they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats
from kdscan.rules.duel.board import MAX_CROSSES
from kdscan.templates.features import EDGE, PATTERN_PX, Period, derivatives, peak_offset

RADII = np.linspace(0.04, 0.1, 9)
"""Fractions of a cell's shorter side; printed circles have 0.044 to 0.095."""
MIN_RESPONSE = 2.0
"""Least response of the clearest circle, relative to the typical change in the median."""
MIN_ALIKE = 0.7
"""Least correlation of a place with the clearest circle."""

_ANGLES = np.arange(16) * 2 * np.pi / 16
_FEW_OCCLUDED, _OCCLUDED = 1, 3  # directions that something else may cover
_TOUCHED = 0.2  # factor for a circle that others touch
_EVEN = 0.4  # least response of nearly all directions, relative to their median
_ENOUGH = 10.0  # times the typical change; a stronger response counts no more
_FLOOR = 0.006  # contrast per pixel below which nothing was printed
_MOST_SEEDS = 6  # places whose look is compared with all others
_COMMON = 0.7  # likeness that other things reach, too
_MOST_PLACES = 1500  # pixels that are examined closely
_LARGEST, _THICKEST = 0.13, 0.06  # cells: largest radius; half an outline's greatest width
_OUTLINED = 0.3  # least strength of an outline's opposite step, relative to the main one
_SURE_ALIKE = 0.2  # likeness above the least one at which circles are as alike as can be
_SURE_GAP = 0.3  # between likenesses of circles and of what is none
_LEAST_GAP = 0.04  # between the least alike circle and what is none
_COMPARED = 1.25  # radii around a circle that are compared
_APART = 2.0  # radii: least distance between centres; printed circles may touch
_PAD = 40  # pixels of padding around the period


@dataclass(frozen=True, eq=False)
class Circles:
    """Circles of one size and style.

    xy: (N, 2) pixels of the period. alike: (N,), correlations with the clearest one. radii: of
    their outline, along x and y in pixels. rest: the highest correlation of any other place.
    profile: (K, 3), the median's L, a and b at distances of 0 to `_COMPARED` radii.
    """

    xy: Floats
    alike: Floats
    radii: tuple[float, float] = (0.0, 0.0)
    rest: float = 0.0
    profile: Floats | None = None

    @property
    def certainty(self) -> list[float]:
        """Of each circle, 0..1, by what sets it apart from all other places, and by how alike the
        others are to the clearest. A single one may well be one of several: printed cells have two
        to four."""
        most = 1.0 if len(self.xy) > 1 else 0.4
        clear = np.clip((self.alike.max(initial=0) - MIN_ALIKE) / _SURE_ALIKE, 0, 1)
        certainty: list[float] = np.clip((self.alike - self.rest) / _SURE_GAP, 0, most).tolist()
        return [float(value * clear) for value in certainty]


NO_CIRCLES = Circles(np.zeros((0, 2)), np.zeros(0))


def find_circles(
    median: Period, bare: Period, trusted: NDArray[np.float32], aspect: float
) -> Circles:
    """All circles of a print. bare: the median without lines between cells, which may have taken
    parts of circles along. trusted: (H, W) 0..1, weight of responses at each pixel. aspect: height
    of a cell over its width."""
    unit = np.array([min(1.0, aspect), min(1.0, aspect) / aspect]) * PATTERN_PX
    seeds: list[tuple[float, float, tuple[int, int]]] = []
    for radius, response in _responses(bare, unit):
        places = response * trusted
        total = float(np.sum(_peaks(places, radius * unit)))
        if total > 0:
            y, x = np.unravel_index(int(places.argmax()), places.shape)
            seeds.append((total, radius, (int(x), int(y))))
    best, examined = NO_CIRCLES, list[tuple[int, int]]()
    for _, radius, xy in sorted(seeds, reverse=True):
        if len(examined) < _MOST_SEEDS and all(np.hypot(*np.subtract(xy, e)) > 4 for e in examined):
            examined.append(xy)
            clearest = np.array(xy, np.float64)
            radii = _outline_radius(bare, clearest, unit, radius) * unit
            circles = _alike_places((bare, median), clearest, radii, trusted)
            best = max(best, circles, key=lambda family: float((family.alike - _COMMON).sum()))
    return best


def _responses(median: Period, unit: Floats) -> Iterator[tuple[float, NDArray[np.float32]]]:
    """Radii, and how circle-like each pixel's surroundings are at that radius: a low quantile over
    directions, which tolerates other things that touch a circle but rejects corners and lines."""
    cos, sin = np.cos(_ANGLES), np.sin(_ANGLES)
    normal = np.stack([cos / unit[0], sin / unit[1]])
    nx, ny = (normal / np.linalg.norm(normal, axis=0)).astype(np.float32)
    for channel, is_ridge in product(range(median.shape[2]), (False, True)):
        if channel == EDGE and not is_ridge:  # an outline is a ridge of the edges
            continue
        maps = derivatives(median[..., channel])[is_ridge]
        maps = maps / (1.5 * float(np.median(np.abs(maps))) + _FLOOR * (0.5 if is_ridge else 1))
        terms = (nx * nx, 2 * nx * ny, ny * ny) if is_ridge else (nx, ny)
        outward = sum(t[:, None, None] * m for t, m in zip(terms, maps, strict=True))
        for radius in RADII:
            steps = np.round(radius * unit * np.stack([cos, sin], 1)).astype(int)
            around = np.stack(
                [np.roll(o, (-y, -x), (0, 1)) for o, (x, y) in zip(outward, steps, strict=True)]
            )
            for sign in (-1,) if channel == EDGE else (1, -1):
                weight = 0.5 if channel == EDGE else 1.0
                yield float(radius), weight * _low_quantile(around * np.float32(sign))


def _low_quantile(around: NDArray[np.float32]) -> NDArray[np.float32]:
    """(H, W): what nearly all directions of (angles, H, W) reach; 0 if that is much less than their
    median."""
    mean = around.mean(0)
    reached = np.zeros_like(mean)
    likely = np.flatnonzero(mean.ravel() > MIN_RESPONSE)
    if len(likely) > _MOST_PLACES:
        likely = likely[np.argpartition(-mean.ravel()[likely], _MOST_PLACES)[:_MOST_PLACES]]
    if len(likely):
        values = np.sort(around.reshape(len(around), -1)[:, likely], axis=0)
        fewest, low, middle = values[_FEW_OCCLUDED], values[_OCCLUDED], values[len(around) // 2]
        even = np.clip(fewest / np.maximum(middle, 1e-3), _TOUCHED, 1)
        response = np.where(low > _EVEN * middle, np.minimum(low, _ENOUGH) * even, 0)
        reached.ravel()[likely] = np.where(response > MIN_RESPONSE, response, 0)
    return np.asarray(reached, np.float32)


def _peaks(response: NDArray[np.float32], radii: Floats) -> list[float]:
    """The highest values of a map that are at least half of the highest, one radius and more apart;
    none if there are more than a cell has circles."""
    values: list[float] = []
    for _, value in _maxima(response, 1.6 * radii, MAX_CROSSES + 1):
        if value <= 0 or value < 0.5 * (values or [value])[0]:
            return values
        values.append(value)
    return []


def _maxima(
    map_: NDArray[np.float32], apart: Floats, most: int
) -> Iterator[tuple[tuple[int, int], float]]:
    """Maxima (x, y) of a periodic map and their values, the highest first. apart: their least
    distances along x and y."""
    left, size = map_.copy(), map_.shape[0]
    ys, xs = np.mgrid[:size, :size]
    for _ in range(most):
        y, x = (int(v) for v in np.unravel_index(int(left.argmax()), left.shape))
        yield (x, y), float(left[y, x])
        away = [np.minimum((d % size), (-d % size)) for d in (xs - x, ys - y)]
        left[np.hypot(away[0] / apart[0], away[1] / apart[1]) < 1] = -np.inf


def _outline_radius(median: Period, xy: Floats, unit: Floats, base: float) -> float:
    """The radius, in units, of the middle of a circle's outline; for a disc without an outline, of
    its step. An outline is a step and the opposite one beyond it."""
    r = np.arange(0.4 * base, min(2.5 * base, _LARGEST), 0.002)
    change = np.gradient(_profile(median, xy, unit, r), r, axis=0)
    strength = np.linalg.norm(change, axis=1)
    main = int(np.argmax(strength * ((r > 0.7 * base) & (r < 1.6 * base))))
    back = -(change @ change[main]) / max(float(strength[main]), 1e-6)
    back[np.abs(r - r[main]) > _THICKEST] = -1
    other = int(np.argmax(back))
    is_outline = back[other] > _OUTLINED * strength[main]
    return float((r[main] + r[other]) / 2 if is_outline else r[main])


def _profile(median: Period, xy: Floats, unit: Floats, r: Floats) -> Floats:
    """(len(r), 3): L, a and b at distances from a place, the median of all directions."""
    angles = np.arange(48) * 2 * np.pi / 48
    away = r[:, None, None] * unit * np.stack([np.cos(angles), np.sin(angles)], -1)
    at = (xy + _PAD + away).astype(np.float32)
    wide = np.pad(median[..., :EDGE], ((_PAD, _PAD), (_PAD, _PAD), (0, 0)), mode="wrap")
    values = cv2.remap(wide, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    profile = np.median(values, axis=1)
    return np.asarray(cv2.GaussianBlur(profile, (1, 0), sigmaX=0.1, sigmaY=2.0), np.float64)


def _alike_places(
    periods: Sequence[Period], clearest: Floats, radii: Floats, trusted: NDArray[np.float32]
) -> Circles:
    """The places that look like the clearest circle, which the first of some periods shows, in any
    of them."""
    profile = _profile(periods[0], clearest, radii, np.linspace(0, _COMPARED, 40))
    pad = ((_PAD, _PAD), (_PAD, _PAD), (0, 0))
    maps = [likeness_map(np.pad(p[..., :EDGE], pad, "wrap"), profile, radii) for p in periods]
    alike = np.max(maps, axis=0)[_PAD:-_PAD, _PAD:-_PAD] * (trusted > 0)
    places, values = [], []
    for (x, y), value in _maxima(alike, _APART * radii, MAX_CROSSES + 2):
        places.append((x + peak_offset(alike[y], x), y + peak_offset(alike[:, x], y)))
        values.append(max(value, 0.0))
    # The circles end where likeness falls most.
    gaps = [a - b if a >= MIN_ALIKE else 0.0 for a, b in pairwise(values)][:MAX_CROSSES]
    count = int(np.argmax(gaps)) + 1
    if gaps[count - 1] < _LEAST_GAP:
        return NO_CIRCLES
    xy, found = np.array(places[:count]), np.array(values[:count])
    return Circles(xy, found, (float(radii[0]), float(radii[1])), values[count], profile)


def likeness_map(
    picture: NDArray[np.float32], profile: Floats, radii: Floats
) -> NDArray[np.float32]:
    """(H, W) -1..1: correlation of each place of a picture, (H, W, 3), with a circle."""
    rx, ry = (int(np.ceil(_COMPARED * r)) for r in radii)
    ys, xs = np.mgrid[-ry : ry + 1, -rx : rx + 1]
    distance = np.hypot(xs / radii[0], ys / radii[1])
    sample = np.stack(
        [np.interp(distance, np.linspace(0, _COMPARED, len(profile)), p) for p in profile.T], -1
    ).astype(np.float32)
    mask = np.repeat((distance <= _COMPARED).astype(np.float32)[..., None], 3, 2)
    wide = cv2.copyMakeBorder(picture, ry, ry, rx, rx, cv2.BORDER_REPLICATE)
    alike = cv2.matchTemplate(wide, sample, cv2.TM_CCOEFF_NORMED, mask=mask)
    return np.asarray(np.where(np.isfinite(alike), alike, -1), np.float32)
