"""Every way to split the filled shields into dominoes that hang together.

Whether dominoes can be drawn in some order is a question of connection alone: join
shields of equal coats side by side, join the two halves of every domino, and every
connected part must hold a shield beside the castle. (Once one shield of a part is
drawn, its equal neighbours' dominoes fit, and so on through the part.) The wizard of
the line leaves two shields without partners; the wizard of the dot lets one part go
without the castle. Whether those wizards were won in time is `order`'s question.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from kdscan.game.duel.audit.order import Plan
from kdscan.game.duel.audit.task import Piece, Task
from kdscan.game.duel.board import COLS
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.drawing import CASTLE_BITS

_Part = tuple[int, int]
"""Of a part without the castle: the shields that it waits for, and how many dots it holds."""

_State = tuple[int, int, bool, int, tuple[_Part, ...]]
"""Shields left, singles to place, whether the dot's wizard is left, shields that the
castle's part waits for, and every part without the castle."""


def plans(task: Task, apart: bool, free: bool, spare: int | None = None) -> Iterator[Plan]:
    """Every split of the filled shields that hangs together.

    apart: whether two shields are drawn apart; free: whether one part may do without the castle.
    spare: dots on the spellbook that this part may fill at most, where the dot's wizard must be
    won with the others; None for any number.
    """
    search = _Search(task, spare)
    singles = 2 if apart else 0
    if not search.splits(task.filled, singles):
        return
    for pieces in search.run((task.filled, singles, free, 0, ()), ()):
        alone = sorted(piece[0] for piece in pieces if piece[0] == piece[1])
        if not alone:
            yield Plan(pieces, None, free)
            continue
        lone: Piece = (alone[0], alone[1])
        whole = (*(piece for piece in pieces if piece[0] != piece[1]), lone)
        yield Plan(whole, lone, free)


class _Search:
    """Covers the lowest shield left with the square to its right, or below, or nothing."""

    def __init__(self, task: Task, spare: int | None) -> None:
        self.task = task
        self.spare = len(task.halves) if spare is None else spare
        dots = (i for i, half in task.halves.items() if half.counts and half.coat is Coat.DOT)
        # Where any number may be spared, none is counted: states that differ in dots are one.
        self.dots = 0 if spare is None else sum(1 << i for i in dots)
        self.splits = cache(self._splits)
        self.dead: set[_State] = set()

    def _options(self, left: int, singles: int) -> Iterator[Piece]:
        i = (left & -left).bit_length() - 1
        partners = self.task.partners[i] & left
        for j in (i + 1, i + COLS):
            if partners >> j & 1:
                yield i, j
        if singles:
            yield i, i

    def _splits(self, left: int, singles: int) -> bool:
        """Whether the shields left can be split at all, whatever they touch."""
        self.task.budget.spend()
        if not left:
            return singles == 0
        return any(
            self.splits(left & ~(1 << i | 1 << j), singles - (i == j))
            for i, j in self._options(left, singles)
        )

    def run(self, state: _State, pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
        """Every way to go on from a state, as all pieces; singles are pieces (i, i)."""
        self.task.budget.spend()
        left, singles, _, _, _ = state
        if not left:
            yield pieces
            return
        if state in self.dead:
            return
        found = False
        for i, j in self._options(left, singles):
            rest, fewer = left & ~(1 << i | 1 << j), singles - (i == j)
            if self.splits(rest, fewer):
                after = self._add(state, i, j, rest, fewer)
                if after is not None:
                    for whole in self.run(after, (*pieces, (i, j))):
                        found = True
                        yield whole
        if not found:
            self.dead.add(state)

    def _add(self, state: _State, i: int, j: int, rest: int, singles: int) -> _State | None:
        """The state after a piece, or None when a part can no longer reach the castle."""
        _, _, free, rooted, loose = state
        own = 1 << i | 1 << j
        waits = (self.task.equal[i] | self.task.equal[j]) & rest
        joins_castle = bool(own & (CASTLE_BITS | rooted))
        dots = (own & self.dots).bit_count()
        parts = []
        for part, inside in loose:
            if part & own:
                waits |= part & rest
                dots += inside
            else:
                parts.append((part, inside))
        if joins_castle:
            rooted = (rooted | waits) & rest
        elif waits:
            parts.append((waits, min(dots, self.spare + 1)))
        elif free and dots <= self.spare:
            free = False
        else:
            return None
        return rest, singles, free, rooted, tuple(sorted(parts))
