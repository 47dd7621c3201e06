"""A map as dominoes to be found: sets of shields as bits of an int, and what dice make of two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from functools import cache
from itertools import permutations
from typing import NamedTuple

from kdscan.rules.duel.board import DIE_CROSSES, Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import DICE, Face
from kdscan.rules.duel.drawing import ALL_BITS, CASTLE_BITS, NEAR, NEAR_BITS, number
from kdscan.rules.grid import Cell

_BONUS_STEPS = 3
"""Cost of taking off bonus crosses, in steps of a search."""


class OutOfStepsError(Exception):
    """The search took more steps than allowed; its result is unknown."""


class Budget:
    """A countdown of steps, which gives the same answer on every machine, unlike a clock.

    A step is a node of a search, 2 to 5 microseconds. steps: None for no limit.
    """

    __slots__ = ("left",)

    def __init__(self, steps: int | None = None) -> None:
        self.left = float("inf") if steps is None else steps

    def spend(self, steps: int = 1) -> None:
        """Take steps; raises OutOfStepsError if none are left."""
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


def closed(coat: int, drawn: int, settle: Callable[[int], int] = int) -> int | None:
    """The largest set of drawn shields that leaves a coat no room; None if there is none.

    A coat has no room if no two free shields are adjacent with one of them beside the castle
    or that coat. The union of two such sets is one too: what is free in the union is free in
    each. So there is a largest one, found by removing whatever makes room until nothing does.

    coat: its shields. settle: the part of a set that can be drawn.
    """
    while True:
        drawn = settle(drawn)
        free = room(drawn)
        if free & CASTLE_BITS:
            return None
        opens = drawn & coat & beside(free)
        if not opens:
            return drawn
        drawn &= ~opens


class Half(NamedTuple):
    """One shield as its die made it.

    crosses: on the die, without the castle's and the wizard's.
    castle: whether the castle's cross went to this die, so that it fills no square.
    """

    coat: Coat
    crosses: int
    castle: bool = False

    @property
    def counts(self) -> bool:
        """Whether it fills a square, unless a joker made it."""
        return self.crosses == 0 and not self.castle


class Domino(NamedTuple):
    """How dice can make a domino of two halves.

    pairs: each two dice that can show them, as bits; empty if no dice can.
    most: the most squares it can fill on each coat's line.
    """

    pairs: frozenset[int]
    most: Counter[Coat]


class Dice:
    """What four dice allow."""

    def __init__(self, faces: tuple[tuple[Face, ...], ...]) -> None:
        self.faces = faces
        self.squares = cache(self._squares)
        self.domino = cache(self._domino)
        self.shows = cache(self._shows)
        self.makes = cache(self._makes)

    def _squares(self, die: int, half: Half) -> int:
        """Number of squares that die can fill with that half; -1 if it cannot make it."""
        if Face(half.coat, half.crosses) in self.faces[die]:
            return half.counts
        return 0 if half.crosses == 0 and Face(None) in self.faces[die] else -1

    def _shows(self, coat: Coat, crosses: int) -> bool:
        """Whether any die can bring that many crosses to that coat."""
        return any(self.squares(die, Half(coat, crosses)) >= 0 for die in range(len(self.faces)))

    def _domino(self, one: Half, two: Half) -> Domino:
        pairs, most = set(), Counter[Coat]()
        for i, j in permutations(range(len(self.faces)), 2):
            first, second = self.squares(i, one), self.squares(j, two)
            if min(first, second) >= 0:
                pairs.add(1 << i | 1 << j)
                for coat in {one.coat, two.coat}:
                    filled = first * (coat is one.coat) + second * (coat is two.coat)
                    if filled > most[coat]:
                        most[coat] = filled
        return Domino(frozenset(pairs), most)

    def _makes(self, one: Half, two: Half, spare: int) -> bool:
        """Whether dice can make a domino of which this many crosses may come from elsewhere."""
        less = [(a, b) for a in range(spare + 1) for b in range(spare + 1 - a)]
        return any(
            self.domino(
                one._replace(crosses=one.crosses - a), two._replace(crosses=two.crosses - b)
            ).pairs
            for a, b in less
        )


_ANY_FACE = (Face(None), *(Face(coat, n) for coat in Coat for n in range(DIE_CROSSES + 1)))

LAW = Dice((_ANY_FACE,) * 4)
"""Dice as far as the rulebooks define them: any coat with up to two crosses, or a joker."""


THE_DICE = Dice(DICE)
"""The four dice as `dice.json` has them."""


class Bonus(NamedTuple):
    """Which shields got the castle's and the checked wizard's cross."""

    castle: Cell | None = None
    wizard: Cell | None = None


class Task:
    """A map, seen as dominoes to be found.

    spare: crosses that bonuses not yet assigned may take off any domino.
    filled: the shields, as bits. coats: those of each coat. halves: each as its die made it.
    equal: for each shield, its neighbours of the same coat. partners: for each shield, those that
    it can share a domino with. wizard: the shield with the wizard's cross as a set, 0 for none.
    """

    def __init__(
        self, board: Board, dice: Dice = LAW, budget: Budget | None = None, spare: int = 0
    ) -> None:
        self.dice, self.spare, self.budget = dice, spare, budget or Budget()
        self.bonus, self.wizard = Bonus(), 0
        self.halves = {number(c): Half(s.coat, s.crosses) for c, s in board.items()}
        self.filled = sum(1 << i for i in self.halves)
        self.coats = dict.fromkeys(Coat, 0)
        for i, half in self.halves.items():
            self.coats[half.coat] |= 1 << i
        self.equal = {i: NEAR_BITS[i] & self.coats[half.coat] for i, half in self.halves.items()}
        self.touch = cache(self._touch)
        self.partners = {i: self._partners(i) for i in self.halves}

    def with_bonus(self, bonus: Bonus) -> Task:
        """The same with the bonus crosses taken off."""
        if bonus == Bonus():
            return self
        task = copy(self)
        self.budget.spend(_BONUS_STEPS)
        task.bonus, task.wizard = bonus, 0 if bonus.wizard is None else 1 << number(bonus.wizard)
        task.halves, task.partners = dict(self.halves), dict(self.partners)
        changed = [number(cell) for cell in set(bonus) if cell is not None]
        for i in changed:
            coat, crosses, _ = self.halves[i]
            castle = bonus.castle is not None and i == number(bonus.castle)
            task.halves[i] = Half(coat, crosses - castle - (task.wizard >> i & 1), castle)
        for i in changed:
            for j in (i, *bits(NEAR_BITS[i] & self.filled)):
                task.partners[j] = task._partners(j)
        return task

    def _partners(self, i: int) -> int:
        halves, makes, spare = self.halves, self.dice.makes, self.spare
        one = halves[i]
        return sum(1 << j for j in NEAR[i] if j in halves and makes(one, halves[j], spare))

    def domino(self, piece: int) -> Domino:
        """The domino of two shields, as far as dice allow it."""
        one, two = bits(piece)
        return self.dice.domino(self.halves[one], self.halves[two])

    def _touch(self, cells: int) -> int:
        """The shields beside some that have the same coat."""
        near = 0
        for i in bits(cells):
            near |= self.equal[i]
        return near

    def shown(self, coat: Coat) -> int:
        """The shields of a coat that fill squares, unless a joker made them."""
        return sum(1 << i for i in bits(self.coats[coat]) if self.halves[i].counts)
