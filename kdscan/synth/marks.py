"""Coats and crosses as people draw them: from what is meant to strokes of a pen.

What must stay decidable by a careful person is kept apart here: dots stay short,
two marks keep a visible distance, hatching has enough strokes to be no line.
Lengths in mm, points on the page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kdscan.game.duel.coats import Coat
from kdscan.synth.bank import StrokeBank
from kdscan.synth.ink import Stroke
from kdscan.synth.strokes import (
    Path,
    away_from,
    half,
    hatch,
    line,
    outline,
    ring,
    rounded,
    scribble,
    spans,
    turned,
    unit,
)

DOTS = ("blob", "spiral", "scribble", "ring", "ring", "tap", "smear")
FILLS = ("hatch", "hatch", "cross_hatch", "scribble", "solid", "sparse", "spiral", "passes")
LINES = ("plain", "plain", "retraced", "thick", "long")
CROSSES = ("x", "x", "x", "x", "plus", "tick", "slash", "scribble", "fill", "star", "dot", "wide")


@dataclass(frozen=True)
class Taste:
    """How one writer makes marks. Lengths 0..1 are shares, angles radians.

    slop: careless 0..1; tremor: mm; bow: arc of lines by their length;
    wander: how far from the middle, as a share of the free room; reach: length of
    lines by the shield; size: of dots and crosses, 0 small .. 1 large;
    gap: hatching's distance between strokes, 0 tight .. 1 open; angle: of lines;
    hatch: angle of hatching; spread: how far apart two marks are, 0..1;
    first: True when the first quarter to be filled is the top left; grid: True when
    the dividing lines of quarters are drawn; faithful: how often the habit is kept.
    """

    dot: str
    fill: str
    line: str
    cross: str
    slop: float
    tremor: float
    bow: float
    wander: float
    reach: float
    size: float
    gap: float
    angle: float
    hatch: float
    spread: float
    pair: float
    first: bool
    grid: bool
    joined: bool
    faithful: float
    writer: float


@dataclass(frozen=True, eq=False)
class Shield:
    """Where a coat goes: the shield's polygon on the page and the free room in it.

    middle, radius: the largest disc that touches neither edge nor circles.
    circles: (K, 2) centres of the circles of its cell; circle: their radius.
    """

    polygon: Path
    middle: Path
    radius: float
    circles: Path
    circle: float


@dataclass(frozen=True, eq=False)
class Brush:
    """What drawing one mark needs: taste, chance, width of the pen's line, real strokes.

    real: share of marks that follow a real pen's path, when there is a bank.
    """

    taste: Taste
    rng: np.random.Generator
    width: float
    bank: StrokeBank | None = None
    real: float = 0.0

    def pick(self, habit: str, every: tuple[str, ...]) -> str:
        """Return the writer's habit or, now and then, something else."""
        if self.rng.random() < self.taste.faithful:
            return habit
        return every[int(self.rng.integers(len(every)))]

    def recorded(self, kind: str) -> list[Path] | None:
        """Return a real mark of a kind, within -1..1, or None."""
        if self.bank is None or self.rng.random() >= self.real:
            return None
        return self.bank.pick(kind, self.taste.writer, self.rng)

    def near(self, value: float, spread: float, low: float, high: float) -> float:
        """Return `value` with normal noise, kept within bounds."""
        return float(min(max(value + self.rng.normal(0, spread), low), high))


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
    radius = _dot_radius(shield, brush, 0.13, 0.55)
    at = _middle(shield, brush, 0.75 * (shield.radius - radius))
    return dot(at, radius, brush.pick(brush.taste.dot, DOTS), brush)


def _two_dots(shield: Shield, brush: Brush) -> list[Stroke]:
    rng, taste = brush.rng, brush.taste
    one = min(_dot_radius(shield, brush, 0.12, 0.36), 0.38 * shield.radius)
    other = min(one * brush.near(1.0, 0.12, 0.7, 1.35), 0.38 * shield.radius)
    clear = one + other + max(1.3 * brush.width, 0.16 * shield.radius)
    far = max(1.75 * shield.radius - one - other, clear)
    apart = clear + (far - clear) * brush.near(taste.spread, 0.2, 0, 1)
    angle = taste.pair + rng.normal(0, 0.15)
    middle = _middle(shield, brush, 0.25 * shield.radius)
    style = brush.pick(taste.dot, DOTS)
    second = style
    if rng.random() < 0.12:
        second = "blob" if style == "ring" else "ring"
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
        tilt = rng.normal(0, 0.06, 2) * min(1.0, apart / shield.radius)
        pair = [
            _ends(shield, brush, lean + float(tilt[0]), at - step, reach),
            _ends(shield, brush, lean + float(tilt[1]), at + step, reach),
        ]
        if all(_misses(shield, e, 1.2 * shield.circle + brush.width) for e in pair):
            break
    return [s for ends in pair for s in _stripe(shield, brush, ends, style)]


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
        gap = max(gap, min(size / (9 if share == 1.0 else 6.5), 4.0 * w))
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
    rounds = int(max(3, size / gap))
    edge = outline(polygon, rng, scale=1.0, wobble=0.0)[:-1]
    scale = np.linspace(rng.uniform(0.92, 1.03), 0.08, rounds * len(edge))
    path = middle + (np.tile(edge, (rounds, 1)) - middle) * scale[:, None]
    path = path + rng.normal(0, 0.12 * gap, path.shape)
    return [Stroke(path[i : i + len(edge) + 1]) for i in range(0, len(path), len(edge))]


def _filled(shield: Shield, brush: Brush) -> list[Stroke]:
    real = brush.recorded("scribble")
    if real is not None:
        low, high = shield.polygon.min(axis=0), shield.polygon.max(axis=0)
        room = (high - low) / 2 * brush.rng.uniform(0.9, 1.05)
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


def draw_cross(at: Path, radius: float, room: float, brush: Brush, style: str) -> list[Stroke]:
    """Return the strokes that cross out a circle.

    radius: of the circle; room: how far from its middle the mark may lie off.
    style: one of CROSSES.
    """
    rng, taste = brush.rng, brush.taste
    off = rng.normal(0, 0.12 + 0.3 * taste.slop, 2) * radius
    at = at + np.clip(off, -room, room)
    size = radius * (0.75 + 0.75 * brush.near(taste.size, 0.2, 0, 1))
    size = max(size, 1.3 * brush.width)
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
        return _arms(at, max(size, 1.2 * radius), (tilt + lean,), brush)
    if style == "tick":
        corners = np.array(((-0.7, -0.1), (-0.2, 0.7), (0.9, -1.1))) * size * 1.1
        legs = (line(corners[0], corners[1], rng), line(corners[1], corners[2], rng))
        return [Stroke(at + turned(np.concatenate(legs), tilt))]
    if style == "scribble":
        return [Stroke(scribble(at, min(size, 1.15 * radius), rng, int(rng.integers(3, 7))))]
    if style == "fill":
        return dot(at, radius * rng.uniform(0.8, 1.15), "blob", brush)
    if style == "dot":
        return dot(at, max(0.6 * radius, 0.8 * brush.width), "spiral", brush)
    if style == "wide":
        size = size * 1.4
    return _arms(at, size, (tilt + 0.8, tilt - 0.8), brush)


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
