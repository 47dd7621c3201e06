"""Lines of a coat: one or two, each a stroke, a retraced stroke, or a bend as on the dice.

A writer's two lines are always further apart than the runs of that writer's single line.
Lengths in mm, points on the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import pi, tau

import numpy as np

from lab.synth.fields import toward
from lab.synth.hands.bends import BENDS, bend
from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.preferences import PARTED, Brush, ShieldShape
from lab.synth.hands.strokes import Path, away_from, drift, line, rounded, spans, turned


def path_between(path: Path, ends: Path, high: float) -> Path:
    """Map a path along the x axis from -1 to 1 between two ends; high: mm per unit of y."""
    run = ends[1] - ends[0]
    sized = path * (math.hypot(*run) / 2, high)
    return np.asarray(turned(sized, math.atan2(run[1], run[0])) + ends.mean(0))


def _path(ends: Path, brush: Brush, most: float = math.inf) -> Path:
    """Return one run of the pen between two ends, sometimes a recorded one. most: largest height of
    its bow, mm, so that the bow does not part runs of one line further than their ends."""
    real, traits = brush.recorded("line"), brush.traits
    if real is None:
        most = most / max(math.hypot(*(ends[1] - ends[0])), 1e-9)
        bow = min(max(traits.bow * brush.rng.normal(0, 1), -most), most)
        return line(ends[0], ends[1], brush.rng, wobble=traits.tremor, bow=bow)
    length, high = math.hypot(*(ends[1] - ends[0])), max(np.ptp(real[0][:, 1]), 1e-9)
    return path_between(real[0], ends, min(length / 2, 0.04 * length / high, most / high))


def _across(ends: Path) -> Path:
    """The unit vector (2,) perpendicular to a line."""
    run = ends[1] - ends[0]
    return np.array((-run[1], run[0])) / max(math.hypot(*run), 1e-9)


def _strokes(paths: list[Path], brush: Brush, joined: bool) -> Strokes:
    """Runs drawn back and forth in one arc, with or without lifting the pen."""
    # all runs are bent into one common arc
    start, run = paths[0][0], paths[0][-1] - paths[0][0]
    bow = 0.7 * brush.traits.bow * brush.rng.normal(0, 1)
    side = bow * np.array((-run[1], run[0]))
    shares = [(p - start) @ run / max(float(run @ run), 1e-9) for p in paths]
    paths = [p + np.outer(4 * t * (1 - t), side) for p, t in zip(paths, shares, strict=True)]
    paths = [p if i % 2 == 0 else p[::-1] for i, p in enumerate(paths)]
    if joined:
        return [brush.stroke(rounded(np.concatenate(paths)))]
    return brush.strokes(paths)


def _slid(ends: Path, parted: Path, brush: Brush) -> Path:
    """Ends moved across the line by `parted` (2,) mm, and along it by an amount that grows with
    haste."""
    along = ends[1] - ends[0]
    slip = brush.rng.normal(0, 0.02 + 0.05 * brush.traits.slop, 2)
    return ends + np.outer(parted, _across(ends)) + np.outer(slip, along)


def _retraced(ends: Path, parted: float, brush: Brush) -> Strokes:
    """Two to four runs on top of each other, slightly apart, more so at one end."""
    rng, runs = brush.rng, [_path(ends, brush, 0.3 * parted)]
    for _ in range(1 + int(rng.poisson(0.35))):
        off = np.clip(rng.normal(0, 0.4, 2), -0.75, 0.75) * parted
        runs.append(_path(_slid(ends, off, brush), brush, 0.3 * parted))
    return _strokes(runs, brush, brush.traits.joined)


def _vee(ends: Path, parted: float, brush: Brush) -> Strokes:
    """Two runs that start at about one point and end apart."""
    rng = brush.rng
    off = np.array((rng.normal(0, 0.08), rng.uniform(0.5, 1.0) * rng.choice((-1, 1)))) * parted
    other = _slid(ends, off if rng.random() < 0.5 else off[::-1], brush)
    pair = [_path(e, brush, 0.3 * parted) for e in (ends, other)]
    return _strokes(pair, brush, brush.rng.random() < 0.5)


def _loop(ends: Path, parted: float, brush: Brush) -> Strokes:
    """Back and forth in one stroke: a long, narrow loop, closed or nearly so."""
    rng = brush.rng
    n, start = 26, rng.uniform(-0.5, 0.5)
    t = start + np.linspace(0, tau * (1 + rng.normal(0.02, 0.05)), n)
    x = np.cos(t) * (1 + rng.normal(0, 0.02))
    y = np.sin(t) * parted / 2 * rng.uniform(0.6, 1.0) * (1 + 0.3 * rng.normal() * x)
    half = (ends[1] - ends[0]) / 2
    path = ends.mean(0) + x[:, None] * half + y[:, None] * _across(ends)
    return [brush.stroke(path + 0.4 * brush.traits.tremor * drift(n, rng)[:, None])]


def _parallel(ends: Path, parted: float, brush: Brush) -> Strokes:
    """Two parallel runs that need not meet."""
    rng = brush.rng
    off = rng.uniform(0.45, 1.0) * parted * np.array((1, 1 + rng.normal(0, 0.25)))
    off = np.clip(off, 0.2 * parted, parted) / 2
    pair = [_path(_slid(ends, way * off, brush), brush, 0.2 * parted) for way in (-1, 1)]
    return _strokes(pair, brush, joined=False)


def _thick(ends: Path, parted: float, brush: Brush) -> Strokes:
    """Three or more parallel runs, sometimes with paper between them."""
    rng = brush.rng
    count = max(3, round(brush.about(brush.traits.runs, 0.2)))
    wide = brush.about(1.5 * parted, 0.25) + 0.5 * brush.width
    spots = np.linspace(-0.5, 0.5, count) + rng.normal(0, 0.35 / count, count)
    paths = [_path(_slid(ends, np.full(2, s * wide), brush), brush, 0.3 * parted) for s in spots]
    return _strokes(paths, brush, brush.traits.joined)


def _hooked(ends: Path, parted: float, brush: Brush) -> Strokes:
    """A stroke that begins or ends with a hook, as in haste."""
    rng, path = brush.rng, _path(ends, brush)
    run, side = ends[1] - ends[0], _across(ends)
    hook = 0.12 * run * rng.uniform(-1, 0.4) + side * rng.normal(0, 0.1) * math.hypot(*run)
    parts = [path, path[-1:] + hook] if rng.random() < 0.6 else [path[:1] - hook, path]
    return [brush.stroke(rounded(np.concatenate(parts)))]


def _wave(ends: Path, height: float, waves: float, phase: float) -> Path:
    t = np.linspace(0, 1, 28)
    swing = height * np.sin(tau * waves * t + phase)
    straight = ends[0] + t[:, None] * (ends[1] - ends[0])
    return np.asarray(straight + swing[:, None] * _across(ends))


def _wavy(ends: Path, parted: float, brush: Brush) -> Strokes:
    rng = brush.rng
    height = rng.uniform(0.3, 0.7) * parted + 0.3 * brush.width
    real = brush.recorded("wave")
    if real is not None:
        return [Stroke(path_between(real[0], ends, 2 * height / float(np.ptp(real[0][:, 1]))))]
    return [Stroke(_wave(ends, height, rng.uniform(1.0, 3.5), rng.uniform(0, 6)))]


def _braid(ends: Path, parted: float, brush: Brush) -> Strokes:
    waves, phase = brush.rng.uniform(0.8, 1.5), brush.rng.uniform(0, 3)
    paths = [_wave(ends, 0.5 * parted, waves, phase + p) for p in (0.0, pi)]
    return _strokes(paths, brush, joined=False)


def _coil(ends: Path, parted: float, brush: Brush) -> Strokes:
    """Loops strung along the line."""
    rng, length = brush.rng, math.hypot(*(ends[1] - ends[0]))
    size = max(0.6 * parted, 0.9 * brush.width)
    turns = max(3, int(length / (2.2 * size)))
    t = np.linspace(0, 1, 12 * turns)
    around = tau * turns * t
    x = t + 1.1 * size / length * np.cos(around)
    path = ends[0] + x[:, None] * (ends[1] - ends[0])
    path = path + (size * np.sin(around) * (1 + 0.2 * drift(len(t), rng, 3)))[:, None] * _across(
        ends
    )
    return [Stroke(path)]


def _pieces(ends: Path, parted: float, brush: Brush) -> Strokes:
    """A line made of two or three pieces, slightly displaced from each other."""
    rng = brush.rng
    cuts = np.concatenate(((0.0,), rng.uniform(0.3, 0.7, int(rng.integers(1, 3))), (1.0,)))
    cuts.sort()
    run, strokes = ends[1] - ends[0], []
    for low, high in pairwise(cuts):
        part = np.stack((ends[0] + (low - 0.03) * run, ends[0] + (high + 0.02) * run))
        off = np.full(2, 0.35 * parted * rng.normal())
        strokes.append(Stroke(_path(part + np.outer(off, _across(ends)), brush)))
    return strokes


RUNS: dict[str, Callable[[Path, float, Brush], Strokes]] = {
    "stroke": lambda ends, parted, brush: [brush.stroke(_path(ends, brush))],
    "retraced": _retraced,
    "vee": _vee,
    "loop": _loop,
    "parallel": _parallel,
    "runs": _thick,
    "hooked": _hooked,
    "wavy": _wavy,
    "braid": _braid,
    "coil": _coil,
    "pieces": _pieces,
}
"""Habits of the part `line` that make lines rather than bends."""

WIDE = frozenset(("retraced", "vee", "loop", "parallel", "runs", "braid", "coil", "wavy"))
"""Lines that are wider than the pen's."""


