"""The search behind the audit: splits a map's shields into connected dominoes.

Drawing one more domino never prevents another, because no rule forbids contact. So for given
dominoes no order has to be searched for (`orders` draws whatever fits), and whether there is one
is a question of connectivity. Connect adjacent shields of equal coats, and the halves of each
domino; then every component must contain a shield beside the castle. Once one shield of a
component is drawn, the dominoes of its equal neighbours fit, and so on through the component.
Two wizards relax this: the line's leaves two shields without a partner, the dot's lets one
component do without the castle. `orders` decides whether they were won in time.

So the search decides shield by shield: a shield shares a domino with a neighbour, stays alone, or,
if it is not required, is left out. Of the decided shields it keeps only what still matters: those
through which alone a component can still connect, and which it waits for. A component that waits
for none and has no castle is given up at once, and dead ends are never tried again.

One search answers three questions. *Is the map lawful?* All shields are required, row by row;
every split goes to `orders`. *Are these shields possible?* They are required, and others only as
far as a component needs them to reach the castle; then whatever fits is drawn, so that much of the
map is known to be compatible with them (`proofs`). *Are they possible in time?* Likewise, but the
first question is asked about every such map.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from kdscan.rules.duel.audit.shields import Budget, Task, bits
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.drawing import CASTLE_BITS


class _Part(NamedTuple):
    """A component without the castle: the shields that it waits for, whether it has a domino that
    the dot's wizard can open, and its number of dots."""

    waits: int
    opens: bool
    dots: int


class _State(NamedTuple):
    """Shields to decide and left out, singles to place, whether the dot's wizard is left, shields
    that the castle's component waits for, every component without the castle."""

    left: int
    out: int
    singles: int
    free: bool
    rooted: int
    loose: tuple[_Part, ...]


class Search:
    """Splits of a task's shields.

    required: shields that must not be left out. singles: number of shields that stay alone, none or
    two (the line's wizard). free: whether one component may do without the castle (the dot's
    wizard). spare: most dots that this component may have; None for any number.
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
        self.spare = task.filled.bit_count() if spare is None else spare
        # Where any number may be spared, none is counted: states that differ in dots are one.
        self.dots = 0 if spare is None else task.shown(Coat.DOT)
        self.start = _State(task.filled, 0, singles, free, 0, ())
        self.dead: set[_State] = set()
        self._fills = cache(self._fillable)

    def run(self) -> Iterator[tuple[int, ...]]:
        """Every split into sets of two shields or one. If shields may be left out, each selection
        once."""
        if not self.whole or self._fills(self.start.left, self.start.singles):
            yield from self._go(self.start, ())

    def _go(self, state: _State, pieces: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        self.budget.spend()
        if state in self.dead:
            return
        if not self.whole:
            self.dead.add(state)
        found = False
        i = self._next(state)
        for piece, out in self._openings(state) if i < 0 else self._options(state, i):
            after = self._after(state, piece, out)
            if after is not None:
                for split in self._go(after, (*pieces, piece) if piece else pieces):
                    found = True
                    yield split
        if i < 0 and state.singles != 1:
            yield pieces
        elif not found:
            self.dead.add(state)

    def _next(self, state: _State) -> int:
        """The shield to decide, -1 if none is left that matters."""
        left, need = state.left, self.required & state.left
        if self.whole:
            among = left
        elif need:
            # Whichever has fewest partners left.
            return min(bits(need), key=lambda i: (self.task.partners[i] & left).bit_count())
        elif state.loose:
            among = min(state.loose, key=lambda part: part.waits.bit_count()).waits
        else:
            among = (CASTLE_BITS | state.rooted) & left
        return (among & -among).bit_length() - 1

    def _options(self, state: _State, i: int) -> Iterator[tuple[int, int]]:
        """The pieces as which that shield may be drawn, or that it is left out."""
        own = 1 << i
        left = state.left & ~own
        # Where shields may be left out, a first single is soon followed by the second.
        pieces = [own] * (state.singles == 1 and not self.whole)
        pieces += [own | 1 << j for j in bits(self.task.partners[i] & left)]
        pieces += [own] * (state.singles > 0)
        for piece in pieces:
            if not self.whole or self._fills(left & ~piece, state.singles - (piece == own)):
                yield piece, 0
        if not self.required & own:
            yield 0, own

    def _openings(self, state: _State) -> Iterator[tuple[int, int]]:
        """The dominoes that the dot's wizard can open if nothing else fits."""
        if state.free and not self.whole:
            for i in bits(state.left):
                for j in bits(self.task.partners[i] & state.left & -(2 << i)):
                    yield 1 << i | 1 << j, 0

    def _after(self, state: _State, piece: int, out: int) -> _State | None:
        """The state after a piece is drawn or a shield left out; None if a component can no longer
        reach the castle."""
        left, gone, singles, free, rooted, loose = state
        own = piece | out
        left &= ~own
        kept: list[_Part] = []
        met: list[tuple[int, bool, int]] = []
        for part in loose:
            if part.waits & own:
                met.append(part)
            else:
                kept.append(part)
        if piece:
            waits, opens = self.task.touch(piece), piece & (piece - 1) != 0
            dots = (piece & self.dots).bit_count()
            singles -= not opens
            for its_waits, its_opens, its_dots in met:
                waits |= its_waits
                opens |= its_opens
                dots += its_dots
            if piece & (CASTLE_BITS | rooted):
                rooted |= waits
                met = []
            else:
                met = [(waits, opens, min(dots, self.spare + 1))]
        for waits, opens, dots in met:
            if waits & left:
                kept.append(_Part(waits & left, opens, dots))
            elif free and opens and dots <= self.spare:
                free = False
            else:
                return None
        return _State(left, gone | out, singles, free, rooted & left, tuple(sorted(kept)))

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
