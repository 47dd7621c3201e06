"""Frequencies of marks on finished maps, counted over simulated games by `lab.synth.prior`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from kdscan.rules.duel.board import MAX_CROSSES
from kdscan.rules.duel.coats import Coat, Marks

EMPTY: Marks = (None, 0)

MARKS: tuple[Marks, ...] = (EMPTY, *((c, n) for c in Coat for n in range(MAX_CROSSES + 1)))
"""All 31 marks: empty, then each coat with 0 to 4 crosses."""

PATH = Path(__file__).with_name("prior.json")
"""The counts, with the seed and the command that made them."""


class Prior(NamedTuple):
    """Counts over finished maps.

    alone: how often a square held each mark. beside: how often a square held each mark
    while the square on one of its four sides held a coat ("dot" ...), "empty" or "castle".
    """

    alone: dict[Marks, int]
    beside: dict[tuple[Marks, str], int]

    def probability(self, mark: Marks) -> float:
        """Probability that a square holds that mark, whatever is around it.

        One is added to every count (Laplace smoothing), so that nothing is impossible.
        """
        total = sum(self.alone.values()) + len(MARKS)
        return (self.alone.get(mark, 0) + 1) / total


def mark_key(mark: Marks) -> str:
    """A mark in the data file."""
    coat, crosses = mark
    return "empty" if coat is None else f"{coat}:{crosses}"


def from_json(data: dict[str, Any]) -> Prior:
    """The counts out of the data file's content."""
    marks = {mark_key(mark): mark for mark in MARKS}
    alone = {marks[key]: number for key, number in data["alone"].items()}
    beside = {
        (marks[key], side): number
        for side, row in data["beside"].items()
        for key, number in row.items()
    }
    return Prior(alone, beside)


@cache
def load() -> Prior:
    """The counts that come with the package."""
    return from_json(json.loads(PATH.read_text("utf-8")))
