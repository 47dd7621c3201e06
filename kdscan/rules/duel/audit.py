"""Whether a lawful game leads to a map: an order of play as a witness, or what forbids it.

docs/audit.md says how the rules are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kdscan.rules import Cell, Problem
from kdscan.rules.duel.board import Board, Coat, spoken
from kdscan.rules.duel.legality import (
    ANY_DICE,
    KNOWN_DICE,
    MAP_WIZARDS,
    Dice,
    Terms,
    cross_problems,
    dice_problems,
    die_shows,
    domino_problems,
)
from kdscan.rules.duel.play import ENGLISH, Edition
from kdscan.rules.duel.search import Budget, OutOfStepsError, Task, Witness, connects, ways
from kdscan.rules.duel.spellbook import Spellbook

STEPS = 3_000_000
"""Steps of a search before it gives up: some five seconds. They are counted, not timed, so that the
answer is the same on every machine."""


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    lawful: whether the rulebooks allow the map; None if the search gave up.
    problems: errors if it is not lawful, warnings if only the known dice forbid it.
    witness: a lawful way to the map, None if there is none.
    """

    lawful: bool | None
    problems: tuple[Problem, ...] = ()
    witness: Witness | None = None


def audit_map(
    board: Board,
    castle_used: bool | None = None,
    *,
    spellbook: Spellbook | None = None,
    player: int = 0,
    edition: Edition = ENGLISH,
) -> Audit:
    """Audit one map, finished or not.

    castle_used: whether the roof is coloured, None if that is not known.
    spellbook, player: the game's spellbook, if available, and whose map it is.
    """
    if spellbook is None:
        return audit_on_terms(board, Terms(castle_used, obtained=edition.obtained))
    lines = spellbook.lines[player]
    won = {coat for coat in Coat if spellbook.owner(coat) == player}
    terms = Terms(
        castle_used,
        frozenset(c for c in MAP_WIZARDS & won if lines[c].used or c is Coat.CHECKED),
        cross_given=Coat.CHECKED in won,
        recorded=tuple((coat, lines[coat].filled) for coat in Coat),
        obtained=edition.obtained,
    )
    return audit_on_terms(board, terms)


def audit_on_terms(board: Board, terms: Terms, steps: int = STEPS) -> Audit:
    """Audit one map, given what else is known; steps: the limit of each search."""
    try:
        witness = find_witness(board, terms, steps)
        if witness is None:
            return Audit(False, _errors(board, terms, steps))
    except OutOfStepsError:
        return Audit(None)
    try:
        by_dice = find_witness(board, terms, steps, KNOWN_DICE)
    except OutOfStepsError:
        by_dice = witness  # as long as nothing is known against it
    if by_dice is not None:
        return Audit(True, (), by_dice)
    problems = dice_problems(board, terms)
    if not problems:
        why = f"no known dice make dominoes of these {len(board)} shields"
        problems = (Problem("dice", "warning", why, tuple(board)),)
    return Audit(True, problems, witness)


def _errors(board: Board, terms: Terms, steps: int) -> tuple[Problem, ...]:
    """What the rulebooks forbid about a board that no lawful game leads to."""
    problems = (*cross_problems(board, terms), *domino_problems(board, terms))
    if problems:
        return problems
    why = "not every domino can touch the castle or an equal coat drawn in an earlier round"
    unconnected = Problem("unconnected_domino", "error", why, tuple(board))
    why = "a wizard's help is needed before the spellbook can have granted it"
    too_early = Problem("wizard_too_early", "error", why, tuple(board))
    try:
        if find_witness(board, replace(terms, recorded=()), steps) is not None:
            return tuple(_book_problems(board, terms, steps))
        connect = connects(board, terms, steps)  # crosses have been judged
    except OutOfStepsError:
        connect = True
    return (too_early if connect else unconnected,)


def _book_problems(board: Board, terms: Terms, steps: int) -> Iterator[Problem]:
    """The spellbook's lines that contradict the map: each by itself, or else all together."""
    lines = tuple((coat, count) for coat, count in terms.recorded if count)

    def fits(line: tuple[Coat, int]) -> bool:
        return find_witness(board, replace(terms, recorded=(line,)), steps) is not None

    covered = board if terms.crossed(board, board) else ()
    alone = [(line,) for line in lines if not fits(line)]
    for wrong in alone or (lines,):
        counts = " and ".join(f"{count} {spoken(coat)}" for coat, count in wrong)
        most = (str(terms.most_squares(board, coat, covered)) for coat, _ in wrong)
        why = f"the spellbook counts {counts} without a cross, the map shows "
        why += f"{' and '.join(most)} at most" + ", not all at once" * (not alone)
        why += ", and there was room to draw more" * terms.obtained
        coats = [coat for coat, _ in wrong]
        cells = tuple(cell for cell, shield in board.items() if shield.coat in coats)
        yield Problem("spellbook", "error", why, cells)


def find_witness(board: Board, terms: Terms, steps: int, dice: Dice = ANY_DICE) -> Witness | None:
    """The first way found, with no more wizards than needed; None proves that there is none.

    Raises OutOfStepsError if that many steps end before that is known.
    """
    budget, tried = Budget(steps), set[object]()
    for castle, wizard in _bonuses(board, terms, dice) if len(board) % 2 == 0 else ():
        task = Task(board, terms, dice, castle, wizard, budget)
        enough = all(task.plain[coat].bit_count() >= n for coat, n in terms.recorded)
        won = not wizard or task.in_time(Coat.CHECKED, task.filled)
        if (enough or terms.obtained) and won and (way := next(ways(task, tried), None)):
            return way
    return None


def _bonuses(board: Board, terms: Terms, dice: Dice) -> Iterator[tuple[Cell | None, Cell | None]]:
    """Every choice of castle's and wizard's cross for which dice can show the rest.

    By the rulebooks alone any two shields make a domino, so one place for the castle's is enough.
    """
    crossed = [cell for cell, shield in board.items() if shield.crosses]
    odd = {cell for cell, s in board.items() if not die_shows(dice, s.coat, s.crosses)}
    castles: list[Cell | None] = [] if terms.castle_used else [None]
    wizards: list[Cell | None] = [] if terms.cross_given else [None]
    castles += crossed if terms.castle_left else []
    wizards += crossed if Coat.CHECKED in terms.wizards else []
    for wizard in wizards:
        for castle in castles if len(odd) <= 2 else ():
            bonus = Counter((castle, wizard))
            if odd <= {castle, wizard} and all(
                die_shows(dice, board[cell].coat, board[cell].crosses - count)
                for cell, count in bonus.items()
                if cell
            ):
                yield castle, wizard
                if dice is ANY_DICE:
                    break
