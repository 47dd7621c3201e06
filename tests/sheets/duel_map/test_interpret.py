"""From evidence to what people see: the shields that need review."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kdscan.rules import Cell
from kdscan.rules.duel.board import CELLS, COATS, Coat
from kdscan.sheets.base import correct
from kdscan.sheets.duel_map.interpret import (
    asked_for,
    beliefs,
    doubts,
    interpret,
    open_reasons,
    questions,
)
from kdscan.sheets.duel_map.model import MapCorrections, MapReading
from tests.readings import make_sheet

BOARD = """
.   .   .   .   .   .   .
.   .   .   .   .   .   .
.   d   d+  ##  l   l   .
.   .   .   .   .   .   .
.   .   .   .   .   .   .
"""
CROSSED, WORTHLESS = (2, 2), (2, 5)
"""A dot with the only cross of the board, and a line whose coat cannot change the total."""


def asked(sure: Mapping[Cell, float], placed: float = 1.0) -> tuple[bool, set[Cell]]:
    """Whether the sheet needs review, and the shields to look at. sure: how probable the cross of
    `CROSSED` and the coat of `WORTHLESS` are; all else is certain."""
    evidence = make_sheet(BOARD).evidence
    coat, crosses = evidence.probs.coat.copy(), evidence.probs.crosses.copy()
    line = [COATS.index(Coat.LINE), COATS.index(Coat.FILLED)]
    coat[CELLS.index(WORTHLESS), line] = sure[WORTHLESS], 1 - sure[WORTHLESS]
    crosses[CELLS.index(CROSSED), :2] = 1 - sure[CROSSED], sure[CROSSED]
    probs = replace(
        evidence.probs, coat=coat, crosses=crosses, placed=placed, calibration=np.array([1.0, 0.0])
    )
    sheet = interpret(replace(evidence, probs=probs))
    return sheet.review, {cell.at for cell in sheet.cells if cell.review}


def test_a_small_doubt_that_cannot_change_a_sure_total_asks_nobody() -> None:
    assert asked({CROSSED: 1, WORTHLESS: 0.93}) == (False, set())


def test_whoever_looks_at_a_sheet_is_shown_every_shield_in_doubt() -> None:
    assert asked({CROSSED: 0.7, WORTHLESS: 0.93}) == (True, {CROSSED, WORTHLESS})
    assert asked({CROSSED: 0.7, WORTHLESS: 0.9999}) == (True, {CROSSED})


@pytest.mark.parametrize(
    ("changes", "code", "review"),
    [
        ({}, None, False),
        ({"mirrored": True}, "mirrored", True),
        ({"bilevel": True}, "bilevel", True),
        ({"blurred": True}, None, False),
        ({"blurred": True, "bilevel": True}, "blurred", True),
        ({"beside": ("left",)}, "map_cut_off", False),
    ],
)
def test_what_the_picture_may_have_changed_asks_for_a_look(
    changes: dict[str, Any], code: str | None, review: bool
) -> None:
    found = interpret(replace(make_sheet(BOARD, confidence=0.9999).evidence, **changes))
    assert found.review is review
    assert [one.code for one in found.problems][-1:] == ([code] if code else [])
    said = replace(found.evidence, corrections=MapCorrections(confirmed=True))
    confirmed = interpret(said)
    assert not confirmed.review and not any(cell.review for cell in confirmed.cells)


@pytest.mark.parametrize(("placed", "codes"), [(0.89, ["unsure_place"]), (0.9, [])])
def test_a_grid_that_may_lie_elsewhere_is_a_problem(placed: float, codes: list[str]) -> None:
    evidence = make_sheet(BOARD).evidence
    found = interpret(replace(evidence, probs=replace(evidence.probs, placed=placed)))
    assert [one.code for one in found.problems] == codes


@pytest.mark.parametrize(
    ("clipped", "said"), [((CROSSED,), "a shield lies"), ((CROSSED, (2, 1)), "2 shields lie")]
)
def test_shields_that_the_picture_cuts_off_are_unknown(
    clipped: tuple[Cell, ...], said: str
) -> None:
    whole = make_sheet(BOARD, confidence=0.9999)
    found = interpret(replace(whole.evidence, clipped=clipped))
    (problem,) = found.problems  # what was cut off may explain the rules that are broken
    assert (problem.code, problem.cells) == ("cut_off", clipped) and problem.message.startswith(
        said
    )
    assert {cell.at for cell in found.cells if cell.review} == {*clipped}
    at = CELLS.index(CROSSED)
    assert beliefs(found.evidence).coat[at] == pytest.approx(1 / len(COATS))
    assert found.review and found.confidence == 0


def test_where_only_the_grid_is_doubtful_one_shield_is_asked_for_as_a_beginning_and_no_other() -> (
    None
):
    evidence = make_sheet(BOARD).evidence
    evidence = replace(evidence, probs=replace(evidence.probs, placed=0.9))
    (first,) = (cell for cell in interpret(evidence).cells if cell.review)
    told = MapCorrections({first.at: first.content})
    found = interpret(replace(evidence, corrections=told))
    assert found.review, "the place is as doubtful as before"
    assert not any(cell.review for cell in found.cells)


DOUBTFUL = [(0, 5), (1, 1), (3, 2)]


def answered(sheet: MapReading, cells: Iterable[Cell]) -> MapReading:
    """The sheet after a person said that some shields hold what was read."""
    return correct(sheet, {c.at: c.content for c in sheet.cells if c.at in set(cells)})


def test_questions_do_not_grow_while_they_are_answered() -> None:
    sheet = interpret(make_sheet(doubtful=DOUBTFUL).evidence)
    asked = [question.cell.at for question in questions(sheet)]
    assert set(DOUBTFUL) <= set(asked)
    for count in range(1, len(asked) + 1):
        sheet = answered(sheet, asked[:count])
        assert [question.cell.at for question in questions(sheet)] == asked
        assert sum(question.answered for question in questions(sheet)) == count
        assert {doubt.cell.at for doubt in doubts(sheet)} <= set(asked[count:])
    assert not sheet.review and sheet.confidence >= 0.98


def test_a_question_says_what_each_answer_is_worth_the_likeliest_first() -> None:
    sheet = interpret(make_sheet(doubtful=[(0, 5)]).evidence)
    (question,) = (q for q in questions(sheet) if q.cell.at == (0, 5))
    chances = [p for _, p, _ in question.options]
    assert chances == sorted(chances, reverse=True) and len(chances) > 1
    for marks, _, total in question.options:
        assert correct(sheet, {(0, 5): marks}).score.total == total


def test_a_question_offers_another_answer_however_improbable() -> None:
    evidence = make_sheet(doubtful=DOUBTFUL).evidence
    blurred = replace(evidence.probs, coat=0.96 * evidence.probs.coat + 0.04 / 7)
    asked = questions(interpret(replace(evidence, probs=blurred)))
    assert len(asked) > len(DOUBTFUL)
    assert all(len(question.options) > 1 for question in asked)


def test_answers_that_leave_the_range_that_was_read_lead_to_further_questions_once() -> None:
    sheet = interpret(make_sheet(doubtful=DOUBTFUL).evidence)
    asked = asked_for(sheet.evidence)
    surprise = correct(sheet, dict.fromkeys(asked, (Coat.FILLED, 4)))
    low, high = sheet.total_range
    assert not low <= surprise.score.total <= high
    more = asked_for(surprise.evidence)
    assert asked <= more and asked_for(answered(surprise, more).evidence) == more


@pytest.mark.parametrize(("placed", "reasons"), [(0.9999, ()), (0.8, ("unsure_place",))])
def test_what_answers_do_not_settle_has_a_name(placed: float, reasons: tuple[str, ...]) -> None:
    evidence = make_sheet(doubtful=DOUBTFUL).evidence
    probs = replace(evidence.probs, placed=placed, calibration=np.array([1.0, 0.0]))
    sheet = interpret(replace(evidence, probs=probs))
    sheet = answered(sheet, asked_for(sheet.evidence))
    assert open_reasons(sheet.evidence) == reasons and sheet.review == bool(reasons)
    assert not correct(sheet, MapCorrections(confirmed=True)).review
