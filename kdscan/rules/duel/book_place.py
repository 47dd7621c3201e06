"""Places of a spellbook that players may mark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kdscan.rules.duel.coats import Coat

Part = Literal["square", "used", "struck", "choice"]
"""A square of a line, the circle of its used power, the stroke through the whole line, and the box
in which a side names a coat."""

_TEXT = re.compile(
    r"players\[([01])\]\.(?:choices\.(\w+)|lines\.(\w+)\.(?:squares\[(\d{1,4})\]|(used|struck)))"
)


@dataclass(frozen=True)
class BookPlace:
    """One place. Its text form, used in stores and ground truth, is
    `players[I].lines.COAT.squares[K]`, `.used` or `.struck`, or `players[I].choices.COAT`.

    player: 0 for the left side, 1 for the right one. coat: of the line or box. square: its index
    in the line, from 0; 0 for other parts.
    """

    player: int
    coat: Coat
    part: Part
    square: int = 0

    def __str__(self) -> str:
        side = f"players[{self.player}]"
        if self.part == "choice":
            return f"{side}.choices.{self.coat}"
        last = f"squares[{self.square}]" if self.part == "square" else self.part
        return f"{side}.lines.{self.coat}.{last}"

    @classmethod
    def parse(cls, text: str) -> BookPlace:
        """The inverse of `str`; raises ValueError for any other text."""
        if not (found := _TEXT.fullmatch(text)):
            raise ValueError(f"no place of a spellbook: {text!r}")
        side, choice, coat, square, part = found.groups()
        if choice:
            return cls(int(side), Coat(choice), "choice")
        if square:
            return cls(int(side), Coat(coat), "square", int(square))
        return cls(int(side), Coat(coat), "used" if part == "used" else "struck")
