"""A careful hand, for tests that ask whether all of a sheet is read."""

from __future__ import annotations

import numpy as np

from kdscan.synth.habits import Part
from kdscan.synth.hand import Hand

CAREFUL: dict[Part, str] = {
    "dot": "blob",
    "pair": "side",
    "line": "stroke",
    "lines": "even",
    "fill": "hatch",
    "area": "whole",
    "checked": "quarters",
    "cross": "x",
    "pen": "ballpoint",
}
"""Habits that nobody could mistake for others."""


def careful(rng: np.random.Generator) -> Hand:
    return Hand.random(rng, CAREFUL, dice=False)
