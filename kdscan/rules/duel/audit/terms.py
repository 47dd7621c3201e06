"""What is known in addition to a map, and what it leaves open: bonus crosses and wizards' help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from kdscan.rules.duel.audit.shields import LAW, Bonus, Dice, closed
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import SQUARES
from kdscan.rules.duel.drawing import number
from kdscan.rules.duel.editions import Edition
from kdscan.rules.duel.spellbook import Spellbook
from kdscan.rules.grid import Cell

MAP_WIZARDS = frozenset({Coat.DOT, Coat.LINE, Coat.CHECKED})
"""The wizards that change what a map can look like."""

Record = tuple[tuple[Coat, int], ...]
"""Squares filled on lines of the spellbook."""


@dataclass(frozen=True)
class Terms:
    """What is known in addition to the map.

    castle_used: whether the roof is coloured; None if that is unknown.
    wizards: those that the player can have used.
    cross_given: whether the checked wizard's cross is certainly on the map.
    recorded: squares filled in the spellbook; empty if there is none.
    obtained: whether coats fill squares that were never drawn (French edition).
    idle: whether the player certainly had a round in which no domino had room.
    """

    castle_used: bool | None = None
    wizards: frozenset[Coat] = MAP_WIZARDS
    cross_given: bool = False
    recorded: Record = ()
    obtained: bool = False
    idle: bool = False

    @property
    def castle_left(self) -> bool:
        """Whether a cross can come from the castle."""
        return self.castle_used is not False


def terms_of(
    castle_used: bool | None, spellbook: Spellbook | None, player: int, edition: Edition
) -> Terms:
    """The terms that a roof and a spellbook imply for one player's map."""
    if spellbook is None:
        return Terms(castle_used, obtained=edition.obtained)
    lines = spellbook.lines[player]
    won = {coat for coat in Coat if spellbook.owner(coat) == player}
    return Terms(
        castle_used,
        frozenset(c for c in MAP_WIZARDS & won if lines[c].used or c is Coat.CHECKED),
        cross_given=Coat.CHECKED in won,
        recorded=tuple((coat, lines[coat].filled) for coat in Coat),
        obtained=edition.obtained,
    )


class Chances:
    """Which wizards can have been won with some of a map's shields, whichever dominoes they make.
    An upper bound: every shield fills what it can, and rounds without room need no turns."""

    def __init__(self, board: Board, terms: Terms) -> None:
        self.terms = terms
        self.coats, self.plain, self.once = (dict.fromkeys(Coat, 0) for _ in range(3))
        for cell, shield in board.items():
            own, coat = 1 << number(cell), shield.coat
            self.coats[coat] |= own
            if shield.crosses < 2:
                (self.once if shield.crosses else self.plain)[coat] |= own
        self.in_time = cache(self._in_time)

    def squares(self, coat: Coat, cells: int = -1, covered: int = 0) -> int:
        """How many squares shields can fill; the cross of one of `covered` is the wizard's."""
        plain = (self.plain[coat] & cells).bit_count()
        return plain + (self.once[coat] & cells & covered != 0)

    def winnable(self, coat: Coat, cells: int = -1, covered: int = 0) -> bool:
        """Whether shields can win a wizard."""
        full = self.terms.obtained or self.squares(coat, cells, covered) >= SQUARES[coat]
        return coat in self.terms.wizards and full

    def _in_time(self, coat: Coat, cells: int, covered: int) -> bool:
        """Whether shields win a wizard if no others are drawn; cached for many splits."""
        return self.winnable(coat, cells, covered) and (
            self.squares(coat, cells, covered) >= SQUARES[coat]
            or closed(self.coats[coat], cells) is not None
        )

    def crossed(self, cells: int = -1) -> bool:
        """Whether the checked wizard's cross can be on the map, or on one of some shields."""
        return self.winnable(Coat.CHECKED, covered=cells)

    def most(self, coat: Coat) -> int:
        """The most shields of a coat that can have filled a square."""
        once = self.once[coat]
        return self.squares(coat, covered=once if self.crossed(once) else 0)


def bonuses(board: Board, terms: Terms, dice: Dice) -> Iterator[Bonus]:
    """Every choice of castle's and wizard's cross for which dice can show the rest.

    By the rulebooks alone any two shields make a domino, so one place for the castle's is enough.
    """
    crossed = [cell for cell, shield in board.items() if shield.crosses]
    strange = {c for c, shield in board.items() if not dice.shows(shield.coat, shield.crosses)}
    if len(strange) > 2:
        return
    castles: list[Cell | None] = [] if terms.castle_used else [None]
    wizards: list[Cell | None] = [] if terms.cross_given else [None]
    castles += crossed if terms.castle_left else []
    wizards += crossed if Coat.CHECKED in terms.wizards else []
    for wizard in wizards:
        for castle in castles:
            if strange <= {wizard, castle} and all(
                dice.shows(board[c].coat, board[c].crosses - (c == castle) - (c == wizard))
                for c in (castle, wizard)
                if c is not None
            ):
                yield Bonus(castle, wizard)
                if dice is LAW:
                    break
