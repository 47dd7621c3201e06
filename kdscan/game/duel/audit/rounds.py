"""Two maps' dominoes put into common rounds, where four dice serve both players.

What is looked for: an order of each map's dominoes, side by side, such that in each
round two of the four dice make one domino and the other two make the other, or make
one that its player had no room for. A find proves that the dice allow both maps; no
find proves nothing, and is said so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kdscan.game.duel.audit.dominoes import PAIRS, Task, bits, room
from kdscan.game.duel.audit.ways import Way
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import DICE
from kdscan.game.duel.drawing import CASTLE_BITS, NEAR_BITS

Round = tuple[int | None, int | None]
"""Which step of each map's order is drawn; None where that player drew nothing."""

MOST_STATES = 20_000
"""Dead ends met before the search for common rounds gives up."""


@dataclass(frozen=True)
class Side:
    """One map with the way found to it."""

    task: Task
    way: Way

    def options(self, done: int) -> Iterator[int]:
        """Steps that can be drawn next, once the steps in `done` are."""
        order = self.way.order
        strict = self.task.bonus.wizard is not None
        touched = self._touched(done)
        for k, step in enumerate(order):
            if done >> k & 1:
                continue
            before = (1 << k) - 1
            # Wizards' turns are kept as they were found; other dominoes may come earlier.
            if strict or step.power is not None:
                if done & before == before:
                    yield k
            elif any(touched >> i & 1 for i in step.piece):
                yield k
            if strict:
                return

    def _touched(self, done: int) -> int:
        touched = CASTLE_BITS
        for k in bits(done):
            for i in self.way.order[k].piece:
                touched |= self.task.equal[i]
        return touched

    def closed(self, done: int) -> frozenset[Coat]:
        """The coats of which no domino finds room."""
        pieces = [self.way.order[k].piece for k in bits(done)]
        covered = sum(1 << i for piece in pieces for i in piece)
        free = room(covered)
        if free & CASTLE_BITS:
            return frozenset()
        near = {self.task.halves[i].coat for i in bits(covered) if NEAR_BITS[i] & free}
        return frozenset(Coat) - near

    def pairs(self, k: int) -> int:
        """The two dice that can make that step, as bits of PAIRS."""
        return self.task.domino(self.way.order[k].piece).pairs


class Schedule:
    """Looks for common rounds, through so many states of play at most; `dead` leads nowhere."""

    def __init__(self, sides: tuple[Side, Side], most: int) -> None:
        self.most = most
        self.sides = sides
        self.goals = tuple((1 << len(side.way.order)) - 1 for side in sides)
        self.dead: set[tuple[int, int]] = set()

    def run(self, one: int, two: int) -> tuple[Round, ...] | None:
        """Rounds from where those steps of either map are drawn, or None when none were found."""
        if (one, two) == self.goals:
            return ()
        if (one, two) in self.dead or len(self.dead) > self.most:
            return None
        for this in self._rounds(one, two):
            k, m = this
            rest = self.run(one | (0 if k is None else 1 << k), two | (0 if m is None else 1 << m))
            if rest is not None:
                return (this, *rest)
        self.dead.add((one, two))
        return None

    def _rounds(self, one: int, two: int) -> Iterator[Round]:
        first, second = self.sides
        for k in first.options(one):
            for m in second.options(two):
                if first.pairs(k) & _complements(second.pairs(m)):
                    yield k, m
        closed = second.closed(two)
        for k in first.options(one):
            if _idle(first.pairs(k), closed):
                yield k, None
        closed = first.closed(one)
        for m in second.options(two):
            if _idle(second.pairs(m), closed):
                yield None, m


def _complements(pairs: int) -> int:
    """The other two dice of each pair; PAIRS mirrors complements."""
    return sum(1 << len(PAIRS) - 1 - i for i in bits(pairs))


def _idle(pairs: int, closed: frozenset[Coat]) -> bool:
    """Whether the dice left over can show a domino that its player has no room for."""
    # A joker never asks for less: it has no room only where no coat has any.
    return any(
        all(any(face.coat in closed for face in DICE[die]) for die in PAIRS[i])
        for i in bits(_complements(pairs))
    )
