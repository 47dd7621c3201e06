"""What the rules have to say of a board that was read: questions with their places, no verdicts.

A right reading may well break the rules, because people err. Nor is an odd number of shields a
proof: with the line's wizard the dice are drawn apart, and one of them may be all that found room.
"""

from __future__ import annotations

from dataclasses import replace

from kdscan.game.duel.audit.quick import quick_problems
from kdscan.game.duel.board import Board
from kdscan.game.duel.report import alone
from kdscan.game.grid import Cell
from kdscan.game.problem import Problem
from kdscan.records import CELLS

DOMINOES = ("odd_shields", "unpaired_shields", "unconnected_domino", "wizard_too_early")
"""Codes of what only says that dominoes cannot lie like that: the score stands whatever it is."""

STANDS = "The score stands"


def questions(board: Board, castle_used: bool | None) -> tuple[Problem, ...]:
    """What a person may ask of a board; errors are left only for what no paper can show."""
    return tuple(_asked(board, one) for one in quick_problems(board, castle_used))


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
