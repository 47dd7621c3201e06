"""A writer's habits, recorded pen paths, and what drawing one mark needs.

Real pen paths, recorded elsewhere, are followed by some of the marks in training pictures. They
come from a folder of ``*.jsonl.gz`` with one JSON object per line: ``writer``, ``label`` (the
character or mark), ``y_up`` (True: y grows upwards), ``strokes`` (flat x0, y0, x1,
y1, ... for each time the pen was down). Only complete, unmistakable marks are kept.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import pi
from pathlib import Path as FilePath
from typing import Any

import cv2
import numpy as np

from lab.synth.fields import U8, Rng, any_of
from lab.synth.hands.habits import HABITS, PARTS, Part, any_habit
from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.strokes import Path, turned

Mark = list[Path]


@dataclass(frozen=True, eq=False)
class StrokeBank:
    """Real marks by kind, ordered by writer.

    marks: the kinds are ``cross``, ``plus``, ``looped`` (a cross in one stroke), ``star``, ``line``
    and ``wave`` (along the x axis), ``lines`` (two of them, 1 apart), ``ring``, ``comma``, ``blob``
    (scribbled dots), ``scribble`` (fills its box) and ``glyph`` (any character). Each has a list of
    marks; a mark is a list of (N, 2) paths centred on 0 within -1..1, y down.
    """

    marks: Mapping[str, list[Mark]]

    @classmethod
    def load(cls, folder: FilePath | str) -> StrokeBank:
        """Read all ``*.jsonl.gz`` of a folder; raises FileNotFoundError if there are none."""
        files = sorted(FilePath(folder).glob("*.jsonl.gz"))
        if not files:
            raise FileNotFoundError(f"no *.jsonl.gz with strokes in {folder}")
        rows: list[dict[str, Any]] = []
        for file in files:
            with gzip.open(file, "rt", encoding="utf-8") as lines:
                rows += [json.loads(text) for text in lines]
        rows.sort(key=lambda row: str(row["writer"]))
        marks: dict[str, list[Mark]] = {kind: [] for kind in _KEEP}
        for row in rows:
            # return the strokes of a row, y down; single points stay paths of two equal points
            way = np.array((1.0, -1.0 if row["y_up"] else 1.0))
            paths = [
                np.asarray(flat, np.float64).reshape(-1, 2) * way for flat in row["strokes"] if flat
            ]
            raw = [p if len(p) > 1 else np.repeat(p, 2, axis=0) for p in paths]
            for kind, (labels, test) in _KEEP.items():
                if row["label"] in labels and raw:
                    mark = test(raw)
                    if mark is not None:
                        marks[kind].append(mark)
        return cls(marks)

    def pick(self, kind: str, writer: float, rng: Rng) -> Mark | None:
        """Return a mark; writer: 0..1; the same number mostly gives the same writer."""
        marks = self.marks.get(kind, [])
        if not marks:
            return None
        i = round(writer * (len(marks) - 1) + rng.normal(0, 4))
        if rng.random() < 0.15:
            i = int(rng.integers(len(marks)))
        mark = marks[i % len(marks)]
        if kind in _FREE and rng.random() < 0.5:
            way = rng.choice((-1.0, 1.0), 2)
            mark = [p[:, ::-1] * way for p in mark]
        return mark


_FREE = frozenset(("ring", "blob", "scribble"))
"""Kinds that may be mirrored and turned by a quarter."""


def _fit(mark: Mark, *, stretch: bool = False) -> Mark | None:
    """Return the mark centred within -1..1; stretch: fill the square. None if it has no size."""
    every = np.concatenate(mark)
    low, high = every.min(0), every.max(0)
    size = (high - low) / 2
    if not stretch:
        size = np.full(2, size.max())
    if size.min() <= 0:
        return None
    return [_thin((p - (low + high) / 2) / size) for p in mark]


def _thin(path: Path) -> Path:
    """Drop points closer than 0.06 to the one kept before; the ends stay."""
    kept = [path[0]]
    for point in path[1:-1]:
        if abs(point[0] - kept[-1][0]) + abs(point[1] - kept[-1][1]) > 0.06:
            kept.append(point)
    return np.array([*kept, path[-1]])


def _straight(path: Path) -> float:
    """Return the ratio of chord to length: 1 for a straight path."""
    walked = np.hypot(*np.diff(path, axis=0).T).sum()
    return float(np.hypot(*(path[-1] - path[0]))) / walked if walked else 0.0


def _cross(mark: Mark) -> Mark | None:
    """Two straight strokes that meet near their middles, at more than 40 degrees."""
    fitted = _fit(mark)
    if fitted is None or len(fitted) != 2 or min(map(_straight, fitted)) < 0.88:
        return None
    (a, b), (c, d) = ((p[0], p[-1]) for p in fitted)
    u, v = b - a, d - c
    turn = u[0] * v[1] - u[1] * v[0]
    lengths = math.hypot(*u), math.hypot(*v)
    if abs(turn) < 0.64 * lengths[0] * lengths[1] or min(lengths) < 0.45 * max(lengths):
        return None
    w = c - a
    s, t = (w[0] * v[1] - w[1] * v[0]) / turn, (w[0] * u[1] - w[1] * u[0]) / turn
    if not (0.2 < s < 0.8 and 0.2 < t < 0.8):
        return None
    middle = a + s * u
    return [p - middle for p in fitted]


def _line(mark: Mark) -> Mark | None:
    """One straight stroke, turned along the x axis from -1 to 1."""
    if len(mark) != 1 or len(mark[0]) < 4 or _straight(mark[0]) < 0.96:
        return None
    path = mark[0] - (mark[0][0] + mark[0][-1]) / 2
    run = path[-1] - path[0]
    path = turned(path, -math.atan2(run[1], run[0])) / (math.hypot(*run) / 2)
    if np.ptp(path[:, 1]) > 0.22 or np.abs(path[:, 0]).max() > 1.1:
        return None
    return [_thin(path)]


def _along_x(mark: Mark) -> Mark:
    """Turn a mark so that its first stroke runs along the x axis, centred, 2 long."""
    run = mark[0][-1] - mark[0][0]
    low, high = (f([f(p, axis=0) for p in mark], axis=0) for f in (np.min, np.max))
    half = max(math.hypot(*run) / 2, 1e-9)
    return [turned(p - (low + high) / 2, -math.atan2(run[1], run[0])) / half for p in mark]


def _wave(mark: Mark) -> Mark | None:
    """One stroke that runs along the x axis and oscillates about it."""
    if len(mark) != 1 or len(mark[0]) < 8 or not 0.6 < _straight(mark[0]) < 0.97:
        return None
    (path,) = _along_x(mark)
    path = path - (0.0, path[:, 1].mean())
    wide, high = np.abs(path[:, 0]).max(), np.ptp(path[:, 1])
    return [_thin(path)] if wide < 1.2 and 0.1 < high < 0.9 else None


def _lines(mark: Mark) -> Mark | None:
    """Two parallel straight strokes, one above the other, 1 apart."""
    if len(mark) != 2 or min(map(len, mark)) < 4 or min(map(_straight, mark)) < 0.88:
        return None
    pair = sorted(_along_x(mark), key=lambda p: p[:, 1].mean())
    run = pair[1][-1] - pair[1][0]
    if abs(run[1]) > 0.35 * abs(run[0]) or not 0.5 < abs(run[0]) / 2 < 1.6:
        return None
    over, under = (p[:, 1] for p in pair)
    gap = under.mean() - over.mean()
    if under.min() - over.max() < 0.25 * gap or not 0.2 < gap < 1.5:
        return None
    middle = np.array((0.0, (under.mean() + over.mean()) / 2))
    return [_thin((p - middle) / (1.0, gap)) for p in pair]


def _looped(mark: Mark) -> Mark | None:
    """A cross that was drawn without lifting the pen."""
    fitted = _fit(mark) if len(mark) == 1 and len(mark[0]) > 6 else None
    if fitted is None or np.ptp(fitted[0], 0).min() < 1.0 or _straight(fitted[0]) > 0.7:
        return None
    return fitted


def _star(mark: Mark) -> Mark | None:
    """Three strokes or four that all pass near the middle."""
    fitted = _fit(mark) if len(mark) in (3, 4) else None
    if fitted is None or np.ptp(np.concatenate(fitted), 0).min() < 1.2:
        return None
    near = [float(np.hypot(*p.T).min()) for p in fitted]
    return fitted if max(near) < 0.5 and min(map(_straight, fitted)) > 0.85 else None


def _small(mark: Mark) -> Mark | None:
    """One short stroke of some shape."""
    return _fit(mark) if len(mark) == 1 and len(mark[0]) > 2 else None


def _ring(mark: Mark) -> Mark | None:
    """One closed stroke round a middle that it leaves empty."""
    fitted = _fit(mark)
    if fitted is None or len(fitted) != 1 or len(fitted[0]) < 8:
        return None
    path = fitted[0]
    if np.ptp(path, 0).min() < 1.3 or np.hypot(*(path[-1] - path[0])) > 0.6:
        return None
    if np.hypot(*path.T).min() < 0.45:
        return None
    around = np.unwrap(np.arctan2(path[:, 1], path[:, 0]))
    return fitted if abs(around[-1] - around[0]) > 1.8 * math.pi else None


def _drawn(mark: Mark, wide: int) -> U8:
    """(48, 48): a fitted mark with lines `wide` pixels wide."""
    canvas = np.zeros((48, 48), np.uint8)
    points = [np.round((p + 1) * 23.5).astype(np.int32) for p in mark]
    cv2.polylines(canvas, points, False, 255, wide)
    return canvas


def _scribble(mark: Mark) -> Mark | None:
    """Scribbling whose lines, 1/24 of its box wide, cover half of each of the box's quarters."""
    fitted = _fit(mark, stretch=True)
    if fitted is None:
        return None
    canvas = _drawn(fitted, 2)
    quarters = canvas.reshape(2, 24, 2, 24).mean((1, 3)) / 255
    middle = canvas[16:32, 16:32].mean() / 255
    return fitted if min(quarters.min(), middle) > 0.5 else None