LEAST_GAP = 0.15
"""Least distance between the middles of two lines (other than bends), relative to the shield's
span; a guess."""

NEIGHBOUR = 0.22
"""How far a line's end may run into the next shield, relative to its span. A guess."""


def _ends(shield: ShieldShape, brush: Brush, angle: float, at: Path, reach: float) -> Path:
    """Return (2, 2) ends of a line through `at`; reach: its length relative to the shield there."""
    across = np.array((float(at @ toward(angle + pi / 2)),))
    t0, t1 = spans(shield.polygon, angle, across)[0]
    t = float(at @ toward(angle))
    if math.isnan(t0):
        t0, t1 = t - shield.radius, t + shield.radius
    slip = brush.traits.slop * 0.1 * (t1 - t0) * brush.rng.normal(0, 1, 2)
    past = np.zeros(2)
    if brush.traits.past:
        past = brush.traits.past * shield.span * brush.rng.exponential(1.0, 2)
    most = shield.margin + NEIGHBOUR * shield.span
    least = 0.62 * shield.radius
    a = max(t - (t - t0) * reach + slip[0] - past[0], t0 - most)
    b = min(t + (t1 - t) * reach + slip[1] + past[1], t1 + most)
    a, b = min(a, t - least), max(b, t + least)
    return np.stack((at + toward(angle) * (a - t), at + toward(angle) * (b - t)))


