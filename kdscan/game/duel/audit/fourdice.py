"""Whether common rounds of the four dice are ruled out for two maps: two kinds of proof."""

from __future__ import annotations

from itertools import combinations, islice, product

from kdscan.game.duel.audit.dominoes import Dice, Half, Task, room
from kdscan.game.duel.audit.rounds import MOST_STATES, Schedule, Side
from kdscan.game.duel.audit.ways import MAP_WIZARDS, Terms, ways
from kdscan.game.duel.board import Board
from kdscan.game.duel.dice import DICE, SQUARES
from kdscan.game.duel.drawing import CASTLE_BITS, number

Maps = tuple[Board, Board]

MOST_WAYS = 60
"""Ways to each map that are all tried against all of the other's; more are not tried at all."""


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
    if any(_may_idle(board) for board in maps):
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


def _may_idle(board: Board) -> bool:
    return not room(sum(1 << number(cell) for cell in board)) & CASTLE_BITS


def _all_tried(maps: Maps, terms: tuple[Terms, Terms], dice: Dice) -> bool:
    """Whether every way to one map was tried against every way to the other, in vain."""
    if any(_may_have_wizard(board, term) for board, term in zip(maps, terms, strict=True)):
        return False
    sides = []
    for board, term in zip(maps, terms, strict=True):
        found = list(islice(ways(board, term, dice, each=MOST_WAYS + 1), MOST_WAYS + 1))
        if len(found) > MOST_WAYS:
            return False
        sides.append([Side(Task(board, way.bonus, dice), way) for way in found])
    states = 0
    for pair in product(*sides):
        search = Schedule((pair[0], pair[1]), MOST_STATES - states)
        if search.run(0, 0) is not None:
            return False
        states += len(search.dead)
        if states >= MOST_STATES:
            return False
    return True


def _may_have_wizard(board: Board, terms: Terms) -> bool:
    """Whether a wizard can have changed the map; one cross may be the checked wizard's."""
    shown = [shield.coat for shield in board.values() if shield.crosses <= 1]
    return terms.obtained or any(shown.count(c) >= SQUARES[c] for c in MAP_WIZARDS & terms.wizards)
