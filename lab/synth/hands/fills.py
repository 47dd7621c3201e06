"""Filled shields: blackened, or quartered with two opposite quarters black; and roofs.

Lengths in mm, points on the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import pi, tau

import numpy as np

from lab.synth.fields import any_of, points_at, toward
from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.preferences import Brush, ShieldShape
from lab.synth.hands.strokes import (
    Path,
    drift,
    half,
    hatch,
    line,
    outline,
    ring,
    rounded,
    scribble,
    spans,
)

FEWEST = 5
"""Fewest strokes across a filled shield; a guess."""


def fill(polygon: Path, brush: Brush, style: str, *, whole: bool = True) -> Strokes:
    """Return strokes that blacken a polygon.

    style: a habit of the part `fill`. whole: False for a smaller area, as a quarter of a shield
    or a roof: its strokes may be further apart relative to its size.
    """
    size = np.sqrt(np.ptp(polygon, 0).prod())
    style = "hatch" if style == "gapped" and not whole else style
    if style in _EVEN:
        # roughly equidistant strokes over the area, in one or more passes
        rng, traits = brush.rng, brush.traits
        loose = {"sparse": 0.45, "zigzag": rng.beta(1.2, 2.0)}.get(style, 0.0)
        gap = _gap(brush, size, whole, loose)
        angle = traits.hatch + rng.normal(0, 0.1 + 0.15 * traits.slop)
        over = size * traits.slop * rng.normal(0.0, 0.05)
        bow = traits.bow * rng.normal(0, 1.5)
        joined = traits.joined or style == "zigzag"
        slop = min(traits.slop + (0.3 if style == "zigzag" else 0.0), 1.3)
        paths = hatch(polygon, angle, gap, rng, slop=slop, overshoot=over, joined=joined, bow=bow)
        if style == "zigzag":
            paths = [rounded(p) for p in paths]
        if style == "cross_hatch":
            turn = angle + pi / 2 + rng.normal(0, 0.2)
            again = gap * rng.uniform(1, 1.6)
            paths += hatch(polygon, turn, again, rng, slop=slop, overshoot=over, joined=joined)
        if style == "passes":
            for _ in range(rng.integers(1, 3)):
                turn = rng.uniform(0, pi)
                paths += hatch(
                    polygon, turn, 1.5 * gap, rng, slop=0.8, overshoot=over - 0.04 * size
                )
        strokes = brush.strokes(paths)
        if rng.random() < 0.2:
            strokes.append(Stroke(outline(polygon, rng, scale=0.97, wobble=0.02 * size)))
        return strokes
    if style == "spiral":  # a round one in a quarter of a shield would be a dot
        return _spiral(polygon, brush, size, _gap(brush, size, whole), whole)
    return _FILLS[style](polygon, brush, size, _gap(brush, size, whole))


_EVEN = frozenset(("hatch", "cross_hatch", "sparse", "zigzag", "passes"))


def _gap(brush: Brush, size: float, whole: bool, loose: float = 0.0) -> float:
    """Distance between strokes, tight to open; loose: 1 for the loosest that still counts as a
    fill."""
    least = 0.8 * brush.width
    tight = max(min(size / (11 if whole else 7), 2.6 * brush.width), least)
    most = max(size / (FEWEST if whole else 4), least)
    open_ = tight + loose * max(most - tight, 0.0)
    return least + (open_ - least) * brush.near(max(brush.traits.gap, 0.9 * loose), 0.15, 0, 1)


def _solid(polygon: Path, brush: Brush, size: float, gap: float) -> Strokes:
    slop = brush.traits.slop
    scale = brush.near(0.95, 0.04 + 0.06 * slop, 0.84, 1.1)
    body = outline(polygon, brush.rng, scale=scale, wobble=0.02 * size)
    return [Stroke(body, pressure=brush.rng.uniform(0.85, 1.05), solid=True)]


def _scribble(polygon: Path, brush: Brush, size: float, gap: float) -> Strokes:
    rng, slop = brush.rng, min(1.0, brush.traits.slop + 0.5)
    angle = brush.traits.hatch + rng.normal(0, 0.2)
    over = size * brush.traits.slop * rng.normal(0.0, 0.05)
    paths = hatch(polygon, angle, gap, rng, slop=slop, overshoot=over)
    return [Stroke(rounded(p + rng.normal(0, 0.3 * gap, p.shape))) for p in paths]


def _spiral(polygon: Path, brush: Brush, size: float, gap: float, round_: bool) -> Strokes:
    """One stroke that spirals from the edge to the middle. It follows the edge or, if it may be
    round, sometimes leaves the corners free."""
    rng, middle = brush.rng, polygon.mean(0)
    rounds = int(max(FEWEST - 1, 0.5 * size / (gap * rng.uniform(1.0, 1.8))))
    if round_ and rng.random() < 0.5:
        reach = np.ptp(polygon, 0) / 2 * rng.uniform(0.86, 1.02)
        path = ring(np.zeros(2), 1.0, rng, turns=rounds, inward=0.94, wobble=0.05)
        return [Stroke((polygon.max(0) + polygon.min(0)) / 2 + path * reach)]
    edge = outline(polygon, rng, scale=1.0, wobble=0.0)[:-1]
    scale = np.linspace(rng.uniform(0.92, 1.03), 0.06, rounds * len(edge))
    path = middle + (np.tile(edge, (rounds, 1)) - middle) * scale[:, None]
    return [Stroke(path + rng.normal(0, 0.12 * gap, path.shape))]


def _coils(polygon: Path, brush: Brush, size: float, gap: float) -> Strokes:
    """Rows of loops, drawn by curling the pen along."""
    rng = brush.rng
    loop = max(size / rng.uniform(4.5, 8.0), 1.2 * brush.width)
    strokes: Strokes = []
    middle = np.asarray(polygon.mean(0))
    inner = np.asarray(middle + (polygon - middle) * (1 - loop / size))
    for row in hatch(inner, brush.traits.hatch, 1.5 * loop, rng, slop=0.2, joined=False):
        length = np.hypot(*(row[-1] - row[0]))
        turns = max(2, int(length / max(0.8 * gap, 0.3 * loop)))
        t = np.linspace(0, 1, 12 * turns)
        spots = points_at(row, t, np.linspace(0, 1, len(row)))
        a = tau * turns * t
        swing = loop * (1 + 0.15 * drift(len(t), rng, 3))
        strokes.append(Stroke(spots + np.stack((np.cos(a) * swing, np.sin(a) * swing), 1) * 0.85))
    return strokes


def _contour(polygon: Path, brush: Brush, size: float, gap: float) -> Strokes:
    """The outline first, once or twice, then any style for the inside."""
    rng = brush.rng
    rims = [
        Stroke(outline(polygon, rng, scale=rng.uniform(0.9, 1.0), wobble=0.015 * size))
        for _ in range(rng.integers(1, 3))
    ]
    inner = polygon.mean(0) + (polygon - polygon.mean(0)) * 0.9
    way = any_of(rng, ("hatch", "zigzag", "scribble"))
    return rims + fill(inner, brush, way, whole=False)


def _patches(polygon: Path, brush: Brush, size: float, gap: float) -> Strokes:
    """Two to four pieces, each hatched in a different direction."""
    rng, pieces = brush.rng, [polygon]
    for _ in range(rng.integers(1, 3)):
        turn = toward(rng.uniform(0, tau))
        at = polygon.mean(0) + rng.normal(0, 0.08, 2) * size
        pieces = [half(p, at, way * turn) for p in pieces for way in (1.0, -1.0)]
        pieces = [p for p in pieces if len(p) > 2]
    paths = []
    for piece in pieces:
        way, slop = rng.uniform(0, pi), brush.traits.slop
        paths += hatch(piece, way, 1.1 * gap, rng, slop=slop, joined=brush.traits.joined)
    return brush.strokes(paths)


def _gapped(polygon: Path, brush: Brush, size: float, gap: float) -> Strokes:
    """Loose runs that leave one or two strips of paper and partly leave the area."""
    rng, traits = brush.rng, brush.traits
    angle = traits.hatch + rng.normal(0, 0.15)
    across, normal = polygon @ toward(angle + pi / 2), toward(angle + pi / 2)
    gap = min(gap * rng.uniform(1.0, 1.5), max(0.11 * size, 0.8 * brush.width))
    over = size * max(rng.normal(0.1, 0.12) * traits.slop, 0.0)
    strips = np.linspace(0, 1, int(rng.integers(3, 5)))[1:-1]
    strips = across.min() + np.ptp(across) * (strips + rng.uniform(-0.15, 0.15, len(strips)))
    paths, low = [], across.min() - 1.0
    for strip in (*strips, across.max() + 1.0):
        piece = half(half(polygon, low * normal, normal), strip * normal, -normal)
        if len(piece) > 2:
            turn = angle + rng.normal(0, 0.05)
            paths += hatch(piece, turn, gap, rng, slop=traits.slop, overshoot=over)
        low = strip + max(rng.uniform(0.05, 0.16) * size, 1.2 * brush.width)
    return brush.strokes(map(rounded, paths))


def _rays(polygon: Path, brush: Brush, size: float, gap: float) -> Strokes:
    """Strokes from the middle to the edge and back."""
    rng, middle = brush.rng, polygon.mean(0)
    edge = outline(polygon, rng, scale=1.0, wobble=0.02 * size)
    walk = np.concatenate(((0,), np.cumsum(np.hypot(*np.diff(edge, axis=0).T))))
    count = int(min(max(walk[-1] / (2.0 * gap), 14), 60))
    t = np.sort(rng.uniform(0, 0.6, count) + np.arange(count)) / count * walk[-1]
    tips = points_at(edge, t, walk)
    inner = middle + rng.normal(0, 0.04, (count, 2)) * size
    return [Stroke(np.stack((tips, inner), 1).reshape(-1, 2))]


def _curls(polygon: Path, brush: Brush, size: float, gap: float) -> Strokes:
    """Many small loops side by side."""
    rng, strokes = brush.rng, []
    loop = max(size / rng.uniform(5, 8), 1.3 * brush.width)
    for row in hatch(polygon, brush.traits.hatch, 1.3 * loop, rng, slop=0.3, joined=False):
        length = np.hypot(*(row[-1] - row[0]))
        for k in np.linspace(0, 1, max(2, int(length / loop))):
            at = row[0] + k * (row[-1] - row[0])
            strokes.append(Stroke(ring(at, 0.6 * loop, rng, turns=rng.uniform(1.0, 2.2))))
    return strokes


_FILLS: dict[str, Callable[[Path, Brush, float, float], Strokes]] = {
    "solid": _solid,
    "scribble": _scribble,
    "coils": _coils,
    "contour": _contour,
    "patches": _patches,
    "gapped": _gapped,
    "rays": _rays,
    "curls": _curls,
}


_WILD = frozenset(("scribble", "passes", "zigzag"))
"""Fills that a recorded scribble may stand for."""


def filled(shield: ShieldShape, brush: Brush) -> Strokes:
    """Return the strokes of a filled shield."""
    area, style = brush.pick("area"), brush.pick("fill")
    body = _area(shield, brush, area)
    real = brush.recorded("scribble") if style in _WILD and area != "rimmed" else None
    if real is not None:
        if brush.width < shield.span / 16:  # a thin pen goes over it twice
            real = real + [p[:, ::-1] * (1.0, -1.0) for p in real]
        return [Stroke(_into(p * brush.rng.uniform(0.9, 1.08), body)) for p in real]
    return fill(body, brush, style)


def _into(path: Path, polygon: Path) -> Path:
    """Map a path within -1..1 into a polygon, stretched at each height to the polygon's width."""
    low, high = polygon[:, 1].min(), polygon[:, 1].max()
    y = (low + high) / 2 + path[:, 1] * (high - low) / 2
    left, right = spans(polygon, 0.0, np.clip(y, low + 1e-6, high - 1e-6)).T
    return np.stack(((left + right) / 2 + path[:, 0] * (right - left) / 2, y), 1)


