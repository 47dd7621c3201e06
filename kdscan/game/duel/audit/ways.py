"""Lawful ways to a map: who got the bonus crosses, which wizards helped, dominoes in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from kdscan.game.duel.audit.dominoes import LAW, Bonus, Budget, Dice, Task
from kdscan.game.duel.audit.orders import Chances, Drawn, Idle, Needs, Orders, Plan
from kdscan.game.duel.audit.splits import Search
from kdscan.game.duel.board import Board
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.drawing import number
from kdscan.game.grid import Cell

HELPERS = (Coat.DOT, Coat.LINE)
"""The coats whose wizards help a domino onto the map."""

MAP_WIZARDS = frozenset({Coat.DOT, Coat.LINE, Coat.CHECKED})
"""The wizards that change what a map can look like."""

Record = tuple[tuple[Coat, int], ...]
"""Squares filled on lines of the spellbook."""


@dataclass(frozen=True)
class Terms:
    """What is known beside the map.

    castle_used: whether the roof is coloured; None when nobody can tell.
    wizards: those that the player can have used.
    cross_given: whether the checked wizard's cross is certainly on the map.
    recorded: squares filled in the spellbook; empty when there is none.
    obtained: whether coats fill squares that were never drawn (French edition).
    idle: whether the player certainly had a round in which no domino had room.
    """

    castle_used: bool | None = None
    wizards: frozenset[Coat] = MAP_WIZARDS
    cross_given: bool = False
    recorded: Record = ()
    obtained: bool = False
    idle: bool = False

    @property
    def castle_left(self) -> bool:
        """Whether a cross can come from the castle."""
        return self.castle_used is not False


@dataclass(frozen=True)
class Way:
    """A lawful way to a board: who got the bonus crosses, and the pieces in order.

    idle: when dominoes of which coats had no room, where the way takes such rounds.
    """

    bonus: Bonus
    order: tuple[Drawn, ...]
    idle: tuple[Idle, ...] = ()


def find_way(
    board: Board, terms: Terms, dice: Dice = LAW, budget: Budget | None = None
) -> Way | None:
    """The first way found, with no more wizards than needed; None proves there is none.

    Raises OutOfStepsError when the budget ends before that is known.
    """
    return next(ways(board, terms, dice, budget=budget), None)


def ways(
    board: Board,
    terms: Terms,
    dice: Dice = LAW,
    each: int | None = None,
    budget: Budget | None = None,
) -> Iterator[Way]:
    """Ways to a board, at least one if there are any.

    each: None for all ways that differ in more than who got the castle's cross; a number for
    so many with each choice of bonus crosses, even where only other maps make a difference.
    """
    if len(board) % 2:
        return
    chances = Chances(board, terms.obtained)
    barren: set[_Structure] = set()
    for task in _tasks(board, terms, dice, chances, each is not None, budget):
        yield from islice(_ways(task, terms, chances, barren), each)


_Structure = tuple[tuple[int, ...], tuple[int, ...], bool, bool]
"""What decides whether any plan has a chance: partners, dots and lines that fill squares, two
dice apart, one part free."""


def _ways(task: Task, terms: Terms, chances: Chances, barren: set[_Structure]) -> Iterator[Way]:
    """Lawful orders; `barren` remembers structures without any chance from task to task."""
    # What a French spellbook counts beyond the map was obtained in vain.
    more = (coat for coat, count in terms.recorded if count > _shown(task, coat))
    needs = Needs(terms.obtained, frozenset(more if terms.obtained else ()), terms.idle)
    partners, helping = _look(task)
    wizard = task.wizard_cell
    covered = 1 << wizard if wizard in helping else 0
    won = {coat: _winnable(task, terms, coat) for coat in HELPERS}
    for apart, free in ((False, False), (True, False), (False, True), (True, True)):
        structure = partners, helping, apart, free
        if structure in barren or apart > won[Coat.LINE] or free > won[Coat.DOT]:
            continue
        hope = False
        # Where dots are not obtained in vain, the dot's wizard must be won with the other parts.
        spare = None if terms.obtained else _shown(task, Coat.DOT) - SQUARES[Coat.DOT]
        search = Search(task, task.filled, 2 * apart, free, spare if free else None)
        for pieces in search.run():
            orders = Orders(task, _plan(pieces, free), needs)
            if not orders.hopeful(chances, covered):
                continue
            hope = True
            possible = orders.plan.apart is None or task.domino(orders.plan.apart).pairs
            found = orders.find() if possible else None
            if found is not None:
                yield Way(task.bonus, *found)
        if not hope:
            barren.add(structure)


def _plan(pieces: tuple[tuple[int, int], ...], free: bool) -> Plan:
    """Two singles are one piece, drawn apart."""
    alone = sorted(i for i, j in pieces if i == j)
    if not alone:
        return Plan(pieces, None, free)
    lone = alone[0], alone[1]
    return Plan((*(piece for piece in pieces if piece[0] != piece[1]), lone), lone, free)


def _shown(task: Task, coat: Coat) -> int:
    """How many shields of a coat fill squares, unless a joker made them."""
    return sum(half.coat is coat and half.counts for half in task.halves.values())


def _winnable(task: Task, terms: Terms, coat: Coat) -> bool:
    return coat in terms.wizards and (terms.obtained or _shown(task, coat) >= SQUARES[coat])


def _look(task: Task) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Partners, and dots and lines that fill squares: all that bonus crosses change about a task,
    but for who got the wizard's.

    Where the castle's cross lies changes nothing else: a shield that may have it or not is shown
    by the same dice beside the same squares, even where jokers get no castle's cross.
    """
    helping = (i for i, half in task.halves.items() if half.counts and half.coat in HELPERS)
    return tuple(task.partners.values()), tuple(helping)


