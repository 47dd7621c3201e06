"""The moves of Duel, and the rules by which moves are refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import Face
from kdscan.rules.grid import Cell


class Rule(StrEnum):
    """The rule that a refused move breaks."""

    ORDER = "order of play"
    TAKING = "taking dice"
    DOMINO = "dominoes are drawn on two free shields side by side"
    CONNECTION = "connection"
    SYMBOL = "draw what the dice show"
    CASTLE = "castle bonus"
    POWER = "wizards' powers"
    NOTHING = "draw if you can"


@dataclass(frozen=True)
class Roll:
    """Player A rolls the four dice; `faces`: what real dice showed, None for a random roll."""

    faces: tuple[Face, Face, Face, Face] | None = None


@dataclass(frozen=True)
class Take:
    """Take dice by number (0 to 3): A one, or both with the double dot's wizard; B two."""

    dice: tuple[int, ...]


@dataclass(frozen=True)
class Turn:
    """The double line's wizard: turn one of your dice to the face with that number (0 to 5)."""

    die: int
    face: int


@dataclass(frozen=True)
class Half:
    """One die drawn on one shield; `coat` says what a joker became."""

    die: int
    cell: Cell
    coat: Coat


@dataclass(frozen=True)
class Draw:
    """Draw a domino.

    castle: the die that gets the castle's cross, if any.
    power: the wizard called, if any: dot (no connection) or line (dice apart).
    """

    halves: tuple[Half, Half]
    castle: int | None = None
    power: Coat | None = None


@dataclass(frozen=True)
class DrawNothing:
    """Draw nothing, which is only legal if nothing can be drawn."""


@dataclass(frozen=True)
class ChooseCoat:
    """The filled coat's wizard: the coat whose domains are worth 3 points more."""

    coat: Coat


@dataclass(frozen=True)
class AddCross:
    """The checked coat's wizard: one more cross for a shield of your map."""

    cell: Cell


Move = Roll | Take | Turn | Draw | DrawNothing | ChooseCoat | AddCross
