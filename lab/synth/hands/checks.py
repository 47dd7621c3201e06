"""Quartered shields, two opposite quarters black. Lengths in mm, points on the page."""

from __future__ import annotations

import math
from math import pi

import numpy as np

from lab.synth.fields import toward
from lab.synth.hands.fills import fill, lump
from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.preferences import Brush, ShieldShape
from lab.synth.hands.strokes import Path, half, hatch, line, outline, spans


def checked(shield: ShieldShape, brush: Brush) -> Strokes:
    """Return the strokes of a quartered shield."""
    rng, traits, style = brush.rng, brush.traits, brush.pick("checked")
    tilt = rng.normal(0, 0.05 + 0.06 * traits.slop)
    at = shield.centre + rng.normal(0, 0.04 + 0.07 * traits.slop, 2) * shield.radius
    across, down = toward(tilt), toward(tilt + pi / 2 + rng.normal(0, 0.05))
    first = traits.first if rng.random() < 0.85 else not traits.first
    turn = 1.0 if first else -1.0
    quarters = []
    for way in (1.0, -1.0):
        side = half(shield.polygon, at, way * across)
        quarter = half(side, at, way * turn * down) if len(side) else side
        if len(quarter) > 2:
            quarters.append(quarter)
    lines = _GRID.get(style, 0.9 if traits.grid else 0.0)
    if style == "small" and brush.width > 0.06 * shield.span:
        lines = 1.0  # a thick pen's would be one dark spot
    strokes = _grid(shield, brush, at, (across, down)) if rng.random() < lines else []
    if style == "bow_tie" and len(quarters) == 2:
        # both quarters in one stroke, through the middle
        rng = brush.rng
        axis = quarters[1].mean(0) - quarters[0].mean(0)
        size = float(np.hypot(*axis))
        gap = max(brush.near(brush.traits.gap, 0.2, 0, 1) * size / 9, 0.8 * brush.width)
        angle = math.atan2(axis[1], axis[0]) + pi / 2 + rng.normal(0, 0.1)
        paths = []
        for quarter in reversed(quarters):
            middle = quarter.mean(0)
            inset = middle + (quarter - middle) * 0.95
            paths += hatch(inset, angle, gap, rng, slop=0.6 * brush.traits.slop, joined=True)
        return strokes + ([brush.stroke(np.concatenate(paths))] if paths else [])
    shrink = brush.near(0.55, 0.1, 0.38, 0.72)
    for quarter in quarters:
        strokes += _quarter(quarter, at, shrink, style, brush)
    return strokes


_GRID = {
    "gridded": 1.0,
    "small": 0.85,
    "crossed": 1.0,
    "strokes": 1.0,
    "lumps": 1.0,
    "bow_tie": 0.5,
}
"""How often the dividing lines are drawn if that is not left to the writer: without them, these
styles would hardly be recognisable."""


def _grid(shield: ShieldShape, brush: Brush, at: Path, ways: tuple[Path, Path]) -> Strokes:
    """The two dividing lines, across and down."""
    strokes = []
    for way in ways:
        angle = math.atan2(way[1], way[0])
        offset = np.array((float(at @ toward(angle + pi / 2)),))
        t = float(at @ toward(angle))
        ends = spans(shield.polygon, angle, offset)[0]
        if np.isnan(ends).any():
            continue
        ends = t + (ends - t) * [brush.near(1.0, 0.06, 0.8, 1.15) for _ in range(2)]
        a, b = (at + toward(angle) * (e - t) for e in ends)
        path = line(a, b, brush.rng, wobble=brush.traits.tremor, bow=0.3 * brush.traits.bow)
        strokes.append(brush.stroke(path))
    return strokes


def _quarter(quarter: Path, at: Path, shrink: float, style: str, brush: Brush) -> Strokes:
    """One dark quarter. at: where the four meet."""
    rng, middle = brush.rng, quarter.mean(0)
    size = float(np.sqrt(np.ptp(quarter, 0).prod()))
    if style == "small":
        return fill(at + (quarter - at) * shrink, brush, brush.pick("fill"), whole=False)
    if style == "lumps":
        return lump(middle + 0.12 * (at - middle), 0.48 * size, brush)
    inset = middle + (quarter - middle) * brush.near(0.94, 0.05, 0.75, 1.05)
    if style == "strokes":
        gap = size / rng.uniform(2.4, 4.2)
        angle = brush.traits.hatch + rng.normal(0, 0.2)
        paths = hatch(inset, angle, gap, rng, slop=brush.traits.slop, joined=brush.traits.joined)
        return brush.strokes(paths)
    if style == "crossed":
        low, high = inset.min(0), inset.max(0)
        corners = ((low, high), ((low[0], high[1]), (high[0], low[1])))
        return [Stroke(line(np.array(a), np.array(b), rng)) for a, b in corners]
    if style == "spirals":
        return fill(inset, brush, "spiral", whole=False)
    rim: Strokes = []
    if style == "framed":
        rim = [Stroke(outline(inset, rng, scale=1.0, wobble=0.015 * size))]
    return rim + fill(inset, brush, brush.pick("fill"), whole=False)
