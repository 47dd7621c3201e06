"""Problems within a number of steps: the same as the audit's, or none."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from kdscan.rules.duel.audit import audit_map, quick_problems
from kdscan.rules.duel.audit.shields import Budget, OutOfStepsError
from kdscan.rules.duel.audit.terms import Terms
from kdscan.rules.duel.audit.ways import find_way
from kdscan.rules.duel.board import Board, Shield
from kdscan.rules.duel.coats import Coat
from tests.rules.boards import changed, played, seeds

TWO = Board({(1, 2): Shield(Coat.DOT), (1, 3): Shield(Coat.LINE)})


@given(seeds)
@settings(max_examples=20)
def test_quick_problems_are_the_audits_own(seed: int) -> None:
    rng = random.Random(seed)
    board = played(seed, rounds=rng.choice((5, 12, 200))).maps[0]
    assert quick_problems(board) == ()
    other = changed(board, rng)
    found, audit = quick_problems(other), audit_map(other)
    if found:
        assert audit.problems
        assert {p.severity for p in found} == {"warning" if audit.lawful else "error"}
        assert all(set(p.cells) <= set(other) for p in found)


def test_quick_problems_say_nothing_rather_than_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = TWO.with_shield((4, 6), Shield(Coat.DOT)).with_shield((0, 0), Shield(Coat.DOT))
    (problem,) = quick_problems(alone)
    assert problem.code == "unpaired_shields" and len(problem.cells) == 1
    assert [p.code for p in quick_problems(TWO, True)] == ["missing_cross"]
    monkeypatch.setattr("kdscan.rules.duel.audit.QUICK_STEPS", 0)
    assert quick_problems(alone) == ()


def test_a_budget_ends() -> None:
    budget = Budget(3)
    budget.spend(3)
    with pytest.raises(OutOfStepsError):
        budget.spend()
    Budget().spend(10**9)


def test_a_wizard_who_needs_every_dot_is_not_tried_without_one() -> None:
    """All five dots win the wizard who must open a part: most splits have one in that part."""
    full = Board.parse(
        """c  f++ d   dd l  l  ll
           c  c   dd  d  d+ d  ll+
           l  c++ c++ ## l  d+ ll+
           l  c++ c   c++ l+ d ll
           l+ l   l+  l  l  d  d++"""
    )
    assert find_way(full, Terms(True), budget=Budget(8000)) is not None