def _drawn(shield: ShieldShape, brush: Brush, ends: Path, style: str, parted: float) -> Strokes:
    """Return one line between two ends that stays off the circles its writer avoids."""
    strokes = RUNS[style](ends, parted, brush)
    kept = [Stroke(_off_circles(s.path, shield, brush), s.width, s.pressure) for s in strokes]
    kept = [s for s in kept if len(s.path) > 1]
    return kept or [Stroke(line(ends[0], ends[1], brush.rng))]


def _off_circles(path: Path, shield: ShieldShape, brush: Brush) -> Path:
    """The longest piece of a path that stays off the circles its writer avoids."""
    return away_from(path, shield.around, 1.15 * shield.circle + 0.6 * brush.width)


def _misses(shield: ShieldShape, ends: Path, brush: Brush) -> bool:
    """Whether a line stays away from every circle."""
    run = ends[1] - ends[0]
    share = np.clip((shield.circles - ends[0]) @ run / max(float(run @ run), 1e-9), 0, 1)
    gap = shield.circles - (ends[0] + share[:, None] * run)
    return not len(gap) or bool(np.hypot(*gap.T).min() > 1.2 * shield.circle + brush.width)


def _angle(brush: Brush) -> float:
    return brush.traits.angle + brush.rng.normal(0, 0.08 + 0.12 * brush.traits.slop)


