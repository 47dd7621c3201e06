"""What a square of a kingdom can hold, in the order of the networks' probabilities."""

from __future__ import annotations

from kdscan.rules.kingdomino.tiles import SQUARES

SquareKind = tuple[str, int]
"""What a square of a kingdom holds: a terrain, "castle" or "empty", and its crowns."""

KINDS: tuple[SquareKind, ...] = (
    ("empty", 0),
    ("castle", 0),
    *sorted((square.terrain.value, square.crowns) for square in SQUARES),
)
"""All kinds of squares that the box holds, in the order of their probabilities."""

EMPTY, CASTLE = KINDS.index(("empty", 0)), KINDS.index(("castle", 0))
"""Indices in `KINDS` of the two kinds without terrain."""
