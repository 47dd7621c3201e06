"""The search behind the audit: a map's shields split into dominoes that hang together.

Drawing one more domino never hinders another: nothing in the rules forbids contact. So for
given dominoes no order has to be searched for (`orders` draws whatever fits), and whether
there is one is a question of connection: join shields of equal coats side by side, join the
halves of each domino, and every part must hold a shield beside the castle. For once one
shield of a part is drawn, its equal neighbours' dominoes fit, and so on through the part.
Two wizards relax this: the line's leaves two shields without partner, the dot's lets one part
do without the castle. Whether they were won in time is `orders`' question.

So the search decides shield by shield: it shares a domino with a neighbour, stays alone, or,
where it is not required, is left out. It keeps of the shields decided only what still matters:
those for which a part waits, because it connects by them alone. A part that waits for none and
has no castle is given up at once, and what led nowhere is never tried again.

One search answers three questions. *Is the map lawful?* All shields are required, row by row;
every split goes to `orders`. *Can these shields be?* They are required, the others only as far
as a part must reach the castle; then whatever fits is drawn, so that much of the map is known
to go with them (`smallest`). *Can they be in time?* Likewise, but every such map is asked of
the first question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from kdscan.game.duel.audit.dominoes import Budget, OutOfStepsError, Piece, Task, bits
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.drawing import CASTLE_BITS


class _Part(NamedTuple):
    """Of a part without the castle: the shields that it waits for, whether it has a domino that
    the dot's wizard can open, how many dots it holds."""

    waits: int
    opens: bool
    dots: int


class _State(NamedTuple):
    """Shields to decide and left out, singles to place, whether the dot's wizard is left, shields
    that the castle's part waits for, every part without the castle."""

    left: int
    out: int
    singles: int
    free: bool
    rooted: int
    loose: tuple[_Part, ...]


