"""Coats as people draw them: from what is meant to strokes of a pen.

What must stay decidable by a careful person is kept apart here: dots stay short,
two marks keep a visible distance, hatching has enough strokes to be no line.
Lengths in mm, points on the page.
"""

from __future__ import annotations

import math

import numpy as np

from kdscan.game.duel.coats import Coat
from kdscan.synth.fills import fill
from kdscan.synth.ink import Stroke
from kdscan.synth.strokes import Path, away_from, half, line, ring, scribble, spans, turned, unit
from kdscan.synth.taste import DOTS, FILLS, LINES, Brush, Shield


def draw_coat(coat: Coat, shield: Shield, brush: Brush) -> list[Stroke]:
    """Return the strokes of a coat in a shield."""
    return _COATS[coat](shield, brush)


def _middle(shield: Shield, brush: Brush, room: float) -> Path:
    """Return a point near the shield's middle; room: mm that may be left on every side."""
    off = brush.taste.wander * max(room, 0.0) * brush.rng.normal(0, 0.5, 2)
    return shield.middle + np.clip(off, -max(room, 0.0), max(room, 0.0))


def dot(at: Path, radius: float, style: str, brush: Brush) -> list[Stroke]:
    """Return one dot of a radius (mm) and a style out of DOTS."""
    rng, w = brush.rng, brush.width
    inner = max(radius - w / 2, 0.25 * w)
    real = brush.recorded("ring" if style == "ring" else "blob") if radius > 1.2 * w else None
    if real is not None:
        return [Stroke(at + p * inner) for p in real]
    squash = brush.rng.uniform(0.72, 1.0)
    if style == "ring" and radius > 1.3 * w:
        turns = float(rng.choice((0.97, 1.05, 1.15, 2.1)))
        return [Stroke(ring(at, inner, rng, turns=turns, squash=squash))]
    if style == "spiral":
        turns = max(2.0, inner / (rng.uniform(0.7, 1.3) * w))
        return [Stroke(ring(at, inner, rng, turns=turns, squash=squash, inward=0.95))]
    if style == "scribble":
        return [Stroke(scribble(at, inner, rng, int(rng.integers(4, 10))))]
    if style == "tap" and radius < 2.2 * w:
        return [Stroke(line(at, at + rng.normal(0, 0.2 * radius, 2), rng), 2 * radius / w)]
    if style == "smear":
        tail = unit(rng.uniform(0, 2 * math.pi)) * inner * rng.uniform(0.15, 0.4)
        body = ring(at, inner, rng, squash=squash, wobble=0.12)
        return [Stroke(body, solid=True), Stroke(line(at, at + tail + tail, rng))]
    return [Stroke(ring(at, inner, rng, turns=1.1, squash=squash), solid=True)]


def _dot_radius(shield: Shield, brush: Brush, low: float, high: float) -> float:
    share = low + (high - low) * brush.near(brush.taste.size, 0.15, 0, 1)
    return max(share * shield.radius, 0.75 * brush.width)


def _one_dot(shield: Shield, brush: Brush) -> list[Stroke]:
    radius = _dot_radius(shield, brush, 0.16, 0.55)
    at = _middle(shield, brush, 0.75 * (shield.radius - radius))
    return dot(at, radius, brush.pick(brush.taste.dot, DOTS), brush)


CAREFUL, TOUCHING = 0.3, 0.3
"""Writers less careless than the first keep two dots apart; beyond it the share of pairs that touch
or overlap grows by the second for each unit of slop. A guess."""

WAIST, LINKED = 0.88, 0.65
"""How near the middles of two dots come, by the sum of their radii: solid ones keep a waist that
tells them from one long dot, rings may be linked like those of a chain."""


def _two_dots(shield: Shield, brush: Brush) -> list[Stroke]:
    rng, taste = brush.rng, brush.taste
    one = min(_dot_radius(shield, brush, 0.14, 0.36), 0.38 * shield.radius)
    other = min(one * brush.near(1.0, 0.12, 0.7, 1.35), 0.38 * shield.radius)
    clear = one + other + max(1.3 * brush.width, 0.22 * shield.radius)
    far = max(1.75 * shield.radius - one - other, clear)
    apart = clear + (far - clear) * brush.near(taste.spread, 0.2, 0, 1)
    angle = taste.pair + rng.normal(0, 0.15)
    middle = _middle(shield, brush, 0.25 * shield.radius)
    style = brush.pick(taste.dot, DOTS)
    second = style
    if rng.random() < 0.12:
        second = "blob" if style == "ring" else "ring"
    if rng.random() < TOUCHING * (taste.slop - CAREFUL):
        open_rings = style == second == "ring" and min(one, other) > 2.5 * brush.width
        apart = (one + other) * rng.uniform(LINKED if open_rings else WAIST, 1.1)
    step = unit(angle) * apart / 2
    return dot(middle - step, one, style, brush) + dot(middle + step, other, second, brush)


