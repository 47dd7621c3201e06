"""The possible contents of a shield, in the order of the networks' probabilities."""

from __future__ import annotations

from kdscan.rules.duel.coats import Coat

COATS: tuple[Coat | None, ...] = (None, *Coat)
"""What a shield can hold, in the order of the coat probabilities; empty first."""

Marks = tuple[Coat | None, int]
"""What a shield holds: its coat, or None, and the number of crosses."""
