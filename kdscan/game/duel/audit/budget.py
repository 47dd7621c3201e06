"""Steps that a search may take: the same answer on every machine, unlike a clock."""

from __future__ import annotations


class OutOfStepsError(Exception):
    """The search took more steps than it may; nothing is known then."""


class Budget:
    """Counts steps down. A step is a node of a search, 2 to 5 microseconds of work.

    steps: how many there are, None for as many as it takes.
    """

    __slots__ = ("left",)

    def __init__(self, steps: int | None = None) -> None:
        self.left = float("inf") if steps is None else steps

    def spend(self, steps: int = 1) -> None:
        """Take steps; raises OutOfStepsError when there are none left."""
        self.left -= steps
        if self.left < 0:
            raise OutOfStepsError
