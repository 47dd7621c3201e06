"""A writer's habits, and what drawing one mark needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kdscan.synth.bank import StrokeBank
from kdscan.synth.strokes import Path

DOTS = ("blob", "spiral", "scribble", "ring", "ring", "tap", "smear")
FILLS = ("hatch", "hatch", "cross_hatch", "scribble", "solid", "sparse", "spiral", "passes")
LINES = ("plain", "plain", "retraced", "thick", "long")
CROSSES = (*("x",) * 4, *("tick",) * 2, "plus", "slash", "scribble", "fill", "star", "dot", "wide")


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


def random_taste(rng: np.random.Generator) -> Taste:
    """Return the habits of a random writer."""
    slop = float(rng.beta(1.6, 2.2))
    near_right = rng.normal(0, 0.1)
    slants = (0.0, math.pi / 2, -math.pi / 4, math.pi / 4, float(rng.uniform(0, math.pi)))
    return Taste(
        dot=DOTS[int(rng.integers(len(DOTS)))],
        fill=FILLS[int(rng.integers(len(FILLS)))],
        line=LINES[int(rng.integers(len(LINES)))],
        cross=CROSSES[int(rng.integers(len(CROSSES)))],
        slop=slop,
        tremor=float(rng.gamma(1.0, 0.08)),
        bow=min(float(rng.gamma(1.0, 0.025)), 0.09),
        wander=float(rng.uniform(0.1, 1.0)),
        reach=float(rng.uniform(0.6, 1.15)),
        size=float(rng.uniform(0, 1)),
        gap=float(rng.uniform(0, 1)),
        angle=slants[int(rng.integers(len(slants)))] + near_right,
        hatch=float(rng.uniform(0, math.pi)),
        spread=float(rng.uniform(0, 1)),
        pair=slants[int(rng.integers(len(slants)))] + float(rng.normal(0, 0.1)),
        first=bool(rng.random() < 0.5),
        grid=bool(rng.random() < 0.4),
        joined=bool(rng.random() < 0.6),
        faithful=float(rng.uniform(0.7, 1.0) if rng.random() < 0.5 else rng.uniform(0, 0.7)),
        writer=float(rng.random()),
    )


@dataclass(frozen=True, eq=False)
class Shield:
    """Where a coat goes: the shield's polygon on the page and the free room in it.

    middle, radius: the largest disc that touches neither edge nor circles.
    circles: (K, 2) centres of the circles of its cell; circle: their radius; pitch:
    the least distance between two circles, those of the next cells too.
    """

    polygon: Path
    middle: Path
    radius: float
    circles: Path
    circle: float
    pitch: float


@dataclass(frozen=True, eq=False)
class Brush:
    """What drawing one mark needs: taste, chance, the pen's line, real strokes.

    width: of the pen's line; faint: True for a pen that must be drawn larger to be seen;
    real: share of marks that follow a real pen's path, when there is a bank.
    """

    taste: Taste
    rng: np.random.Generator
    width: float
    bank: StrokeBank | None = None
    real: float = 0.0
    faint: bool = False

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
