"""The smallest set of shields that only the turn of the wizards forbids.

Where crosses and connection alone forbid nothing, some wizard is needed before he can
be won. What can be is then a matter of whole maps: a set of shields can be when a lawful
map of this map's shields, perhaps fewer, contains it. Drawing one more domino never
hinders, so of all such maps only those are asked about to which nothing can be added.
"""

from __future__ import annotations

from dataclasses import replace

from kdscan.game.duel.audit.dominoes import LAW
from kdscan.game.duel.audit.reach import Cover, Proof, State, smallest_set
from kdscan.game.duel.audit.search import Terms, find_way
from kdscan.game.duel.audit.task import Task
from kdscan.game.duel.board import Board
from kdscan.game.duel.drawing import number


def smallest_early(
    board: Board, terms: Terms, task: Task, singles: int, free: bool, steps: int | None = None
) -> Proof:
    """The smallest set of an unlawful board's shields that no lawful map contains.

    task: the board as dominoes, crosses left out. singles, free: which wizards can help, as
    `smallest_unreached` takes them. The proof is not the smallest when steps run out.
    """
    proof = smallest_set(LawfulCover(board, terms, task, singles, free, steps))
    return Proof(task.filled, False) if proof is None else proof


MOST_STEPS = 100_000
"""Steps before the proof names all shields; about a second of work."""


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
        self.asked: dict[int, bool] = {}
        self.seen: set[State] = set()

    def cover(self, required: int) -> int | None:
        """A lawful map with at least those shields, nothing left to add; None if none."""
        self.seen.clear()
        return super().cover(required)

    def finish(self, state: State) -> int | None:
        """Try everything that can be drawn on from a state."""
        if state in self.seen:
            return None
        self.budget.spend()
        self.seen.add(state)
        more = False
        for after in self.fitting(state):
            more = True
            found = self.finish(after)
            if found is not None:
                return found
        covered = self.task.filled & ~state.left
        return covered if not more and self._lawful(covered) else None

    def _lawful(self, covered: int) -> bool:
        known = self.asked.get(covered)
        if known is None:
            part = {c: s for c, s in self.board.items() if covered >> number(c) & 1}
            known = find_way(Board(part), self.terms, LAW, self.budget) is not None
            self.asked[covered] = known
        return known
