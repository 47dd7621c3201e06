"""Probability distributions of totals, and their calibration."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

IMPROBABLE = 0.005
"""Totals less probable than this, relative to the most probable one, are left out of the range that
is shown. (Being relative, the limit never widens the range when a doubt is settled as read.)"""

Totals = tuple[tuple[int, float], ...]
"""Possible totals with probabilities, the most probable first."""


def range_of(totals: Totals) -> tuple[int, int]:
    """The least and the greatest total that is not `IMPROBABLE`."""
    likely = [total for total, p in totals if p >= IMPROBABLE * totals[0][1]]
    return min(likely), max(likely)


def calibrated(p: float, calibration: NDArray[np.float64]) -> float:
    """A probability calibrated by the slope and offset of its log odds (Platt 1999)."""
    inside = min(max(p, 1e-9), 1 - 1e-9)
    z = float(calibration[0]) * math.log(inside / (1 - inside)) + float(calibration[1])
    return 1 / (1 + math.exp(-z))
