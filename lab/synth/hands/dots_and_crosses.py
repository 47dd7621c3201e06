"""Dots in a shield, and crosses on circles. Lengths in mm, points on the page."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from math import pi, tau

import numpy as np

from lab.synth.fields import Rng, points_at, toward
from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.preferences import Brush, ShieldShape
from lab.synth.hands.strokes import Path, hatch, line, ring, rounded, scribble, turned

_ROUND = np.stack([(math.cos(a), math.sin(a)) for a in np.linspace(0, tau, 15)[:-1]])


def dot(at: Path, radius: float, style: str, brush: Brush) -> Strokes:
    """Return one dot of a radius (mm); style: a habit of the part `dot`. A style for which the pen
    is too thick becomes a blob."""
    real = None
    if style in _RECORDED_DOTS and (radius > 1.2 * brush.width or style in _SHORT):
        real = brush.recorded(_RECORDED_DOTS[style])
    inner = max(radius - brush.width / 2, 0.25 * brush.width)
    if real is not None:
        return [brush.stroke(at + p * inner) for p in real]
    if radius < _LEAST.get(style, 0.0) * brush.width:
        style = "blob"
    squash = brush.rng.uniform(0.72, 1.0) - 0.15 * max(brush.traits.slop - 0.7, 0)
    force = brush.force()
    return [
        replace(s, path=at + turned(s.path, brush.rng.uniform(0, tau)), pressure=force)
        for s in _DOTS[style](inner, squash, brush)
    ]


_RECORDED_DOTS = {
    "ring": "ring",
    "rings": "ring",
    "blob": "blob",
    "scribble": "blob",
    "spiral": "blob",
    "comma": "comma",
}
"""Kinds of recorded marks that styles may follow."""

_LEAST = {"ring": 1.3, "rings": 1.6, "open_ring": 1.6, "target": 2.2, "hatched": 1.6, "dash": 0.9}
"""Least radius, in pen widths, at which a style is visible."""

_O = np.zeros(2)


def _spiral(r: float, squash: float, brush: Brush) -> Strokes:
    turns = max(2.0, r / (brush.rng.uniform(0.7, 1.5) * brush.width))
    return [Stroke(ring(_O, r, brush.rng, turns=turns, squash=squash, inward=0.95))]


def _ring(r: float, squash: float, brush: Brush) -> Strokes:
    turns = max(1 + brush.traits.closure + brush.rng.normal(0, 0.06), 0.88)
    return [Stroke(ring(_O, r, brush.rng, turns=turns, squash=squash))]


def _rings(r: float, squash: float, brush: Brush) -> Strokes:
    """Two or more rounds, with or without lifting the pen, each a little displaced."""
    rng = brush.rng
    if rng.random() < 0.6:
        turns = 1.8 + min(rng.exponential(1.3), 5.0)
        inward = rng.uniform(-0.05, 0.35)
        path = ring(_O, r, rng, turns=turns, squash=squash, inward=inward, wobble=0.1)
        return [Stroke(path)]
    runs = []
    for _ in range(rng.integers(2, 4)):
        off = rng.normal(0, 0.12, 2) * r
        runs.append(Stroke(ring(off, brush.about(0.95 * r, 0.12), rng, squash=squash)))
    return runs


def _tap(r: float, squash: float, brush: Brush) -> Strokes:
    wide = min(2 * r / brush.width + 1, 4.5)
    return [Stroke(line(_O, brush.rng.normal(0, 0.3 * r, 2), brush.rng), wide)]


def _taps(r: float, squash: float, brush: Brush) -> Strokes:
    """Short taps on one spot that touch, so that they form one dot."""
    runs = []
    reach = min(r, 1.3 * brush.width)
    for _ in range(brush.rng.integers(3, 7)):
        at = brush.rng.normal(0, 0.35, 2) * reach
        end = at + brush.rng.normal(0, 0.3, 2) * reach
        runs.append(Stroke(line(at, end, brush.rng), brush.rng.uniform(1.0, 1.7)))
    return runs


def _smear(r: float, squash: float, brush: Brush) -> Strokes:
    tail = toward(brush.rng.uniform(0, tau)) * r * brush.rng.uniform(0.3, 0.8)
    body = ring(_O, r, brush.rng, squash=squash, wobble=0.12)
    return [Stroke(body, solid=True), Stroke(line(_O, tail, brush.rng))]


def _comma(r: float, squash: float, brush: Brush) -> Strokes:
    """A point with a tail that grows with haste."""
    rng, tail = brush.rng, toward(brush.rng.uniform(0, tau))
    head = ring(_O, 0.6 * r, rng, turns=1.3, squash=squash, inward=0.5)
    end, bow = tail * r * rng.uniform(1.0, 1.7), rng.uniform(0.05, 0.35) * rng.choice((-1, 1))
    point = Stroke(head, solid=rng.random() < 0.7)
    return [point, Stroke(line(0.45 * r * tail, end, rng, bow=bow), 0.8)]


def _dash(r: float, squash: float, brush: Brush) -> Strokes:
    end = np.array((r * brush.rng.uniform(0.5, 0.9), 0.0))
    return [Stroke(line(-end, end, brush.rng, bow=brush.rng.normal(0, 0.1)), 1.4)]


def _hatched(r: float, squash: float, brush: Brush) -> Strokes:
    gap = max(brush.width * brush.rng.uniform(0.9, 2.0), r / 5)
    paths = hatch(_ROUND * r, 0.0, gap, brush.rng, slop=brush.traits.slop, joined=True)
    edge = ring(_O, r, brush.rng, squash=0.97)
    return [Stroke(path) for path in (edge, *paths)]


def _square(r: float, squash: float, brush: Brush) -> Strokes:
    box = np.array(((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1.0))) * r * 0.85
    box = box + brush.rng.normal(0, 0.08, box.shape) * r
    return [Stroke(rounded(box), solid=brush.rng.random() < 0.7)]


def _asterisk(r: float, squash: float, brush: Brush) -> Strokes:
    turns = np.arange(3) * pi / 3 + brush.rng.normal(0, 0.15, 3)
    arms = [toward(float(a)) * r * brush.rng.uniform(0.8, 1.1) for a in turns]
    return [Stroke(line(-arm, arm, brush.rng)) for arm in arms]


_DOTS: dict[str, Callable[[float, float, Brush], Strokes]] = {
    "blob": lambda r, squash, brush: [
        Stroke(ring(_O, r, brush.rng, turns=1.1, squash=squash), solid=True)
    ],
    "spiral": _spiral,
    "scribble": lambda r, _, brush: [
        Stroke(scribble(_O, r, brush.rng, int(brush.rng.integers(4, 12))))
    ],
    "ring": _ring,
    "rings": _rings,
    "open_ring": lambda r, squash, brush: [
        Stroke(ring(_O, r, brush.rng, turns=brush.rng.uniform(0.7, 0.92), squash=squash))
    ],
    "tap": _tap,
    "taps": _taps,
    "smear": _smear,
    "comma": _comma,
    "dash": _dash,
    "hatched": _hatched,
    "target": lambda r, squash, brush: [
        *(*_ring(r, squash, brush), *_DOTS["blob"](0.4 * r, squash, brush)),
    ],
    "square": _square,
    "asterisk": _asterisk,
}
"""The function that draws each style about the origin: from a radius, the ratio of a ring's axes,
and the brush."""


def _radius(shield: ShieldShape, brush: Brush, low: float, high: float) -> float:
    share = low + (high - low) * brush.near(brush.traits.size, 0.15, 0, 1)
    return max(share * shield.radius, 0.75 * brush.width)


def one_dot(shield: ShieldShape, brush: Brush) -> Strokes:
    """Return a dot roughly in the middle."""
    radius = _radius(shield, brush, 0.16, 0.55)
    style = brush.pick("dot")
    if style in _SHORT:
        radius = min(radius, 0.32 * shield.radius)
    room = max(0.75 * (shield.radius - radius), 0.0)
    off = np.clip(brush.traits.wander * room * brush.rng.normal(0, 0.5, 2), -room, room)
    return dot(shield.middle + off, radius, style, brush)


_SHORT = frozenset(("comma", "dash", "tap", "taps", "asterisk"))
"""Dots that would be mistaken for something else if they were large."""

CAREFUL, TOUCHING = 0.3, 0.3
"""Writers with less slop than the first keep two dots apart. Beyond it, the share of pairs that
touch or overlap grows by the second for each unit of slop. A guess."""

WAIST, LINKED = 0.88, 0.65
"""Least distance between the middles of two dots, relative to the sum of their radii: solid dots
keep a waist that distinguishes them from one long dot, rings may be linked as in a chain."""

_HOLLOW = frozenset(("ring", "rings"))


def two_dots(shield: ShieldShape, brush: Brush) -> Strokes:
    """Return two dots as this writer sets them."""
    rng, traits, way = brush.rng, brush.traits, brush.pick("pair")
    style = brush.pick("dot")
    second = style if way != "mixed" else ("blob" if style in _HOLLOW else "ring")
    one = min(_radius(shield, brush, 0.14, 0.36), 0.38 * shield.radius)
    if style in _SHORT:
        one = min(one, 0.26 * shield.radius)
    lean = 0.12 if way != "uneven" else 0.4
    other = min(one * min(max(brush.about(1.0, lean), 0.5), 1.8), 0.38 * shield.radius)
    clear = one + other + max(1.3 * brush.width, 0.22 * shield.radius)
    far = max(1.75 * shield.radius - one - other, clear)
    share = 0.05 if way == "close" else 1.0 if way == "corners" else traits.spread
    apart = clear + (far - clear) * brush.near(share, 0.2, 0, 1)
    touch = TOUCHING * (traits.slop - CAREFUL) * (3.0 if way == "close" else 1.0)
    if way == "touching" and style in _HOLLOW:
        second = "rings" if rng.random() < 0.5 else "ring"
        other = min(other, one) * rng.uniform(0.6, 1.0)
    if (way == "touching" or rng.random() < touch) and style not in _SHORT:
        rings = style in _HOLLOW and second in _HOLLOW and min(one, other) > 2.5 * brush.width
        apart = (one + other) * rng.uniform(LINKED if rings else WAIST, 1.1)
    angle = traits.pair + rng.normal(0, 0.12 + 0.15 * traits.slop)
    if way == "corners":
        angle = pi / 4 * (1 if traits.first else -1) + rng.normal(0, 0.1)
    elif way == "anyhow":
        angle = rng.uniform(0, pi)
    step = toward(angle) * apart / 2
    room = 0.25 * shield.radius
    middle = shield.middle + np.clip(traits.wander * room * rng.normal(0, 0.5, 2), -room, room)
    strokes = dot(middle - step, one, style, brush) + dot(middle + step, other, second, brush)
    if way == "tied":
        strokes.append(Stroke(line(middle - step, middle + step, rng, bow=0.1), 0.6, 0.6))
    return strokes


_LARGE = frozenset(("x", "plus", "star", "wide", "twice", "looped", "hash"))
"""Marks wide enough to be recognised as meant for a circle even if drawn further off."""

FREE_STANDING = frozenset(("x", "plus", "star", "wide", "twice", "looped", "tick"))
"""Marks that also count as a cross on prints without circles."""

_OPEN = frozenset(("tick", "looped", "zigzag", "chevron", "scribble"))
"""Marks that look like a mere speck when they are small."""

COVERING = frozenset(("scribble", "fill", "dot", "slash", "curl", "zigzag", "strike", "through"))
"""Marks that look like a stroke or scribble from elsewhere running over the circle."""

_LEAST_MM = 0.9
"""Shortest arm of a drawn cross, however small the circle; a guess."""

_WITHIN, _THROUGH = 0.75, 0.8
"""A mark runs within the first of these shares of a circle's radius, where the circle's own line
hides nothing, for at least the second, in radii: one that only touches the rim crosses nothing out.
Guesses."""


def draw_cross(at: Path, radius: float, pitch: float, brush: Brush, style: str) -> Strokes:
    """Return the strokes that cross out a circle. radius: of the circle; pitch: distance to the
    next one, which the mark does not touch. style: a habit of the part `cross`."""
    if style == "ring":
        # a ring of ink around the printed circle or inside it, visible beside its line
        rng, closed = brush.rng, max(1 + brush.traits.closure + brush.rng.normal(0, 0.08), 0.85)
        wide = radius + 0.6 * brush.width + radius * rng.uniform(0.15, 0.55)
        wide = min(wide, 0.62 * pitch - brush.width / 2)
        if wide < radius + 0.6 * brush.width:  # no room outside
            wide = max(0.55 * radius, 0.4 * brush.width)
        off = rng.normal(0, 0.06 + 0.1 * brush.traits.slop, 2) * radius
        turns = closed if rng.random() < 0.75 else closed + 1
        squash = rng.uniform(0.85, 1.0)
        return [brush.stroke(ring(at + off, wide, rng, turns=turns, squash=squash))]
    for _ in range(8):
        strokes = _drawn(at, radius, pitch, brush, style)
        if sum(_inside(s.path, at, _WITHIN * radius) for s in strokes) > _THROUGH * radius:
            return strokes
    return _arms(at, radius, (0.8, -0.8), brush)


def _inside(path: Path, at: Path, radius: float) -> float:
    """Return the length (mm) of a path within a circle, judged by its segments' middles."""
    points = points_at(path, np.linspace(0, len(path) - 1, 8 * len(path)))
    parts = np.linalg.norm(np.diff(points, axis=0), axis=1)
    away = np.linalg.norm((points[1:] + points[:-1]) / 2 - at, axis=1)
    return float(parts[away < radius].sum())


