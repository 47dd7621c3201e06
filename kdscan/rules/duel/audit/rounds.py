"""Arranges two maps' dominoes in common rounds, in which four dice serve both players.

The search looks for an order of each map's dominoes such that in each round two of the four
dice make one player's domino, and the other two make the other's, or one that the other player had
no room for. Success proves that the dice allow both maps. (Rounds in which a French wizard was won
with nothing drawn are not considered.) Failure proves nothing, but `ruled_out` has two proofs that
there are no such rounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, islice, product

from kdscan.rules.duel.audit.shields import (
    THE_DICE,
    Budget,
    Half,
    OutOfStepsError,
    Task,
    beside,
    room,
)
from kdscan.rules.duel.audit.terms import MAP_WIZARDS, Chances, Terms
from kdscan.rules.duel.audit.ways import Way, ways
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import DICE
from kdscan.rules.duel.drawing import CASTLE_BITS

Maps = tuple[Board, Board]
Ways = tuple[Way, Way]

Round = tuple[int | None, int | None]
"""Which step of each map's order is drawn; None if that player drew nothing."""

Rounds = tuple[Round, ...]

MOST_STATES = 20_000
"""Dead ends met before the search for common rounds gives up."""

MOST_WAYS = 60
"""If each map has at most this many ways, all are tried against all of the other's; otherwise none
are."""

_ALL_DICE = (1 << len(DICE)) - 1


def common_rounds(maps: Maps, pairs: Iterable[Ways]) -> tuple[Ways, Rounds] | None:
    """The first two ways that have common rounds, and these rounds; None if none have any.

    Raises OutOfStepsError if that is not known after `MOST_STATES`.
    """
    budget = Budget(MOST_STATES)
    side = cache(_Side)
    for pair in pairs:
        one, two = (side(board, way) for board, way in zip(maps, pair, strict=True))
        rounds = _schedule(one, two, 0, 0, set(), budget)
        if rounds is not None:
            return pair, rounds
    return None


class _Side:
    """One map with the way found to it; the state of drawing is a set of shields."""

    def __init__(self, board: Board, way: Way) -> None:
        self.task, self.order = Task(board, THE_DICE).with_bonus(way.bonus), way.order
        self.pairs = [self.task.domino(piece).pairs for piece, _ in way.order]

    def options(self, drawn: int) -> Iterator[int]:
        """Steps that can be drawn next."""
        touched, before = CASTLE_BITS | self.task.touch(drawn), 0
        for k, (piece, power) in enumerate(self.order):
            if not piece & drawn:
                # Wizards' turns are kept as they were found; other dominoes may come earlier.
                in_turn = self.task.wizard or power is not None
                if not before & ~drawn if in_turn else piece & touched:
                    yield k
            before |= piece

    def after(self, drawn: int, step: int | None) -> int:
        """The shields drawn after a step."""
        return drawn if step is None else drawn | self.order[step].piece

    def idle(self, drawn: int) -> int:
        """The dice with a face that has no room."""
        free, coats = room(drawn), self.task.coats
        # A joker has no room only where no coat has any.
        shut = {c for c in Coat if not free & (CASTLE_BITS | beside(coats[c] & drawn))}
        return sum(1 << n for n, faces in enumerate(DICE) if any(f.coat in shut for f in faces))


def _schedule(
    one: _Side, two: _Side, first: int, second: int, dead: set[tuple[int, int]], budget: Budget
) -> Rounds | None:
    """The rounds from the state in which those shields of either map are drawn."""
    if (first, second) == (one.task.filled, two.task.filled):
        return ()
    if (first, second) in dead:
        return None
    for k, m in _next_rounds(one, two, first, second):
        later = _schedule(one, two, one.after(first, k), two.after(second, m), dead, budget)
        if later is not None:
            return ((k, m), *later)
    budget.spend()
    dead.add((first, second))
    return None


def _next_rounds(one: _Side, two: _Side, first: int, second: int) -> Iterator[Round]:
    for k in one.options(first):
        for m in two.options(second):
            if any(_ALL_DICE ^ dice in two.pairs[m] for dice in one.pairs[k]):
                yield k, m
    idle = two.idle(second)
    for k in one.options(first):
        if any(dice | idle == _ALL_DICE for dice in one.pairs[k]):
            yield k, None
    idle = one.idle(first)
    for m in two.options(second):
        if any(dice | idle == _ALL_DICE for dice in two.pairs[m]):
            yield None, m


def ruled_out(maps: Maps, terms: tuple[Terms, Terms]) -> str | None:
    """Why no rounds of the four dice make both maps; None if that is not known."""
    if _used_up(maps, terms):
        return "there are more shields of some dice than the rounds have of those dice"
    if _all_tried(maps, terms):
        return "no dominoes of theirs go together round by round"
    return None


def _used_up(maps: Maps, terms: tuple[Terms, Terms]) -> bool:
    """Whether some dice are needed more often than the rounds have them.

    Every round shows each die once. If both players drew in every round, there were as many rounds
    as dominoes on one map.
    """
    if not all(room(Task(board).filled) & CASTLE_BITS for board in maps):
        return False
    # A cross of the castle or the wizard may hide what the die showed.
    hidden = sum(term.castle_left for term in terms) + 1
    need = [
        {die for die in range(len(DICE)) if THE_DICE.squares(die, Half(s.coat, s.crosses)) >= 0}
        for board in maps
        for s in board.values()
    ]
    return any(
        sum(one <= set(some) for one in need) - hidden > count * (len(maps[0]) // 2)
        for count in range(1, len(DICE))
        for some in combinations(range(len(DICE)), count)
    )


def _all_tried(maps: Maps, terms: tuple[Terms, Terms]) -> bool:
    """Whether every way to one map was tried against every way to the other, in vain."""
    found = []
    for board, term in zip(maps, terms, strict=True):
        chances = Chances(board, term)
        if term.obtained or any(chances.winnable(coat, covered=-1) for coat in MAP_WIZARDS):
            return False
        found.append(list(islice(ways(board, term, THE_DICE, MOST_WAYS + 1), MOST_WAYS + 1)))
    one, two = found
    try:
        return max(len(one), len(two)) <= MOST_WAYS and not common_rounds(maps, product(one, two))
    except OutOfStepsError:
        return False
