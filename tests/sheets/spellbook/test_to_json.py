"""A spellbook as JSON, as text and over the photo."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdscan.document import to_dict
from kdscan.paper.book import load_book, marked_places
from kdscan.rules import Problem
from kdscan.rules.duel.board import SQUARES, Coat
from kdscan.rules.duel.spellbook import Spellbook
from kdscan.sheets.spellbook.interpret import interpret
from kdscan.sheets.spellbook.model import BookMark, SpellbookEvidence, SpellbookReading
from tests.readings import make_book

BOOK = load_book("kdscan-a5-spellbook")
MARKED = {
    *(f"players[0].lines.filled.squares[{k}]" for k in range(3)),
    "players[0].lines.filled.used",
    "players[0].choices.dot",
    "players[1].lines.filled.squares[0]",
    "players[1].lines.filled.struck",
}
UNSURE = "players[1].lines.dot.squares[2]"


def reading(sure: float = 0.9999) -> SpellbookReading:
    marks = []
    ends: list[tuple[float, float]] = []
    for place, (x, y), half in marked_places(BOOK):
        key, at = str(place), (10 * x, 10 * y)
        confidence = 0.6 if key == UNSURE and sure < 0.99 else sure
        marks.append(
            BookMark(place, (at,), 10 * half, key in MARKED, confidence, confidence < 0.98)
        )
        if place.part == "square":
            ends.append(at)
        if place.part == "used":
            struck = replace(place, part="struck")
            line = (ends[0], ends[-1])
            marks.append(BookMark(struck, line, 45, str(struck) in MARKED, sure, sure < 0.98))
            ends = []
    page = np.array([(0.0, 0), (2100, 0), (2100, 1480), (0, 1480)])
    return interpret(SpellbookEvidence(BOOK.name, page, tuple(marks)))


def test_json_is_that_of_the_contract() -> None:
    said = to_dict(reading())
    assert said["kind"] == "duel_spellbook"
    assert said["layout"] == "kdscan-a5-spellbook"
    assert len(said["outline"]) == 4
    first, second = said["players"]
    assert first["name"] is None
    assert first["chosen_coat"] == "dot" and second["chosen_coat"] is None
    line = first["lines"]["filled"]
    assert (line["filled"], line["struck"], line["used"]) == (3, False, True)
    assert second["lines"]["filled"]["struck"] is True
    at = {str(mark.place): list(mark.at_xy[0]) for mark in reading().marks}
    assert line["used_center"] == pytest.approx(at["players[0].lines.filled.used"], abs=0.1)
    assert {coat: len(line["squares"]) for coat, line in first["lines"].items()} == SQUARES
    assert said["review"] is False and said["confidence"] > 0.98


def test_a_doubt_reaches_its_line_and_the_whole() -> None:
    said = to_dict(replace(reading(0.98), problems=(Problem("x", "error", "why"),)))
    assert said["players"][1]["lines"]["dot"]["review"] is True
    assert said["players"][0]["lines"]["dot"]["review"] is False
    assert said["review"] is True
    assert said["problems"][0]["code"] == "x"


def test_doubtful_marks_say_what_else_a_line_and_a_choice_may_be() -> None:
    book = Spellbook.blank()
    book.fill(0, Coat.FILLED)
    squares = {f"players[0].lines.filled.squares[{k}]": p for k, p in ((0, 0.8), (1, 0.7))}
    doubtful = {**squares, "players[0].choices.line": 0.7}
    first, second = to_dict(make_book(book, 1.0, doubtful))["players"]
    # One square is marked; both are with 0.8 × 0.3, none is with 0.2 × 0.7.
    assert first["lines"]["filled"]["alternatives"] == [
        {"filled": 2, "struck": False, "used": False, "probability": 0.24},
        {"filled": 0, "struck": False, "used": False, "probability": 0.14},
    ]
    assert first["choice"]["alternatives"] == [{"coat": "line", "probability": 0.3}]
    assert not second["choice"]["alternatives"] and not second["lines"]["filled"]["alternatives"]
