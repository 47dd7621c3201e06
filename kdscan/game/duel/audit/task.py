"""A board made ready for the search: cells as bits, and what each two shields can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kdscan.game.duel.audit.budget import Budget
from kdscan.game.duel.audit.dominoes import Dice, Domino, Half
from kdscan.game.duel.board import Board
from kdscan.game.duel.drawing import NEAR, number
from kdscan.game.grid import Cell

Piece = tuple[int, int]
"""The numbers of the two cells drawn in one round, the smaller first."""


_TASK_STEPS = 25
"""What making a task costs, in steps of a search."""


def bits(mask: int) -> Iterator[int]:
    """The numbers of the cells in a set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


@dataclass(frozen=True)
class Bonus:
    """Which shields got the castle's and the checked wizard's cross."""

    castle: Cell | None = None
    wizard: Cell | None = None


@dataclass(frozen=True)
class Task:
    """A board, seen as dominoes to be found.

    dice: what the dice can show.
    budget: what searches on it may cost.
    halves: by number of the cell, each shield as its die made it.
    equal: beside each shield, those of its coat. partners: beside it, those that it can
        share a domino with.
    """

    board: Board
    bonus: Bonus
    dice: Dice
    budget: Budget = field(default_factory=Budget, compare=False)
    filled: int = field(init=False)
    halves: dict[int, Half] = field(init=False)
    equal: dict[int, int] = field(init=False)
    partners: dict[int, int] = field(init=False)
    _dominoes: dict[Piece, Domino] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.budget.spend(_TASK_STEPS)
        halves = {}
        for cell, shield in self.board.items():
            castle = cell == self.bonus.castle
            crosses = shield.crosses - castle - (cell == self.bonus.wizard)
            halves[number(cell)] = Half(shield.coat, crosses, castle)
        equal = dict.fromkeys(halves, 0)
        partners = dict.fromkeys(halves, 0)
        for i, half in halves.items():
            for j in NEAR[i]:
                if j in halves:
                    if halves[j].coat is half.coat:
                        equal[i] |= 1 << j
                    if self.dice.domino(half, halves[j]).pairs:
                        partners[i] |= 1 << j
        put = object.__setattr__
        put(self, "halves", halves)
        put(self, "filled", sum(1 << i for i in halves))
        put(self, "equal", equal)
        put(self, "partners", partners)

    @property
    def wizard_cell(self) -> int:
        """The number of the cell with the wizard's cross, -1 if there is none."""
        return -1 if self.bonus.wizard is None else number(self.bonus.wizard)

    def domino(self, piece: Piece) -> Domino:
        """What the dice say of a piece."""
        known = self._dominoes.get(piece)
        if known is None:
            known = self.dice.domino(self.halves[piece[0]], self.halves[piece[1]])
            self._dominoes[piece] = known
        return known
