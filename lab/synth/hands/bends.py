"""Bends: the thick lines of the dice, from one edge of the shield to the other.

Lengths in mm, points on the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import pi

import numpy as np

from lab.synth.fields import toward
from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.preferences import Brush, ShieldShape
from lab.synth.hands.strokes import Path, half, hatch, line, outline, rounded


def bend(
    shield: ShieldShape, brush: Brush, at: Path, angle: float, wide: float, style: str
) -> Strokes:
    """Return the strokes of one bend. at: a point of its middle line; angle: of that line; wide:
    its width; style: one of BENDS."""
    axis, side = toward(angle), toward(angle + pi / 2)
    reach = brush.near(brush.traits.reach, 0.08, 0.7, 1.12)
    body = shield.centre + (shield.polygon - shield.centre) * reach
    body = half(body, at - side * wide / 2, side)
    body = half(body, at + side * wide / 2, -side) if len(body) > 2 else body
    if len(body) < 3 or np.ptp(body @ axis) < wide:
        t = np.array((-1, 1, 1, -1)) * 0.8 * shield.radius
        body = at + t[:, None] * axis + np.array((-1, -1, 1, 1))[:, None] * side * wide / 2
    past = (
        brush.traits.past * shield.span * brush.rng.exponential(0.5) if brush.traits.past else 0.0
    )
    if past:  # it runs on beyond the shield at both ends
        along = (body - at) @ axis
        body = body + np.outer(np.sign(along) * min(past, 0.8 * shield.margin + 0.1), axis)
    return BENDS[style](body, angle, wide, brush)


def _gap(wide: float, brush: Brush) -> float:
    """Distance between a bend's hatching strokes: tight to open, but never so wide that only its
    edges remain."""
    least = 0.8 * brush.width
    most = max(min(0.5 * wide, 4.5 * brush.width), 1.1 * least)
    share = brush.near(brush.traits.gap, 0.15, 0, 1)
    return least + (most - least) * math.pow(share, 1.3)


def _edges(body: Path, angle: float, wide: float, brush: Brush) -> Strokes:
    """The two long strokes of a bend, each a little too long or too short."""
    axis, side = toward(angle), toward(angle + pi / 2)
    along, across = body @ axis, body @ side
    middle, traits, strokes = (across.min() + across.max()) / 2, brush.traits, []
    for way in (-1, 1):
        there = along[(across - middle) * way > 0]
        if len(there) < 2:
            there = along
        ends = np.array((there.min(), there.max()))
        ends = ends + brush.rng.normal(0, (0.03 + 0.06 * traits.slop) * np.ptp(ends), 2)
        off = middle + way * wide / 2 + brush.rng.normal(0, 0.04 * wide, 2)
        a, b = (axis * ends[i] + side * off[i] for i in (0, 1))
        bow = 0.5 * traits.bow * brush.rng.normal()
        path = line(a, b, brush.rng, wobble=traits.tremor, bow=bow)
        strokes.append(brush.stroke(path))
    return strokes


def _tidy(slop: float, body: Path, angle: float) -> float:
    """How careless strokes across a bend are: their ends stray in proportion to its width, not its
    length."""
    along, across = np.ptp(body @ toward(angle)), np.ptp(body @ toward(angle + pi / 2))
    return slop * min(1.0, 1.3 * float(along / max(across, 1e-9)))


def _hatching(body: Path, angle: float, gap: float, brush: Brush) -> Strokes:
    slop = _tidy(brush.traits.slop, body, angle)
    most = min(gap, 0.25 * np.ptp(body @ toward(angle)))
    over = np.clip(brush.rng.normal(0, 0.25), -0.5, 0.5) * most
    paths = hatch(
        body, angle, gap, brush.rng, slop=slop, overshoot=over, joined=brush.traits.joined
    )
    return brush.strokes(paths)


def _hatched(body: Path, angle: float, wide: float, brush: Brush) -> Strokes:
    """Two strokes with hatching between them."""
    # a hatching direction that crosses the bend
    lean = (brush.traits.hatch - angle) % pi
    lean = min(max(lean, 0.55), pi - 0.55)
    inner = _hatching(body, angle + lean + brush.rng.normal(0, 0.08), _gap(wide, brush), brush)
    return _edges(body, angle, wide, brush) + inner


def _zigzag(body: Path, angle: float, wide: float, brush: Brush) -> Strokes:
    """One broad scribble, back and forth across the bend."""
    rng, gap = brush.rng, min(_gap(wide, brush), max(0.28 * wide, 1.2 * brush.width))
    lean = angle + pi / 2 + rng.normal(0, 0.3)
    slop = _tidy(min(1.0, brush.traits.slop + 0.25), body, lean)
    paths = hatch(body, lean, max(gap, 0.7 * brush.width), rng, slop=slop, joined=True)
    strokes = brush.strokes(map(rounded, paths))
    if rng.random() < 0.25:  # gone over once more
        back = hatch(body, lean + rng.normal(0, 0.3), 1.5 * gap, rng, slop=slop, joined=True)
        strokes += brush.strokes(map(rounded, back))
    return strokes


def _edged(body: Path, angle: float, wide: float, brush: Brush) -> Strokes:
    """One edge, rarely both, and a zigzag beside it, which may leave a gap or run over it."""
    rng, traits, side = brush.rng, brush.traits, toward(angle + pi / 2)
    way = 1.0 if (rng.random() < 0.8) == traits.first else -1.0
    edges = _edges(body, angle, wide, brush)[:: int(way)]
    share = rng.uniform(0.5, 1.05)
    across = body @ side
    start = (across.min() + across.max()) / 2 + way * (0.5 - share) * wide
    inner = half(body, start * side, way * side)
    lean = angle + pi / 2 + rng.normal(0, 0.25)
    gap = max(brush.about(0.5, 0.2) * _gap(wide, brush), 0.7 * brush.width)
    slop = _tidy(min(1.0, traits.slop + 0.25), inner, lean)
    rows = hatch(inner, lean, gap, rng, slop=slop, joined=False)
    teeth = np.array([row[-1 if i % 2 else 0] for i, row in enumerate(rows)])
    strokes = edges if rng.random() < 0.1 else edges[:1]
    return [*strokes, brush.stroke(teeth)] if len(teeth) > 2 else edges


def _passes(body: Path, angle: float, wide: float, brush: Brush) -> Strokes:
    """Long parallel strokes along the bend, sometimes with paper between them."""
    count = max(3, round(brush.about(brush.traits.runs, 0.2)))
    gap = max(wide / count, 0.75 * brush.width)
    if wide < 2.6 * gap:  # two runs with paper between them would be two lines
        gap = 0.8 * brush.width
    return _hatching(body, angle + brush.rng.normal(0, 0.03), gap, brush)


def _solid(body: Path, angle: float, wide: float, brush: Brush) -> Strokes:
    edge = outline(body, brush.rng, scale=1.0, wobble=0.015 * wide + 0.3 * brush.traits.tremor)
    return [Stroke(edge, pressure=brush.near(0.97, 0.06, 0.8, 1.05), solid=True)]


def _lattice(body: Path, angle: float, wide: float, brush: Brush) -> Strokes:
    """Edges with hatching both ways between them."""
    gap = max(1.3 * _gap(wide, brush), 1.6 * brush.width)
    inner = _hatching(body, angle + 0.8, gap, brush) + _hatching(body, angle - 0.8, gap, brush)
    return _edges(body, angle, wide, brush) + inner


def _rounds(body: Path, angle: float, wide: float, brush: Brush) -> Strokes:
    """Round and round, from the bend's edge to its middle line."""
    rounds = int(max(3, wide / 2 / max(0.9 * brush.width, 0.12 * wide)))
    edge = outline(body, brush.rng, scale=1.0, wobble=0.0)[:-1]
    middle, axis, side = body.mean(0), toward(angle), toward(angle + pi / 2)
    along, across = (edge - middle) @ axis, (edge - middle) @ side
    t = np.linspace(1.0, 0.1, rounds * len(edge))
    x, y = np.tile(along, rounds) * (0.5 + 0.5 * t), np.tile(across, rounds) * t
    path = middle + x[:, None] * axis + y[:, None] * side
    return [Stroke(path + brush.rng.normal(0, 0.02 * wide, path.shape))]


BENDS: dict[str, Callable[[Path, float, float, Brush], Strokes]] = {
    "bend": _hatched,
    "zigzag": _zigzag,
    "passes": _passes,
    "solid": _solid,
    "edged": _edged,
    "lattice": _lattice,
    "rounds": _rounds,
}
"""Habits of the part `line` that make bends."""
