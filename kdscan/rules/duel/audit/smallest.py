"""The smallest set of shields that is impossible."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from kdscan.rules.duel.audit.shields import Budget, OutOfStepsError, beside, bits
from kdscan.rules.duel.board import COLS
from kdscan.rules.duel.drawing import ALL_BITS, NEAR_BITS

Cover = Callable[[int], int | None]
"""From required shields to all shields of a map that contains them; None if there is none."""

_MOST_REMAINDERS = 400

EVEN = sum(1 << i for i in bits(ALL_BITS) if sum(divmod(i, COLS)) % 2 == 0)
"""The squares of one colour of the chessboard, that of the corners."""


class Proof(NamedTuple):
    """An impossible set of shields, as bits; smallest: whether no smaller set can be blamed."""

    cells: int
    smallest: bool


def smallest(filled: int, cover: Cover, budget: Budget, known: int | None = None) -> Proof | None:
    """The smallest set of shields that no map covers; None if one map covers all.

    Every cover leaves some shields out, and an impossible set must hit each of these
    remainders. So take the smallest set that hits all known remainders and try to cover it:
    either it is the proof, or its cover leaves another remainder.

    known: an impossible set, if one is already known; a smaller one is looked for.
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


@lru_cache(maxsize=1024)
def shortages(cells: int, filled: int) -> dict[int, int]:
    """For each number of shields that dominoes on the filled ones leave out, the smallest such set.

    Hall's theorem: colour the squares like a chessboard. Each domino takes one of each colour, so
    shields of one colour that have fewer neighbours than there are shields cannot all be halves of
    dominoes; if there are no such shields, all can be. Dominoes that cover shields of one colour
    and those that cover shields of the other can be combined to cover both (Mendelsohn and
    Dulmage).
    """
    one, two = (_shortages(cells & side, filled & ~side) for side in (EVEN, ALL_BITS & ~EVEN))
    sets = [(a + b, first | second) for a, first in one.items() for b, second in two.items()]
    return {short: cells for (_, short), cells in _fewest(sets, 0).items()}


def _shortages(side: int, others: int) -> dict[int, int]:
    """For one colour: neighbour by neighbour, those that some may still share kept apart."""
    order = sorted(bits(others), key=lambda j: divmod(j, COLS)[::-1])
    near = [(NEAR_BITS[j] & side, 1) for j in order]
    near += [(1 << i, 0) for i in bits(side & ~beside(others))]
    sets, decided = [(0, 0)], 0
    for n, (these, count) in enumerate(near):
        for i in bits(these & ~decided):
            sets += [(short + 1, cells | 1 << i) for short, cells in sets]
        decided |= these
        sets = [(short - count * (cells & these != 0), cells) for short, cells in sets]
        shared = sum(
            1 << i for i in bits(decided) if any(some >> i & 1 for some, _ in near[n + 1 :])
        )
        sets = [(short, cells) for (_, short), cells in _fewest(sets, shared).items()]
    return {short: cells for short, cells in sets if short >= 0}


def _fewest(sets: list[tuple[int, int]], shared: int) -> dict[tuple[int, int], int]:
    """The smallest set by what it holds of some shields and by how many are left out."""
    best: dict[tuple[int, int], int] = {}
    for short, cells in sets:
        key = cells & shared, short
        if key not in best or cells.bit_count() < best[key].bit_count():
            best[key] = cells
    return best
