"""What a roof, a spellbook and an edition imply for a map, beyond the map itself."""

from __future__ import annotations

import pytest

from kdscan.rules.duel.audit import audit_map, terms_of
from kdscan.rules.duel.board import Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.editions import ENGLISH, FRENCH, Edition
from kdscan.rules.duel.spellbook import Spellbook, SpellbookLine
from kdscan.rules.problem import Problem


def book(**lines: SpellbookLine) -> Spellbook:
    """The first player's lines by name; all others are blank."""
    mine = {coat: lines.get(coat.value, SpellbookLine()) for coat in Coat}
    return Spellbook((mine, {coat: SpellbookLine() for coat in Coat}))


def test_the_castles_cross_may_go_to_a_joker() -> None:
    """Two filled coats got the bonus crosses. A checked coat beside the castle's fills a square
    because a joker made the filled one: both coats without a cross are on one die."""
    board = Board.parse(
        """. . . c  . . .
           . . . f+ . . .
           . l c ## . . .
           . . . f+ . . .
           . . . c  . . ."""
    )
    assert audit_map(board, True).problems == ()


THREE = Board.parse(
    """. . . .     . . .
       . . c c     . . .
       . . . ##    . . .
       . . c dd+++ . . .
       . . . .     . . ."""
)


@pytest.mark.parametrize(
    ("castle", "given", "lawful"),
    [
        (True, book(checked=SpellbookLine(0)), True),
        (False, book(checked=SpellbookLine(0)), False),
        # The checked wizard's cross is given at once: nobody crosses a box for it.
        (False, book(checked=SpellbookLine(3)), True),
        (False, book(checked=SpellbookLine(3, used=True)), True),
        (False, book(checked=SpellbookLine(2, used=True)), False),
    ],
)
def test_a_third_cross_is_the_castles_or_that_of_a_wizard_who_was_won(
    castle: bool, given: Spellbook, lawful: bool
) -> None:
    assert audit_map(THREE, castle, spellbook=given).lawful is lawful


def test_a_wizard_helps_who_was_won_and_called() -> None:
    def wizards(line: SpellbookLine) -> frozenset[Coat]:
        return terms_of(None, book(line=line), 0, ENGLISH).wizards

    assert wizards(SpellbookLine(5, used=True)) == {Coat.LINE}
    assert wizards(SpellbookLine(5)) == set()
    assert wizards(SpellbookLine(4, used=True)) == set()
    assert terms_of(None, book(line=SpellbookLine(5, used=True)), 1, ENGLISH).wizards == set()


DOTS = Board.parse(
    """. . . .  . . .
       . . d dd . . .
       . d d ## . . .
       . . d dd . . .
       . . . .  . . ."""
)
CROSSED = Board.parse(
    """. . . .  .  . .
       . . c c  d+ . .
       . . . ## d  . .
       . . c l+ .  . .
       . . . .  .  . ."""
)


@pytest.mark.parametrize(
    ("board", "given", "edition", "told"),
    [
        (
            DOTS,
            book(double_dot=SpellbookLine(3)),
            ENGLISH,
            Problem(
                "spellbook",
                "error",
                "the spellbook counts 3 double dot without a cross, the map shows 2 at most",
                ((1, 3), (3, 3)),
            ),
        ),
        (
            DOTS,
            book(dot=SpellbookLine(5), double_dot=SpellbookLine(2)),
            FRENCH,
            Problem(
                "spellbook",
                "error",
                "the spellbook counts 5 dot without a cross, the map shows 4 at most, "
                "and there was room to draw more",
                ((1, 2), (2, 1), (2, 2), (3, 2)),
            ),
        ),
        (
            CROSSED,
            book(dot=SpellbookLine(2), line=SpellbookLine(1), checked=SpellbookLine(3)),
            ENGLISH,
            Problem(
                "spellbook",
                "error",
                "the spellbook counts 2 dot and 1 line without a cross, the map shows 2 and 1 "
                "at most, not all at once",
                ((1, 4), (2, 4), (3, 3)),
            ),
        ),
    ],
)
def test_what_a_spellbook_counts_too_much_word_for_word(
    board: Board, given: Spellbook, edition: Edition, told: Problem
) -> None:
    (first, *_) = audit_map(board, False, spellbook=given, edition=edition).problems
    assert first == told


def test_every_line_that_counts_too_much_is_told() -> None:
    given = book(dot=SpellbookLine(5), double_dot=SpellbookLine(3), line=SpellbookLine(1))
    problems = audit_map(DOTS, False, spellbook=given).problems
    assert [(p.code, len(p.cells)) for p in problems] == [("spellbook", n) for n in (4, 2, 0)]


@pytest.mark.parametrize(
    ("given", "counted"),
    [
        (book(dot=SpellbookLine(2)), "2 dot without a cross, the map shows 1 at most"),
        (
            book(dot=SpellbookLine(3), checked=SpellbookLine(3)),
            "3 dot without a cross, the map shows 2 at most",
        ),
        (
            book(double_dot=SpellbookLine(1), checked=SpellbookLine(3)),
            "1 double dot without a cross, the map shows 0 at most",
        ),
    ],
)
def test_a_crossed_shield_counts_only_under_the_cross_of_a_wizard_who_was_won(
    given: Spellbook, counted: str
) -> None:
    (problem,) = audit_map(CROSSED, False, spellbook=given).problems
    assert problem.message == f"the spellbook counts {counted}"


ITS_OWN = CROSSED.with_shield((3, 2), Shield(Coat.CHECKED, 1))
"""The third checked coat has a cross: it filled a square only where that cross is its wizard's."""


@pytest.mark.parametrize("board", [ITS_OWN, ITS_OWN.with_shield((0, 6), Shield(Coat.FILLED))])
def test_a_cross_that_wins_the_checked_wizard_lies_on_no_other_coat(board: Board) -> None:
    """On a map that is lawful but for the spellbook, and on one that is not."""
    given = book(dot=SpellbookLine(2), checked=SpellbookLine(3))
    told = [p.message for p in audit_map(board, False, spellbook=given).problems]
    counted = "the spellbook counts 2 dot without a cross, the map shows 1 at most"
    assert [message for message in told if "spellbook" in message] == [counted]
    alone = audit_map(board, False, spellbook=book(checked=SpellbookLine(3)))
    assert "spellbook" not in [p.code for p in alone.problems]
