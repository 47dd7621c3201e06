"""Posterior probabilities of boards from the pixels and from how players lay dominoes.

Dominoes are laid coat to coat, so a shield's neighbours are evidence of its coat. (The number of
crosses that players usually draw beside a coat is not used: that made reading worse, see
`lab/training/README.md`.) Loopy belief propagation (Pearl 1988; Murphy, Weiss and Jordan, UAI
1999) passes messages between neighbours; afterwards the shields are treated as independent, so that
boards can be enumerated by falling probability.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from kdscan.imaging.picture import Floats
from kdscan.marks.network import MarkProbs
from kdscan.rules.duel.board import CASTLE, CELLS, COATS, COLS, MAX_CROSSES, ROWS, Marks

CROSSED_EMPTY = 0.02
"""Prior weight of crosses beside an empty shield, which the rules forbid, relative to none."""

NEIGHBOUR_WEIGHT = 0.5
"""Exponent of the pairwise potentials, below 1 because simulated players are more regular than
people."""

ROUNDS = 3
"""Iterations of message passing; further ones change nothing in the third digit."""

MIN_CHOICE = 1e-5
"""Marks less probable than this are left out of enumerated boards."""

PRIOR = Path(__file__).with_name("prior.json")
"""Counts of marks on finished maps of simulated games, made by `lab.synth.prior`."""

_MARKS: tuple[Marks, ...] = tuple((coat, n) for coat in COATS for n in range(MAX_CROSSES + 1))
"""What a shield may hold, in the order of its flattened (7, 5) probabilities."""


def joint(probs: MarkProbs) -> Floats:
    """(34, 7, 5) float64: probability of each coat with each number of crosses."""
    both = probs.coat[:, :, None] * probs.crosses[:, None, :]
    both[:, 0, 1:] *= CROSSED_EMPTY
    both *= _neighbour_factors(both.sum(2))[:, :, None]
    return np.asarray(both / both.sum((1, 2), keepdims=True))


@cache
def prior_counts() -> tuple[Floats, Floats]:
    """How often shields held each coat with each number of crosses, (7, 5), and each coat while one
    of their neighbours held each coat or was the castle, (7, 8)."""
    counts = json.loads(PRIOR.read_text("utf-8"))
    return np.array(counts["alone"], np.float64), np.array(counts["beside"], np.float64)


def _neighbour_factors(coat: Floats) -> Floats:
    """(34, 7) float64: evidence from neighbours for each coat, largest 1; from the coats' own
    probabilities (34, 7), up to a factor for each shield."""
    # How much more often than by chance two kinds of squares are neighbours; the castle last.
    _, beside = prior_counts()
    count = np.vstack([beside, [*beside[:, -1], 0]]) + 1
    chance = np.outer(count.sum(1), count.sum(0)) / count.sum()
    table = (count / chance) ** NEIGHBOUR_WEIGHT
    states = len(table)
    own = np.zeros((ROWS, COLS, states))
    for (row, col), p in zip(CELLS, coat, strict=True):
        own[row, col, :-1] = p
    own[*CASTLE, -1] = 1
    steps = ((0, 1), (0, -1), (1, 0), (-1, 0))  # a message travels this way; its reverse is k ^ 1
    incoming = np.ones((4, ROWS, COLS, states))  # it stays 1 from beyond the board
    for _ in range(ROUNDS):
        belief = own * incoming.prod(0)
        outgoing = [belief / incoming[k ^ 1] @ table for k in range(4)]
        for k, (down, right) in enumerate(steps):
            to = incoming[k][
                max(down, 0) : ROWS + min(down, 0), max(right, 0) : COLS + min(right, 0)
            ]
            source = outgoing[k][
                max(-down, 0) : ROWS + min(-down, 0), max(-right, 0) : COLS + min(-right, 0)
            ]
            to[...] = source / source.sum(-1, keepdims=True)
    factor = incoming.prod(0)[..., :-1]
    return np.stack([factor[row, col] / factor[row, col].max() for row, col in CELLS])


def alternatives(both: Floats, at_most: int) -> tuple[tuple[Marks, float], ...]:
    """The most probable marks of one shield with their probabilities, best first; both: (7, 5), its
    part of `joint`."""
    flat = both.ravel()
    best = np.argsort(-flat, kind="stable")[:at_most]
    return tuple((_MARKS[k], float(flat[k])) for k in best)


def likely_boards(both: Floats) -> Iterator[tuple[float, tuple[Marks, ...]]]:
    """Boards by falling probability, each once: (probability, the marks of its 34 shields)."""
    for p, picks in best_first(both.reshape(len(both), -1), MIN_CHOICE):
        yield p, tuple([_MARKS[k] for k in picks])


def best_first(probs: Floats, least: float) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Combinations by falling probability: (probability, the choice of each row).

    probs: (N, K), rows sum to 1. least: choices less probable than this are skipped, except each
    row's best.
    Best-first search over ranks; a combination's successors raise one row's rank, at or after the
    last raised row, so that each combination occurs once.
    """
    ranked = np.argsort(-probs, axis=1, kind="stable")
    logs = np.log(np.clip(np.take_along_axis(probs, ranked, 1), 1e-300, 1))
    order: list[list[int]] = ranked.tolist()  # lists: numpy is slow one by one
    limit = np.log(least)
    steps: list[list[float]] = [
        [float(a - b) for a, b in pairwise(row) if b > limit] for row in logs
    ]
    heap = [(-float(logs[:, 0].sum()), (0,) * len(probs), 0)]
    while heap:
        cost, ranks, last = heapq.heappop(heap)
        yield float(np.exp(-cost)), tuple([row[k] for row, k in zip(order, ranks, strict=True)])
        for i in range(last, len(probs)):
            k = ranks[i]
            if k < len(steps[i]):
                raised = (*ranks[:i], k + 1, *ranks[i + 1 :])
                heapq.heappush(heap, (cost + steps[i][k], raised, i))
