"""The classes of shields and squares, in the order of the networks' probabilities."""

from __future__ import annotations

from kdscan.game.duel.coats import Coat
from kdscan.game.kingdomino.tiles import SQUARES

COATS: tuple[Coat | None, ...] = (None, *Coat)
"""What a shield can hold, in the order of the coat probabilities: empty first."""

Marks = tuple[Coat | None, int]
"""What a shield holds: its coat, or None, and the number of crosses."""

SquareKind = tuple[str, int]
"""What a square of a kingdom holds: a terrain, "castle" or "empty", and its crowns."""

KINDS: tuple[SquareKind, ...] = (
    ("empty", 0),
    ("castle", 0),
    *sorted((square.terrain.value, square.crowns) for square in SQUARES),
)
"""All kinds of squares that the box holds, in the order of their probabilities."""
