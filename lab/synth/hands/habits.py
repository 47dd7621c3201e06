"""Habits: families of ways in which people draw the same mark.

A line may be one stroke, a retraced stroke or a broad scribbled bend. A writer has one habit for
each part of a sheet and mostly keeps to it. Held-out habits are never chosen at random: they
measure how well unseen ways of drawing are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

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


HELD_OUT = Habit()

HABITS: Mapping[Part, Mapping[str, Habit]] = {
    "dot": {
        "blob": Habit(2.5, 5),
        "spiral": Habit(1.5, 2),
        "scribble": Habit(2, 1.5),
        "ring": Habit(2.5, 0.3),
        "tap": Habit(1.2, 0.5),
        "smear": Habit(0.8, 0.3),
        "hatched": Habit(0.7, 1),
        "rings": Habit(1, 0.5),
        "open_ring": Habit(0.6),
        "comma": Habit(0.9, 0.2),
        "taps": Habit(0.6, 0.2),
        "dash": Habit(0.5),
        "target": HELD_OUT,
        "square": HELD_OUT,
        "asterisk": HELD_OUT,
    },
    "pair": {
        "stacked": Habit(2, 10),
        "side": Habit(2, 1),
        "slanted": Habit(2, 1),
        "anyhow": Habit(1.5, 0.3),
        "close": Habit(1, 0.6),
        "uneven": Habit(0.8, 0.4),
        "mixed": Habit(0.6),
        "touching": Habit(0.7, 0.4),
        "tied": HELD_OUT,
        "corners": HELD_OUT,
    },
    "line": {
        "stroke": Habit(6, 0.4),
        "retraced": Habit(2.2),
        "vee": Habit(0.9),
        "loop": Habit(0.9),
        "parallel": Habit(0.6),
        "runs": Habit(1.5, 0.8),
        "hooked": Habit(0.8),
        "wavy": Habit(0.4),
        "bend": Habit(0.5, 5),
        "zigzag": Habit(0.6, 3.5),
        "passes": Habit(0.5, 2),
        "solid": Habit(0.3, 1.5),
        "edged": Habit(0.5, 3.5),
        "braid": HELD_OUT,
        "coil": HELD_OUT,
        "pieces": HELD_OUT,
        "lattice": HELD_OUT,
        "rounds": HELD_OUT,
    },
    "lines": {
        "even": Habit(5, 8),
        "uneven": Habit(1, 0.6),
        "skewed": Habit(1, 0.6),
        "staggered": Habit(0.6, 0.3),
        "meeting": Habit(0.8, 0.3),
        "linked": HELD_OUT,
    },
    "fill": {
        "hatch": Habit(3, 3),
        "cross_hatch": Habit(1.5, 1),
        "scribble": Habit(1.5, 1.5),
        "solid": Habit(1.5, 3),
        "sparse": Habit(1, 0.2),
        "spiral": Habit(1.2, 0.5),
        "passes": Habit(1.2, 1),
        "zigzag": Habit(1.5, 0.7),
        "coils": Habit(0.7, 0.2),
        "contour": Habit(0.9, 1.2),
        "patches": Habit(0.7, 0.5),
        "gapped": Habit(1.2, 0.7),
        "rays": HELD_OUT,
        "curls": HELD_OUT,
    },
    "area": {
        "whole": Habit(6, 3),
        "rimmed": Habit(1, 6),
        "short": Habit(0.8, 0.4),
        "over": Habit(1.5, 0.5),
        "oval": HELD_OUT,
    },
    "checked": {
        "quarters": Habit(3, 2),
        "gridded": Habit(2, 6),
        "small": Habit(1, 0.5),
        "strokes": Habit(1.2, 0.4),
        "bow_tie": Habit(0.9, 0.3),
        "lumps": Habit(0.7, 0.3),
        "framed": Habit(0.9, 1),
        "crossed": HELD_OUT,
        "spirals": HELD_OUT,
    },
    "cross": {
        "x": Habit(5, 9),
        "plus": Habit(1.5, 2),
        "tick": Habit(2, 0.8),
        "slash": Habit(1.2, 0.5),
        "wide": Habit(0.9, 0.8),
        "star": Habit(0.7, 0.3),
        "scribble": Habit(1, 0.3),
        "fill": Habit(1, 0.4),
        "dot": Habit(0.7, 0.2),
        "ring": Habit(0.8, 0.3),
        "twice": Habit(0.6, 0.4),
        "looped": Habit(0.8, 0.6),
        "strike": Habit(0.5, 0.2),
        "zigzag": Habit(0.5, 0.2),
        "through": Habit(0.4, 0.2),
        "hash": HELD_OUT,
        "curl": HELD_OUT,
        "chevron": HELD_OUT,
        "bars": HELD_OUT,
    },
    "pen": {
        "pencil": Habit(0.27, 0.27),
        "ball": Habit(0.25, 0.25),
        "gel": Habit(0.1, 0.1),
        "felt": Habit(0.1, 0.1),
        "fineliner": Habit(0.06, 0.06),
        "fountain": Habit(0.04, 0.04),
        "coloured": Habit(0.07, 0.07),
        "marker": Habit(0.06, 0.06),
        "wipe": Habit(0.05, 0.05),
        "crayon": HELD_OUT,
        "dry_felt": HELD_OUT,
    },
    "extra": {
        "nothing": Habit(9, 9),
        "tints": Habit(1, 1),
        "shields": Habit(0.6, 2.0),
        "outlines": Habit(1.2, 1.2),
        "scores": Habit(0.8, 0.8),
        "sums": Habit(0.8, 0.8),
        "corrections": Habit(0.8, 0.8),
        "loops": HELD_OUT,
        "ringed_scores": HELD_OUT,
    },
}
"""Every habit and how often people have it: guesses, deliberately broad. Pens: what players have
at hand."""

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
