"""The quick answer to whether a map is lawful: right where it says something."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from kdscan.game.duel.audit import audit_map
from kdscan.game.duel.audit.budget import Budget, OutOfStepsError
from kdscan.game.duel.audit.quick import lawful, quick_problems
from kdscan.game.duel.audit.search import Terms
from kdscan.game.duel.board import CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.editions import FRENCH
from kdscan.game.duel.spellbook import Spellbook, SpellbookLine
from tests.game.boards import changed, played, seeds, slow_lawful, small_board

TWO = Board({(1, 2): Shield(Coat.DOT), (1, 3): Shield(Coat.LINE)})


@given(seeds)
@settings(max_examples=40)
def test_says_what_the_audit_says(seed: int) -> None:
    rng = random.Random(seed)
    game = played(seed, rounds=rng.choice((5, 12, 200)))
    board, castle = game.maps[0], rng.choice((None, game.castle_used[0]))
    for book in (None, game.spellbook):
        assert lawful(board, castle, spellbook=book) in (True, None)
    one = changed(board, rng)
    for other in (one, changed(one, rng)):
        said = lawful(other, castle)
        assert said is None or said == audit_map(other, castle).lawful


@pytest.mark.parametrize("castle_used", [None, True, False])
def test_agrees_with_trying_everything(
    castle_used: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for coat in (Coat.DOT, Coat.LINE, Coat.CHECKED):
        monkeypatch.setitem(SQUARES, coat, 2)
    rng = random.Random(21)
    answers = []
    for _ in range(150):
        board = small_board(rng, rng.choice((4, 6, 6, 7)), (Coat.DOT, Coat.LINE, Coat.CHECKED))
        expected = slow_lawful(board, Terms(castle_used))
        assert lawful(board, castle_used) == expected, f"\n{board}"
        answers.append(expected)
    assert 5 < sum(answers) < 100


def test_decides_most_maps() -> None:
    """What it costs in time stands in docs/audit.md; steps are the same everywhere."""
    rng = random.Random(3)
    said = []
    for seed in range(30):
        board = played(seed).maps[0]
        said += [lawful(board), lawful(changed(board, rng))]
    assert said.count(None) <= 3
    assert said.count(True) >= 25 and said.count(False) >= 6


def test_no_steps_no_answer() -> None:
    assert lawful(TWO) is True
    assert lawful(TWO, steps=0) is None
    assert lawful(TWO.with_shield((0, 0), Shield(Coat.DOT)), steps=0) is False
    lines = Board({cell: Shield(Coat.LINE) for cell in CELLS})
    assert lawful(lines) is True
    assert lawful(lines, steps=300) is None


def test_what_is_known_beside_the_map_counts() -> None:
    assert lawful(TWO, True) is False
    assert lawful(TWO.with_shield((1, 2), Shield(Coat.DOT, 1)), True) is True
    three = TWO.with_shield((1, 2), Shield(Coat.DOT, 3))
    assert (lawful(three), lawful(three, False)) == (True, False)
    four = TWO.with_shield((1, 2), Shield(Coat.DOT, 5))
    assert lawful(four) is False
    counted = {coat: SpellbookLine(2 * (coat is Coat.DOT)) for coat in Coat}
    book = Spellbook((counted, counted))
    assert lawful(TWO, spellbook=book) is False
    assert lawful(TWO, spellbook=book, edition=FRENCH) is False


def test_a_wizard_that_alone_can_help_is_not_overlooked() -> None:
    opened = Board.parse(
        """. . . . . dd f
           . d d . . .  .
           . d d ## c c .
           . . c d . .  .
           . . . . . .  ."""
    )
    lines = {coat: SpellbookLine() for coat in Coat}
    dots = {**lines, Coat.DOT: SpellbookLine(5, used=True)}
    only = Spellbook((dots, lines))
    assert lawful(opened, spellbook=only) is audit_map(opened, spellbook=only).lawful is True
    # The fifth dot got the checked wizard's cross.
    crossed = opened.with_shield((3, 3), Shield(Coat.DOT, 1))
    assert lawful(crossed, False) is audit_map(crossed, False).lawful is True


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


def test_quick_problems_say_nothing_rather_than_guess() -> None:
    alone = TWO.with_shield((4, 6), Shield(Coat.DOT)).with_shield((0, 0), Shield(Coat.DOT))
    (problem,) = quick_problems(alone)
    assert problem.code == "unpaired_shields" and len(problem.cells) == 1
    assert quick_problems(alone, steps=10) == ()
    assert [p.code for p in quick_problems(TWO, True)] == ["missing_cross"]


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
    assert lawful(full, True, steps=8000)
