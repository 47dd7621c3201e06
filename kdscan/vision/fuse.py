"""Several photos of one sheet: recognised by what is drawn on them, and read together.

Two photos show one sheet when their marks agree better than two different boards would:
a likelihood ratio, shield by shield. The alternative is a board that holds marks as
often as these two and the simulated games do, so that nearly empty maps, which agree on
all that is empty, prove little by it. Boards that are nearly equal (yesterday's game
and today's copy, a map in the middle of the game and at its end) are told by the
shield that speaks against them: one that is surely different is enough.

Photos of one sheet share pen, paper and what misleads the network, so they are no
independent witnesses: their log probabilities are added with a weight below one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import numpy as np

from kdscan.game.duel.prior import load
from kdscan.records import CELLS, COATS, MAX_CROSSES, MarkProbs
from kdscan.vision.decode import joint
from kdscan.vision.rectify import Floats

SAME = 12.0
"""Natural logarithm of the likelihood ratio from which two photos show one sheet."""

DIFFERENT = -3.0
"""One shield whose log ratio is below this tells two sheets apart, whatever the others say."""

TEMPER = 0.7
"""Weight of each photo's log probabilities: 1 for independent ones, 1/n for copies."""

OWN_SHARE = 0.5
"""Share of these two boards' own marks in what a different board would hold."""


@dataclass(frozen=True)
class Likeness:
    """How well the marks of two photos agree.

    log_ratio: natural logarithm of how much likelier they are on one sheet than on two.
    worst: the smallest share that one shield has in it.
    """

    log_ratio: float
    worst: float

    @property
    def same(self) -> bool:
        return self.log_ratio >= SAME and self.worst >= DIFFERENT


@cache
def _played() -> Floats:
    """(7, 5) float64: how often a square of a simulated map holds each mark."""
    table = np.zeros((len(COATS), MAX_CROSSES + 1))
    for i, coat in enumerate(COATS):
        for n in range(MAX_CROSSES + 1 if coat else 1):
            table[i, n] = load().probability((coat, n))
    table[0, 1:] = table[table > 0].min()
    return np.asarray(table / table.sum())


def likeness(one: MarkProbs, two: MarkProbs) -> Likeness:
    """Compare the marks of two photos; see `Likeness`."""
    a, b = joint(one), joint(two)
    expected = (1 - OWN_SHARE) * _played() + OWN_SHARE * (a.mean(0) + b.mean(0)) / 2
    ratios = np.log(np.maximum((a * b / expected).sum((1, 2)), 1e-12))
    return Likeness(float(ratios.sum()), float(ratios.min()))