def _drawn(at: Path, radius: float, pitch: float, brush: Brush, style: str) -> Strokes:
    """Return one attempt, roughly at the circle."""
    rng, traits = brush.rng, brush.traits
    room = min(0.25 * pitch, (0.75 if style in _LARGE else 0.4) * radius)
    off = rng.normal(0, 0.12 + 0.3 * traits.slop, 2) * radius
    at = at + off * min(1.0, room / max(np.hypot(*off), 1e-9))
    size = radius * (0.55 + 1.0 * brush.near(traits.size, 0.2, 0, 1))
    size = max(size, 1.3 * brush.width, min(_LEAST_MM, 1.6 * radius))
    if style in _OPEN:
        size = max(size, 0.85 * radius)
    if brush.faint:
        size = max(size, 1.25 * radius)
    if style == "wide":
        size = size * 1.4
    size = min(size, max(0.62 * pitch - brush.width / 2, 0.75 * radius))
    if style in _RECORDED:
        real = brush.recorded(_RECORDED[style])
        if real is not None:
            scale = size * rng.uniform(0.9, 1.2)
            return [brush.stroke(at + p * scale) for p in real]
    if style == "fill":
        return dot(at, radius * rng.uniform(0.85, 1.15), "blob", brush)
    if style == "dot":
        return dot(at, max(0.75 * radius, 0.8 * brush.width), "spiral", brush)
    tilt = rng.normal(0, 0.08 + 0.15 * traits.slop)
    if style in _CROSSES:
        return _CROSSES[style](at, size, radius, tilt, brush)
    size = max(size, 1.2 * radius) if style == "strike" else size
    angles = _ARMS["x" if style == "wide" else style]
    return _arms(at, size, tuple(tilt + angle for angle in angles), brush)


