"""The quick check of a map: what it reports is impossible, and it reports what is obvious."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from kdscan.rules import cell_name
from kdscan.rules.duel.audit import audit_map
from kdscan.rules.duel.board import Board, Coat
from kdscan.rules.duel.legality import Terms, find_problems
from tests.rules.boards import changed, played, seeds
from tests.rules.rows import EMPTY_ROW, board_of

D3 = ". . . ## . . ."


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_whatever_it_reports_the_audit_reports_too(seed: int) -> None:
    rng = random.Random(seed)
    board = played(seed, rounds=rng.choice((5, 12, 200))).maps[0]
    assert find_problems(board) == ()
    other = changed(changed(board, rng), rng)
    problems, audit = find_problems(other), audit_map(other)
    if problems:
        assert audit.problems
        assert not audit.lawful or {p.severity for p in problems} == {"warning"}
        assert all(set(p.cells) <= set(other) for p in problems)


@pytest.mark.parametrize(
    ("rows", "castle", "code", "blamed"),
    [
        ((". . . d+++++ d . .", D3, EMPTY_ROW), None, "too_many_crosses", "D2"),
        ((". . . d+++ d . .", D3, EMPTY_ROW), False, "bonus_crosses", "D2"),
        # Four crosses are more than the castle makes up for; three might have been.
        ((". . . d+++ d . .", D3, ". . . l++++ l . ."), True, "bonus_crosses", "D4"),
        ((". . . d++ d . .", D3, EMPTY_ROW), False, "bonus_crosses", "D2"),
        ((". . . d d . .", D3, EMPTY_ROW), True, "missing_cross", ""),
        ((". . dd dd . . .", D3, "l . . . . . ."), None, "unpaired_shields", "A4"),
        # Nothing is beside the two but the shield above the castle.
        ((". . dd dd dd . .", D3, EMPTY_ROW), None, "unpaired_shields", "C2 E2"),
        ((". . . dd dd . .", D3, "l f . . . . ."), None, "unconnected_domino", "A4 B4"),
        ((". . . d+ l+ . .", ". . . ## dd . .", ". . . . dd . ."), False, "dice", "D2"),
    ],
)
def test_problems(rows: tuple[str, ...], castle: bool | None, code: str, blamed: str) -> None:
    problems = find_problems(board_of(*rows), Terms(castle))
    assert [problem.code for problem in problems] == [code]
    assert " ".join(map(cell_name, problems[0].cells)) == blamed


def test_a_wizard_that_can_be_won_helps() -> None:
    lines = Board.parse(
        """. . . . . . .
           . l l l . . .
           . . l ## . . .
           . . l l . . .
           . . . . . . ."""
    )
    assert find_problems(lines) == ()
    without = Terms(wizards=frozenset({Coat.DOT}))
    assert [problem.code for problem in find_problems(lines, without)] == ["unpaired_shields"]
