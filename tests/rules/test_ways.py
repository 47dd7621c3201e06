"""Ways with each choice of bonus crosses: results for one choice must not affect another."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from kdscan.rules.duel.audit import audit_map
from kdscan.rules.duel.audit.shields import (
    LAW,
    THE_DICE,
    Bonus,
    Budget,
    Dice,
    OutOfStepsError,
    Task,
)
from kdscan.rules.duel.audit.terms import MAP_WIZARDS, Chances, Terms, bonuses
from kdscan.rules.duel.audit.ways import _ways, find_way, matches_book, ways
from kdscan.rules.duel.board import Board, Shield
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import SQUARES
from tests.rules.boards import changed, played

STEPS = 20_000
"""What one search may cost here; boards that cost more are left to other tests."""


def one_by_one(board: Board, terms: Terms, dice: Dice) -> list[Bonus]:
    """The choices with which a board has a way when nothing is known of the other choices."""
    found = []
    for bonus in bonuses(board, terms, dice):
        task = Task(board, dice, Budget(STEPS)).with_bonus(bonus)
        fits = terms.obtained or matches_book(task, terms.recorded)
        if fits and any(_ways(task, Chances(board, terms), set(), True)):
            found.append(bonus)
    return found


def some_case(rng: random.Random) -> tuple[Board, Terms, Dice]:
    """A played map, perhaps changed, and some of what may be known beside it."""
    board = played(rng.randrange(2**32), rng.randint(2, 20)).maps[0]
    for _ in range(rng.choice((0, 0, 1, 2))):
        board = changed(board, rng)
    terms = Terms(
        rng.choice((None, True, False)),
        frozenset(coat for coat in sorted(MAP_WIZARDS) if rng.random() < 0.7),
        cross_given=rng.random() < 0.2,
        obtained=rng.random() < 0.5,
        idle=rng.random() < 0.2,
    )
    if rng.random() < 0.3:
        terms = replace(terms, recorded=tuple((coat, rng.choice((0, 0, 1, 2))) for coat in Coat))
    return board, terms, rng.choice((LAW, THE_DICE))


@pytest.mark.parametrize("seed", range(1, 4))
def test_one_way_with_each_choice_of_bonus_crosses(seed: int) -> None:
    rng = random.Random(seed)
    compared = 0
    for _ in range(25):
        board, terms, dice = some_case(rng)
        try:
            expected = one_by_one(board, terms, dice)
            found = [way.bonus for way in ways(board, terms, dice, each=1, budget=Budget(STEPS))]
            way = find_way(board, terms, dice, Budget(STEPS))
        except OutOfStepsError:
            continue
        compared += 1
        if len(board) % 2:
            expected = []
        assert found == expected, f"\n{board}\n{terms}"
        assert (way is None) == (not expected), f"\n{board}\n{terms}"
    assert compared > 15


def test_a_second_shield_may_hold_the_wizards_cross_where_the_first_cannot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Checked coats are drawn from the castle outwards: the shield above comes too late."""
    monkeypatch.setitem(SQUARES, Coat.CHECKED, 1)
    board = Board.parse(
        """. . . .  .  .  .
           . . . .  .  c++ l
           . . . ## f+ c  .
           . . . .  .  .  .
           . . . .  .  .  ."""
    )
    way = find_way(board, Terms(castle_used=False, cross_given=True))
    assert way is not None and way.bonus == Bonus(None, (2, 4))


def test_two_dice_drawn_apart_may_need_the_castles_cross() -> None:
    """One die alone brings a cross to the line; the line's wizard draws two such shields."""
    board = Board.parse(
        """. dd .  .  l  . .
           . l  l  l  l  . .
           . .  l+ ## l+ . .
           . .  .  .  .  . .
           . .  .  .  .  . ."""
    )
    answers = {roof: audit_map(board, roof).problems == () for roof in (True, None, False)}
    assert answers == {True: True, None: True, False: False}


def test_a_joker_fills_no_square(monkeypatch: pytest.MonkeyPatch) -> None:
    """One die has the checked coat without a cross: beside it in a domino stands a joker."""
    monkeypatch.setitem(SQUARES, Coat.CHECKED, 2)
    board = Board.parse(
        """. .   .  .  . . .
           . .   c  c  . . .
           . f+++ d ## . . .
           . .   .  .  . . .
           . .   .  .  . . ."""
    )
    (problem,) = audit_map(board, castle_used=False).problems
    assert (problem.code, problem.severity) == ("dice", "warning")
    apart = board.with_shield((3, 2), Shield(Coat.CHECKED)).with_shield((3, 3), Shield(Coat.DOT))
    assert audit_map(apart, castle_used=False).problems == ()


@pytest.mark.parametrize(
    ("filled", "lawful"),
    [
        # As many as the map shows, which always had room.
        ({Coat.DOT: 1, Coat.LINE: 1}, True),
        ({Coat.DOT: 2, Coat.LINE: 1}, False),
        # The shield of the wizard's cross filled a square as well.
        ({Coat.DOT: 1, Coat.LINE: 1, Coat.CHECKED: 1, Coat.FILLED: 1}, True),
        ({Coat.DOT: 1, Coat.LINE: 1, Coat.CHECKED: 1, Coat.FILLED: 2}, False),
    ],
)
def test_a_french_spellbook_counts_what_the_map_shows(
    filled: dict[Coat, int], lawful: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SQUARES, Coat.CHECKED, 1)
    board = Board.parse(
        """. . . .  . .  .
           . . . d  l .  .
           . . . ## c f+ .
           . . . .  . .  .
           . . . .  . .  ."""
    )
    terms = Terms(False, recorded=tuple(filled.items()), obtained=True)
    assert (find_way(board, terms) is not None) is lawful


WITH_CROSSES = Board.parse(
    """. . . .  . .  .
       . . . d+ l .  .
       . . . ## c f+ .
       . . . .  . .  .
       . . . .  . .  ."""
)


def test_no_bonus_is_spent_where_none_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SQUARES, Coat.CHECKED, 1)
    way = find_way(WITH_CROSSES, Terms())
    assert way is not None and way.bonus == Bonus()


def test_a_checked_wizard_who_was_not_won_gives_no_cross(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SQUARES, Coat.CHECKED, 1)
    board = WITH_CROSSES.with_shield((2, 5), Shield(Coat.FILLED, 3))
    assert find_way(board, Terms(False)) is not None
    assert find_way(board, Terms(False, MAP_WIZARDS - {Coat.CHECKED})) is None
