"""Rate limits by token buckets, which fill at a steady rate."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_BUCKETS = 20_000
"""Most clients that are remembered; those that have been idle longest are forgotten first."""


@dataclass(frozen=True)
class Rate:
    """burst: requests at once; per_second: rate of refill."""

    burst: float
    per_second: float


class RateLimiter:
    """A token bucket for each client."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """Take a token; returns 0 if there was one, else the seconds to wait for it."""
        wait = self.wait(client)
        if not wait:
            self.spend(client)
        return wait

    def wait(self, client: str) -> float:
        """Seconds until a token is available; 0 if there is one now."""
        return max(0.0, (1 - self._filled(client)[0]) / self._rate.per_second)

    def spend(self, client: str) -> None:
        """Take a token, on credit if there is none, because many may have been let in at once."""
        left, now = self._filled(client)
        self._left.pop(client, None)
        self._left[client] = (left - 1, now)
        while len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)

    def _filled(self, client: str) -> tuple[float, float]:
        """The tokens in the bucket now, and the current time."""
        now = self._clock()
        left, since = self._left.get(client, (self._rate.burst, now))
        return min(self._rate.burst, left + (now - since) * self._rate.per_second), now
