"""Dots, single or in pairs, in a shield. Lengths in mm, points on the page."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from math import pi, tau

import numpy as np

from lab.synth.fields import toward
from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.preferences import Brush, ShieldShape
from lab.synth.hands.strokes import Path, hatch, line, ring, rounded, scribble, turned

_ROUND = np.stack([(math.cos(a), math.sin(a)) for a in np.linspace(0, tau, 15)[:-1]])


def dot(at: Path, radius: float, style: str, brush: Brush) -> Strokes:
    """Return one dot of a radius (mm); style: a habit of the part `dot`.

    A style for which the pen is too thick becomes a blob.
    """
    real = None
    if style in _RECORDED and (radius > 1.2 * brush.width or style in _SHORT):
        real = brush.recorded(_RECORDED[style])
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


_RECORDED = {
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


def _blob(r: float, squash: float, brush: Brush) -> Strokes:
    return [Stroke(ring(_O, r, brush.rng, turns=1.1, squash=squash), solid=True)]


def _spiral(r: float, squash: float, brush: Brush) -> Strokes:
    turns = max(2.0, r / (brush.rng.uniform(0.7, 1.5) * brush.width))
    return [Stroke(ring(_O, r, brush.rng, turns=turns, squash=squash, inward=0.95))]


def _scribble(r: float, squash: float, brush: Brush) -> Strokes:
    return [Stroke(scribble(_O, r, brush.rng, int(brush.rng.integers(4, 12))))]


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


def _open_ring(r: float, squash: float, brush: Brush) -> Strokes:
    return [Stroke(ring(_O, r, brush.rng, turns=brush.rng.uniform(0.7, 0.92), squash=squash))]


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


def _target(r: float, squash: float, brush: Brush) -> Strokes:
    return [*_ring(r, squash, brush), *_blob(0.4 * r, squash, brush)]


def _square(r: float, squash: float, brush: Brush) -> Strokes:
    box = np.array(((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1.0))) * r * 0.85
    box = box + brush.rng.normal(0, 0.08, box.shape) * r
    return [Stroke(rounded(box), solid=brush.rng.random() < 0.7)]


def _asterisk(r: float, squash: float, brush: Brush) -> Strokes:
    turns = np.arange(3) * pi / 3 + brush.rng.normal(0, 0.15, 3)
    arms = [toward(float(a)) * r * brush.rng.uniform(0.8, 1.1) for a in turns]
    return [Stroke(line(-arm, arm, brush.rng)) for arm in arms]


_DOTS: dict[str, Callable[[float, float, Brush], Strokes]] = {
    "blob": _blob,
    "spiral": _spiral,
    "scribble": _scribble,
    "ring": _ring,
    "rings": _rings,
    "open_ring": _open_ring,
    "tap": _tap,
    "taps": _taps,
    "smear": _smear,
    "comma": _comma,
    "dash": _dash,
    "hatched": _hatched,
    "target": _target,
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

_OPEN = frozenset(("ring", "rings"))


def two_dots(shield: ShieldShape, brush: Brush) -> Strokes:
    """Return two dots as this writer sets them."""
    rng, traits, way = brush.rng, brush.traits, brush.pick("pair")
    style = brush.pick("dot")
    second = style if way != "mixed" else ("blob" if style in _OPEN else "ring")
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
    if way == "touching" and style in _OPEN:
        second = "rings" if rng.random() < 0.5 else "ring"
        other = min(other, one) * rng.uniform(0.6, 1.0)
    if (way == "touching" or rng.random() < touch) and style not in _SHORT:
        rings = style in _OPEN and second in _OPEN and min(one, other) > 2.5 * brush.width
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
