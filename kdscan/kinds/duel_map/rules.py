"""What the rules have to say of a board that was read: questions with their places, no verdicts.

A right reading may well break the rules, because people err. Nor is an odd number of shields a
proof: with the line's wizard the dice are drawn apart, and one of them may be all that found room.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import log

import numpy as np

from kdscan.game.duel.audit import quick_problems
from kdscan.game.duel.board import Board
from kdscan.game.duel.report import alone
from kdscan.game.grid import Cell
from kdscan.game.problem import Problem, unanswered
from kdscan.records import CELLS, Reading, calibrated

DOMINOES = ("odd_shields", "unpaired_shields", "unconnected_domino", "wizard_too_early")
"""Codes of what only says that dominoes cannot lie like that: the score stands whatever it is."""

HONEST = 0.2
"""Share of right readings against which the rules have something: people err, and an odd number of
shields can be honest. Of 90 boards in photographs 22 are so; of those that simulated games end
with none is."""

CAUGHT = 0.7
"""Share of wrong readings that the rules notice: all that miss one shield or see one too many,
13% of those with one wrong coat, 4% with one wrong number of crosses (150 simulated boards each);
158 of 184 wrong readings of synthetic photos, but of those that a covered shield made sure of a
wrong total only 9 of 13."""

EVIDENCE = log(HONEST / CAUGHT)
"""Weight of evidence, in natural log odds, that a broken rule has against a total (Good 1950). That
nothing is broken is no evidence for it: what the networks may be believed was fitted on boards
that break none."""

STANDS = "The score stands"


def questions(board: Board, castle_used: bool | None) -> tuple[Problem, ...]:
    """What a person may ask of a board; errors are left only for what no paper can show."""
    return tuple(_asked(board, one) for one in quick_problems(board, castle_used))


def weighed(
    reading: Reading, broken: Sequence[Problem], risk: float, looked_at: Collection[Cell] = ()
) -> Reading:
    """The reading with what the rules say in its confidence.

    broken: what `questions` found. risk: accepted probability that a total which asks for no
    review is wrong. looked_at: shields that a person has looked at; rules that point at those alone
    are broken on paper. Where it asks for a review only now, the shield to look at is the least
    sure of the others that the rules point at.
    """
    broken = [one for one in broken if unanswered(one.cells, looked_at)]
    if not broken:
        return reading
    sure = calibrated(reading.confidence, np.array([1.0, EVIDENCE]))
    review = sure < 1 - risk
    cells = reading.cells
    if review and not any(cell.review for cell in cells):
        named = {cell for problem in broken for cell in problem.cells}
        unseen = [i for i, one in enumerate(cells) if (one.row, one.col) not in looked_at]
        asked = [i for i in unseen if (cells[i].row, cells[i].col) in named] or unseen
        worst = min(asked, key=lambda i: cells[i].confidence, default=None)
        cells = tuple(replace(c, review=c.review or i == worst) for i, c in enumerate(cells))
    return replace(reading, cells=cells, confidence=sure, review=review)


def _asked(board: Board, problem: Problem) -> Problem:
    if problem.code not in DOMINOES:
        return problem
    if problem.code != "unpaired_shields":
        return replace(problem, severity="warning")
    filled = tuple(sorted(board))
    if lonely := alone(board):
        return _question("unpaired_shields", _alone(len(lonely)), lonely)
    if len(filled) % 2:
        text = f"{len(filled)} shields are filled; rounds fill two. Is one missing? {STANDS}"
        return _question("odd_shields", text, _empty(board))
    count = len(problem.cells)
    text = f"dominoes cannot cover these {count} shields. Is one missing, or one too many? {STANDS}"
    return _question("unpaired_shields", text, problem.cells)


def _alone(count: int) -> str:
    what = "this shield lies" if count == 1 else f"these {count} shields lie"
    return f"{what} alone; rounds fill two side by side. Is one missing? {STANDS}"


def _empty(board: Board) -> tuple[Cell, ...]:
    return tuple(cell for cell in CELLS if cell not in board)


def _question(code: str, text: str, cells: tuple[Cell, ...]) -> Problem:
    return Problem(code, "warning", text, cells)
