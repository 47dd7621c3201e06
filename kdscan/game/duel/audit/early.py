"""The smallest set of shields that only the turn of the wizards forbids.

Where crosses and connection alone forbid nothing, some wizard is needed before he can
be won. What can be is then a matter of whole maps: a set of shields can be when a lawful
map of this map's shields, perhaps fewer, contains it. Drawing one more domino never
hinders, so of all such maps only those are asked about to which nothing can be added, but
for shields that need the checked wizard's cross: they may come too late for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kdscan.game.duel.audit.dominoes import LAW, MOST_ON_A_DIE
from kdscan.game.duel.audit.reach import Cover, Proof, State, smallest_set
from kdscan.game.duel.audit.search import Terms, find_way
from kdscan.game.duel.audit.task import Task, bits
from kdscan.game.duel.board import Board
from kdscan.game.duel.drawing import CASTLE_BITS, number


def smallest_early(
    board: Board, terms: Terms, task: Task, singles: int, free: bool, steps: int | None = None
) -> Proof:
    """The smallest set of an unlawful board's shields that no lawful map contains.

    task: the board as dominoes, crosses left out. singles, free: which wizards can help, as
    `smallest_unreached` takes them. The proof is not the smallest when steps run out.
    """
    proof = smallest_set(LawfulCover(board, terms, task, singles, free, steps))
    return Proof(task.filled, False) if proof is None else proof


MOST_STEPS = 50_000
"""Steps before the proof names all shields; one or two seconds of work at worst."""


class LawfulCover(Cover):
    """Covers required shields with a lawful map made of the board's shields."""

    def __init__(
        self, board: Board, terms: Terms, task: Task, singles: int, free: bool, steps: int | None
    ) -> None:
        super().__init__(task, singles, free, MOST_STEPS if steps is None else steps)
        self.board = board
        # Earlier in the game the roof may have been blank still, the cross not yet given.
        castle = None if terms.castle_used else terms.castle_used
        self.terms = replace(terms, castle_used=castle, cross_given=False, recorded=())
        self.rich = sum(1 << number(c) for c, s in board.items() if s.crosses > MOST_ON_A_DIE)
        self.asked: dict[int, bool] = {}
        self.seen: set[State] = set()

    def cover(self, required: int) -> int | None:
        """A lawful map with at least those shields, as large as comes; None if none."""
        self.seen.clear()
        return super().cover(required)

    def finish(self, state: State) -> int | None:
        """Try everything that can be drawn on from a state."""
        if state in self.seen:
            return None
        self.budget.spend()
        self.seen.add(state)
        fitting = list(self.fitting(state))
        for after in (*fitting, *self._helped(state)):
            found = self.finish(after)
            if found is not None:
                return found
        covered = self.task.filled & ~state.left
        # What only the checked wizard's cross allows may come too late for it, and is left out.
        ended = state.singles != 1 and all(
            state.left & ~after.left & self.rich for after in fitting
        )
        return covered if ended and self._lawful(covered) else None

    def _helped(self, state: State) -> Iterator[State]:
        """The states after a wizard's help that no shield asked for: it may win the other wizard.

        One die of the line's wizard, or a domino that the dot's wizard opens.
        """
        if state.singles:
            for i in bits((CASTLE_BITS | state.rooted) & state.left):
                alone = self.add(state, (i, i))
                assert alone is not None
                yield alone
        yield from self.opened(state)

    def _lawful(self, covered: int) -> bool:
        known = self.asked.get(covered)
        if known is None:
            part = {c: s for c, s in self.board.items() if covered >> number(c) & 1}
            known = find_way(Board(part), self.terms, LAW, self.budget) is not None
            self.asked[covered] = known
        return known
