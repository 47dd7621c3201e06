"""The spellbook that both players share."""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import SQUARES


@dataclass(frozen=True)
class SpellbookLine:
    """One player's line of one coat: squares filled, struck through, power used up."""

    filled: int = 0
    struck: bool = False
    used: bool = False


@dataclass(frozen=True)
class Spellbook:
    """Both players' lines, and the coat that the filled coat's wizard was paid for.

    lines: for player 0 and player 1, a line for each coat.
    chosen_coat: the winner of the filled line's choice, None before.
    """

    lines: tuple[dict[Coat, SpellbookLine], dict[Coat, SpellbookLine]]
    chosen_coat: Coat | None = None

    def owner(self, coat: Coat) -> int | None:
        """Who won that wizard: 0, 1, or None."""
        for player in (0, 1):
            line = self.lines[player][coat]
            if line.filled >= SQUARES[coat] and not line.struck:
                return player
        return None

    def chosen_by(self, player: int) -> Coat | None:
        """The coat whose domains pay that player 3 points more."""
        return self.chosen_coat if self.owner(Coat.FILLED) == player else None


class OpenBook:
    """The spellbook while it is being written."""

    def __init__(self) -> None:
        self.filled: tuple[dict[Coat, int], dict[Coat, int]] = (
            dict.fromkeys(Coat, 0),
            dict.fromkeys(Coat, 0),
        )
        self.owner: dict[Coat, int] = {}
        self.used: set[Coat] = set()
        self.chosen_coat: Coat | None = None

    def fill(self, player: int, coat: Coat) -> bool:
        """Fill a square; True if that wins the line. Does nothing on a closed line."""
        if coat in self.owner:
            return False
        self.filled[player][coat] += 1
        if self.filled[player][coat] < SQUARES[coat]:
            return False
        self.owner[coat] = player
        return True

    def ready(self, player: int, coat: Coat) -> bool:
        """Whether that player has that wizard's power and has not used it."""
        return self.owner.get(coat) == player and coat not in self.used

    def closed(self) -> Spellbook:
        """An immutable copy of the book as it stands."""
        first, second = (
            {
                coat: SpellbookLine(
                    self.filled[player][coat],
                    struck=self.owner.get(coat, player) != player,
                    used=self.owner.get(coat) == player and coat in self.used,
                )
                for coat in Coat
            }
            for player in (0, 1)
        )
        return Spellbook((first, second), self.chosen_coat)
