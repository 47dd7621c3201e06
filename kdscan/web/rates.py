"""How often somebody may ask: a bucket that fills at a steady rate."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_BUCKETS = 20_000
"""So many askers are remembered; those that have been quiet longest are forgotten first."""


@dataclass(frozen=True)
class Rate:
    """burst: at once; per_second: what comes back."""

    burst: float
    per_second: float


class Buckets:
    """One bucket an asker."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, asker: str) -> float:
        """Take one; returns 0 if there was one, else the seconds to wait for it."""
        now = self._clock()
        left, since = self._left.pop(asker, (self._rate.burst, now))
        left = min(self._rate.burst, left + (now - since) * self._rate.per_second)
        granted = left >= 1
        self._left[asker] = (left - granted, now)
        while len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        return 0.0 if granted else (1 - left) / self._rate.per_second