def _blob(mark: Mark) -> Mark | None:
    """Scribbling that covers a round patch on all sides; drawn small it is a dot."""
    fitted = _fit(mark)
    if fitted is None or np.ptp(np.concatenate(fitted), 0).min() < 1.5:
        return None
    inner = _drawn(fitted, 5)[8:40, 8:40].reshape(2, 16, 2, 16).mean((1, 3)) / 255
    return fitted if inner.min() > 0.6 else None


_KEEP: dict[str, tuple[frozenset[str], Callable[[Mark], Mark | None]]] = {
    "cross": (frozenset("xX"), _cross),
    "plus": (frozenset("+"), _cross),
    "looped": (frozenset("xX"), _looped),
    "star": (frozenset("*"), _star),
    "wave": (frozenset("~"), _wave),
    "lines": (frozenset("="), _lines),
    "comma": (frozenset(","), _small),
    "line": (frozenset("-/\\|lI1"), _line),
    "ring": (frozenset("oO0"), _ring),
    "blob": (frozenset(("scribble", "spiral")), _blob),
    "scribble": (frozenset(("scribble", "spiral")), _scribble),
    "glyph": (frozenset("xXoO0l1I+=~*#/"), _fit),
}


DICE_SHARE = 0.42
"""Share of writers who draw coats as the dice show them: with bends, one dot above the other, a
free rim. A guess: it is the only picture of the coats that players have at hand."""

