"""Duel's spellbook and wizards. Quotations name their rulebook (seed)."""

from __future__ import annotations

from kdscan.rules.duel.board import SQUARES, Coat
from kdscan.rules.duel.play import AddCross, ChooseCoat, Draw, Game, Phase, Roll, Rule, Take, Turn
from tests.rules.moves import A_DRAW, drawing, face, phase_of, refused, roll, started


def bolt_of(game: Game) -> Coat:
    """The bolt that waits; a call, so that type checkers expect it to change."""
    return game.bolt


# 4. Filling in the spellbook; the wizards


def won(game: Game, player: int, *coats: Coat) -> Game:
    """Let a player have filled those lines already."""
    for coat in coats:
        while not game.spellbook.fill(player, coat):
            pass
    return game


def last_square(game: Game, player: int, coat: Coat) -> None:
    while game.spellbook.lines[player][coat].filled < SQUARES[coat] - 1:
        game.spellbook.fill(player, coat)


def test_in_one_round_a_fills_first_and_b_strikes_the_line() -> None:
    """Seed 002: "if both players finish a line on the same turn, then Player A is considered
    to have completed the line before Player B."""
    game = started("dot:0", "line:0", "dot:0", "line:0")
    for player in (0, 1):
        last_square(game, player, Coat.DOT)
    game.play(A_DRAW)
    game.play(drawing((2, (1, 3), Coat.DOT), (3, (0, 3), Coat.LINE)))
    book = game.spellbook
    assert book.owner(Coat.DOT) == 0 and book.owner(Coat.LINE) is None
    assert book.lines[1][Coat.DOT].struck and book.lines[1][Coat.DOT].filled == 4
    assert not book.lines[0][Coat.DOT].struck and not book.lines[0][Coat.DOT].used


def test_the_dot_wizard_draws_without_connection_once() -> None:
    game = won(started(), 0, Coat.DOT)
    far = drawing((0, (0, 0), Coat.DOT), (1, (0, 1), Coat.LINE), power=Coat.DOT)
    apart = drawing((0, (0, 0), Coat.DOT), (1, (4, 6), Coat.LINE), power=Coat.DOT)
    refused(game, apart, Rule.DOMINO)
    game.play(far)
    assert game.spellbook.lines[0][Coat.DOT].used
    mine = drawing((2, (0, 0), Coat.FILLED), (3, (0, 1), Coat.LINE), power=Coat.DOT)
    refused(game, mine, Rule.POWER)


def test_the_line_wizard_draws_dice_apart_each_connected() -> None:
    """Seed 002: "You can separate your dice to fill in your map. Each die must respect the
    Connection Rules."""
    game = started()
    apart = drawing((0, (1, 3), Coat.DOT), (1, (3, 3), Coat.LINE), power=Coat.LINE)
    refused(game, apart, Rule.POWER)
    won(game, 0, Coat.LINE)
    loose = drawing((0, (1, 3), Coat.DOT), (1, (0, 3), Coat.LINE), power=Coat.LINE)
    refused(game, loose, Rule.CONNECTION)
    refused(game, Draw(A_DRAW.halves, power=Coat.FILLED), Rule.POWER)
    game.play(apart)
    assert set(game.maps[0]) == {(1, 3), (3, 3)}


def test_the_double_dot_wizard_takes_both_dice_at_once() -> None:
    game = won(Game(), 0, Coat.DOUBLE_DOT)
    roll(game, "dot:0", "line:0", "dot:0", "line:0")
    game.play(Take((1, 3)))
    assert game.hands == ([1, 3], [0, 2]) and phase_of(game) is Phase.DRAW
    assert game.spellbook.lines[0][Coat.DOUBLE_DOT].used


def test_the_double_line_wizard_turns_a_die() -> None:
    game = started()
    refused(game, Turn(0, 2), Rule.POWER)
    won(game, 0, Coat.DOUBLE_LINE)
    refused(game, Turn(2, 2), Rule.POWER)
    refused(game, Turn(0, 6), Rule.POWER)
    refused(game, Turn(0, -1), Rule.POWER)
    game.play(Turn(0, 2))
    assert game.faces[0] == face("double_line:1")
    refused(game, Turn(0, 1), Rule.POWER)
    game.play(drawing((0, (1, 3), Coat.DOUBLE_LINE), (1, (1, 2), Coat.LINE)))


def test_bolts_are_cast_at_once_a_first() -> None:
    """Seed 002: the two powers with a lightning bolt "must be played IMMEDIATELY"."""
    game = started("dot:0", "checked:0", "dot:0", "?")
    last_square(game, 0, Coat.CHECKED)
    for _ in range(2):
        game.spellbook.fill(0, Coat.FILLED)
    game.play(drawing((0, (1, 3), Coat.DOT), (1, (1, 2), Coat.CHECKED)))
    game.play(drawing((2, (1, 3), Coat.DOT), (3, (0, 3), Coat.LINE)))
    assert phase_of(game) is Phase.BOLT and game.to_move == 0 and bolt_of(game) is Coat.CHECKED
    refused(game, ChooseCoat(Coat.DOT), Rule.POWER)
    refused(game, AddCross((0, 3)), Rule.POWER)
    refused(game, AddCross((0, 9)), Rule.POWER)
    refused(game, Roll(), Rule.ORDER)
    game.play(AddCross((1, 3)))
    assert game.maps[0][1, 3].crosses == 1
    assert phase_of(game) is Phase.ROLL and game.spellbook.lines[0][Coat.CHECKED].used
