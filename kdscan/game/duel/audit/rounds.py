"""Two maps' dominoes put into common rounds, where four dice serve both players.

What is looked for: an order of each map's dominoes, side by side, such that in each
round two of the four dice make one domino and the other two make the other, or make
one that its player had no room for. A find proves that the dice allow both maps; no
find proves nothing, but two other things do (`ruled_out`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product

from kdscan.game.duel.audit.dominoes import PAIRS, Dice, Half, Task, bits, room
from kdscan.game.duel.audit.ways import MAP_WIZARDS, Terms, Way, ways
from kdscan.game.duel.board import Board
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import DICE, SQUARES
from kdscan.game.duel.drawing import CASTLE_BITS, number

Maps = tuple[Board, Board]

Round = tuple[int | None, int | None]
"""Which step of each map's order is drawn; None where that player drew nothing."""

MOST_STATES = 20_000
"""Dead ends met before the search for common rounds gives up."""

MOST_WAYS = 60
"""Ways to each map that are all tried against all of the other's; more are not tried at all."""


@dataclass(frozen=True)
class Side:
    """One map with the way found to it."""

    task: Task
    way: Way

    def options(self, done: int) -> Iterator[int]:
        """Steps that can be drawn next, once the steps in `done` are."""
        strict = self.task.bonus.wizard is not None
        touched = CASTLE_BITS
        for k in bits(done):
            for i in self.way.order[k].piece:
                touched |= self.task.equal[i]
        for k, step in enumerate(self.way.order):
            if done >> k & 1:
                continue
            # Wizards' turns are kept as they were found; other dominoes may come earlier.
            in_turn = strict or step.power is not None
            before = (1 << k) - 1
            if done & before == before if in_turn else any(touched >> i & 1 for i in step.piece):
                yield k
            if strict:
                return

    def closed(self, done: int) -> frozenset[Coat]:
        """The coats of which no domino finds room."""
        drawn = sum(1 << i for k in bits(done) for i in self.way.order[k].piece)
        return frozenset(coat for coat in Coat if not self.task.has_room(coat, drawn))

    def pairs(self, k: int) -> int:
        """The two dice that can make that step, as bits of PAIRS."""
        return self.task.domino(self.way.order[k].piece).pairs


class Schedule:
    """Looks for common rounds, through so many states of play at most; `dead` leads nowhere."""

    def __init__(self, sides: tuple[Side, Side], most: int) -> None:
        self.most = most
        self.sides = sides
        self.goals = tuple((1 << len(side.way.order)) - 1 for side in sides)
        self.dead: set[tuple[int, int]] = set()

    def run(self, one: int = 0, two: int = 0) -> tuple[Round, ...] | None:
        """Rounds from where those steps of either map are drawn, or None when none were found."""
        if (one, two) == self.goals:
            return ()
        if (one, two) in self.dead or len(self.dead) > self.most:
            return None
        for this in self._rounds(one, two):
            k, m = this
            rest = self.run(one | (0 if k is None else 1 << k), two | (0 if m is None else 1 << m))
            if rest is not None:
                return (this, *rest)
        self.dead.add((one, two))
        return None

    def _rounds(self, one: int, two: int) -> Iterator[Round]:
        first, second = self.sides
        for k in first.options(one):
            for m in second.options(two):
                if first.pairs(k) & _complements(second.pairs(m)):
                    yield k, m
        closed = second.closed(two)
        yield from ((k, None) for k in first.options(one) if _idle(first.pairs(k), closed))
        closed = first.closed(one)
        yield from ((None, m) for m in second.options(two) if _idle(second.pairs(m), closed))


def _complements(pairs: int) -> int:
    """The other two dice of each pair; PAIRS mirrors complements."""
    return sum(1 << len(PAIRS) - 1 - i for i in bits(pairs))


def _idle(pairs: int, closed: frozenset[Coat]) -> bool:
    """Whether the dice left over can show a domino that its player has no room for."""
    # A joker never asks for less: it has no room only where no coat has any.
    return any(
        all(any(face.coat in closed for face in DICE[die]) for die in PAIRS[i])
        for i in bits(_complements(pairs))
    )


def common_rounds(
    maps: Maps, pairs: Iterable[tuple[Way, Way]], dice: Dice
) -> tuple[tuple[Way, Way] | None, tuple[Round, ...] | None]:
    """The first two ways that have common rounds, and these; None, None when none were found and
    None, () when there certainly are none among them."""
    states = 0
    for pair in pairs:
        one, two = (
            Side(Task(board, way.bonus, dice), way) for board, way in zip(maps, pair, strict=True)
        )
        search = Schedule((one, two), MOST_STATES - states)
        rounds = search.run()
        if rounds is not None:
            return pair, rounds
        states += len(search.dead)
        if states >= MOST_STATES:
            return None, None
    return None, ()


def ruled_out(maps: Maps, terms: tuple[Terms, Terms], dice: Dice) -> str | None:
    """Why no rounds of the four dice make both maps; None when that is not known."""
    if _used_up(maps, terms, dice):
        return "there are more shields of some dice than the rounds have of those dice"
    if _all_tried(maps, terms, dice):
        return "no dominoes of theirs go together round by round"
    return None


def _used_up(maps: Maps, terms: tuple[Terms, Terms], dice: Dice) -> bool:
    """Whether some dice are needed more often than the rounds have them.

    Every round shows each die once. Where no round passed without drawing on either map,
    there were as many rounds as dominoes on one of them.
    """
    for board in maps:
        if not room(sum(1 << number(cell) for cell in board)) & CASTLE_BITS:
            return False
    rounds = len(maps[0]) // 2
    # A cross of the castle or the wizard may hide what the die showed.
    hidden = sum(term.castle_left for term in terms) + 1
    need = [
        frozenset(die for die in range(len(DICE)) if dice.can(die, Half(s.coat, s.crosses)))
        for board in maps
        for s in board.values()
    ]
    return any(
        sum(one <= set(some) for one in need) - hidden > count * rounds
        for count in range(1, len(DICE))
        for some in combinations(range(len(DICE)), count)
    )


def _all_tried(maps: Maps, terms: tuple[Terms, Terms], dice: Dice) -> bool:
    """Whether every way to one map was tried against every way to the other, in vain."""
    if any(_may_have_wizard(board, term) for board, term in zip(maps, terms, strict=True)):
        return False
    one, two = (
        list(islice(ways(board, term, dice, each=MOST_WAYS + 1), MOST_WAYS + 1))
        for board, term in zip(maps, terms, strict=True)
    )
    if max(len(one), len(two)) > MOST_WAYS:
        return False
    return common_rounds(maps, product(one, two), dice) == (None, ())


def _may_have_wizard(board: Board, terms: Terms) -> bool:
    """Whether a wizard can have changed the map; one cross may be the checked wizard's."""
    shown = [shield.coat for shield in board.values() if shield.crosses <= 1]
    return terms.obtained or any(shown.count(c) >= SQUARES[c] for c in MAP_WIZARDS & terms.wizards)
