"""The six coats of arms."""

from __future__ import annotations

from enum import StrEnum


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
