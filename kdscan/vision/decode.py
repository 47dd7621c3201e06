"""Stage: probabilities → the most probable board, and how far to trust its total.

Shields are independent given the pixels, so the boards can be listed from the most
probable one down. What counts for a player is the total: its confidence is the
probability of all boards that give it. A doubt that cannot change the total (which
of two worthless coats?) lowers no confidence but its own cell's.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from kdscan.game.duel.board import Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.scoring import score_board
from kdscan.records import CELLS, COATS, MAX_CROSSES, CellReading, MarkProbs, Reading
from kdscan.vision.rectify import Floats

Marks = tuple[Coat | None, int]
"""What a shield holds: its coat, or None, and the number of crosses."""

DEFAULT_RISK = 0.02
"""A reading that is wrong with more than this probability asks for a look."""

CROSSED_EMPTY = 0.02
"""Weight of crosses beside an empty shield, which no rule allows, against none."""

BOARDS = 300
"""So many most probable boards make the confidence; the rest counts as wrong."""


def joint(probs: MarkProbs) -> Floats:
    """(34, 7, 5) float64: probability of each coat with each number of crosses.

    What the model saw, times what players do: two crosses beside a filled shield are
    common, one is rare, because the dice are as they are (`MarkProbs.habit`).
    """
    both = probs.coat[:, :, None] * probs.crosses[:, None, :] * probs.habit
    both[:, 0, 1:] *= CROSSED_EMPTY
    return np.asarray(both / both.sum((1, 2), keepdims=True))


def alternatives(probs: MarkProbs, index: int, at_most: int = 4) -> tuple[tuple[Marks, float], ...]:
    """What the shield `CELLS[index]` may hold, the most probable first, with probabilities."""
    flat = joint(probs)[index].ravel()
    best = np.argsort(-flat, kind="stable")[:at_most]
    return tuple((_marks(int(k)), float(flat[k])) for k in best)


def _marks(k: int) -> Marks:
    coat, crosses = divmod(k, MAX_CROSSES + 1)
    return COATS[coat], crosses


def best_boards(both: Floats) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Boards by falling probability: (probability, for each shield its rank of choice).

    Best-first search over ranks; a board's successors raise one shield's rank, at or
    after the last one that was raised, so that each board comes once.
    """
    logs = np.log(np.clip(-np.sort(-both.reshape(len(both), -1), axis=1), 1e-12, 1))
    start = (0,) * len(both)
    heap = [(-float(logs[:, 0].sum()), start, 0)]
    while heap:
        cost, ranks, last = heapq.heappop(heap)
        yield float(np.exp(-cost)), ranks
        for i in range(last, len(both)):
            k = ranks[i] + 1
            if k < logs.shape[1] and logs[i, k] > -9.2:  # below 1e-4 nothing matters
                worse = cost + float(logs[i, k - 1] - logs[i, k])
                heapq.heappush(heap, (worse, (*ranks[:i], k, *ranks[i + 1 :]), i))


def board_of(marks: Mapping[tuple[int, int], Marks]) -> Board:
    """The board that a reading stands for: filled shields alone."""
    return Board({at: Shield(coat, n) for at, (coat, n) in marks.items() if coat is not None})


def total_confidence(both: Floats) -> float:
    """Probability that the most probable board has the right total."""
    order = np.argsort(-both.reshape(len(both), -1), axis=1, kind="stable")
    right, first = 0.0, None
    for p, ranks in islice(best_boards(both), BOARDS):
        cells = {
            at: _marks(int(order[i, k])) for i, (at, k) in enumerate(zip(CELLS, ranks, strict=True))
        }
        total = score_board(board_of(cells)).domain_points
        first = total if first is None else first
        right += p * (total == first)
        if p < 1e-6:
            break
    return min(right, 1.0)


def decode(probs: MarkProbs, risk: float = DEFAULT_RISK) -> Reading:
    """Choose the most probable board and say where a person should look."""
    both = joint(probs)
    sure = total_confidence(both) * probs.placed
    review = sure < 1 - risk
    cells = []
    for i, (row, col) in enumerate(CELLS):
        ((coat, crosses), p), *_ = alternatives(probs, i, 1)
        seen = (COATS[int(probs.coat[i].argmax())], int(probs.crosses[i].argmax()))
        overruled = None if seen == (coat, crosses) else seen
        doubt = p < 1 - risk
        cells.append(CellReading(row, col, coat, crosses, p * probs.placed, doubt, overruled))
    if review and not any(c.review for c in cells):  # small doubts that add up: show the largest
        worst = min(range(len(cells)), key=lambda i: cells[i].confidence)
        cells[worst] = replace(cells[worst], review=True)
    used = probs.castle_used
    castle = None if 0.1 < used < 0.9 else used > 0.5
    return Reading(tuple(cells), castle, sure, review)


def corrected(probs: MarkProbs, corrections: Mapping[tuple[int, int], Marks]) -> MarkProbs:
    """The same probabilities where a person has said what some shields hold."""
    coat, crosses = probs.coat.copy(), probs.crosses.copy()
    for at, (what, n) in corrections.items():
        i = CELLS.index(at)
        coat[i], crosses[i] = 0, 0
        coat[i, COATS.index(what)] = 1
        crosses[i, n] = 1
    return replace(probs, coat=coat, crosses=crosses)