def _middle(shield: ShieldShape, brush: Brush, room: float) -> Path:
    off = np.clip(brush.traits.wander * room * brush.rng.normal(0, 0.5, 2), -room, room)
    return np.asarray(shield.middle + off)


def _parted(shield: ShieldShape, brush: Brush) -> float:
    """Distance between the runs of this single line, in mm."""
    low, high = 0.5 * PARTED[0] * shield.span, PARTED[1] * shield.span
    return min(max(brush.about(brush.traits.parted * shield.span, 0.25), low), high)


THICK = 0.11
"""Pens whose line is thicker than this, relative to the shield's span, draw bends in one stroke.
A guess."""


def _style(shield: ShieldShape, brush: Brush) -> str:
    """The style of a line drawn with this pen."""
    style = brush.pick("line")
    return "stroke" if style in BENDS and brush.width > THICK * shield.span else style


def one_line(shield: ShieldShape, brush: Brush) -> Strokes:
    """Return a line, or a bend, roughly through the middle."""
    style, angle = _style(shield, brush), _angle(brush)
    if style in BENDS:
        at = shield.centre + 0.06 * shield.span * brush.rng.normal(0, 1, 2)
        most = 0.28 if style == "zigzag" else 0.38  # a scribble strays to both sides
        wide = min(max(brush.about(brush.traits.bend, 0.12), 0.13), most) * shield.span
        return bend(shield, brush, at, angle, max(wide, 1.6 * brush.width), style)
    reach = brush.near(brush.traits.reach, 0.12, 0.55, 1.3)
    ends = _ends(shield, brush, angle, shield.middle, reach)
    for turn in range(6):
        at = _middle(shield, brush, 0.4 * shield.radius)
        ends = _ends(shield, brush, angle + turn * pi / 6, at, reach)
        if _misses(shield, ends, brush):
            break
    return _drawn(shield, brush, ends, style, _parted(shield, brush))


def _two_bends(shield: ShieldShape, brush: Brush, style: str) -> Strokes:
    """Two bends with a gap of about one bend's width."""
    angle, rng = _angle(brush), brush.rng
    brush = replace(brush, traits=replace(brush.traits, slop=0.45 * brush.traits.slop))
    wide = min(max(brush.about(0.85 * brush.traits.bend, 0.1), 0.13), 0.26)
    wide = max(wide * shield.span, 1.5 * brush.width)
    least = 0.16 if style in ("zigzag", "edged") else 0.1  # its ends stray
    gap = max(brush.about(wide, 0.2), least * shield.span + brush.width)
    fit = min(1.0, (0.9 * shield.span - gap) / (2 * wide))
    wide = max(wide * fit, 1.2 * brush.width)
    at = shield.centre + 0.04 * shield.span * rng.normal(0, 1, 2)
    strokes = []
    for side in (-1, 1):
        step = toward(angle + pi / 2) * side * (wide + gap) / 2
        lean = angle + rng.normal(0, 0.05)
        strokes += bend(shield, brush, at + step, lean, brush.about(wide, 0.08), style)
    return strokes