def in_a_row(crossed: Path, circles: Path) -> bool:
    """Whether one straight stroke can cross all of some circles of a cell and no other one."""
    if len(crossed) < 2:
        return False
    pair = np.hypot(*(crossed[:, None] - crossed).transpose(2, 0, 1))
    i, j = np.unravel_index(int(pair.argmax()), pair.shape)
    run, length = crossed[j] - crossed[i], pair[i, j]
    t = (circles - crossed[i]) @ run / length
    off = np.abs((circles - crossed[i]) @ np.array((-run[1], run[0]))) / length
    meets = (off < 0.05 * length) & (t > -0.2 * length) & (t < 1.2 * length)
    return int(meets.sum()) == len(crossed)


def cross_through(crossed: Path, radius: float, brush: Brush) -> Strokes:
    """Return one stroke, possibly back and forth, through circles that lie in a row."""
    rng = brush.rng
    far = np.hypot(*(crossed - crossed.mean(0)).T).argmax()
    order = np.hypot(*(crossed - crossed[far]).T).argsort()
    a, b = crossed[far], crossed[order[-1]]
    past = (b - a) / max(np.hypot(*(b - a)), 1e-9) * radius
    ends = np.stack((a - past * rng.uniform(0.9, 1.5), b + past * rng.uniform(0.9, 1.5)))
    ends = ends + rng.normal(0, 0.12, (2, 2)) * radius
    paths = [line(ends[0], ends[1], rng, wobble=0.3 * brush.traits.tremor)]
    if rng.random() < 0.3:
        back = ends[::-1] + rng.normal(0, 0.2, (2, 2)) * radius
        paths.append(line(back[0], back[1], rng))
    return brush.strokes(paths)


