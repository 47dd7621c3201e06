"""Moves for tests of Duel: a game begun, dominoes drawn, and moves that are refused."""

from __future__ import annotations

import random

import pytest

from kdscan.rules import Cell, IllegalMoveError
from kdscan.rules.duel.board import Coat, Face
from kdscan.rules.duel.play import ENGLISH, Draw, Edition, Game, Half, Move, Phase, Roll, Rule, Take


def face(text: str) -> Face:
    return Face.parse(text)


def roll(game: Game, *faces: str) -> None:
    one, two, three, four = (face(text) for text in faces)
    game.play(Roll((one, two, three, four)))


def drawing(
    one: tuple[int, Cell, Coat],
    two: tuple[int, Cell, Coat],
    castle: int | None = None,
    power: Coat | None = None,
) -> Draw:
    return Draw((Half(*one), Half(*two)), castle, power)


def phase_of(game: Game) -> Phase:
    """What the game waits for; a call, so that type checkers expect it to change."""
    return game.phase


def started(*faces: str, edition: Edition = ENGLISH) -> Game:
    """Player 0 is A and holds dice 0 and 1, player 1 holds 2 and 3."""
    game = Game(edition, random.Random(1))
    roll(game, *(faces or ("dot:0", "line:0", "filled:2", "line:1")))
    game.play(Take((0,)))
    game.play(Take((2, 3)))
    return game


def refused(game: Game, move: Move, rule: Rule) -> None:
    before = (game.phase, game.to_move, game.maps, game.spellbook, len(game.history))
    with pytest.raises(IllegalMoveError) as caught:
        game.play(move)
    assert caught.value.rule is rule
    assert str(caught.value).startswith(rule.value)
    assert (game.phase, game.to_move, game.maps, game.spellbook, len(game.history)) == before


A_DRAW = drawing((0, (1, 3), Coat.DOT), (1, (1, 2), Coat.LINE))
B_DRAW = drawing((2, (1, 3), Coat.FILLED), (3, (0, 3), Coat.LINE))
