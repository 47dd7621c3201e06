"""Duel move by move. Quotations name their rulebook (seed)."""

from __future__ import annotations

import random

from kdscan.rules.duel.board import DICE, Coat
from kdscan.rules.duel.play import Draw, DrawNothing, Game, Phase, Roll, Rule, Take
from tests.rules.moves import A_DRAW, B_DRAW, drawing, phase_of, refused, roll, started

# Data


# 1. Rolling the dice; 2. Setting up dominoes


def test_a_takes_one_die_b_two_and_a_the_last() -> None:
    """Seed 002: "The player A chooses one die from the 4. The Player B chooses 2 from the 3
    left and then the player A takes the remaining die."""
    game = Game(rng=random.Random(1))
    refused(game, Take((0,)), Rule.ORDER)
    game.play(Roll())
    assert phase_of(game) is Phase.TAKE and game.to_move == 0 and len(game.faces) == 4
    assert all(shown in die for shown, die in zip(game.faces, DICE, strict=True))
    refused(game, Roll(), Rule.ORDER)
    refused(game, Take((0, 1)), Rule.POWER)
    refused(game, Take(()), Rule.TAKING)
    refused(game, Take((4,)), Rule.TAKING)
    game.play(Take((3,)))
    assert game.free_dice == [0, 1, 2]
    refused(game, Take((3, 0)), Rule.TAKING)
    refused(game, Take((0, 0)), Rule.TAKING)
    refused(game, Take((0,)), Rule.TAKING)
    refused(game, Take((0, 1, 2)), Rule.TAKING)
    game.play(Take((0, 2)))
    assert game.hands == ([3, 1], [0, 2])
    assert phase_of(game) is Phase.DRAW and game.to_move == 0


# 3. Filling in the map


def test_the_first_domino_touches_the_castle() -> None:
    """Seed 002: "Connect one of the symbols on your domino to the central castle space"."""
    game = started()
    far = drawing((0, (0, 0), Coat.DOT), (1, (0, 1), Coat.LINE))
    refused(game, far, Rule.CONNECTION)
    diagonal = drawing((0, (1, 2), Coat.DOT), (1, (0, 2), Coat.LINE))
    refused(game, diagonal, Rule.CONNECTION)
    game.play(A_DRAW)
    assert str(game.maps[0]).split()[9:11] == ["l", "d"]
    assert game.to_move == 1


def test_a_domino_lies_on_two_free_shields_side_by_side() -> None:
    game = started()
    dot, line = Coat.DOT, Coat.LINE
    for one, two in (
        ((1, 3), (1, 1)),
        ((1, 3), (1, 3)),
        ((1, 3), (2, 3)),
        ((0, 3), (-1, 3)),
        ((1, 6), (1, 7)),
        ((2, 0), (0, 7)),
        ((0, 6), (2, -1)),
        ((4, 3), (5, 3)),
    ):
        refused(game, drawing((0, one, dot), (1, two, line)), Rule.DOMINO)


def test_what_is_drawn_is_what_the_dice_show() -> None:
    game = started()
    refused(game, drawing((0, (1, 3), Coat.DOT), (2, (1, 2), Coat.FILLED)), Rule.SYMBOL)
    refused(game, drawing((0, (1, 3), Coat.LINE), (1, (1, 2), Coat.LINE)), Rule.SYMBOL)
    game.play(A_DRAW)
    game.play(B_DRAW)
    assert game.maps[1][1, 3].crosses == 2 and game.maps[1][0, 3].crosses == 1


def test_a_later_domino_may_touch_an_equal_coat_of_an_earlier_round() -> None:
    game = started()
    game.play(A_DRAW)
    game.play(B_DRAW)
    assert game.player_a == 1 and game.to_move == 1 and game.rounds == 1
    roll(game, "dot:0", "line:0", "dot:0", "line:0")
    game.play(Take((0,)))
    game.play(Take((2, 3)))
    game.play(drawing((0, (3, 3), Coat.DOT), (1, (3, 2), Coat.LINE)))
    wrong = drawing((2, (1, 1), Coat.DOT), (3, (1, 0), Coat.LINE))
    refused(game, wrong, Rule.CONNECTION)
    game.play(drawing((2, (1, 0), Coat.DOT), (3, (1, 1), Coat.LINE)))
    assert len(game.maps[0]) == 4


def test_a_joker_is_any_coat_and_fills_no_square() -> None:
    """Seed 002: "Question marks do not allow the player to fill in a square"."""
    game = started("?", "line:0", "filled:2", "line:1")
    game.play(drawing((0, (1, 3), Coat.CHECKED), (1, (1, 2), Coat.LINE)))
    game.play(B_DRAW)
    lines = game.spellbook.lines[0]
    assert (lines[Coat.CHECKED].filled, lines[Coat.LINE].filled) == (0, 1)
    assert all(line.filled == 0 for line in game.spellbook.lines[1].values())


def test_who_can_draw_must() -> None:
    game = started()
    refused(game, DrawNothing(), Rule.NOTHING)
    game.play(A_DRAW)


# The castle's bonus


def test_the_castle_adds_a_cross_once_and_its_die_fills_no_square() -> None:
    """Seed 002: "Once per game, you can add one cross to one of the 2 dice you have chosen
    ... (the die in question cannot be used to fill in the spellbook)."""
    game = started()
    refused(game, Draw(A_DRAW.halves, castle=2), Rule.CASTLE)
    game.play(Draw(A_DRAW.halves, castle=0))
    assert game.castle_used == (True, False)
    game.play(Draw(B_DRAW.halves, castle=2))
    assert game.castle_used == (True, True)
    assert game.maps[0][1, 3].crosses == 1 and game.maps[0][1, 2].crosses == 0
    assert game.maps[1][1, 3].crosses == 3
    assert game.spellbook.lines[0][Coat.DOT].filled == 0
    assert game.spellbook.lines[0][Coat.LINE].filled == 1
    roll(game, "dot:0", "line:0", "dot:0", "line:0")
    game.play(Take((0,)))
    game.play(Take((2, 3)))
    second = drawing((0, (3, 3), Coat.DOT), (1, (3, 2), Coat.LINE))
    refused(game, Draw(second.halves, castle=0), Rule.CASTLE)