def two_lines(shield: ShieldShape, brush: Brush) -> Strokes:
    """Return two lines, or two bends, that do not meet unless this writer's lines are single
    strokes."""
    rng, way, style = brush.rng, brush.pick("lines"), _style(shield, brush)
    if style in BENDS:
        return _two_bends(shield, brush, style)
    if style in WIDE and brush.width > 0.1 * shield.span:
        style = "stroke"
    # distance between two lines, in mm: unambiguous if the runs of one line are apart
    single = brush.traits.habits["line"]
    parted = brush.traits.parted * shield.span * (2.0 if "runs" in (single, style) else 1.0)
    clear = max(2.1 * brush.width + 2 * brush.traits.tremor, LEAST_GAP * shield.span)
    if single in WIDE:
        clear = max(clear, 2.2 * parted + brush.width)
    if style in WIDE:
        clear = max(clear, 0.55 * parted + LEAST_GAP * shield.span + brush.width)
    far = max(0.95 * shield.radius, 1.15 * clear)
    apart = clear + (far - clear) * brush.near(brush.traits.spread, 0.2, 0, 1)
    parted = 0.5 * _parted(shield, brush)
    reach, angle = brush.near(brush.traits.reach, 0.1, 0.6, 1.2), _angle(brush)
    pair: list[Path] = []
    for turn in range(6):
        at = _middle(shield, brush, 0.15 * shield.radius)
        lean = angle + turn * pi / 6
        step = toward(lean + pi / 2) * apart / 2
        tilt = rng.normal(0, 0.16 if way == "skewed" else 0.05, 2) * min(1.0, apart / shield.radius)
        reaches = np.full(2, reach)
        if way == "uneven":
            reaches[rng.integers(2)] *= rng.uniform(0.5, 0.8)
        pair = [
            _ends(shield, brush, lean + tilt[i], at + side * step, reaches[i])
            for i, side in enumerate((-1, 1))
        ]
        if way == "staggered":
            shift = toward(lean) * rng.uniform(0.15, 0.35) * shield.radius
            pair = [pair[0] - shift, pair[1] + shift]
        if all(_misses(shield, e, brush) for e in pair):
            break
    plain = {style, brush.traits.habits["line"]}.isdisjoint(WIDE | BENDS.keys())
    if way == "meeting" and plain:
        return [brush.stroke(path) for path in _meeting(pair, brush)]
    strokes = [_drawn(shield, brush, ends, style, parted) for ends in pair]
    real = brush.recorded("lines") if style == "stroke" and way == "even" else None
    if real is not None:
        strokes = _recorded(shield, brush, real, (pair[0] + pair[1]) / 2, apart)
    if _nearest(strokes[0], strokes[1]) < max(0.55 * apart, 1.6 * brush.width):
        strokes = [[Stroke(line(e[0], e[1], rng))] for e in pair]
    if way == "linked":
        # without lifting the pen, so that the way back between the lines is drawn too
        first, second = strokes[0][0].path, strokes[1][-1].path
        link = line(first[-1], second[0], brush.rng, bow=brush.rng.normal(0, 0.06))
        return [Stroke(np.concatenate((first, link, second)))]
    return strokes[0] + strokes[1]


def _meeting(pair: list[Path], brush: Brush) -> list[Path]:
    """Two lines that touch or cross near one of their ends, at a small angle."""
    rng, end = brush.rng, int(brush.rng.integers(2))
    between = pair[1][end] - pair[0][end]
    moved = rng.uniform(0.4, 0.75) * between
    ends = [line_ends.copy() for line_ends in pair]
    ends[0][end] += moved
    ends[1][end] -= moved
    bow = 0.5 * brush.traits.bow * rng.normal()
    return [line(a, b, rng, wobble=brush.traits.tremor, bow=bow) for a, b in ends]


def _recorded(
    shield: ShieldShape, brush: Brush, real: list[Path], ends: Path, apart: float
) -> list[Strokes]:
    """A recorded pair of lines, placed about a line midway between them with these ends."""
    paths = [_off_circles(path_between(path, ends, apart), shield, brush) for path in real]
    paths = [path if len(path) > 1 else ends for path in paths]
    return [[brush.stroke(path)] for path in paths]


def _nearest(some: Strokes, others: Strokes) -> float:
    """Return the least distance (mm) between the points of two marks."""
    a = np.concatenate([s.path for s in some])
    b = np.concatenate([s.path for s in others])
    return float(np.hypot(*(a[:, None] - b[None]).transpose(2, 0, 1)).min())
