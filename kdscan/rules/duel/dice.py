"""The four dice and the spellbook's counts, read from `dice.json`.

That file names its source. The rulebooks print none of it, so none of it is a rule.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from kdscan.rules.duel.coats import Coat


@dataclass(frozen=True)
class Face:
    """A face of a die: a coat with its crosses, or the joker (`coat` None)."""

    coat: Coat | None
    crosses: int = 0

    @property
    def joker(self) -> bool:
        return self.coat is None

    def __str__(self) -> str:
        return "?" if self.coat is None else f"{self.coat}:{self.crosses}"

    @classmethod
    def parse(cls, text: str) -> Face:
        """Read `?` or `coat:crosses`."""
        if text == "?":
            return cls(None)
        coat, crosses = text.split(":")
        return cls(Coat(coat), int(crosses))


_DATA = json.loads(Path(__file__).with_name("dice.json").read_text("utf-8"))

DICE: tuple[tuple[Face, ...], ...] = tuple(
    tuple(Face.parse(face) for face in die) for die in _DATA["dice"]
)
"""Six faces of each of the four dice."""

SQUARES: dict[Coat, int] = {coat: int(_DATA["spellbook"][coat]) for coat in Coat}
"""Squares on each line of the spellbook."""