_RECORDED = {"x": "cross", "wide": "cross", "plus": "plus", "looped": "looped", "star": "star"}
"""Kinds of recorded marks that styles may follow."""

Make = Callable[[Path, float, float, float, Brush], Strokes]


def _slash(at: Path, size: float, radius: float, tilt: float, brush: Brush) -> Strokes:
    lean = pi / 4 if brush.traits.first else -pi / 4
    lean += tilt + brush.rng.normal(0, 0.25)
    return _arms(at, max(size, 1.1 * radius), (lean,), brush)


def _scribble(at: Path, size: float, radius: float, tilt: float, brush: Brush) -> Strokes:
    loops = int(brush.rng.integers(3, 7))
    return [Stroke(scribble(at, min(size, 1.15 * radius), brush.rng, loops))]


def _twice(at: Path, size: float, radius: float, tilt: float, brush: Brush) -> Strokes:
    """A cross retraced once, or until it is bold."""
    angles = (tilt + 0.8, tilt - 0.8)
    strokes = _arms(at, size, angles, brush)
    for _ in range(1 + int(brush.rng.poisson(0.7))):
        again = _arms(at + brush.rng.normal(0, 0.12, 2) * size, size, angles, brush)
        strokes += again[: brush.rng.integers(1, 3)]
    return strokes


