"""Combinations are enumerated by decreasing probability, each once."""

from __future__ import annotations

from itertools import product

import numpy as np

from kdscan.marks.boards import best_first


def test_all_combinations_in_order() -> None:
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.ones(3), 4)
    listed = list(best_first(probs, 1e-4))
    wanted = {c: float(np.prod(probs[range(4), c])) for c in product(range(3), repeat=4)}
    assert len(listed) == len(wanted)
    assert [p for p, _ in listed] == sorted((p for p, _ in listed), reverse=True)
    for p, choice in listed:
        assert np.isclose(p, wanted[choice])


def test_what_is_all_but_impossible_is_left_out() -> None:
    assert [c for _, c in best_first(np.array([[1.0, 0.0], [0.5, 0.5]]), 1e-4)] == [(0, 0), (0, 1)]
