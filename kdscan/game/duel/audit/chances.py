"""Wizards that a split of the shields calls and cannot have won in time, told by its shape alone.

Trying the orders of a split is dear, and of thousands of splits most fail for the same
reason: whatever lies beyond the shields that only a wizard opens, he was not to be won
before. That asks no more than which shields those are. Everything else is taken at its
best here: any two neighbours make a domino, every shield fills what it can fill, and
moments without room need no turns. So a split that is ruled out has no order; one that
is not may still have none.
"""

from __future__ import annotations

from functools import cache

from kdscan.game.duel.audit.order import Plan, mask, room
from kdscan.game.duel.audit.task import bits
from kdscan.game.duel.board import Board
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import CASTLE_BITS, NEAR_BITS, number
from kdscan.game.grid import Cell

Call = tuple[Coat, int, int, bool]
"""A wizard's coat, shields that are drawn no earlier than he is called, those of the others
that need no partner, and whether the others may lie apart from the castle."""


class Chances:
    """What can have been won on the way to a board.

    obtained: whether coats fill squares without being drawn (French edition).
    """

    def __init__(self, board: Board, obtained: bool) -> None:
        self.obtained = obtained
        self.filled = sum(1 << number(cell) for cell in board)
        self.coats, self.plain = dict.fromkeys(Coat, 0), dict.fromkeys(Coat, 0)
        for cell, shield in board.items():
            own = 1 << number(cell)
            self.coats[shield.coat] |= own
            self.plain[shield.coat] |= own * (shield.crosses == 0)
        self.equal = {i: NEAR_BITS[i] & some for some in self.coats.values() for i in bits(some)}
        self._won = cache(self._winnable)

    def calls(self, plan: Plan) -> tuple[Call, ...]:
        """The wizards that a plan cannot do without."""
        found: list[Call] = []
        lone = 0 if plan.apart is None else mask(plan.apart)
        if lone:
            found.append((Coat.LINE, lone, 0, plan.free))
        lost = self._lost(plan) if plan.free else 0
        if lost:
            # Dice drawn apart come after him too where one of them lies beyond.
            after = lone if lone & lost else 0
            found.append((Coat.DOT, lost | after, lone & ~after, False))
        return tuple(found)

    def allow(self, calls: tuple[Call, ...], covered: int) -> bool:
        """Whether wizards may each have been won before they are called.

        covered: the shield that fills a square though it shows a cross, the checked wizard's,
        as a bit; 0 where there is none.
        """
        return all(self._won(*call, covered) for call in calls)

    def checked(self, covered: Cell | None) -> bool:
        """Whether the checked wizard may have been won, with his cross on that shield's die."""
        own = 0 if covered is None else 1 << number(covered)
        return self._won(Coat.CHECKED, 0, self.filled, True, own)

    def _lost(self, plan: Plan) -> int:
        """The shields that only the dot's wizard opens."""
        waiting = [mask(piece) for piece in plan.pieces if piece != plan.apart]
        waiting += [1 << i for i in plan.apart or ()]
        touched, progress = CASTLE_BITS, True
        while progress:
            still = []
            for own in waiting:
                if own & touched:
                    for i in bits(own):
                        touched |= self.equal[i]
                else:
                    still.append(own)
            progress = len(still) < len(waiting)
            waiting = still
        return sum(waiting)

    def _winnable(self, coat: Coat, later: int, alone: int, apart: bool, covered: int) -> bool:
        drawn = self.filled & ~later
        most = (self.plain[coat] & drawn).bit_count() + bool(self.coats[coat] & covered & drawn)
        return most >= SQUARES[coat] or (self.obtained and self._closes(coat, drawn, alone, apart))

    def _closes(self, coat: Coat, drawn: int, alone: int, apart: bool) -> bool:
        """Whether some of the shields can have been there when a coat had no room.

        Leaves out what opens room until nothing does, as `moments` does with dominoes.
        """
        while True:
            free = room(drawn)
            if free & CASTLE_BITS:
                return False
            left = drawn & ~(self.coats[coat] & _beside(free))
            left &= _beside(left) | alone
            if not apart:
                left = _connected(left)
            if left == drawn:
                return True
            drawn = left


def _beside(cells: int) -> int:
    """The shields beside some shields."""
    near = 0
    for i in bits(cells):
        near |= NEAR_BITS[i]
    return near


def _connected(cells: int) -> int:
    """Those of some shields that a chain of them joins to the castle."""
    part, more = 0, cells & CASTLE_BITS
    while more != part:
        part, more = more, more | _beside(more) & cells
    return part
