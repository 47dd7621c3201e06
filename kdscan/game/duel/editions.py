"""The differences between the printed rulebooks, each as a named option."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Squares(StrEnum):
    """Which coats without a cross fill a square of the spellbook."""

    DRAWN = "drawn"
    OBTAINED = "obtained"


class End(StrEnum):
    """When a round in which nobody drew ends the game."""

    THIS_ROUND = "this_round"
    PREVIOUS_ROUND = "previous_round"


@dataclass(frozen=True)
class Edition:
    """One printed rulebook.

    squares: whether a coat counts for the spellbook when it is drawn on the map, or
        already when the domino is made, drawn or not.
    end: whether the game ends with the round in which nobody drew, or with the round
        after it.
    """

    name: str = "english"
    squares: Squares = Squares.DRAWN
    end: End = End.THIS_ROUND


ENGLISH = Edition()
FRENCH = Edition("french", squares=Squares.OBTAINED, end=End.PREVIOUS_ROUND)
POLISH = Edition("polish")

EDITIONS: dict[str, Edition] = {edition.name: edition for edition in (ENGLISH, FRENCH, POLISH)}
"""By name, as the command line spells them."""
