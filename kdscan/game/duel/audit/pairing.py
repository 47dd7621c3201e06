"""The smallest set of shields that no dominoes can cover: Hall's theorem on a chessboard.

Colour the squares like a chessboard: each domino takes one of each colour. Shields of
one colour that together have fewer neighbours than they are cannot all be halves of
dominoes; and where no such shields are, all can be (Hall). The line's wizard frees two.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from kdscan.game.duel.audit.dominoes import beside, bits
from kdscan.game.duel.board import COLS
from kdscan.game.duel.drawing import ALL_BITS, NEAR_BITS

EVEN = sum(1 << i for i in bits(ALL_BITS) if sum(divmod(i, COLS)) % 2 == 0)
"""The squares of one colour, the corners' own."""


@lru_cache(maxsize=1024)
def smallest_uncovered(filled: int, spare: int) -> int | None:
    """The smallest set of shields of which dominoes leave more than `spare` uncovered.

    Returns its bits, or None when there is no such set.
    """
    best = {0: 0}  # by how many neighbours are too few, more than enough counted as enough
    for side, component in _sides(filled):
        joined: dict[int, int] = {}
        table = _smallest_by_shortage(side, component)
        for short, cells in best.items():
            for more, others in table.items():
                total, union = min(short + more, spare + 1), cells | others
                if total not in joined or union.bit_count() < joined[total].bit_count():
                    joined[total] = union
        best = joined
    return best.get(spare + 1)


def _sides(filled: int) -> Iterator[tuple[int, int]]:
    """The shields of either colour in each part that hangs together, and that part."""
    while filled:
        part, more = 0, filled & -filled
        while more != part:
            part, more = more, more | beside(more) & filled
        filled &= ~part
        yield part & EVEN, part
        yield part & ~EVEN, part


def _smallest_by_shortage(side: int, filled: int) -> dict[int, int]:
    """By how many neighbours are too few: the smallest such set of that side's shields."""
    cells = list(bits(_in_question(side, filled)))
    near = [0]  # by subset
    for i in cells:
        near += [some | NEAR_BITS[i] & filled for some in near]
    found = {0: 0}
    for subset, others in enumerate(near):
        short = subset.bit_count() - others.bit_count()
        if short > 0 and (short not in found or subset.bit_count() < found[short].bit_count()):
            found[short] = subset
    return {short: sum(1 << cells[i] for i in bits(subset)) for short, subset in found.items()}


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
