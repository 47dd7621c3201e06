"""Paths of a pen's tip, before any ink.

Every path is an (N, 2) float64 array of x, y in mm (x right, y down, any origin). The functions
are pure except for the generator that they are given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from math import pi, tau
from typing import Any

import numpy as np

from lab.synth.fields import F64, Color, Rng, any_of, as_bgr, points_at, rotation, toward
from lab.synth.hands.habits import WRITERS, any_habit


@dataclass(frozen=True)
class Pen:
    """One pen. Lengths in mm.

    bgr: transmittance of full ink, 0..1 per channel.
    width: of a stroke at normal pressure.
    opacity: share of the paper's light that one stroke absorbs, 0..1.
    grain: 0 smooth .. 1 only the paper's tooth catches colour.
    skip: share of a stroke where a ball pen writes little or nothing.
    press: how much pressure (darkness and width) varies within a stroke, 0..1.
    overlap: True when a second stroke over the first is darker.
    bleed: blur of the edge.
    pool: extra ink where the pen lands and lifts, 0..1.
    nib: 0 round .. 1 broad nib, whose strokes are thin along `nib_angle` (radians).
    """

    kind: str
    bgr: Color
    width: float
    opacity: float
    grain: float = 0.0
    skip: float = 0.0
    press: float = 0.1
    overlap: bool = False
    bleed: float = 0.0
    pool: float = 0.0
    nib: float = 0.0
    nib_angle: float = 0.0

    def between(self, least: float, most: float) -> Pen:
        """The pen with a line no thinner and no wider than these, mm."""
        return replace(self, width=min(max(self.width, least), most))


_FEW = {"ball": (4, 0.75), "fountain": (4, 1.0), "felt": (3, 0.6)}
"""How many of the first shades are used, and with what probability, by kind."""


def random_pen(rng: Rng, kind: str | None = None) -> Pen:
    """Return a random pen of a kind (a habit of the part `pen`), or of any that is not held out."""
    kind = kind or any_habit("pen", False, rng)
    ranges = WRITERS["pens"][kind]
    if kind == "pencil":
        grey = rng.uniform(0.12, 0.34)
        ink = (grey + rng.uniform(-0.02, 0.03), grey, grey + rng.uniform(-0.03, 0.02))
        ranges = WRITERS["pens"]["hard pencil"] if rng.random() < 0.2 else ranges
    else:
        writes = kind in ("ball", "gel", "fountain", "fineliner")
        shades = WRITERS["inks"]["ball" if writes else "felt"]
        few, often = _FEW.get(kind, (0, 0.0))
        if often == 1 or (often and rng.random() < often):
            shades = shades[:few]
        shade = np.array(any_of(rng, shades)) + rng.normal(0, 0.035, 3) + rng.normal(0, 0.02)
        ink = as_bgr(np.clip(shade, 0.01, 0.9))
    drawn: dict[str, Any] = {name: _drawn(rng, within) for name, within in ranges.items()}
    return Pen(kind, ink, **drawn)


def _drawn(rng: Rng, within: list[float] | float) -> float | bool:
    if not isinstance(within, list):
        return within == 1 or rng.random() < within
    if len(within) == 3 and rng.random() >= within[2]:
        return 0.0
    return rng.uniform(within[0], within[1])


Path = F64

STEP_MM = 0.9
"""Distance between the points of a path: short enough for bows and wobble to look smooth."""


def drift(n: int, rng: Rng, waves: float = 1.5) -> F64:
    """Return (n,) smooth noise with mean 0 and a standard deviation of about 1. waves: number of
    oscillations over its length."""
    phase = rng.uniform(0.0, tau, 3)
    pace = waves * rng.uniform(0.4, 1.3, 3) * np.array((0.6, 1.0, 1.9)) * tau
    t = np.arange(n) / max(n - 1, 1)
    return np.asarray((np.sin(t[:, None] * pace + phase) * (0.9, 0.7, 0.4)).sum(1))


def line(start: Path, end: Path, rng: Rng, *, wobble: float = 0.0, bow: float = 0.0) -> Path:
    """Return a hand-drawn line. wobble: mm of smooth noise; bow: its arc's height by its length."""
    run = end - start
    length = math.hypot(run[0], run[1])
    n = int(min(max(length / STEP_MM, 3), 40))
    t = np.linspace(0.0, 1.0, n)
    side = np.array((-run[1], run[0])) / max(length, 1e-9)
    off = 4 * bow * length * t * (1 - t)
    if wobble:
        off = off + wobble * drift(n, rng, 0.5 + length / 8)
    return start + t[:, None] * run + off[:, None] * side


def ring(
    center: Path,
    radius: float,
    rng: Rng,
    *,
    turns: float = 1.05,
    squash: float = 1.0,
    inward: float = 0.0,
    wobble: float = 0.06,
) -> Path:
    """Return a ring or, with `inward` above 0, a spiral that ends at (1 - inward) × radius. turns:
    number of turns; squash: ratio of short to long axis; wobble: relative to the radius."""
    n = int(max(turns, 0.3) * 14) + 3
    start = rng.uniform(0, tau)
    way = 1.0 if rng.random() < 0.5 else -1.0
    a = start + way * np.linspace(0.0, turns * tau, n)
    r = radius * (1 - inward * np.linspace(0.0, 1.0, n)) * (1 + wobble * drift(n, rng, turns))
    return center + turned(np.stack((np.cos(a) * r, np.sin(a) * r * squash), 1), start)


def turned(path: Path, angle: float) -> Path:
    """Return `path` turned by `angle` radians about the origin."""
    return np.asarray(path @ rotation(angle).T)


