"""The audit of a Duel map: shown ways replay, proofs hold, small boards agree with trying all."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from kdscan.game.duel.audit import Witness, audit_map, replay
from kdscan.game.duel.audit.orders import Drawn
from kdscan.game.duel.audit.proofs import errors
from kdscan.game.duel.audit.shields import LAW
from kdscan.game.duel.audit.terms import Terms
from kdscan.game.duel.audit.ways import find_way
from kdscan.game.duel.board import CELLS, Board, Shield
from kdscan.game.duel.coats import Coat
from tests.game.boards import (
    changed,
    played,
    seeds,
    slow_lawful,
    slow_paired,
    slow_smallest,
    small_board,
)
from tests.game.rows import EMPTY_ROW, board_of, short_book_fixture  # noqa: F401

NO_WIZARDS = Terms(wizards=frozenset())


@given(seeds)
@settings(max_examples=25)
def test_accepts_every_played_map_with_and_without_its_spellbook(seed: int) -> None:
    game = played(seed, rounds=random.Random(seed).choice((3, 9, 15, 200)))
    for player in (0, 1):
        board, castle = game.maps[player], game.castle_used[player]
        for book in (None, game.spellbook):
            audit = audit_map(board, castle, spellbook=book, player=player)
            assert audit.lawful and not audit.problems
            assert audit.witness is not None
            replay(board, audit.witness)


@given(seeds)
@settings(max_examples=25)
def test_a_changed_map_passes_only_with_a_way_that_replays(seed: int) -> None:
    rng = random.Random(seed)
    game = played(seed, rounds=rng.choice((6, 12, 200)))
    board = changed(game.maps[0], rng)
    audit = audit_map(board, game.castle_used[0])
    if audit.lawful:
        assert audit.witness is not None
        replay(board, audit.witness)
        assert all(problem.severity == "warning" for problem in audit.problems)
    else:
        assert audit.witness is None
        assert any(problem.severity == "error" for problem in audit.problems)
        assert all(set(problem.cells) <= set(board) for problem in audit.problems)


@pytest.mark.usefixtures("short_book")
@pytest.mark.parametrize("castle_used", [None, True, False])
def test_agrees_with_trying_everything(castle_used: bool | None) -> None:
    rng = random.Random(20)
    coats = (Coat.DOT, Coat.LINE, Coat.CHECKED)
    answers = []
    for _ in range(120):
        board = small_board(rng, rng.choice((4, 6, 6, 8)), coats)
        terms = Terms(castle_used)
        way = find_way(board, terms, LAW)
        assert (way is not None) == slow_lawful(board, terms), f"\n{board}"
        answers.append((way is not None, way is not None and _power(way.order)))
    assert len(set(answers)) >= 3


def _power(order: tuple[Drawn, ...]) -> Coat | None:
    return next((step.power for step in order if step.power), None)


def test_blames_the_smallest_shields() -> None:
    rng = random.Random(4)
    found = {"unpaired_shields": 0, "unconnected_domino": 0}
    for _ in range(150):
        board = small_board(rng, rng.choice((4, 4, 5, 6)), tuple(Coat)[:3])
        plain = Board({c: Shield(s.coat) for c, s in board.items()})
        if find_way(plain, NO_WIZARDS, LAW) is not None:
            continue
        (problem,) = errors(plain, NO_WIZARDS)
        assert len(problem.cells) == slow_smallest(plain, NO_WIZARDS), f"\n{board}"
        paired = slow_paired(plain, set(problem.cells))
        assert problem.code == ("unconnected_domino" if paired else "unpaired_shields")
        found[problem.code] += 1
    assert min(found.values()) > 5


def test_a_full_map_needs_the_wizard_of_the_line() -> None:
    """The map has 18 shields of one chessboard colour and 16 of the other."""
    coats = dict.fromkeys(CELLS, Coat.LINE)
    board = Board({cell: Shield(coat) for cell, coat in coats.items()})
    audit = audit_map(board, False)
    assert audit.lawful and audit.witness is not None
    (apart,) = [step for step in audit.witness.steps if step.power is Coat.LINE]
    assert all(sum(cell) % 2 == 0 for cell in apart.cells)
    without = Board({cell: Shield(Coat.DOUBLE_DOT, 0) for cell in CELLS})
    (problem,) = audit_map(without, False).problems
    assert problem.code == "unpaired_shields"
    assert len(problem.cells) == 17
    assert len({sum(cell) % 2 for cell in problem.cells}) == 1


def test_equal_coats_of_one_domino_are_no_contact() -> None:
    assert not audit_map(board_of(". . . dd dd . .", ". . . ## . . .", "l l . . . . .")).lawful


def test_contact_goes_through_a_chain_of_dominoes() -> None:
    chain = board_of(". . . . . . c", ". . . ## dd l f", ". . . . . l f")
    audit = audit_map(chain)
    assert audit.witness is not None
    assert [set(step.cells) for step in audit.witness.steps] == [
        {(2, 4), (2, 5)},
        {(3, 5), (3, 6)},
        {(1, 6), (2, 6)},
    ]
    assert not audit_map(chain.with_shield((3, 6), Shield(Coat.CHECKED))).lawful


def test_four_crosses_take_both_bonuses_and_five_are_too_many() -> None:
    lawful = board_of(". . c . . . .", ". . c ## d++++ d .", ". c c . . . .")
    audit = audit_map(lawful)
    assert audit.lawful and audit.witness is not None
    assert audit.witness.castle == audit.witness.wizard == (2, 4)
    replay(lawful, audit.witness)
    assert [p.code for p in audit_map(lawful, False).problems] == ["bonus_crosses"]
    five = lawful.with_shield((2, 4), Shield(Coat.DOT, 5))
    (problem,) = audit_map(five).problems
    assert (problem.code, problem.cells) == ("too_many_crosses", ((2, 4),))


def test_crosses_beyond_the_known_dice_are_a_warning_up_to_four() -> None:
    """No known die brings a double dot two crosses; the rulebooks know nothing of that."""
    board = board_of(". . c . . . .", ". . c ## dd++++ d .", ". c c . . . .")
    audit = audit_map(board)
    assert audit.lawful and audit.witness is not None
    assert [(p.code, p.severity, p.cells) for p in audit.problems] == [
        ("bonus_crosses", "warning", ((2, 4),))
    ]


def test_what_only_the_dice_forbid_is_a_warning() -> None:
    """Both crossed coats are on the fourth die alone: data, not law."""
    board = board_of(". . . d+ l+ . .", ". . . ## . . .", EMPTY_ROW)
    audit = audit_map(board, False)
    assert audit.lawful and audit.witness is not None
    assert [(p.code, p.severity) for p in audit.problems] == [("dice", "warning")]
    assert not audit_map(board, True).problems
    board = board_of(". . . d++ l . .", ". . . ## . . .", EMPTY_ROW)
    assert [(p.code, p.severity) for p in audit_map(board, False).problems] == [
        ("bonus_crosses", "warning")
    ]


def test_dots_that_the_dot_wizard_must_open_do_not_win_him() -> None:
    """Five dots there are, but they all lie in the part that the dot's wizard must open."""
    board = Board.parse(
        """. . . .  .  . .
           . . . dd dd . .
           . . . ## .  . .
           d d . .  .  . .
           d d d l  .  . ."""
    )
    (problem,) = audit_map(board).problems
    assert (problem.code, len(problem.cells)) == ("unconnected_domino", 1)


def test_the_cross_must_find_its_shield_drawn(short_book: None) -> None:
    """The checked line fills with the last checked coat; what comes later gets no cross."""
    board = board_of(". . c c . . .", ". . . ## dd+++ dd .", EMPTY_ROW)
    audit = audit_map(board, False)
    assert audit.lawful and audit.witness is not None
    steps = [set(step.cells) for step in audit.witness.steps]
    assert steps == [{(2, 4), (2, 5)}, {(1, 2), (1, 3)}]


def test_an_empty_map_is_lawful() -> None:
    audit = audit_map(Board())
    assert audit.witness == Witness(())


def test_one_of_several_shields_is_blamed_for_a_missing_bonus() -> None:
    board = board_of(". . . d+++ d+++ . .", ". . . ## . . .", EMPTY_ROW)
    (problem,) = audit_map(board, False).problems
    assert (problem.code, len(problem.cells)) == ("bonus_crosses", 1)
    (problem,) = audit_map(board).problems
    assert (problem.code, len(problem.cells)) == ("bonus_crosses", 2)
