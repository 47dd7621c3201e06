"""The smallest set of shields that no dominoes can cover: Hall's theorem on a chessboard.

Colour the squares like a chessboard: each domino takes one of each colour. Shields of
one colour that together have fewer neighbours than they are cannot all be halves of
dominoes; and where no such shields are, all can be (Hall). The line's wizard frees two.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from kdscan.game.duel.audit.dominoes import bits
from kdscan.game.duel.board import COLS
from kdscan.game.duel.drawing import ALL_BITS, NEAR_BITS

EVEN = sum(1 << i for i in bits(ALL_BITS) if sum(divmod(i, COLS)) % 2 == 0)
"""The squares of one colour, the corners' own."""


@lru_cache(maxsize=1024)
def smallest_uncovered(filled: int, spare: int) -> int | None:
    """The smallest set of shields of which dominoes leave more than `spare` uncovered, as bits."""
    best = {0: 0}  # by how many neighbours are too few, more than enough counted as enough
    for side in (filled & EVEN, filled & ~EVEN):
        joined: dict[int, int] = {}
        for (short, cells), (more, others) in product(
            best.items(), _smallest_by_shortage(side, filled).items()
        ):
            total, union = min(short + more, spare + 1), cells | others
            if total not in joined or union.bit_count() < joined[total].bit_count():
                joined[total] = union
        best = joined
    return best.get(spare + 1)


def _smallest_by_shortage(side: int, filled: int) -> dict[int, int]:
    """By how many neighbours are too few: the smallest such set of that side's shields."""
    # Only those can lack neighbours that some largest matching leaves out.
    partner, alone = _matching(side, filled)
    cells, reached = list(alone), set(alone)
    for i in cells:
        more = {partner[j] for j in bits(NEAR_BITS[i] & filled)} - reached
        cells += more
        reached |= more
    near = [0]  # by subset
    for i in cells:
        near += [some | NEAR_BITS[i] & filled for some in near]
    found = {0: 0}
    for subset, others in enumerate(near):
        short = subset.bit_count() - others.bit_count()
        if short > 0 and (short not in found or subset.bit_count() < found[short].bit_count()):
            found[short] = subset
    return {short: sum(1 << cells[i] for i in bits(subset)) for short, subset in found.items()}


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
