"""Lawful ways to a map: who got the bonus crosses, which wizards helped, dominoes in order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import NamedTuple

from kdscan.rules.duel.audit.orders import Drawn, Needs, Orders
from kdscan.rules.duel.audit.search import Search
from kdscan.rules.duel.audit.shields import LAW, Bonus, Budget, Dice, Task
from kdscan.rules.duel.audit.terms import Chances, Record, Terms, bonuses
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import SQUARES

HELPERS = (Coat.DOT, Coat.LINE)
"""The coats whose wizards help a domino onto the map."""


class Way(NamedTuple):
    """A lawful way to a board: who got the bonus crosses, and the pieces in order.

    idle: after how many pieces a domino with which coat had no room, if that is needed.
    """

    bonus: Bonus
    order: tuple[Drawn, ...]
    idle: tuple[tuple[int, Coat], ...] = ()


def find_way(
    board: Board, terms: Terms, dice: Dice = LAW, budget: Budget | None = None
) -> Way | None:
    """The first way found, with no more wizards than needed; None proves there is none.

    Raises OutOfStepsError if the budget ends before that is known.
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

    each: None for all ways that differ in more than who got the bonus crosses; or a number of ways
    for each choice of bonus crosses, even if they differ only in combination with other maps.
    """
    if len(board) % 2:
        return
    chances = Chances(board, terms)
    bare = Task(board, dice, budget)
    tried: set[object] = set()
    for bonus in bonuses(board, terms, dice):
        task = bare.with_bonus(bonus)
        won = not task.wizard or chances.in_time(Coat.CHECKED, task.filled, task.wizard)
        if won and (terms.obtained or matches_book(task, terms.recorded)):
            yield from islice(_ways(task, chances, tried, each is not None), each)


def _ways(task: Task, chances: Chances, tried: set[object], every: bool) -> Iterator[Way]:
    """Lawful orders, except those of splits that were tried before.

    Bonus crosses only affect which shields make dominoes, with which dice, and which fill squares;
    the wizard's own cross only adds requirements. Dice matter for the turns of wizards: they say
    which squares a domino fills, and which shields can be drawn apart.
    """
    terms = chances.terms
    dots, lines = (task.shown(coat) for coat in HELPERS)
    # What a French spellbook counts beyond the map was obtained in vain.
    more = (coat for coat, count in terms.recorded if count > task.shown(coat).bit_count())
    needs = Needs(terms.obtained, frozenset(more if terms.obtained else ()), terms.idle)
    won = {coat: chances.winnable(coat, task.filled, task.wizard) for coat in HELPERS}
    for free, apart in product((False, True), repeat=2):
        if apart > won[Coat.LINE] or free > won[Coat.DOT]:
            continue
        look = (*task.partners.values(), dots, lines, needs, free, apart)
        # Without wizards' turns the castle's cross matters only for which shields make dominoes.
        own = task.bonus if every or free or apart or task.wizard else None
        if not tried.isdisjoint({(look, 0), (look, own)}):
            continue
        hope = False
        # Where dots are not obtained in vain, the dot's wizard must be won with the other parts.
        spare = dots.bit_count() - SQUARES[Coat.DOT]
        search = Search(
            task, task.filled, 2 * apart, free, spare if free and not terms.obtained else None
        )
        for pieces in search.run():
            orders = Orders(task, pieces, free, needs)
            if orders.hopeful(chances, task.wizard):
                hope = True
                found = orders.find()
                if found is not None:
                    yield Way(task.bonus, *found)
        tried.add((look, own if hope else 0))


def matches_book(task: Task, recorded: Record) -> bool:
    """Whether the map has all the coats without a cross on their dice that the spellbook counts."""
    return all(task.shown(coat).bit_count() >= count for coat, count in recorded)
