"""A map as dominoes to be found: shields as bits of an int, and what dice make of each two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from kdscan.game.duel.board import Board
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import DICE, Face
from kdscan.game.duel.drawing import ALL_BITS, CASTLE_BITS, NEAR, NEAR_BITS, number
from kdscan.game.grid import Cell

MOST_ON_A_DIE = 2
"""The rulebooks: "accompanied by one or two crosses"."""

PAIRS: tuple[tuple[int, int], ...] = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
"""Two dice of four; the last is the complement of the first, and so on inwards."""

Piece = tuple[int, int]
"""The numbers of the two shields drawn in one round, the smaller first."""

TASK_STEPS = 25
"""What making a task costs, in steps of a search."""


class OutOfStepsError(Exception):
    """The search took more steps than it may; nothing is known then."""


class Budget:
    """Counts steps down: the same answer on every machine, unlike a clock.

    A step is a node of a search, 2 to 5 microseconds. steps: None for as many as it takes.
    """

    __slots__ = ("left",)

    def __init__(self, steps: int | None = None) -> None:
        self.left = float("inf") if steps is None else steps

    def spend(self, steps: int = 1) -> None:
        """Take steps; raises OutOfStepsError when there are none left."""
        self.left -= steps
        if self.left < 0:
            raise OutOfStepsError


def bits(mask: int) -> Iterator[int]:
    """The numbers of the shields in a set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def beside(cells: int) -> int:
    """The shields beside some shields."""
    near = 0
    for i in bits(cells):
        near |= NEAR_BITS[i]
    return near


def room(covered: int) -> int:
    """Free shields that have a free shield beside them."""
    free = ALL_BITS & ~covered
    return free & beside(free)


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
    """What dice can make of two halves.

    pairs: the two dice that can show them, as bits of `PAIRS`; 0 when none can.
    most: the most squares it can fill on each coat's line.
    """

    pairs: int
    most: dict[Coat, int]


class Dice:
    """What four dice allow. joker_castle: whether the castle's cross may go to a joker."""

    def __init__(self, faces: tuple[tuple[Face, ...], ...], joker_castle: bool = True) -> None:
        self.faces, self.joker_castle = faces, joker_castle
        self.domino = cache(self._domino)
        self.shows = cache(self._shows)

    def can(self, die: int, half: Half) -> bool:
        """Whether that die can make that half."""
        return bool(self._ways(die, half))

    def _shows(self, coat: Coat, crosses: int) -> bool:
        """Whether any die can bring that many crosses to that coat."""
        return any(self.can(die, Half(coat, crosses)) for die in range(len(self.faces)))

    def _ways(self, die: int, half: Half) -> list[bool]:
        """How that die can make that half; True where the face itself shows the coat."""
        joker = half.crosses == 0 and (self.joker_castle or not half.castle)
        shown = Face(half.coat, half.crosses) in self.faces[die]
        return [True] * shown + [False] * (joker and Face(None) in self.faces[die])

    def _domino(self, one: Half, two: Half) -> Domino:
        dice = range(len(self.faces))
        ways = [[self._ways(die, half) for die in dice] for half in (one, two)]
        able = [(i, j) for i, j in permutations(dice, 2) if ways[0][i] and ways[1][j]]
        most = dict.fromkeys(Coat, 0)
        for coat in {half.coat for half in (one, two) if half.counts}:
            first, second = (half.coat is coat and half.counts for half in (one, two))
            filled = ((first and ways[0][i][0]) + (second and ways[1][j][0]) for i, j in able)
            most[coat] = max(filled, default=0)
        return Domino(sum({1 << PAIRS.index((min(p), max(p))) for p in able}), most)


_ANY_FACE = (Face(None), *(Face(coat, n) for coat in Coat for n in range(MOST_ON_A_DIE + 1)))

LAW = Dice((_ANY_FACE,) * 4)
"""What the rulebooks alone say of dice: any coat with up to two crosses, or a joker."""


@cache
def the_dice(joker_castle: bool = True) -> Dice:
    """The four dice as `dice.json` has them."""
    return Dice(DICE, joker_castle)


@dataclass(frozen=True)
class Bonus:
    """Which shields got the castle's and the checked wizard's cross."""

    castle: Cell | None = None
    wizard: Cell | None = None


class Task:
    """A map, seen as dominoes to be found.

    spare: crosses that bonuses not told yet may take off any domino.
    filled: the shields, as bits. coats: those of each coat. halves: each as its die made it.
    equal: beside each shield, those of its coat. partners: those that it can share a domino with.
    wizard_cell: the shield with the wizard's cross, -1 if there is none.
    """

    def __init__(
        self,
        board: Board,
        bonus: Bonus = Bonus(),
        dice: Dice = LAW,
        budget: Budget | None = None,
        spare: int = 0,
    ) -> None:
        self.board, self.bonus, self.dice = board, bonus, dice
        self.budget = budget or Budget()
        self.budget.spend(TASK_STEPS)
        self.wizard_cell = -1 if bonus.wizard is None else number(bonus.wizard)
        self.halves: dict[int, Half] = {}
        for cell, shield in board.items():
            castle = cell == bonus.castle
            crosses = shield.crosses - castle - (cell == bonus.wizard)
            self.halves[number(cell)] = Half(shield.coat, crosses, castle)
        self.filled = sum(1 << i for i in self.halves)
        self.coats = dict.fromkeys(Coat, 0)
        for i, half in self.halves.items():
            self.coats[half.coat] |= 1 << i
        self.equal, self.partners = dict.fromkeys(self.halves, 0), dict.fromkeys(self.halves, 0)
        for i, half in self.halves.items():
            for j in NEAR[i]:
                other = self.halves.get(j)
                if other is not None and i < j:
                    if other.coat is half.coat:
                        self.equal[i] |= 1 << j
                        self.equal[j] |= 1 << i
                    if self._makes(half, other, spare) if spare else dice.domino(half, other).pairs:
                        self.partners[i] |= 1 << j
                        self.partners[j] |= 1 << i

    def domino(self, piece: Piece) -> Domino:
        """What the dice say of a piece."""
        return self.dice.domino(self.halves[piece[0]], self.halves[piece[1]])

    def has_room(self, coat: Coat, drawn: int) -> bool:
        """Whether that coat finds room beside the castle or what is drawn of it."""
        return bool(room(drawn) & (CASTLE_BITS | beside(self.coats[coat] & drawn)))

    def _makes(self, one: Half, two: Half, spare: int) -> bool:
        return any(
            self.dice.domino(Half(one.coat, one.crosses - a), Half(two.coat, two.crosses - b)).pairs
            for a in range(spare + 1)
            for b in range(spare + 1 - a)
        )
