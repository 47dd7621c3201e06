"""One line between two ends: a stroke, or a stroke retraced in one of many ways.

Each function takes the line's ends (2, 2), the distance between its runs (mm) and the brush, and
returns strokes. Lengths in mm, points on the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from math import pi, tau

import numpy as np

from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.preferences import Brush
from lab.synth.hands.strokes import Path, drift, line, rounded, turned


def path_between(path: Path, ends: Path, high: float) -> Path:
    """Map a path along the x axis from -1 to 1 between two ends; high: mm per unit of y."""
    run = ends[1] - ends[0]
    sized = path * (math.hypot(*run) / 2, high)
    return np.asarray(turned(sized, math.atan2(run[1], run[0])) + ends.mean(0))


def _path(ends: Path, brush: Brush, most: float = math.inf) -> Path:
    """Return one run of the pen between two ends, sometimes a recorded one.

    most: largest height of its bow, mm, so that the bow does not part runs of one line further
        than their ends.
    """
    real, traits = brush.recorded("line"), brush.traits
    if real is None:
        most = most / max(math.hypot(*(ends[1] - ends[0])), 1e-9)
        bow = min(max(traits.bow * brush.rng.normal(0, 1), -most), most)
        return line(ends[0], ends[1], brush.rng, wobble=traits.tremor, bow=bow)
    length, high = math.hypot(*(ends[1] - ends[0])), max(float(np.ptp(real[0][:, 1])), 1e-9)
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


def _once(ends: Path, parted: float, brush: Brush) -> Strokes:
    return [brush.stroke(_path(ends, brush))]


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
    "stroke": _once,
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