PARTED = (0.03, 0.11)
"""How far two runs of one line lie apart where they are seen apart, by the shield's span: from
habits that were seen to be misread."""

STRANGE = 0.3
"""Share of marks in neither of a writer's two usual styles. A guess."""


@dataclass(frozen=True)
class Preferences:
    """How one writer makes marks. Angles are in radians.

    habits: one for each part. others: a second one for each, which takes turns with it.
    faithful: how often the first is kept, 0..1.
    dice: whether coats are drawn as on the dice.
    slop: carelessness, 0..1 and rarely beyond.
    tremor: mm.
    bow: height of a line's arc relative to its length.
    wander: how far from the middle marks are, as a share of the free room.
    reach: length of lines relative to the shield. past: how far they run on beyond it.
    size: of dots and crosses, 0 small .. 1 large.
    gap: between the strokes of hatching, 0 tight .. 1 open. hatch: its angle.
    angle: of lines.
    bend: width of a bend. parted: distance between two runs of one line. These two and `past` are
        relative to the shield's span.
    runs: how many a thick line has.
    spread: how far apart two marks are, 0..1. pair: angle of two dots.
    closure: turns that a ring goes on beyond its start, below 0 where it stays open.
    first: whether the upper left quarter of a quartered shield is filled. grid: whether its
        dividing lines are drawn.
    joined: whether the pen is hardly lifted.
    press: standard deviation of the pressure from stroke to stroke, relative to the mean.
    writer: whose recorded marks are followed, 0..1.
    """

    habits: Mapping[Part, str]
    others: Mapping[Part, str]
    faithful: float
    dice: bool
    slop: float
    tremor: float
    bow: float
    wander: float
    reach: float
    past: float
    size: float
    gap: float
    angle: float
    bend: float
    parted: float
    runs: float
    hatch: float
    spread: float
    pair: float
    closure: float
    first: bool
    grid: bool
    joined: bool
    press: float
    writer: float


_PAIRS = {"stacked": pi / 2, "side": 0.0, "slanted": -pi / 4}


