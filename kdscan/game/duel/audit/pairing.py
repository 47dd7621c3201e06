"""The smallest set of shields that no dominoes can cover: Hall's theorem on a chessboard.

Colour the squares like a chessboard: each domino takes one of each colour. Shields of
one colour that together have fewer neighbours than they are cannot all be halves of
dominoes; and where no such shields are, all can be (Hall). The line's wizard frees two.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kdscan.game.duel.audit.task import bits
from kdscan.game.duel.board import COLS
from kdscan.game.duel.drawing import ALL_BITS, NEAR_BITS

EVEN = sum(1 << i for i in bits(ALL_BITS) if sum(divmod(i, COLS)) % 2 == 0)
"""The squares of one colour, the corners' own."""


@lru_cache(maxsize=1024)
def smallest_uncovered(filled: int, spare: int) -> int | None:
    """The smallest set of shields of which dominoes leave more than `spare` uncovered.

    Returns its bits, or None when there is no such set.
    """
    tables = []
    for component in _components(filled):
        for side in (component & EVEN, component & ~EVEN):
            table = _smallest_by_shortage(side, component, spare + 1)
            if len(table) > 1:
                tables.append(table)
    best: dict[int, int] = {0: 0}
    for table in tables:
        joined: dict[int, int] = {}
        for short, cells in best.items():
            for more, others in enumerate(table):
                total = min(short + more, spare + 1)
                union = cells | others
                if total not in joined or union.bit_count() < joined[total].bit_count():
                    joined[total] = union
        best = joined
    return best.get(spare + 1)


def _components(filled: int) -> Iterable[int]:
    while filled:
        part, edge = 0, filled & -filled
        while edge:
            part |= edge
            filled &= ~edge
            edge = sum(1 << j for j in range(ALL_BITS.bit_length()) if _beside(edge, j)) & filled
        yield part


def _beside(cells: int, j: int) -> bool:
    return bool(NEAR_BITS.get(j, 0) & cells)


def _smallest_by_shortage(side: int, filled: int, most: int) -> list[int]:
    """Entry k: the smallest set of that side's shields with k neighbours too few, k <= most."""
    table = [0]
    cells = list(bits(_in_question(side, filled)))
    near = [0] * (1 << len(cells))
    for subset in range(1, len(near)):
        low = subset & -subset
        near[subset] = near[subset ^ low] | NEAR_BITS[cells[low.bit_length() - 1]] & filled
    found: dict[int, int] = {}
    for subset, beside in enumerate(near):
        short = subset.bit_count() - beside.bit_count()
        if short > 0 and (short not in found or subset.bit_count() < found[short].bit_count()):
            found[short] = subset
    for k in range(1, min(most, max(found, default=0)) + 1):
        # A set that lacks more than k neighbours also lacks k; it is never the smaller one
        # unless no set lacks exactly k.
        smallest = min((s for short, s in found.items() if short >= k), key=int.bit_count)
        table.append(sum(1 << cells[i] for i in bits(smallest)))
    return table


def _in_question(side: int, filled: int) -> int:
    """The side's shields that some largest matching leaves out; only these can lack neighbours."""
    partner, alone = _matching(side, filled)
    reached, edge = 0, alone
    while edge:
        reached |= sum(1 << i for i in set(edge))
        others = {j for i in edge for j in bits(NEAR_BITS[i] & filled)}
        edge = [partner[j] for j in others if not reached >> partner[j] & 1]
    return reached


def uncovered(cells: int, filled: int) -> int:
    """How many of some shields dominoes on the filled ones must leave out, at least.

    Dominoes that cover shields of one colour and those that cover shields of the other
    join into some that cover both (Mendelsohn and Dulmage).
    """
    return sum(len(_matching(side, filled)[1]) for side in (cells & EVEN, cells & ~EVEN))


def _matching(side: int, filled: int) -> tuple[dict[int, int], list[int]]:
    """A largest matching of one colour's shields: by partner, and those left alone."""
    partner: dict[int, int] = {}

    def augment(i: int, seen: set[int]) -> bool:
        for j in bits(NEAR_BITS[i] & filled):
            if j not in seen:
                seen.add(j)
                if j not in partner or augment(partner[j], seen):
                    partner[j] = i
                    return True
        return False

    return partner, [i for i in bits(side) if not augment(i, set())]