def _ends(shield: Shield, brush: Brush, angle: float, at: Path, reach: float) -> Path:
    """Return (2, 2) ends of a line through `at`; reach: its length by the shield's there."""
    across = np.array((float(at @ unit(angle + math.pi / 2)),))
    t0, t1 = spans(shield.polygon, angle, across)[0]
    t = float(at @ unit(angle))
    if math.isnan(t0):
        t0, t1 = t - shield.radius, t + shield.radius
    slip = brush.taste.slop * 0.1 * (t1 - t0) * brush.rng.normal(0, 1, 2)
    least = 0.62 * shield.radius
    a = max(t - (t - t0) * reach + slip[0], t - 1.4 * (t - t0) - 0.3 * shield.radius)
    b = min(t + (t1 - t) * reach + slip[1], t + 1.4 * (t1 - t) + 0.3 * shield.radius)
    a, b = min(a, t - least), max(b, t + least)
    return np.stack((at + unit(angle) * (a - t), at + unit(angle) * (b - t)))


ASTRAY = 0.12
"""How far the end of a line's second run may lie from the first, by the free radius: less than half
the least distance of two lines. A guess."""


def _stripe(shield: Shield, brush: Brush, ends: Path, style: str) -> list[Stroke]:
    """Return one line of a coat between two ends, kept away from the circles."""
    rng, taste, w = brush.rng, brush.taste, brush.width
    clear = 1.15 * shield.circle + 0.6 * w
    real = brush.recorded("line")
    if real is not None:
        run = ends[1] - ends[0]
        turn = math.atan2(run[1], run[0])
        path = turned(real[0], turn) * math.hypot(*run) / 2 + ends.mean(axis=0)
    else:
        path = line(ends[0], ends[1], rng, wobble=taste.tremor, bow=taste.bow * rng.normal(0, 1))
    path = away_from(path, shield.circles, clear)
    if len(path) < 2:
        path = line(ends[0], ends[1], rng)
    if style == "retraced":
        back = path[::-1] + rng.normal(0, 0.25 * w, 2)
        apart = np.clip(rng.normal(0, 0.05, 2), -ASTRAY, ASTRAY) * shield.radius
        back = back + np.linspace(0, 1, len(back))[:, None] * apart
        return [Stroke(path), Stroke(back)][: 1 + (rng.random() < 0.8)]
    if style == "thick":
        wide = min(rng.uniform(0.5, 1.6) * w, 0.09 * shield.radius + 0.3 * w)
        run = path[-1] - path[0]
        side = np.array((-run[1], run[0])) / max(math.hypot(*run), 1e-9)
        passes = [path if i % 2 else path[::-1] for i in range(int(rng.integers(3, 6)))]
        moved = [p + side * rng.uniform(-wide, wide) / 2 for p in passes]
        return [Stroke(np.concatenate(moved))]
    return [Stroke(path)]


def _angle(brush: Brush) -> float:
    return brush.taste.angle + brush.rng.normal(0, 0.08 + 0.12 * brush.taste.slop)


def _misses(shield: Shield, ends: Path, clear: float) -> bool:
    """Tell whether a line stays `clear` mm away from every circle's centre."""
    run = ends[1] - ends[0]
    share = np.clip((shield.circles - ends[0]) @ run / max(float(run @ run), 1e-9), 0, 1)
    gap = shield.circles - (ends[0] + share[:, None] * run)
    return not len(gap) or bool(np.hypot(*gap.T).min() > clear)


def _one_line(shield: Shield, brush: Brush) -> list[Stroke]:
    style = brush.pick(brush.taste.line, LINES)
    reach = brush.near(brush.taste.reach, 0.12, 0.55, 1.3)
    if style == "long":
        reach = brush.near(1.15, 0.1, 1.0, 1.35)
    angle = _angle(brush)
    ends = _ends(shield, brush, angle, shield.middle, reach)
    for turn in range(6):
        at = _middle(shield, brush, 0.4 * shield.radius)
        ends = _ends(shield, brush, angle + turn * math.pi / 6, at, reach)
        if _misses(shield, ends, 1.2 * shield.circle + brush.width):
            break
    return _stripe(shield, brush, ends, style)


