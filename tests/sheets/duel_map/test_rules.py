"""Rule problems of a board that was read: phrased as questions, with cells, never as verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from kdscan.document import to_dict
from kdscan.marks.boards import BoardEstimate, decode
from kdscan.rules import cell_name
from kdscan.rules.duel.audit import audit_map
from kdscan.rules.duel.board import Board, score_board
from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.legality import audit_kingdom, unlaid
from kdscan.sheets.board import Style
from kdscan.sheets.duel_map.interpret import (
    DOMINO_CODES,
    apply_rules,
    doubts,
    interpret,
    rule_problems,
)
from kdscan.sheets.duel_map.show import to_text
from tests.readings import make_sheet

ODD = """
d+  d   dd  l   l+  f++ .
ll  d   dd+ l   f   f   c
ll+ ll  dd  ##  f   c   c++
l   l   d   d   d+  c   dd
f   l+  l   d   ll  ll  dd+
"""

ALONE = """
d   .   dd  .   l   .   .
.   .   .   .   .   .   .
.   .   .   ##  d   d   .
.   .   .   .   .   .   .
.   .   .   .   .   .   .
"""


def test_an_even_number_that_no_dominoes_cover_is_a_question_too() -> None:
    forks = Board.parse(
        ". . . d . . .\n. . d d d . .\n. . . ## . . .\n. . l l l . .\n. . . l . . ."
    )
    (problem,) = rule_problems(forks, castle_used=None)
    assert (problem.code, problem.severity) == ("unpaired_shields", "warning")
    assert problem.message.startswith(f"dominoes cannot cover these {len(problem.cells)} shields")
    assert set(problem.cells) <= set(forks)
    (proved,) = audit_map(forks).problems
    assert proved.cells == problem.cells  # none of them lies alone


def test_all_shields_that_lie_alone_are_named() -> None:
    board = Board.parse(ALONE)
    (problem,) = rule_problems(board, castle_used=None)
    assert (problem.code, problem.severity) == ("unpaired_shields", "warning")
    assert [cell_name(cell) for cell in problem.cells] == ["A1", "C1", "E1"]
    assert problem.message.startswith("these 3 shields lie alone")
    (proved,) = audit_map(board).problems
    assert proved.cells == problem.cells


@pytest.mark.parametrize(
    ("text", "blamed"),
    [
        ("w w f\nw ## f\n. . m+++", ["C3"]),  # no domino has a mine of three crowns with a forest
        ("w w .\n. ## .\n. l l\n. . l", ["B3", "C3", "C4"]),
    ],
)
def test_a_kingdom_gets_a_reason(text: str, blamed: list[str]) -> None:
    kingdom = Kingdom.parse(text)
    assert audit_kingdom(kingdom).lawful is False
    assert [cell_name(cell) for cell in unlaid(kingdom)] == blamed


def test_a_photo_that_cuts_shields_off_says_so_first_and_tells_no_total() -> None:
    whole = make_sheet()
    clipped = tuple((row, col) for row in range(5) for col in (4, 5, 6))
    cut = interpret(replace(whole.evidence, clipped=clipped))
    text = to_text(cut, Style(unicode=False))
    assert text.startswith(
        " Photograph again\n   15 shields lie at the picture's edge or beyond it"
    )
    for word in ("total 3", "between", "Look at", "sure"):
        assert word not in text
    said = to_dict(cut)
    assert said["range"] is None and said["photograph_again"] is True
    assert not {doubt.cell.at for doubt in doubts(cut)} & set(clipped)
    assert {one.content for one in cut.cells if one.at in clipped} == {(None, 0)}
    shown = Board({at: shield for at, shield in whole.board.items() if at[1] < 4})
    assert said["score"]["total"] == score_board(shown).total, "of what shows"
    assert not [one for one in cut.problems if one.code in DOMINO_CODES]
    assert to_dict(whole)["photograph_again"] is False


def sure(text: str, said: float) -> BoardEstimate:
    """A reading of that board, of whose total nothing but the rules makes one doubt."""
    cells = tuple(changed(cell, review=False) for cell in make_sheet(text).cells)
    return BoardEstimate(cells, True, said, False)


def test_a_broken_rule_has_a_say_in_how_sure_a_total_is() -> None:
    broken = rule_problems(Board.parse(ODD), castle_used=True)
    heard = apply_rules(sure(ODD, 0.99), broken, 0.02)
    assert heard.confidence == pytest.approx(0.966, abs=0.002)
    assert heard.review
    (asked,) = (cell_name(cell.at) for cell in heard.cells if cell.review)
    assert asked == "G1"  # the only shield that may be missing


def test_what_is_read_hears_the_rules() -> None:
    given = make_sheet(ODD, confidence=0.99)
    odd = interpret(given.evidence, 0.02)
    assert [one.code for one in odd.problems] == ["odd_shields"]
    assert odd.confidence < decode(odd.evidence.probs).confidence


def test_a_shield_that_a_person_looked_at_is_not_asked_about_again() -> None:
    broken = rule_problems(Board.parse(ODD), castle_used=True)
    only = broken[0].cells
    assert apply_rules(sure(ODD, 0.99), broken, 0.02, only) == sure(ODD, 0.99)
    several = [replace(broken[0], cells=((0, 0), (0, 6)))]
    heard = apply_rules(sure(ODD, 0.99), several, 0.02, [(0, 6)])
    assert [cell.at for cell in heard.cells if cell.review] == [(0, 0)]
