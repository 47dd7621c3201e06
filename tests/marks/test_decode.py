"""From probabilities to a board and the confidence of its total."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from kdscan.marks.boards import (
    NEIGHBOUR_WEIGHT,
    alternatives,
    best_first,
    corrected,
    decode,
    joint,
    prior_counts,
)
from kdscan.marks.network import MarkProbs
from kdscan.rules import neighbours
from kdscan.rules.duel.board import CASTLE, CELLS, COATS, Coat

Chances = dict[tuple[int, int], dict[tuple[Coat | None, int], float]]


def probs_of(
    marks: dict[tuple[int, int], dict[tuple[Coat | None, int], float]], placed: float = 1.0
) -> MarkProbs:
    """Empty shields but for those given, each with the chances of what it may hold."""
    coat, crosses = np.zeros((34, 7)), np.zeros((34, 5))
    coat[:, 0], crosses[:, 0] = 1, 1
    for at, chances in marks.items():
        i = CELLS.index(at)
        coat[i], crosses[i] = 0, 0
        for (what, n), p in chances.items():
            coat[i, COATS.index(what)] += p
            crosses[i, n] += p
    return MarkProbs(coat, crosses, 0.0, placed)


def test_a_sure_board_is_read_as_it_stands() -> None:
    sure = probs_of({(0, 0): {(Coat.DOT, 1): 1.0}, (0, 1): {(Coat.DOT, 0): 1.0}})
    reading = decode(sure)
    cells = {c.at: c for c in reading.cells}
    assert cells[0, 0].content == (Coat.DOT, 1)
    assert cells[4, 6].content[0] is None
    assert reading.confidence == pytest.approx(1, abs=1e-6)
    assert not reading.review
    assert not any(c.review or c.seen for c in reading.cells)


def test_a_doubt_that_cannot_change_the_total_asks_for_no_review_of_the_sheet() -> None:
    worthless = probs_of({(0, 0): {(Coat.DOT, 0): 0.6, (Coat.LINE, 0): 0.4}})
    reading = decode(worthless)
    assert reading.confidence == pytest.approx(1, abs=1e-6)
    assert not reading.review
    assert reading.cells[0].confidence == pytest.approx(0.6, abs=0.05)
    assert reading.cells[0].review
    assert reading.total_range == (0, 0)


def test_a_doubt_that_changes_the_total_does() -> None:
    doubtful = probs_of({
        (0, 0): {(Coat.DOT, 1): 1.0},
        (0, 1): {(Coat.DOT, 0): 0.7, (Coat.LINE, 0): 0.3},
    })  # fmt: skip
    reading = decode(doubtful)
    assert 0.7 < reading.confidence < 0.9  # the equal coat beside it speaks for a dot
    assert reading.review
    assert [c.at for c in reading.cells if c.review] == [(0, 1)]
    assert reading.total_range == (1, 2)
    assert sum(p for _, p in reading.totals) == pytest.approx(1, abs=1e-3)
    assert [total for total, _ in reading.totals] == [2, 1], "the most probable first"


def test_risk_moves_the_line() -> None:
    doubtful = probs_of({(0, 0): {(Coat.DOT, 1): 0.9, (Coat.DOT, 0): 0.1}})
    assert decode(doubtful, risk=0.05).review
    sure = decode(doubtful, risk=0.08)
    assert not sure.review and not any(c.review for c in sure.cells)


def test_a_map_that_says_nothing_is_read_all_the_same() -> None:
    """Its boards are too many to list."""
    reading = decode(MarkProbs(np.full((34, 7), 1 / 7), np.full((34, 5), 1 / 5), 0.5, 1.0))
    assert reading.review and reading.confidence < 0.01
    assert all(c.review for c in reading.cells)


def test_a_sheet_that_is_out_of_place_is_never_sure() -> None:
    reading = decode(probs_of({(0, 0): {(Coat.DOT, 1): 1.0}}, placed=0.5))
    assert reading.confidence == pytest.approx(0.5)
    assert reading.review
    assert not any(c.review for c in reading.cells), "no shield would settle it"


def test_boards_come_by_falling_probability_each_once() -> None:
    rng = np.random.default_rng(5)
    both = rng.dirichlet(np.full(35, 0.05), 4).reshape(4, 7, 5)
    listed = list(itertools.islice(best_first(both.reshape(4, -1), 1e-5), 60))
    chances = [p for p, _ in listed]
    assert chances == sorted(chances, reverse=True)
    assert len({picks for _, picks in listed}) == len(listed)
    flat = -np.sort(-both.reshape(4, -1), axis=1)
    brute = sorted(
        (
            float(np.prod([flat[i, k] for i, k in enumerate(r)]))
            for r in itertools.product(range(6), repeat=4)
        ),
        reverse=True,
    )
    assert chances[:20] == pytest.approx(brute[:20], rel=1e-9)


def test_a_correction_settles_its_shield() -> None:
    doubtful = probs_of({(0, 0): {(Coat.DOT, 1): 0.6, (Coat.DOT, 0): 0.4}})
    again = decode(corrected(doubtful, {(0, 0): (Coat.LINE, 2)}))
    assert again.cells[0].content == (Coat.LINE, 2)
    assert again.cells[0].confidence == pytest.approx(1)


def test_alternatives_come_with_their_probabilities() -> None:
    doubtful = probs_of({(0, 0): {(Coat.DOT, 1): 0.6, (Coat.LINE, 1): 0.4}})
    (first, p), (second, q) = alternatives(joint(doubtful)[0], 2)
    assert (first, second) == ((Coat.DOT, 1), (Coat.LINE, 1))
    assert (p, q) == pytest.approx((0.6, 0.4), abs=0.05)


def test_the_shields_to_look_at_are_those_that_settle_the_total() -> None:
    """Two doubts change the total, a third one does not."""
    doubtful = probs_of({
        (0, 0): {(Coat.DOT, 1): 0.9, (Coat.DOT, 2): 0.1},
        (2, 6): {(Coat.FILLED, 2): 0.85, (Coat.FILLED, 0): 0.15},
        (4, 0): {(Coat.LINE, 0): 0.9, (Coat.DOUBLE_LINE, 0): 0.1},
    })  # fmt: skip
    reading = decode(doubtful)
    assert [c.at for c in reading.cells if c.review] == [(0, 0), (2, 6)]
    assert reading.total_range == (1, 4)


def test_the_evidence_of_neighbours_is_exact_where_sure_shields_cut_all_loops() -> None:
    """Bayes' rule over all that three neighbours in a row, beside the castle, may hold."""
    row, rng = ((2, 2), (1, 2), (1, 3)), np.random.default_rng(7)
    beside = np.ones((8, 8))
    beside[:-1] += prior_counts()[1]
    beside[-1, :-1] = beside[:-1, -1]
    chance = beside.sum(1)[:, None] * beside.sum(0) / beside.sum()
    holds = {at: int(rng.integers(7)) for at in CELLS} | {CASTLE: 7}
    own = {at: rng.dirichlet(np.ones(7)) for at in row}
    edges = {frozenset((at, near)) for at in row for near in neighbours(at) if near in holds}
    wanted = np.zeros((3, 7))
    for coats in itertools.product(range(7), repeat=3):
        now = holds | dict(zip(row, coats, strict=True))
        pairs = [tuple(now[at] for at in edge) for edge in edges]
        lift = np.prod([beside[pair] / chance[pair] for pair in pairs]) ** NEIGHBOUR_WEIGHT
        wanted[range(3), coats] += lift * np.prod([own[at][now[at]] for at in row])
    sure = {at: np.eye(7)[holds[at]] for at in CELLS}
    held = {at: {(COATS[k], 0): p for k, p in enumerate(v)} for at, v in (sure | own).items()}
    probs = probs_of(held)
    found = joint(probs)[[CELLS.index(at) for at in row]].sum(2)
    assert found == pytest.approx(wanted / wanted.sum(1, keepdims=True), rel=1e-6)


def test_what_neighbours_say_of_a_shield_does_not_depend_on_its_own_chances() -> None:
    """Else a neighbour that may hold anything would echo what the shield itself told it."""

    def odds(p: float) -> float:
        anything: Chances = {(0, 1): {(coat, 0): 1 / 6 for coat in Coat}}
        dot_or_line: Chances = {(0, 0): {(Coat.DOT, 0): p, (Coat.LINE, 0): 1 - p}}
        dot, line = (
            joint(probs_of(dot_or_line | anything))[0, COATS.index(coat), 0]
            for coat in (Coat.DOT, Coat.LINE)
        )
        return float(dot / line / (p / (1 - p)))

    assert odds(0.95) == pytest.approx(odds(0.5), rel=0.01)


def test_trust_lowers_what_a_reading_says_of_its_total() -> None:
    doubtful = probs_of({(0, 0): {(Coat.DOT, 1): 0.9, (Coat.DOT, 0): 0.1}})
    wary = decode(replace(doubtful, calibration=np.array([1.0, -1.0])))
    assert wary.confidence < decode(doubtful).confidence - 0.05
