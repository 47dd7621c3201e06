"""The smallest set of shields that no connected dominoes can cover.

A set of shields *can be* when some dominoes on the board's filled shields, each
drawn lawfully, cover all of it; other shields may stay undrawn. Any set that
contains an impossible one is impossible too. The smallest one is found from below:
every possible cover leaves some shields out, and an impossible set must hit all of
those remainders; so take the smallest set that hits all remainders known, try to
cover it, and either it is the proof or its cover is one remainder more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kdscan.game.duel.audit.budget import Budget, OutOfStepsError
from kdscan.game.duel.audit.task import Piece, Task, bits
from kdscan.game.duel.drawing import CASTLE_BITS

MOST_STEPS = 20_000
"""Steps of the search before the proof stays as large as it is; under a second of work."""

_MOST_REMAINDERS = 400


@dataclass(frozen=True)
class Proof:
    """Shields that can't be, as bits; `smallest` when no smaller set can be blamed."""

    cells: int
    smallest: bool


def smallest_unreached(
    task: Task, singles: int, free: bool, steps: int | None = None, known: int | None = None
) -> Proof | None:
    """The smallest set of shields that can't be, or None when all can be.

    singles: shields that may stay without partner, none or two of them (the line's wizard).
    free: whether one part may do without the castle (the dot's wizard). Neither wizard's turn
    is checked. steps: of the search, `MOST_STEPS` when None. known: a set that can't be, if
    one is known already; a smaller one is looked for.
    """
    return smallest_set(Cover(task, singles, free, steps), known)


def smallest_set(cover: Cover, known: int | None = None) -> Proof | None:
    """The smallest set of shields that a kind of cover cannot cover; None when it can cover all.

    known: as `smallest_unreached` takes it.
    """
    task = cover.task
    proof = task.filled if known is None else known
    try:
        if known is None and cover.cover(task.filled) is not None:
            return None
        remainders: list[int] = []
        size = 1
        while len(remainders) < _MOST_REMAINDERS:
            blamed = None
            while blamed is None:
                if size == proof.bit_count():
                    return Proof(proof, True)
                blamed = _hit(remainders, size, 0, cover)
                size += blamed is None
            covered = cover.cover(blamed)
            if covered is None:
                return Proof(blamed, True)
            remainders.append(task.filled & ~covered)
        for i in bits(proof):
            if cover.cover(proof & ~(1 << i)) is None:
                proof &= ~(1 << i)
    except OutOfStepsError:
        pass
    return Proof(proof, False)


def reachable(task: Task, singles: int, free: bool, steps: int | None = None) -> int:
    """Every shield that some lawful cover reaches; all of them when that takes too long."""
    cover = Cover(task, singles, free, steps)
    reached = 0
    try:
        for i in bits(task.filled):
            if not reached >> i & 1:
                reached |= cover.cover(1 << i) or 0
    except OutOfStepsError:
        return task.filled
    return reached


def _hit(remainders: list[int], size: int, chosen: int, cover: Cover) -> int | None:
    """A set of at most that many shields that meets every remainder."""
    cover.budget.spend()
    open_ones = [r for r in remainders if not r & chosen]
    if not open_ones:
        return chosen
    if not size:
        return None
    for i in bits(min(open_ones, key=int.bit_count)):
        found = _hit(open_ones, size - 1, chosen | 1 << i, cover)
        if found is not None:
            return found
    return None


@dataclass(frozen=True)
class State:
    """A partial cover. rooted: shields that the castle's part touches; loose: likewise for
    every part without the castle, and whether it has a domino that the dot's wizard can draw;
    both by equal coats, among shields still undrawn."""

    left: int
    rooted: int
    loose: tuple[tuple[int, bool], ...]
    singles: int
    free: bool


_Banned = dict[int, int]
"""For each shield those that it shares no piece with any more, itself for staying alone."""


