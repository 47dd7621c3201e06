"""A careful hand, for tests that require all of a sheet to be read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lab.synth.hands.habits import TIDY
from lab.synth.hands.sketch import Hand


def careful(rng: np.random.Generator) -> Hand:
    """A hand that nobody could misread: a ball pen that stays within the shields."""
    return replace(Hand.random(rng, TIDY, dice=False), overruns=0.0, sweeps=0.0)
