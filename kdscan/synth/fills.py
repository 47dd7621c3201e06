"""Blackening an area: a shield, a quarter of one, a roof."""

from __future__ import annotations

import math

import numpy as np

from kdscan.synth.ink import Stroke
from kdscan.synth.strokes import Path, hatch, outline, rounded
from kdscan.synth.taste import Brush


def fill(polygon: Path, brush: Brush, style: str, *, share: float = 1.0) -> list[Stroke]:
    """Return strokes that blacken a polygon.

    style: one of FILLS. share: of a whole shield's width that the polygon has; the
    distance between strokes shrinks with it, so that a quarter never has too few.
    """
    rng, taste, w = brush.rng, brush.taste, brush.width
    size = float(np.sqrt(np.ptp(polygon, axis=0).prod()))
    open_gap = max(min(size / (11 if share == 1.0 else 7), 2.6 * w), 0.8 * w)
    gap = 0.8 * w + (open_gap - 0.8 * w) * brush.near(taste.gap, 0.15, 0, 1)
    angle = taste.hatch + rng.normal(0, 0.1 + 0.15 * taste.slop)
    over = size * taste.slop * rng.normal(0.0, 0.05)
    common = {"slop": taste.slop, "overshoot": over}
    bow = taste.bow * rng.normal(0, 1.5)
    if style == "solid":
        scale = brush.near(0.95, 0.04 + 0.06 * taste.slop, 0.84, 1.1)
        body = outline(polygon, rng, scale=scale, wobble=0.02 * size)
        return [Stroke(body, pressure=rng.uniform(0.85, 1.05), solid=True)]
    if style == "spiral":
        return _inward(polygon, brush, gap)
    if style == "sparse":
        gap = max(gap, min(size / (10 if share == 1.0 else 7), 4.0 * w))
    paths = hatch(polygon, angle, gap, rng, joined=taste.joined, bow=bow, **common)
    if style == "cross_hatch":
        turn = angle + math.pi / 2 + rng.normal(0, 0.2)
        paths += hatch(polygon, turn, gap * rng.uniform(1, 1.6), rng, joined=taste.joined, **common)
    if style == "passes":
        for _ in range(int(rng.integers(1, 3))):
            turn = rng.uniform(0, math.pi)
            paths += hatch(polygon, turn, 1.5 * gap, rng, slop=0.8, overshoot=over - 0.04 * size)
    if style == "scribble":
        paths = hatch(polygon, angle, gap, rng, slop=min(1.0, taste.slop + 0.5), overshoot=over)
        paths = [rounded(p + rng.normal(0, 0.3 * gap, p.shape)) for p in paths]
    strokes = [Stroke(p, pressure=brush.near(1.0, 0.08, 0.7, 1.1)) for p in paths]
    if rng.random() < 0.2:
        strokes.append(Stroke(outline(polygon, rng, scale=0.97, wobble=0.02 * size)))
    return strokes


def _inward(polygon: Path, brush: Brush, gap: float) -> list[Stroke]:
    """Fill a polygon round and round from its edge to its middle."""
    rng = brush.rng
    middle = polygon.mean(axis=0)
    size = float(np.hypot(*(polygon - middle).T).mean())
    rounds = int(max(4, size / gap))
    edge = outline(polygon, rng, scale=1.0, wobble=0.0)[:-1]
    scale = np.linspace(rng.uniform(0.92, 1.03), 0.08, rounds * len(edge))
    path = middle + (np.tile(edge, (rounds, 1)) - middle) * scale[:, None]
    path = path + rng.normal(0, 0.12 * gap, path.shape)
    return [Stroke(path[i : i + len(edge) + 1]) for i in range(0, len(path), len(edge))]
