"""A person's corrections of a spellbook, by the store's names of fields."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kdscan.rules.duel.board import Coat
from kdscan.rules.duel.spellbook import BookPlace, Spellbook, SpellbookLine
from kdscan.sheets.base import SPELLBOOK
from kdscan.sheets.spellbook.interpret import interpret
from tests.readings import make_book


def test_corrections_go_to_the_side_and_line_that_they_name() -> None:
    empty = make_book(Spellbook.blank())
    said = {"filled": 2, "struck": False, "used": True}
    fields = {"line:1,dot": said, "choice:1": "line", "place": {"round": 1}}
    found = interpret(SPELLBOOK.with_fields(empty.evidence, fields))
    assert found.book.lines[1][Coat.DOT] == SpellbookLine(2, used=True)
    changed = {
        (player, coat)
        for player in (0, 1)
        for coat in Coat
        if found.book.lines[player][coat] != empty.book.lines[player][coat]
    }
    assert changed == {(1, Coat.DOT)}
    assert found.chosen == (None, Coat.LINE)


def test_what_no_game_leaves_in_a_spellbook_asks_for_a_look() -> None:
    beside = replace(make_book(Spellbook.blank()).evidence, table=(1, 2))
    assert not interpret(beside).review
    struck = {"filled": 0, "struck": True, "used": False}
    found = interpret(SPELLBOOK.with_fields(beside, {"line:0,dot": struck}))
    assert [one.code for one in found.problems] == ["struck_too_soon"]
    assert found.review
    assert not interpret(SPELLBOOK.with_fields(found.evidence, {"confirmed": True})).review


@pytest.mark.parametrize(
    ("books", "maps", "said"),
    [
        (1, 0, None),
        (1, 2, None),
        (1, 1, "a game has two maps, but 1"),
        (1, 3, "a game has two maps, but 3"),
        (2, 2, "several spellbooks"),
    ],
)
def test_a_spellbook_that_cannot_be_compared_says_why(
    books: int, maps: int, said: str | None
) -> None:
    evidence = replace(make_book(Spellbook.blank()).evidence, table=(books, maps))
    told = [one.message for one in interpret(evidence).problems if one.code == "spellbook_alone"]
    assert len(told) == (said is not None) and (said or "") in "".join(told)
    beside = interpret(replace(evidence, beside=("left",)))
    assert beside.problems[0].code == "map_cut_off"


def test_as_many_squares_as_were_seen_stay_where_they_were_seen() -> None:
    evidence = make_book(Spellbook.blank()).evidence
    second = BookPlace(0, Coat.DOT, "square", 1)
    marks = tuple(one._replace(marked=one.place == second) for one in evidence.marks)
    one = {"filled": 1, "struck": False, "used": False}
    for filled, squares in ((1, [second]), (2, [BookPlace(0, Coat.DOT, "square", 0), second])):
        fields = {"line:0,dot": one | {"filled": filled}}
        found = interpret(SPELLBOOK.with_fields(replace(evidence, marks=marks), fields))
        assert [mark.place for mark in found.marks if mark.marked] == squares