def rounded(path: Path) -> Path:
    """Return `path` with its corners cut once (Chaikin): 2 N points, same ends."""
    if len(path) < 3:
        return path
    a, b = path[:-1], path[1:]
    cut = np.stack((0.75 * a + 0.25 * b, 0.25 * a + 0.75 * b), 1).reshape(-1, 2)
    return np.concatenate((path[:1], cut, path[-1:]))


def scribble(center: Path, radius: float, rng: Rng, loops: int) -> Path:
    """Return a tangled path that roughly fills a disc: back and forth while rotating."""
    a0 = rng.uniform(0, tau)
    k = np.arange(2 * loops)
    a = a0 + k * pi + k * rng.uniform(0.2, 0.9) + rng.normal(0, 0.35, 2 * loops)
    r = radius * rng.uniform(0.45, 1.05, 2 * loops)
    corners = center + np.stack((np.cos(a) * r, np.sin(a) * r), 1)
    return rounded(rounded(corners))


def spans(polygon: Path, angle: float, offsets: F64) -> Path:
    """Cut a polygon with parallel lines.

    angle: direction of the lines in radians; offsets: (K,) their distances from the
    origin along the normal (-sin, cos). Returns (K, 2): the positions along its direction
    at which each line first enters the polygon and last leaves it; NaN if it misses.
    """
    along, normal = polygon @ toward(angle), polygon @ toward(angle + pi / 2)
    d0 = normal[None, :] - offsets[:, None]
    d1 = np.roll(d0, -1, axis=1)
    meets = (d0 <= 0) != (d1 <= 0)
    share = np.where(meets, d0 / np.where(meets, d0 - d1, 1.0), 0.0)
    t = along + share * (np.roll(along, -1) - along)
    first = np.where(meets, t, np.inf).min(1)
    last = np.where(meets, t, -np.inf).max(1)
    hit = meets.any(1)
    return np.where(hit[:, None], np.stack((first, last), 1), np.nan)


def hatch(
    polygon: Path,
    angle: float,
    gap: float,
    rng: Rng,
    *,
    slop: float = 0.3,
    overshoot: float = 0.0,
    joined: bool = True,
    bow: float = 0.0,
) -> list[Path]:
    """Return strokes that hatch a polygon.

    gap: mm between strokes; slop: 0 exact .. 1 careless ends and distances;
    overshoot: mm beyond the edge (negative: short of it); joined: as one path, without
    lifting the pen; bow: height of each stroke's arc relative to its length.
    """
    normal = polygon @ toward(angle + pi / 2)
    offsets = np.arange(normal.min() + 0.4 * gap, normal.max() - 0.15 * gap, gap)
    offsets = offsets + np.clip(rng.normal(0, 0.22 * slop, len(offsets)), -0.3, 0.3) * gap
    ends = spans(polygon, angle, offsets)
    keep = ~np.isnan(ends[:, 0])
    offsets, ends = offsets[keep], ends[keep]
    if not len(offsets):
        return []
    size = np.ptp(normal)
    push = overshoot + rng.normal(0, 0.09 * slop * size, ends.shape)
    ends = ends + push * (-1, 1)
    tilt = rng.normal(0, 0.3 * slop * gap, ends.shape)
    d, n = toward(angle), toward(angle + pi / 2)
    a = ends[:, :1] * d + (offsets[:, None] + tilt[:, :1]) * n
    b = ends[:, 1:] * d + (offsets[:, None] + tilt[:, 1:]) * n
    arc = bow * (ends[:, 1:] - ends[:, :1]) * n
    lines = np.stack((a, 0.7 * a + 0.3 * b + 0.84 * arc, 0.3 * a + 0.7 * b + 0.84 * arc, b), 1)
    if not joined:
        return list(lines)
    lines[1::2] = lines[1::2, ::-1]
    path = lines.reshape(-1, 2)
    return [rounded(path) if slop > 0.35 else path]


def half(polygon: Path, point: Path, normal: Path) -> Path:
    """Return the part of a polygon on the side of `point` that `normal` points to."""
    d = (polygon - point) @ normal
    out: list[Path] = []
    for i in range(len(polygon)):
        j = (i + 1) % len(polygon)
        if d[i] >= 0:
            out.append(polygon[i])
        if (d[i] >= 0) != (d[j] >= 0):
            out.append(polygon[i] + d[i] / (d[i] - d[j]) * (polygon[j] - polygon[i]))
    return np.array(out).reshape(-1, 2)


def outline(polygon: Path, rng: Rng, *, scale: float, wobble: float) -> Path:
    """Return the polygon as traced by hand: a closed path, scaled about its middle."""
    ring_ = np.concatenate((polygon, polygon[:1]))
    steps = np.hypot(*np.diff(ring_, axis=0).T)
    walk = np.concatenate(((0.0,), np.cumsum(steps)))
    n = int(min(max(walk[-1] / STEP_MM, 12), 60))
    t = np.linspace(0, walk[-1], n)
    path = points_at(ring_, t, walk)
    middle = polygon.mean(0)
    noise = np.stack((drift(n, rng, 4), drift(n, rng, 4)), 1)
    return np.asarray(middle + (path - middle) * scale + wobble * noise)


def away_from(path: Path, centers: Path, radius: float) -> Path:
    """Return the longest piece of `path` that stays `radius` away from all centres."""
    if not len(centers) or len(path) < 2:
        return path
    gap = np.hypot(*(path[:, None] - centers[None]).transpose(2, 0, 1)).min(1)
    free = gap >= radius
    if free.all():
        return path
    best, begin = (0, 0), None
    for i, ok in enumerate((*free, False)):
        if ok and begin is None:
            begin = i
        elif not ok and begin is not None:
            best = max(best, (begin, i), key=lambda run: run[1] - run[0])
            begin = None
    return path[best[0] : best[1]]