def _looped(at: Path, size: float, radius: float, tilt: float, brush: Brush) -> Strokes:
    """A cross in one stroke: down, round in a loop, and across."""
    rng = brush.rng
    side = 1.0 if rng.random() < 0.7 else -1.0
    bulge = rng.uniform(0.9, 1.5)
    corners = ((-1, -1), (1, 0.9), (bulge, 0.1), (bulge - 0.1, -0.9), (0.9, -1.0), (-1, 1))
    path = np.array(corners, np.float64) * (side, 1.0) + rng.normal(0, 0.1, (6, 2))
    path = rounded(rounded(path * 0.72 * size))
    return [brush.stroke(at + turned(path, tilt))]


def _zigzag(at: Path, size: float, radius: float, tilt: float, brush: Brush) -> Strokes:
    rng, n = brush.rng, int(brush.rng.integers(4, 8))
    x = np.linspace(-1, 1, n) * size * rng.uniform(0.7, 1.0)
    y = np.where(np.arange(n) % 2, 1, -1) * size * rng.uniform(0.6, 1.0, n)
    path = np.stack((x, y), 1)
    return [brush.stroke(at + turned(rounded(path), tilt + rng.normal(0, 0.4)))]


def _curl(at: Path, size: float, radius: float, tilt: float, brush: Brush) -> Strokes:
    turns = brush.rng.uniform(1.8, 3.2)
    return [Stroke(ring(at, min(size, 1.1 * radius), brush.rng, turns=turns, inward=0.9))]