def _area(shield: ShieldShape, brush: Brush, area: str) -> Path:
    """The part of a shield that is filled, possibly with some of its surroundings."""
    rng, centre = brush.rng, shield.centre
    if area == "rimmed":
        return centre + (shield.polygon - centre) * brush.near(0.83, 0.05, 0.7, 0.92)
    if area == "over":
        return centre + (shield.polygon - centre) * brush.near(1.1, 0.07, 1.02, 1.3)
    if area == "short":
        turn = rng.uniform(0, tau)
        reach = ((shield.polygon - centre) @ toward(turn)).max()
        cut = half(
            shield.polygon, centre + toward(turn) * reach * rng.uniform(0.55, 0.8), -toward(turn)
        )
        return cut if len(cut) > 2 else shield.polygon
    if area == "oval":
        radii = np.ptp(shield.polygon, 0) / 2 * rng.uniform(0.85, 1.05)
        oval = ring(np.zeros(2), 1.0, rng, turns=1.0, wobble=0.03)[:-1]
        return np.asarray(centre + oval * radii)
    return shield.polygon


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
        axis = quarters[1].mean(0) - quarters[0].mean(0)
        size = np.hypot(*axis)
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
    size = np.sqrt(np.ptp(quarter, 0).prod())
    if style == "small":
        return fill(at + (quarter - at) * shrink, brush, brush.pick("fill"), whole=False)
    if style == "lumps":
        reach, spot = 0.48 * size, middle + 0.12 * (at - middle)
        times = range(2 if brush.width < reach / 6 else 1)
        return [Stroke(scribble(spot, reach, rng, int(rng.integers(6, 13)))) for _ in times]
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
