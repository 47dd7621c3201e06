"""The six coats of arms and the four dice that show them."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple


class Coat(StrEnum):
    """A coat of arms; the value is its name in JSON."""

    DOT = "dot"
    DOUBLE_DOT = "double_dot"
    LINE = "line"
    DOUBLE_LINE = "double_line"
    FILLED = "filled"
    CHECKED = "checked"


def spoken(coat: Coat) -> str:
    """A coat's name in an English sentence."""
    return coat.replace("_", " ")


GLYPHS = {
    Coat.DOT: "●",
    Coat.DOUBLE_DOT: "●●",
    Coat.LINE: "──",
    Coat.DOUBLE_LINE: "══",
    Coat.FILLED: "██",
    Coat.CHECKED: "▚▚",
}
"""Coats in text, one or two characters each."""


def shown(coat: Coat | None, crosses: int) -> str:
    """A shield in text, like `●● ×`; `·` for an empty one."""
    return f"{GLYPHS[coat] if coat else '·'} {'×' * crosses}".rstrip()


COATS: tuple[Coat | None, ...] = (None, *Coat)
"""What a shield can hold, in the order of the coat probabilities; empty first."""


Marks = tuple[Coat | None, int]
"""What a shield holds: its coat, or None, and the number of crosses."""


class Face(NamedTuple):
    """A face of a die: a coat with its crosses, or the joker (`coat` None)."""

    coat: Coat | None
    crosses: int = 0

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
