"""K-best enumeration: combinations of independent choices by falling probability."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from kdscan.records.arrays import Floats


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
