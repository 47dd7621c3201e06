"""A writer's habits, and what drawing one mark needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import pi

import numpy as np

from lab.synth.fields import Rng, any_of
from lab.synth.hands.bank import StrokeBank
from lab.synth.hands.habits import HABITS, PARTS, Part, any_habit
from lab.synth.hands.ink import Stroke, Strokes
from lab.synth.hands.strokes import Path

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
