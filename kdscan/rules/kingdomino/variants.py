"""The extra rules, which can be combined freely, and what they change."""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.errors import UsageError

DYNASTY_GAMES = 3
"""How many games make a dynasty."""


class VariantError(UsageError, ValueError):
    """Rules that cannot go together."""


@dataclass(frozen=True)
class Variants:
    """Which extra rules are played.

    dynasty: three games, their scores added. middle_kingdom: 10 points for a castle in
    the centre. harmony: 5 points if nothing was discarded. great_duel: two players,
    all 48 dominoes, 7 x 7; None: not said, as False except that a photo may show it. demo: the
    two-player demo. Its rulebook does not list its own 24 dominoes; pass them to the game, or any
    24 of the box are used instead.
    """

    dynasty: bool = False
    middle_kingdom: bool = False
    harmony: bool = False
    great_duel: bool | None = None
    demo: bool = False

    def __post_init__(self) -> None:
        if self.great_duel and self.demo:
            raise VariantError("the demo has too few dominoes for the great duel")

    @property
    def size(self) -> int:
        """Squares along a kingdom's side."""
        return 7 if self.great_duel else 5

    @property
    def games(self) -> int:
        """How many games make a match."""
        return DYNASTY_GAMES if self.dynasty else 1

    def check_players(self, players: int) -> None:
        """Raise VariantError if that many players cannot play by these rules."""
        if not 2 <= players <= 4:
            raise VariantError("2 to 4 can play, not {n}", n=players)
        if players != 2 and (self.great_duel or self.demo):
            raise VariantError("the great duel and the demo are for 2 players")

    def dominoes(self, players: int) -> int:
        """Number of dominoes in play: 12 per player; 24 per player in the great duel."""
        return 48 if self.great_duel else 12 * players


PLAIN = Variants()