def _two_lines(shield: Shield, brush: Brush) -> list[Stroke]:
    rng, taste = brush.rng, brush.taste
    style = brush.pick("plain" if taste.line in ("thick", "retraced") else taste.line, LINES)
    style = "plain" if style == "thick" and brush.width > 0.12 * shield.radius else style
    clear = max(2.1 * brush.width + 2 * taste.tremor, 0.26 * shield.radius)
    if style in ("thick", "retraced"):
        clear += 1.4 * brush.width
    far = max(0.95 * shield.radius, clear)
    apart = clear + (far - clear) * brush.near(taste.spread, 0.2, 0, 1)
    reach = brush.near(taste.reach, 0.1, 0.6, 1.2)
    angle = _angle(brush)
    pair: list[Path] = []
    for turn in range(6):
        at = _middle(shield, brush, 0.15 * shield.radius)
        lean = angle + turn * math.pi / 6
        step = unit(lean + math.pi / 2) * apart / 2
        tilt = rng.normal(0, 0.05, 2) * min(1.0, apart / shield.radius)
        pair = [
            _ends(shield, brush, lean + float(tilt[0]), at - step, reach),
            _ends(shield, brush, lean + float(tilt[1]), at + step, reach),
        ]
        if all(_misses(shield, e, 1.2 * shield.circle + brush.width) for e in pair):
            break
    strokes = [_stripe(shield, brush, ends, style) for ends in pair]
    if _nearest(strokes[0], strokes[1]) < max(0.6 * clear, 1.6 * brush.width):
        strokes = [[Stroke(line(e[0], e[1], rng))] for e in pair]
    return strokes[0] + strokes[1]


def _nearest(some: list[Stroke], others: list[Stroke]) -> float:
    """Return the least distance (mm) between the points of two marks."""
    a = np.concatenate([s.path for s in some])
    b = np.concatenate([s.path for s in others])
    return float(np.hypot(*(a[:, None] - b[None]).transpose(2, 0, 1)).min())


def _filled(shield: Shield, brush: Brush) -> list[Stroke]:
    real = brush.recorded("scribble")
    if real is not None:
        low, high = shield.polygon.min(axis=0), shield.polygon.max(axis=0)
        room = (high - low) / 2 * brush.rng.uniform(0.9, 1.05)
        if brush.width < float(room.min()) / 8:  # a thin pen goes over it twice
            real = real + [p[:, ::-1] * (1.0, -1.0) for p in real]
        return [Stroke((low + high) / 2 + p * room) for p in real]
    return fill(shield.polygon, brush, brush.pick(brush.taste.fill, FILLS))


def _checked(shield: Shield, brush: Brush) -> list[Stroke]:
    rng, taste = brush.rng, brush.taste
    tilt = rng.normal(0, 0.05 + 0.06 * taste.slop)
    box = (shield.polygon.min(axis=0) + shield.polygon.max(axis=0)) / 2
    at = box + rng.normal(0, 0.05 + 0.1 * taste.slop, 2) * shield.radius
    across, down = unit(tilt), unit(tilt + math.pi / 2 + rng.normal(0, 0.05))
    first = taste.first if rng.random() < 0.85 else not taste.first
    style = brush.pick(taste.fill, FILLS)
    turn = 1.0 if first else -1.0
    strokes: list[Stroke] = []
    for way in (1.0, -1.0):
        side = half(shield.polygon, at, way * across)
        quarter = half(side, at, way * turn * down) if len(side) else side
        if len(quarter) > 2:
            middle = quarter.mean(axis=0)
            inset = middle + (quarter - middle) * brush.near(0.94, 0.04, 0.8, 1.03)
            strokes += fill(inset, brush, style, share=0.5)
    if taste.grid and rng.random() < 0.9:
        for angle in (tilt, math.atan2(down[1], down[0])):
            ends = _ends(shield, brush, angle, at, brush.near(1.0, 0.05, 0.85, 1.1))
            strokes.append(Stroke(line(ends[0], ends[1], rng, wobble=taste.tremor)))
    return strokes


_COATS = {
    Coat.DOT: _one_dot,
    Coat.DOUBLE_DOT: _two_dots,
    Coat.LINE: _one_line,
    Coat.DOUBLE_LINE: _two_lines,
    Coat.FILLED: _filled,
    Coat.CHECKED: _checked,
}
