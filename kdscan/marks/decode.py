"""Stage: probabilities → the most probable board, and how far to trust its total.

What counts for a player is the total: its confidence is the probability of all boards
that give it. A doubt that cannot change the total (which of two worthless coats?)
lowers no confidence but its own cell's, and what a person is asked to look at are the
few shields that would settle the total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kdscan.game.duel.board import Board, Shield
from kdscan.game.duel.scoring import score_board
from kdscan.marks.posterior import alternatives, joint, likely_boards
from kdscan.marks.risk import DEFAULT_RISK
from kdscan.records import CELLS, COATS, CellReading, MarkProbs, Marks, Reading, calibrated
from kdscan.records.arrays import Floats

__all__ = ["Marks", "alternatives", "board_of", "corrected", "decode", "joint"]

CELL_DOUBT = 0.8
"""A shield that is less sure than this is shown as doubtful even where it changes no total."""

SHARPER = 1.25
"""Exponent of a shield's probabilities where they make a total's: small doubts of many shields come
true less often than they add up to, a large one of a single shield as often. On 1,748 photos 35
rather than 38% of the totals ask for a look with it, at the same risk."""

BOARDS = 300
"""So many most probable boards make the confidence; the rest counts as wrong."""

Listed = tuple[float, tuple[Marks, ...], int]
"""A board: its probability, what its shields hold, its total."""


def board_of(marks: Mapping[tuple[int, int], Marks]) -> Board:
    """The board that a reading stands for: filled shields alone."""
    return Board({at: Shield(coat, n) for at, (coat, n) in marks.items() if coat is not None})


def decode(probs: MarkProbs, risk: float = DEFAULT_RISK) -> Reading:
    """Choose the most probable board and say where a person should look."""
    both = joint(probs)
    boards = _listed(_sharpened(both), risk)
    _, best, total = boards[0]
    settled = sum(p for p, _, t in boards if t == total)
    sure = calibrated(min(settled, 1.0) * probs.placed, probs.calibration)
    look = _to_look_at(boards, risk) if sure < 1 - risk else set()
    cells = []
    for i, (row, col) in enumerate(CELLS):
        coat, crosses = best[i]
        p = float(both[i, COATS.index(coat), crosses])
        seen = (COATS[int(probs.coat[i].argmax())], int(probs.crosses[i].argmax()))
        overruled = None if seen == (coat, crosses) else seen
        doubt = i in look or p < CELL_DOUBT
        cells.append(CellReading(row, col, coat, crosses, p * probs.placed, doubt, overruled))
    used = probs.castle_used
    castle = None if 0.1 < used < 0.9 else used > 0.5
    return Reading(tuple(cells), castle, sure, sure < 1 - risk, _totals(boards))


def _sharpened(both: Floats) -> Floats:
    """(34, 7, 5), rows of shields that sum to 1."""
    sharp = both**SHARPER
    return np.asarray(sharp / sharp.sum((1, 2), keepdims=True))


def _listed(both: Floats, risk: float) -> list[Listed]:
    """The most probable boards, until what is left matters no more."""
    boards: list[Listed] = []
    rest = 1.0
    for p, marks in likely_boards(both):
        total = score_board(board_of(dict(zip(CELLS, marks, strict=True)))).domain_points
        boards.append((p, marks, total))
        rest -= p
        if rest < risk / 20 or len(boards) == BOARDS:
            break
    return boards


def _totals(boards: Sequence[Listed]) -> tuple[tuple[int, float], ...]:
    """Each total with its probability, the most probable first."""
    chance: dict[int, float] = {}
    for p, _, total in boards:
        chance[total] = chance.get(total, 0.0) + p
    return tuple(sorted(chance.items(), key=lambda t: -t[1]))


def _to_look_at(boards: Sequence[Listed], risk: float) -> set[int]:
    """The few shields that settle the total once a person has said what they hold.

    Greedy: the shield that tells most of the boards with another total from the best one
    comes first, until the boards that no answer rules out are as rare as the risk allows,
    or each shield alone tells too little to ask for it.
    """
    _, best, total = boards[0]
    others = [(p, marks) for p, marks, t in boards if t != total]
    look: set[int] = set()
    while sum(p for p, _ in others) > risk / 2:
        gain = [sum(p for p, marks in others if marks[i] != best[i]) for i in range(len(best))]
        first = int(np.argmax(gain))
        if look and gain[first] < risk / 4:
            break
        look.add(first)
        others = [(p, marks) for p, marks in others if marks[first] == best[first]]
    if not look:  # the grid itself may be wrong, or boards are too many to list
        same = [sum(p for p, marks, _ in boards if marks[i] == best[i]) for i in range(len(best))]
        look.add(int(np.argmin(same)))
    return look


def corrected(probs: MarkProbs, corrections: Mapping[tuple[int, int], Marks]) -> MarkProbs:
    """The same probabilities where a person has said what some shields hold."""
    coat, crosses = probs.coat.copy(), probs.crosses.copy()
    for at, (what, n) in corrections.items():
        i = CELLS.index(at)
        coat[i], crosses[i] = 0, 0
        coat[i, COATS.index(what)] = 1
        crosses[i, n] = 1
    return replace(probs, coat=coat, crosses=crosses)