def _chevron(at: Path, size: float, radius: float, tilt: float, brush: Brush) -> Strokes:
    """A V over the circle, any way up."""
    corners = np.array(((-0.8, -0.9), (0.0, 0.7), (0.8, -0.9))) * size
    turn = tilt + pi * brush.traits.first
    return [Stroke(at + turned(corners + brush.rng.normal(0, 0.08, (3, 2)) * size, turn))]


def _beside(at: Path, size: float, leans: tuple[float, ...], apart: float, brush: Brush) -> Strokes:
    """Two parallel strokes in each direction."""
    strokes = []
    for lean in leans:
        for way in (-1, 1):
            off = toward(lean + pi / 2) * way * apart * size
            strokes += _arms(at + off, size, (lean,), brush)
    return strokes


_ARMS = {"x": (0.8, -0.8), "plus": (0, pi / 2), "star": (0, 1.05, 2.1), "strike": (0,)}
"""Angles of marks that are straight strokes through one point."""

_CROSSES: dict[str, Make] = {
    "slash": _slash,
    "through": _slash,
    "tick": lambda at, size, radius, tilt, brush: [
        brush.stroke(at + turned(_check_mark(size, brush.rng), tilt))
    ],
    "scribble": _scribble,
    "twice": _twice,
    "looped": _looped,
    "zigzag": _zigzag,
    "hash": lambda at, size, radius, tilt, brush: _beside(
        at, size, (tilt, tilt + pi / 2), 0.35, brush
    ),
    "curl": _curl,
    "chevron": _chevron,
    "bars": lambda at, size, radius, tilt, brush: _beside(
        at, size, (tilt + (0.8 if brush.traits.first else -0.8),), 0.3, brush
    ),
}


def _check_mark(size: float, rng: Rng) -> Path:
    """Return a tick that passes through the circle: a short stroke down, a long one up. Angles and
    lengths are guesses. The foot is sharp or round; some ticks are mirrored."""
    foot = np.array((rng.uniform(-0.35, 0.15), rng.uniform(0.2, 0.75)))
    short = -toward(rng.uniform(0.5, 1.3)) * rng.uniform(0.45, 1.1)
    long = toward(-rng.uniform(0.6, 1.3)) * rng.uniform(1.1, 2.5)
    corners = np.array((foot + short, foot, foot + long)) * size * rng.uniform(0.7, 1.1)
    if rng.random() < 0.1:
        corners = corners * (-1.0, 1.0)
    if rng.random() < 0.3:
        return rounded(rounded(corners))
    return np.concatenate((line(corners[0], corners[1], rng), line(corners[1], corners[2], rng)))


def _arms(at: Path, size: float, angles: tuple[float, ...], brush: Brush) -> Strokes:
    """Return straight strokes through a point, each slightly displaced and of its own length."""
    rng, traits = brush.rng, brush.traits
    strokes = []
    for angle in angles:
        lean = angle + rng.normal(0, 0.1 + 0.15 * traits.slop)
        lengths = size * rng.uniform(0.8, 1.2, 2)
        mid = at + rng.normal(0, 0.08 + 0.1 * traits.slop, 2) * size
        a, b = mid - toward(lean) * lengths[0], mid + toward(lean) * lengths[1]
        path = line(a, b, rng, wobble=0.3 * traits.tremor, bow=traits.bow * rng.normal(0, 1))
        strokes.append(brush.stroke(path))
    return strokes