def _tasks(
    board: Board, terms: Terms, dice: Dice, chances: Chances, every: bool, budget: Budget | None
) -> Iterator[Task]:
    """The board with every choice of bonus crosses, or with all that make a difference."""
    # What a French spellbook counts beyond the map depends on every shield's own cross.
    every = every or (terms.obtained and bool(terms.recorded))
    tried: set[tuple[object, Cell | None]] = set()
    by_law: set[Cell | None] = set()
    for bonus in bonuses(board, terms, dice):
        # The wizard's cross may cover a coat that filled a square. By the rulebooks alone nothing
        # else about bonus crosses matters, and the cross itself only adds needs.
        wizard = bonus.wizard
        covers = wizard is not None and board[wizard].crosses == 1
        same = wizard if wizard is not None and covers and board[wizard].coat in HELPERS else None
        if dice is LAW and not every and not by_law.isdisjoint({wizard, same}):
            continue
        covered = 1 << number(wizard) if wizard is not None and covers else 0
        if wizard is not None and not chances.winnable(Coat.CHECKED, chances.filled, covered):
            continue
        task = Task(board, bonus, dice, budget)
        if terms.obtained or matches_book(task, terms.recorded):
            look = _look(task)
            if every or tried.isdisjoint({(look, wizard), (look, None)}):
                yield task
            tried.add((look, wizard))
            by_law.add(wizard)


def matches_book(task: Task, recorded: Record) -> bool:
    """Whether the map shows as many coats without a cross on their dice as the spellbook counts."""
    return all(_shown(task, coat) >= count for coat, count in recorded)


def bonuses(board: Board, terms: Terms, dice: Dice) -> Iterator[Bonus]:
    """Every choice of castle's and wizard's cross after which dice can show the rest."""
    crossed = [cell for cell, shield in board.items() if shield.crosses]
    strange = {c for c, shield in board.items() if not dice.shows(shield.coat, shield.crosses)}
    if len(strange) > 2:
        return
    castles: list[Cell | None] = [] if terms.castle_used else [None]
    wizards: list[Cell | None] = [] if terms.cross_given else [None]
    castles += crossed if terms.castle_left else []
    wizards += crossed if Coat.CHECKED in terms.wizards else []
    for wizard in wizards:
        for castle in castles:
            if strange <= {wizard, castle} and all(
                dice.shows(board[c].coat, board[c].crosses - (c == castle) - (c == wizard))
                for c in (castle, wizard)
                if c is not None
            ):
                yield Bonus(castle, wizard)
