"""The game's rules as evidence against a reading; a broken rule becomes a question about cells.

A correct reading can break the rules, because people make mistakes. Not even an odd number of
shields is proof of an error: with the line's wizard the two dice may be drawn apart, and only one
may have found room.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import log

import numpy as np

from kdscan.records import CELLS, Reading, calibrated
from kdscan.rules.duel.audit import quick_problems
from kdscan.rules.duel.board import Board
from kdscan.rules.grid import Cell, alone
from kdscan.rules.problem import Problem, is_open

DOMINO_CODES = ("odd_shields", "unpaired_shields", "unconnected_domino", "wizard_too_early")
"""Codes of problems of how dominoes lie, which do not affect the score."""

P_BROKEN_IF_RIGHT = 0.2
"""Probability that a correct reading breaks a rule: 22 of 90 boards in photographs do, none of
those at the end of simulated games."""

P_BROKEN_IF_WRONG = 0.7
"""Probability that a wrong reading breaks a rule: all that miss a shield or have one too many do,
13% of those with one wrong coat, 4% with one wrong number of crosses (150 simulated boards each).
Among synthetic photos 158 of 184 wrong readings break one, but only 9 of 13 whose total is
confidently wrong because of a covered shield."""

LOG_RATIO = log(P_BROKEN_IF_RIGHT / P_BROKEN_IF_WRONG)
"""Weight of evidence (Good 1950) of a broken rule, in natural log odds of the total. Unbroken rules
add nothing: the networks were calibrated on boards that break none."""

STANDS = "The score stands."


def questions(board: Board, castle_used: bool | None) -> tuple[Problem, ...]:
    """The rule problems of a board, as questions (warnings); only the impossible stays an error."""
    return tuple(_as_question(board, one) for one in quick_problems(board, castle_used))


def apply_rules(
    reading: Reading, broken: Sequence[Problem], risk: float, checked: Collection[Cell] = ()
) -> Reading:
    """The reading with broken rules taken into account in its confidence.

    broken: as returned by `questions`. risk: accepted probability that a total which is not marked
    for review is wrong. checked: shields that a person has checked; problems of these alone are the
    players' own. If the reading needs review only now, the least confident unchecked shield that a
    problem names is marked.
    """
    broken = [one for one in broken if is_open(one.cells, checked)]
    if not broken:
        return reading
    confidence = calibrated(reading.confidence, np.array([1.0, LOG_RATIO]))
    review = confidence < 1 - risk
    cells = reading.cells
    if review and not any(cell.review for cell in cells):
        named = {cell for problem in broken for cell in problem.cells}
        unchecked = [i for i, one in enumerate(cells) if one.at not in checked]
        candidates = [i for i in unchecked if cells[i].at in named] or unchecked
        worst = min(candidates, key=lambda i: cells[i].confidence, default=None)
        cells = tuple(replace(c, review=c.review or i == worst) for i, c in enumerate(cells))
    return replace(reading, cells=cells, confidence=confidence, review=review)


def _as_question(board: Board, problem: Problem) -> Problem:
    if problem.code not in DOMINO_CODES:
        return problem
    if problem.code != "unpaired_shields":
        return replace(problem, severity="warning")
    if lonely := alone(board):
        return _warning("unpaired_shields", _alone(len(lonely)), lonely)
    if len(board) % 2:
        text = (
            f"{len(board)} shields are filled, but every round fills two. {STANDS} Is one missing?"
        )
        return _warning("odd_shields", text, tuple(cell for cell in CELLS if cell not in board))
    count = len(problem.cells)
    text = f"dominoes cannot cover these {count} shields. {STANDS} Is one missing, or one too many?"
    return _warning("unpaired_shields", text, problem.cells)


def _alone(count: int) -> str:
    what = "this shield lies" if count == 1 else f"these {count} shields lie"
    return f"{what} alone, but every round fills two side by side. {STANDS} Is one missing?"


def _warning(code: str, text: str, cells: tuple[Cell, ...]) -> Problem:
    return Problem(code, "warning", text, cells)
