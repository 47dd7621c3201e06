"""Stage: probabilities → the most probable board and the confidence of its total.

The confidence of a total is the summed probability of all boards with that total. A doubt that
cannot change the total (which of two worthless coats?) only lowers its own cell's confidence; the
shields marked for review are the few that would settle the total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from kdscan.marks.posterior import joint, likely_boards
from kdscan.marks.risk import DEFAULT_RISK
from kdscan.records import CELLS, COATS, CellReading, MarkProbs, Marks, Reading, calibrated
from kdscan.records.arrays import Floats
from kdscan.rules.duel.scoring import domain_points

CELL_DOUBT = 0.8
"""A shield with less confidence is marked for review even if the total needs none."""

SHARPENING = 1.25
"""Exponent (inverse temperature) of the shields' probabilities for totals: boards with many small
doubts are wrong less often than the sum of these suggests. On 1,748 photos 35 rather than 38% of
the totals need review with it, at the same error rate."""

MAX_BOARDS = 300
"""Most boards that are listed; the remaining probability counts as wrong."""

RankedBoard = tuple[float, tuple[Marks, ...], int]
"""A board: its probability, its 34 shields' marks, its total."""


def decode(probs: MarkProbs, risk: float = DEFAULT_RISK) -> Reading:
    """Choose the most probable board and the shields that a person should check.

    risk: the largest acceptable probability that a total which is not marked for review is wrong.
    """
    both = joint(probs)
    boards = _rank_boards(_sharpen(both), risk)
    _, best, total = boards[0]
    same_total = sum(p for p, _, t in boards if t == total)
    confidence = calibrated(same_total * probs.placed, probs.calibration)
    to_review = _cells_to_review(boards, risk) if confidence < 1 - risk else set()
    cells = []
    for i, (row, col) in enumerate(CELLS):
        coat, crosses = best[i]
        p = float(both[i, COATS.index(coat), crosses])
        seen = (COATS[int(probs.coat[i].argmax())], int(probs.crosses[i].argmax()))
        overruled = None if seen == (coat, crosses) else seen
        review = i in to_review or p < CELL_DOUBT
        cells.append(CellReading(row, col, coat, crosses, p * probs.placed, review, overruled))
    used = probs.castle_used
    castle = None if 0.1 < used < 0.9 else used > 0.5
    return Reading(tuple(cells), castle, confidence, confidence < 1 - risk, _totals(boards))


def _sharpen(both: Floats) -> Floats:
    """(34, 7, 5): probabilities raised to `SHARPENING`; each shield's sum to 1."""
    sharp = both**SHARPENING
    return np.asarray(sharp / sharp.sum((1, 2), keepdims=True))


def _rank_boards(both: Floats, risk: float) -> list[RankedBoard]:
    """The most probable boards, until the remaining probability is negligible."""
    boards: list[RankedBoard] = []
    rest = 1.0
    for p, marks in likely_boards(both):
        boards.append((p, marks, domain_points(marks)))
        rest -= p
        if rest < risk / 20 or len(boards) == MAX_BOARDS:
            break
    return boards


def _totals(boards: Sequence[RankedBoard]) -> tuple[tuple[int, float], ...]:
    """Each total with its probability, the most probable first."""
    chance: dict[int, float] = {}
    for p, _, total in boards:
        chance[total] = chance.get(total, 0.0) + p
    return tuple(sorted(chance.items(), key=lambda t: -t[1]))


def _cells_to_review(boards: Sequence[RankedBoard], risk: float) -> set[int]:
    """Indices of the few shields whose true marks would settle the total.

    Greedy: each step takes the shield that distinguishes the most probability of boards with
    another total from the best board, until the boards that no answer rules out are rarer than
    the risk allows, or no shield alone gains enough to ask for it. None if the grid itself may be
    wrong, or there are too many boards to list.
    """
    _, best, total = boards[0]
    others = [(p, marks) for p, marks, t in boards if t != total]
    chosen: set[int] = set()
    while sum(p for p, _ in others) > risk / 2:
        gain = [sum(p for p, marks in others if marks[i] != best[i]) for i in range(len(best))]
        first = int(np.argmax(gain))
        if chosen and gain[first] < risk / 4:
            break
        chosen.add(first)
        others = [(p, marks) for p, marks in others if marks[first] == best[first]]
    return chosen


def corrected(probs: MarkProbs, corrections: Mapping[tuple[int, int], Marks]) -> MarkProbs:
    """The probabilities with a person's corrections: certainty for the shields they name."""
    coat, crosses = probs.coat.copy(), probs.crosses.copy()
    for at, (what, n) in corrections.items():
        i = CELLS.index(at)
        coat[i], crosses[i] = 0, 0
        coat[i, COATS.index(what)] = 1
        crosses[i, n] = 1
    return replace(probs, coat=coat, crosses=crosses)
