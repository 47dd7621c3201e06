"""`kdscan score --ask`: the questions of the JSON, in a terminal."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kdscan.cli.corrections import ask_about
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.rules.duel.board import Board
from kdscan.sheets.base import correct
from kdscan.sheets.board import Style
from kdscan.sheets.duel_map.interpret import questions
from tests.readings import BOARD, make_kingdom, make_sheet, with_evidence

FLAT = np.full((672, 928, 3), 200, np.uint8)
UNSURE = with_evidence(
    make_sheet(doubtful=tuple(Board.parse(BOARD))),
    rectified=replace(make_sheet().rectified, bgr=FLAT),
)


def answered(monkeypatch: pytest.MonkeyPatch, lines: str, sheet: Any = UNSURE) -> Any:
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    return ask_about(sheet, Style(), DEFAULT_RISK)


def test_the_likeliest_answers_to_all_questions_settle_the_total(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = questions(UNSURE)
    sheet = answered(monkeypatch, "1\n" * len(asked))
    assert not sheet.review and sheet.score == UNSURE.score
    out, err = capsys.readouterr()
    assert out == "" and f"1 of {len(asked)}: What does" in err
    assert [line for line in err.splitlines() if "points" in line]


def test_marks_are_typed_skipped_undone_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    first = questions(UNSURE)[0].cell.at
    typed = answered(monkeypatch, "ll++\nq\n").evidence.corrections.cells
    assert typed == {first: ("double_line", 2)}
    assert answered(monkeypatch, "ll++\nu\nq\n").evidence.corrections.cells == {}
    assert answered(monkeypatch, "sheep\n" + "\n" * 40).evidence.corrections.cells == {}
    assert answered(monkeypatch, "").evidence.corrections.cells == {}


def test_all_shields_of_a_coat_are_asked_about_once_two_were_misread() -> None:
    dots = [cell for cell, shield in Board.parse(BOARD).items() if shield.coat == "dot"]
    sheet = make_sheet(doubtful=dots[:2])
    assert {question.cell.at for question in questions(sheet)} == set(dots[:2]) < set(dots)
    sheet = correct(sheet, dict.fromkeys(dots[:2], ("double_dot", 0)))
    assert sheet.review and {question.cell.at for question in questions(sheet)} == set(dots)
    sheet = correct(sheet, dict.fromkeys(dots[2:], ("dot", 0)))
    assert not sheet.review


def test_a_kingdom_asks_for_its_doubtful_squares(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kingdom = make_kingdom(doubtful={(0, 1): ("wheat", 1)})
    sheet = answered(monkeypatch, "w+\n" + "1\n" * 9 + "y\n", kingdom)
    assert sheet.evidence.corrections.squares[0, 1] == ("wheat", 1) and not sheet.review
    assert "What does B1 hold?" in capsys.readouterr().err