class Cover:
    """Covers required shields with connected dominoes, within a number of steps."""

    def __init__(self, task: Task, singles: int, free: bool, steps: int | None = None) -> None:
        self.task = task
        self.start = State(task.filled, 0, (), singles, free)
        self.budget = Budget(MOST_STEPS if steps is None else steps)

    def cover(self, required: int) -> int | None:
        """A lawful cover of at least those shields, as large as comes easily; None if none."""
        return self._go(self.start, required, dict.fromkeys(self.task.halves, 0))

    def _go(self, state: State, required: int, banned: _Banned) -> int | None:
        self.budget.spend()
        need = required & state.left
        if need:
            tight = min(bits(need), key=lambda i: self._others(state, i, banned).bit_count())
            return self._branch(state, required, banned, self._pieces(state, tight, banned))
        if state.loose:
            part, opens = min(state.loose, key=lambda loose: loose[0].bit_count())
            pieces = list(
                dict.fromkeys(p for i in bits(part) for p in self._pieces(state, i, banned))
            )
            found = self._branch(state, required, banned, pieces)
            if found is None and state.free and opens:
                loose = list(state.loose)
                loose.remove((part, opens))
                freed = State(state.left, state.rooted, tuple(loose), state.singles, False)
                found = self._go(freed, required, banned)
            return found
        return self.finish(state)

    def _branch(
        self, state: State, required: int, banned: _Banned, pieces: list[Piece]
    ) -> int | None:
        """Try each piece; those tried are banned for the next, so nothing comes twice."""
        banned = dict(banned)
        for i, j in pieces:
            after = self.add(state, (i, j))
            if after is not None:
                found = self._go(after, required, banned)
                if found is not None:
                    return found
            banned[i] |= 1 << j
            banned[j] |= 1 << i
        return None

    def _others(self, state: State, i: int, banned: _Banned) -> int:
        """What may share a piece with a shield; itself, if it may stay alone."""
        return (self.task.partners[i] & state.left | (state.singles > 0) << i) & ~banned[i]

    def _pieces(self, state: State, i: int, banned: _Banned) -> list[Piece]:
        return [(min(i, j), max(i, j)) for j in bits(self._others(state, i, banned))]

    def add(self, state: State, piece: Piece) -> State | None:
        """The state with one more piece; None when a part is cut off for good."""
        i, j = piece
        own = 1 << i | 1 << j
        left = state.left & ~own
        waits = self.task.equal[i] | self.task.equal[j]
        kept, free, opens = [], state.free, i != j
        for part, opened in state.loose:
            if part & own:
                waits |= part
                opens |= opened
            else:
                kept.append((part, opened))
        rooted = state.rooted
        if own & (CASTLE_BITS | rooted):
            rooted |= waits
        elif waits & left:
            kept.append((waits & left, opens))
        elif free and opens:
            free = False
        else:
            return None
        return State(left, rooted & left, tuple(kept), state.singles - (i == j), free)

    def finish(self, state: State) -> int | None:
        """Draw on with whatever fits; the larger the cover, the more its remainder tells."""
        if state.singles == 1:
            state = self._second(state)
        for after in self.fitting(state):
            return self.finish(after)
        return None if state.singles == 1 else self.task.filled & ~state.left

    def _second(self, state: State) -> State:
        """Let the line's wizard's other die stay alone too, wherever it can."""
        for i in bits((CASTLE_BITS | state.rooted) & state.left):
            after = self.add(state, (i, i))
            assert after is not None
            return after
        for opened in self.opened(state):
            for i in bits(opened.rooted):
                after = self.add(opened, (i, i))
                assert after is not None
                return after
        return state

    def opened(self, state: State) -> Iterator[State]:
        """The states after each domino that the dot's wizard can draw."""
        if state.free:
            for i in bits(state.left):
                for j in bits(self.task.partners[i] & state.left):
                    if i < j:
                        left = state.left & ~(1 << i | 1 << j)
                        rooted = state.rooted | self.task.equal[i] | self.task.equal[j]
                        yield State(left, rooted & left, state.loose, state.singles, False)

    def fitting(self, state: State) -> Iterator[State]:
        """The states after each piece that the castle's part connects to."""
        for piece in self._fitting(state):
            after = self.add(state, piece)
            assert after is not None
            yield after

    def _fitting(self, state: State) -> Iterator[Piece]:
        for i in bits((CASTLE_BITS | state.rooted) & state.left):
            for j in bits(self.task.partners[i] & state.left):
                yield min(i, j), max(i, j)