def random_preferences(
    rng: Rng, habits: Mapping[Part, str] | None = None, dice: bool | None = None
) -> Preferences:
    """Return a random writer.

    habits: fixed habits; all others are random and never held-out ones. dice: whether the writer
    copies the dice; random if None.

    Raises ValueError for an unknown habit.
    """
    for part, habit in (habits or {}).items():
        if habit not in HABITS[part]:
            raise ValueError(f"no habit of {part} is called {habit}")
    if dice is None:
        dice = rng.random() < DICE_SHARE
    mine = {part: any_habit(part, dice, rng) for part in PARTS} | dict(habits or {})
    u = rng.uniform
    slop = rng.beta(1.6, 2.2) * (1.0 if rng.random() < 0.92 else u(1.0, 1.5))
    slants = (0.0, pi / 2, -pi / 4, pi / 4, u(0, pi))
    slant = any_of(rng, slants)
    if dice:
        slant = -rng.choice((u(0.45, 0.95), u(0.3, 1.2), u(2.0, 2.7)), p=(0.7, 0.2, 0.1))
    pair = _PAIRS.get(mine["pair"], any_of(rng, slants))
    return Preferences(
        habits=mine,
        others={part: any_habit(part, dice, rng) for part in PARTS},
        faithful=float(u(0.85, 1.0) if rng.random() < 0.7 else u(0.2, 0.85)),
        dice=dice,
        slop=slop,
        tremor=rng.gamma(1.0, 0.08),
        bow=min(rng.gamma(1.0, 0.03), 0.16),
        wander=float(u(0.1, 1.0)),
        reach=float(u(0.85, 1.08) if dice else u(0.6, 1.15)),
        past=rng.exponential(0.1) if rng.random() < 0.25 else 0.0,
        size=float(u(0, 1)),
        gap=float(u(0, 1)),
        angle=slant + rng.normal(0, 0.1),
        bend=min(max(rng.lognormal(math.log(0.23), 0.22), 0.13), 0.36),
        parted=min(max(rng.lognormal(math.log(0.055), 0.5), PARTED[0]), PARTED[1]),
        runs=float(u(2.6, 6.5)),
        hatch=float(u(0, pi)),
        spread=float(u(0, 1)),
        pair=pair + rng.normal(0, 0.1),
        closure=rng.normal(0.08, 0.12),
        first=rng.random() < 0.5,
        grid=rng.random() < (0.75 if dice else 0.4),
        joined=rng.random() < 0.6,
        press=min(rng.gamma(1.5, 0.06), 0.35),
        writer=rng.random(),
    )


@dataclass(frozen=True, eq=False)
class ShieldShape:
    """Where a coat goes: the shield's polygon on the page and the free space in it.

    middle, radius: the largest disc that touches neither the edge nor circles.
    circles: (K, 2) centres of the circles of its cell; circle: their radius; pitch:
    least distance between two circles, adjacent cells included; margin: distance to the next
    shield; others: (K, 2) centres of the adjacent cells' circles.
    """

    polygon: Path
    middle: Path
    radius: float
    circles: Path
    circle: float
    pitch: float
    margin: float = 0.0
    others: Path = field(default_factory=lambda: np.zeros((0, 2)))

    @property
    def around(self) -> Path:
        """(N, 2): centres of the circles of its cell and of the adjacent ones."""
        return np.concatenate((self.circles, self.others))

    @property
    def span(self) -> float:
        """The lesser of its width and height, mm."""
        return float(np.ptp(self.polygon, 0).min())

    @property
    def centre(self) -> Path:
        """The middle of its bounding box."""
        return np.asarray((self.polygon.min(0) + self.polygon.max(0)) / 2)


@dataclass(frozen=True, eq=False)
class Brush:
    """What drawing a mark needs: traits, a random generator, the pen's line, real strokes.

    width: of the pen's line; faint: the pen must draw larger to be visible;
    real: share of marks that follow a real pen's path, if there is a bank.
    """

    traits: Preferences
    rng: Rng
    width: float
    bank: StrokeBank | None = None
    real: float = 0.0
    faint: bool = False

    def pick(self, part: Part) -> str:
        """Return the writer's habit, sometimes their second one, rarely any other."""
        lot, traits = self.rng.random(), self.traits
        if lot < traits.faithful:
            return traits.habits[part]
        if lot < 1 - STRANGE * (1 - traits.faithful):
            return traits.others[part]
        return any_habit(part, traits.dice, self.rng)

    def recorded(self, kind: str) -> list[Path] | None:
        """Return a real mark of a kind, within -1..1, or None."""
        if self.bank is None or self.rng.random() >= self.real:
            return None
        return self.bank.pick(kind, self.traits.writer, self.rng)

    def near(self, value: float, spread: float, low: float, high: float) -> float:
        """Return `value` with normal noise, kept within bounds."""
        return float(min(max(value + self.rng.normal(0, spread), low), high))

    def about(self, value: float, spread: float) -> float:
        """Return `value` times a lognormal factor; spread: standard deviation of its logarithm."""
        return value * math.exp(self.rng.normal(0, spread))

    def force(self) -> float:
        """Return the pressure of one stroke."""
        return self.near(1.0, self.traits.press, 0.45, 1.15)

    def stroke(self, path: Path) -> Stroke:
        """Return a stroke along a path, with a pressure of its own."""
        return Stroke(path, pressure=self.force())

    def strokes(self, paths: Iterable[Path]) -> Strokes:
        """Return a stroke along each path."""
        return [self.stroke(path) for path in paths]
