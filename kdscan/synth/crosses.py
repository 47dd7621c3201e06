"""Crossing out a circle."""

from __future__ import annotations

import math

import numpy as np

from kdscan.synth.ink import Stroke
from kdscan.synth.marks import dot
from kdscan.synth.strokes import Path, line, rounded, scribble, turned, unit
from kdscan.synth.taste import Brush

_LARGE = frozenset(("x", "plus", "star", "wide"))
"""Marks wide enough to be meant for a circle from further off."""

_LEAST_MM = 0.9
"""Nobody draws crosses with arms shorter than this, however small the circle; a guess."""


_WITHIN, _THROUGH = 0.75, 0.8
"""Within so much of a circle's radius, where its own line hides nothing, runs so much of a mark, in
radii: one that only touches the rim crosses nothing out. Guesses."""


def draw_cross(at: Path, radius: float, pitch: float, brush: Brush, style: str) -> list[Stroke]:
    """Return the strokes that cross out a circle.

    radius: of the circle; pitch: distance to the next one, which the mark leaves clear.
    style: one of CROSSES.
    """
    for _ in range(8):
        strokes = _drawn(at, radius, pitch, brush, style)
        if sum(_inside(s.path, at, _WITHIN * radius) for s in strokes) > _THROUGH * radius:
            return strokes
    return _arms(at, radius, (0.8, -0.8), brush)


def _inside(path: Path, at: Path, radius: float) -> float:
    """Return the length (mm) of a path within a circle, by its parts' middles."""
    fine = np.linspace(0, len(path) - 1, 8 * len(path))
    points = np.stack([np.interp(fine, np.arange(len(path)), axis) for axis in path.T], 1)
    parts = np.linalg.norm(np.diff(points, axis=0), axis=1)
    away = np.linalg.norm((points[1:] + points[:-1]) / 2 - at, axis=1)
    return float(parts[away < radius].sum())


def _drawn(at: Path, radius: float, pitch: float, brush: Brush, style: str) -> list[Stroke]:
    """Return one try, somewhere about the circle."""
    rng, taste = brush.rng, brush.taste
    room = min(0.25 * pitch, (0.75 if style in _LARGE else 0.4) * radius)
    off = rng.normal(0, 0.12 + 0.3 * taste.slop, 2) * radius
    at = at + off * min(1.0, room / max(float(np.hypot(*off)), 1e-9))
    size = radius * (0.85 + 0.7 * brush.near(taste.size, 0.2, 0, 1))
    size = max(size, 1.3 * brush.width, min(_LEAST_MM, 1.6 * radius))
    if brush.faint:
        size = max(size, 1.25 * radius)
    if style == "wide":
        size = size * 1.4
    size = min(size, max(0.62 * pitch - brush.width / 2, 0.75 * radius))
    tilt = rng.normal(0, 0.08 + 0.15 * taste.slop)
    if style in ("x", "plus", "wide"):
        real = brush.recorded("plus" if style == "plus" else "cross")
        if real is not None:
            scale = size * rng.uniform(0.9, 1.2)
            return [Stroke(at + p * scale) for p in real]
    if style == "plus":
        return _arms(at, size, (tilt, tilt + math.pi / 2), brush)
    if style == "star":
        return _arms(at, size, (tilt, tilt + 1.05, tilt + 2.1), brush)
    if style == "slash":
        lean = math.pi / 4 if taste.first else -math.pi / 4
        return _arms(at, max(size, 1.1 * radius), (tilt + lean + rng.normal(0, 0.25),), brush)
    if style == "tick":
        return [Stroke(at + turned(_tick(size, rng), tilt))]
    if style == "scribble":
        return [Stroke(scribble(at, min(size, 1.15 * radius), rng, int(rng.integers(3, 7))))]
    if style == "fill":
        return dot(at, radius * rng.uniform(0.85, 1.15), "blob", brush)
    if style == "dot":
        return dot(at, max(0.75 * radius, 0.8 * brush.width), "spiral", brush)
    return _arms(at, size, (tilt + 0.8, tilt - 0.8), brush)


def _tick(size: float, rng: np.random.Generator) -> Path:
    """Return a tick that passes through the circle: a short stroke down, a long one up.

    Angles and lengths are guesses; the foot is sharp or round, now and then all is mirrored.
    """
    foot = np.array((rng.uniform(-0.35, 0.15), rng.uniform(0.2, 0.75)))
    short = -unit(rng.uniform(0.5, 1.3)) * rng.uniform(0.45, 1.1)
    long = unit(-rng.uniform(0.6, 1.3)) * rng.uniform(1.1, 2.5)
    corners = np.array((foot + short, foot, foot + long)) * size * rng.uniform(0.7, 1.1)
    if rng.random() < 0.1:
        corners = corners * (-1.0, 1.0)
    if rng.random() < 0.3:
        return rounded(rounded(corners))
    return np.concatenate((line(corners[0], corners[1], rng), line(corners[1], corners[2], rng)))


def _arms(at: Path, size: float, angles: tuple[float, ...], brush: Brush) -> list[Stroke]:
    """Return straight strokes through a point, each a little off and of its own length."""
    rng, taste = brush.rng, brush.taste
    strokes = []
    for angle in angles:
        lean = angle + rng.normal(0, 0.1 + 0.15 * taste.slop)
        lengths = size * rng.uniform(0.8, 1.2, 2)
        mid = at + rng.normal(0, 0.08 + 0.1 * taste.slop, 2) * size
        a, b = mid - unit(lean) * lengths[0], mid + unit(lean) * lengths[1]
        strokes.append(Stroke(line(a, b, rng, wobble=0.3 * taste.tremor, bow=taste.bow)))
    return strokes
