"""Find a lawful way to a board: bonuses, wizards, dominoes and their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from kdscan.game.duel.audit.budget import Budget
from kdscan.game.duel.audit.chances import Chances
from kdscan.game.duel.audit.dominoes import LAW, Dice
from kdscan.game.duel.audit.idling import arrange_idling
from kdscan.game.duel.audit.moments import Idle, Needs
from kdscan.game.duel.audit.order import Drawn, Plan, arrange
from kdscan.game.duel.audit.task import Bonus, Task
from kdscan.game.duel.audit.tilings import plans
from kdscan.game.duel.board import Board
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.grid import Cell

HELPERS = (Coat.DOT, Coat.LINE)
"""The coats whose wizards help a domino onto the map."""

MAP_WIZARDS = frozenset({Coat.DOT, Coat.LINE, Coat.CHECKED})
"""The wizards that change what a map can look like."""


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
    recorded: tuple[tuple[Coat, int], ...] = ()
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
    needs = Needs(terms.obtained, _more_than_drawn(task, terms), terms.idle)
    partners, helping = tuple(task.partners.values()), _filling(task, HELPERS)
    wizard = task.wizard_cell
    covered = 1 << wizard if wizard in helping else 0
    for apart, free in ((False, False), (True, False), (False, True), (True, True)):
        if (apart and not _winnable(task, terms, Coat.LINE)) or (
            free and not _winnable(task, terms, Coat.DOT)
        ):
            continue
        structure = partners, helping, apart, free
        if structure in barren:
            continue
        none = True
        for plan in plans(task, apart, free, _spare(task, terms)):
            task.budget.spend(len(plan.pieces) * free)
            if not chances.allow(chances.calls(plan), covered):
                continue
            none = False
            way = _way(task, plan, needs)
            if way is not None:
                yield way
        if none:
            barren.add(structure)


def _way(task: Task, plan: Plan, needs: Needs) -> Way | None:
    if plan.apart is not None and not task.domino(plan.apart).pairs:
        return None
    if not needs.coats and not needs.some:
        order = arrange(task, plan)
        if order is not None:
            return Way(task.bonus, order)
    if needs == Needs():
        return None
    found = arrange_idling(task, plan, needs)
    return None if found is None else Way(task.bonus, *found)


def _more_than_drawn(task: Task, terms: Terms) -> frozenset[Coat]:
    """Coats of which the spellbook counts more than the map shows: some were not drawn."""
    if not terms.obtained:
        return frozenset()
    shown = Counter(half.coat for half in task.halves.values() if half.counts)
    return frozenset(coat for coat, count in terms.recorded if count > shown[coat])


def _winnable(task: Task, terms: Terms, coat: Coat) -> bool:
    if coat not in terms.wizards:
        return False
    return terms.obtained or len(_filling(task, (coat,))) >= SQUARES[coat]


def _spare(task: Task, terms: Terms) -> int | None:
    """Dots more than their wizard takes; None where they need not be drawn to win him."""
    return None if terms.obtained else len(_filling(task, (Coat.DOT,))) - SQUARES[Coat.DOT]


def _filling(task: Task, coats: tuple[Coat, ...]) -> tuple[int, ...]:
    """The shields of those coats that fill squares, unless a joker made them."""
    return tuple(i for i, half in task.halves.items() if half.counts and half.coat in coats)


def _tasks(
    board: Board, terms: Terms, dice: Dice, chances: Chances, every: bool, budget: Budget | None
) -> Iterator[Task]:
    """The board with every choice of bonus crosses, or with all that make a difference."""
    # What a French spellbook counts beyond the map depends on every shield's own cross.
    every = every or (terms.obtained and bool(terms.recorded))
    tried: set[_Look] = set()
    by_law: set[_Effect] = set()
    for bonus in bonuses(board, terms, dice):
        effect = _effect(board, bonus)
        if dice.data is None and not every and not by_law.isdisjoint({effect, _without(effect)}):
            continue
        if bonus.wizard is not None and not chances.checked(effect[1]):
            continue
        task = Task(board, bonus, dice, budget or Budget())
        if not matches_book(task, terms.recorded if not terms.obtained else ()):
            continue
        look = _look(task)
        # A wizard's cross only adds needs: without any other effect it is worth no try.
        known = look in tried or replace(look, wizard=None) in tried
        if known and not every:
            continue
        tried.add(look)
        by_law.add(effect)
        yield task


_Effect = tuple[Cell | None, Cell | None, bool]
"""Who got the wizard's cross, whom it leaves without one on the die, whether that helps a wizard
of the dot or line. By the rulebooks alone nothing else about bonus crosses matters."""


def _effect(board: Board, bonus: Bonus) -> _Effect:
    cell = bonus.wizard
    if cell is None or cell == bonus.castle or board[cell].crosses != 1:
        return cell, None, False
    return cell, cell, board[cell].coat in HELPERS


def _without(effect: _Effect) -> _Effect:
    """What is as good as an effect and asks for less."""
    return effect if effect[2] else (None, None, False)


@dataclass(frozen=True)
class _Look:
    """All that bonus crosses change about a task; equal looks have equal answers.

    Where the castle's cross lies changes nothing else: a shield that may have it or not is shown
    by the same dice beside the same squares, even where jokers get no castle's cross.
    """

    partners: tuple[int, ...]
    helping: tuple[int, ...]
    wizard: Cell | None


def _look(task: Task) -> _Look:
    return _Look(tuple(task.partners.values()), _filling(task, HELPERS), task.bonus.wizard)


def matches_book(task: Task, recorded: tuple[tuple[Coat, int], ...]) -> bool:
    """Whether the map shows as many coats without a cross on their dice as the spellbook counts."""
    halves = task.halves.values()
    return all(
        sum(half.coat is coat and half.counts for half in halves) >= count
        for coat, count in recorded
    )


def bonuses(board: Board, terms: Terms, dice: Dice) -> Iterator[Bonus]:
    """Every choice of castle's and wizard's cross after which dice can show the rest."""
    crossed = [cell for cell, shield in board.items() if shield.crosses]
    strange = frozenset(
        cell for cell, shield in board.items() if not dice.shows(shield.coat, shield.crosses)
    )
    if len(strange) > 2:
        return
    castles: list[Cell | None] = [*crossed] if terms.castle_left else []
    if not terms.castle_used:
        castles.insert(0, None)
    wizards: list[Cell | None] = [*crossed] if Coat.CHECKED in terms.wizards else []
    if not terms.cross_given:
        wizards.insert(0, None)
    for wizard in wizards:
        for castle in castles:
            if strange <= {wizard, castle} and _shown(board, castle, wizard, dice):
                yield Bonus(castle, wizard)


def _shown(board: Board, castle: Cell | None, wizard: Cell | None, dice: Dice) -> bool:
    """Whether dice show those two shields with their bonus crosses taken off."""
    return all(
        dice.shows(board[cell].coat, board[cell].crosses - (cell == castle) - (cell == wizard))
        for cell in (castle, wizard)
        if cell is not None
    )