class Search:
    """Splits of a task's shields.

    required: shields that must not be left out. singles: shields that stay alone, none or two
    (the line's wizard). free: whether one part may do without the castle (the dot's wizard).
    spare: dots that this part may hold at most; None for any number.
    """

    def __init__(
        self,
        task: Task,
        required: int,
        singles: int = 0,
        free: bool = False,
        spare: int | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.task, self.required, self.budget = task, required, budget or task.budget
        self.whole = required == task.filled
        self.spare = len(task.halves) if spare is None else spare
        dots = (i for i, half in task.halves.items() if half.counts and half.coat is Coat.DOT)
        # Where any number may be spared, none is counted: states that differ in dots are one.
        self.dots = 0 if spare is None else sum(1 << i for i in dots)
        self.start = _State(task.filled, 0, singles, free, 0, ())
        self.dead: set[_State] = set()
        self._fills = cache(self._fillable)

    def run(self) -> Iterator[tuple[Piece, ...]]:
        """Every split; a single is a piece (i, i). Where shields may be left out, each lot once."""
        if not self.whole or self._fills(self.start.left, self.start.singles):
            yield from self._go(self.start, ())

    def _go(self, state: _State, pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
        self.budget.spend()
        if state in self.dead:
            return
        if not self.whole:
            self.dead.add(state)
        found = False
        i = self._next(state)
        for piece, after in self._wizard(state) if i < 0 else self._options(state, i):
            if after is not None:
                for split in self._go(after, pieces if piece is None else (*pieces, piece)):
                    found = True
                    yield split
        if i < 0 and state.singles != 1:
            yield pieces
        elif not found:
            self.dead.add(state)

    def _next(self, state: _State) -> int:
        """The shield to decide, -1 when none is left that matters."""
        if self.whole:
            among = state.left
        elif self.required & state.left:
            # Whichever has fewest partners left.
            need = bits(self.required & state.left)
            return min(need, key=lambda i: (self.task.partners[i] & state.left).bit_count())
        elif state.loose:
            among = min(state.loose, key=lambda part: part.waits.bit_count()).waits
        else:
            among = (CASTLE_BITS | state.rooted) & state.left
        return (among & -among).bit_length() - 1

    def _options(self, state: _State, i: int) -> Iterator[tuple[Piece | None, _State | None]]:
        if state.singles == 1 and not self.whole:
            yield (i, i), self._add(state, i, i)
        for j in bits(self.task.partners[i] & state.left):
            rest = state.left & ~(1 << i | 1 << j)
            if not self.whole or self._fills(rest, state.singles):
                yield (min(i, j), max(i, j)), self._add(state, i, j)
        if state.singles and (
            not self.whole or self._fills(state.left & ~(1 << i), state.singles - 1)
        ):
            yield (i, i), self._add(state, i, i)
        if not self.required >> i & 1:
            yield None, self._leave(state, i)

    def _wizard(self, state: _State) -> Iterator[tuple[Piece, _State | None]]:
        """The dot's wizard opens a domino where nothing else fits."""
        if state.free and not self.whole:
            for i in bits(state.left):
                for j in bits(self.task.partners[i] & state.left & -(2 << i)):
                    yield (i, j), self._add(state, i, j)

    def _add(self, state: _State, i: int, j: int) -> _State | None:
        """The state after a piece, or None when a part can no longer reach the castle."""
        left, out, singles, free, rooted, loose = state
        own = 1 << i | 1 << j
        left &= ~own
        waits = self.task.equal[i] | self.task.equal[j]
        opens, dots = i != j, (own & self.dots).bit_count()
        parts = []
        for part in loose:
            if part.waits & own:
                waits |= part.waits
                opens |= part.opens
                dots += part.dots
            else:
                parts.append(part)
        if own & (CASTLE_BITS | rooted):
            rooted |= waits
        elif waits & left:
            parts.append(_Part(waits & left, opens, min(dots, self.spare + 1)))
        elif free and opens and dots <= self.spare:
            free = False
        else:
            return None
        return _State(left, out, singles - (i == j), free, rooted & left, tuple(sorted(parts)))

    def _leave(self, state: _State, i: int) -> _State | None:
        """The state after a shield is left out."""
        left, out, singles, free, rooted, loose = state
        left &= ~(1 << i)
        parts = []
        for part in loose:
            if part.waits & left:
                parts.append(part._replace(waits=part.waits & left))
            elif free and part.opens:
                free = False
            else:
                return None
        return _State(left, out | 1 << i, singles, free, rooted & left, tuple(sorted(parts)))

    def _fillable(self, left: int, singles: int) -> bool:
        """Whether the shields left can be split at all, whatever they touch."""
        self.budget.spend()
        if not left:
            return singles == 0
        low = left & -left
        rest = left ^ low
        partners = self.task.partners[low.bit_length() - 1] & left
        while partners:
            other = partners & -partners
            if self._fills(rest ^ other, singles):
                return True
            partners ^= other
        return singles > 0 and self._fills(rest, singles - 1)


Cover = Callable[[int], int | None]
"""From required shields to all shields of a map that holds them; None when there is none."""

_MOST_REMAINDERS = 400


class Proof(NamedTuple):
    """Shields that can't be, as bits; `smallest` when no smaller set can be blamed."""

    cells: int
    smallest: bool


def smallest(filled: int, cover: Cover, budget: Budget, known: int | None = None) -> Proof | None:
    """The smallest set of shields that no map covers; None when one map covers all.

    Every cover leaves some shields out, and a set that can't be must hit each of those
    remainders. So take the smallest set that hits all remainders known, and try to cover it:
    either it is the proof, or its cover is one remainder more.

    known: a set that can't be, if one is known already; a smaller one is looked for.
    """
    proof = filled if known is None else known
    try:
        if known is None and cover(filled) is not None:
            return None
        remainders: list[int] = []
        size = 1
        while len(remainders) < _MOST_REMAINDERS:
            blamed = None
            while blamed is None:
                if size == proof.bit_count():
                    return Proof(proof, True)
                blamed = _hit(remainders, size, 0, budget)
                size += blamed is None
            covered = cover(blamed)
            if covered is None:
                return Proof(blamed, True)
            remainders.append(filled & ~covered)
        for i in bits(proof):
            if cover(proof & ~(1 << i)) is None:
                proof &= ~(1 << i)
    except OutOfStepsError:
        pass
    return Proof(proof, False)


def _hit(remainders: list[int], size: int, chosen: int, budget: Budget) -> int | None:
    """A set of at most that many shields that meets every remainder."""
    budget.spend()
    unmet = [some for some in remainders if not some & chosen]
    if not unmet:
        return chosen
    if not size:
        return None
    for i in bits(min(unmet, key=int.bit_count)):
        found = _hit(unmet, size - 1, chosen | 1 << i, budget)
        if found is not None:
            return found
    return None
