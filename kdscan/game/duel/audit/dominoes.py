"""Which two shields one round's dice can make, and what they fill in the spellbook.

Two sets of dice: `LAW` is what the rulebooks alone say of them (any coat with up to
two crosses, or a joker); `DICE` is the four dice of `dice.json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import DICE as THE_DICE
from kdscan.game.duel.dice import Face

MOST_ON_A_DIE = 2
"""The rulebooks: "accompanied by one or two crosses"."""

ALL_PAIRS = 0b111111
"""Every two of the four dice, as bits of `PAIRS`."""

PAIRS: tuple[tuple[int, int], ...] = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
"""Two dice of four; the last is the complement of the first, and so on inwards."""


@dataclass(frozen=True)
class Half:
    """One shield as its die made it.

    crosses: on the die, castle's and wizard's taken off.
    castle: whether the castle's cross went to this die, so that it fills no square.
    """

    coat: Coat
    crosses: int
    castle: bool = False

    @property
    def counts(self) -> bool:
        """Whether it fills a square, unless a joker made it."""
        return self.crosses == 0 and not self.castle


@dataclass(frozen=True)
class Domino:
    """What is possible for two halves.

    pairs: the two dice that can make them, as bits of `PAIRS`; 0 when none can.
    most: the most squares it can fill for the dot, the line and the checked coat.
    """

    pairs: int
    most: tuple[int, int, int]


COUNTED = (Coat.DOT, Coat.LINE, Coat.CHECKED)
"""The coats whose wizards can change a map, in the order of `Domino.most`."""


class Dice:
    """What a set of dice allows."""

    def __init__(self, dice: tuple[tuple[Face, ...], ...] | None, joker_castle: bool = True):
        """`dice` None stands for the rulebooks alone; `joker_castle` lets jokers get its cross."""
        self.data = dice
        self.joker_castle = joker_castle
        self.domino = cache(self._domino)

    def shows(self, coat: Coat, crosses: int) -> bool:
        """Whether any die can bring that many crosses to that coat."""
        if self.data is None:
            return 0 <= crosses <= MOST_ON_A_DIE
        return any(self._ways(die, Half(coat, crosses)) for die in range(len(self.data)))

    def can(self, die: int, half: Half) -> bool:
        """Whether that die of the four can make that half."""
        return bool(self._ways(die, half))

    def _ways(self, die: int, half: Half) -> list[bool]:
        """How that die can make that half; True where the face itself shows the coat."""
        assert self.data is not None
        faces = self.data[die]
        ways = [True] if Face(half.coat, half.crosses) in faces else []
        joker = half.crosses == 0 and (self.joker_castle or not half.castle)
        if joker and any(face.joker for face in faces):
            ways.append(False)
        return ways

    def _domino(self, one: Half, two: Half) -> Domino:
        if self.data is None:
            fine = all(0 <= half.crosses <= MOST_ON_A_DIE for half in (one, two))
            filled = [sum(h.counts and h.coat is c for h in (one, two)) for c in COUNTED]
            return Domino(ALL_PAIRS if fine else 0, (filled[0], filled[1], filled[2]))
        pairs, most = 0, [0, 0, 0]
        for i, j in permutations(range(len(self.data)), 2):
            for own in self._ways(i, one):
                for other in self._ways(j, two):
                    pairs |= 1 << PAIRS.index((min(i, j), max(i, j)))
                    shown = [h.coat for h, face in ((one, own), (two, other)) if face and h.counts]
                    most = [max(m, shown.count(c)) for m, c in zip(most, COUNTED, strict=True)]
        return Domino(pairs, (most[0], most[1], most[2]))


@cache
def the_dice(joker_castle: bool = True) -> Dice:
    """The four dice as `dice.json` has them."""
    return Dice(THE_DICE, joker_castle)


LAW = Dice(None)
