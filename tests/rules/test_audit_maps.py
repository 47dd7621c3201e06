"""The audit of a Duel map: ways can be replayed, proofs hold."""

from __future__ import annotations

import random

from hypothesis import given, settings

from kdscan.rules.duel.audit import Witness, audit_map, replay
from kdscan.rules.duel.board import CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from tests.rules.boards import changed, played, seeds
from tests.rules.rows import EMPTY_ROW, board_of, short_book_fixture  # noqa: F401


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
