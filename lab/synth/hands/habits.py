"""Habits: families of ways in which people draw the same mark.

A line may be one stroke, a retraced stroke or a broad scribbled bend. A writer has one habit for
each part of a sheet and mostly keeps to it. Held-out habits are never chosen at random: they
measure how well unseen ways of drawing are read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from lab.synth.fields import Rng, weighted

Part = Literal["dot", "pair", "line", "lines", "fill", "area", "checked", "cross", "pen", "extra"]
"""dot: each dot; pair: how two dots are arranged; line: each line; lines: how two are arranged;
fill: how an area is blackened; area: which part of the shield is filled; checked; cross; pen;
extra: what players add."""

PARTS: tuple[Part, ...] = get_args(Part)


@dataclass(frozen=True)
class Habit:
    """One family. plain: its weight among writers who draw in their own way; dice: its weight among
    those who copy the dice. A habit without any weight is held out."""

    plain: float = 0.0
    dice: float = 0.0

    @property
    def held_out(self) -> bool:
        """Whether it is never drawn for training."""
        return not self.plain and not self.dice


WRITERS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("writers.toml").read_text("utf-8"))
"""Habits, pens, inks and digits."""

HABITS: Mapping[Part, Mapping[str, Habit]] = {
    part: {name: Habit(*weights) for name, weights in WRITERS["habits"][part].items()}
    for part in PARTS
}
"""Every habit and how often people have it."""

TIDY: Mapping[Part, str] = {
    "dot": "blob",
    "pair": "stacked",
    "line": "stroke",
    "lines": "even",
    "fill": "hatch",
    "area": "whole",
    "checked": "quarters",
    "cross": "x",
    "pen": "ball",
    "extra": "nothing",
}
"""Habits of a tidy hand, whose marks are unambiguous."""


def any_habit(part: Part, dice: bool, rng: Rng) -> str:
    """Return a random habit of a part, never a held-out one."""
    habits = HABITS[part].items()
    return weighted(rng, {name: habit.dice if dice else habit.plain for name, habit in habits})
