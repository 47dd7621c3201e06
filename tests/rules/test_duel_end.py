"""How Duel ends, and its players. Quotations name their rulebook (seed)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings

from kdscan.rules import Cell, IllegalMoveError
from kdscan.rules.duel.board import CELLS, SQUARES, Coat, number
from kdscan.rules.duel.play import EDITIONS, FRENCH, DrawNothing, Game, Phase, Roll, Rule, Take
from kdscan.rules.duel.players import greedy_player, play_game, random_player
from tests.rules.boards import seeds
from tests.rules.moves import A_DRAW, B_DRAW, drawing, phase_of, roll, started

# The end


def fill(game: Game, player: int, *left: Cell) -> None:
    """Fill a map with checked coats but for those cells."""
    cells = [cell for cell in CELLS if cell not in left]
    game.drawings[player].draw((number(cell), Coat.CHECKED, 0) for cell in cells)


def test_the_game_ends_when_a_map_is_full() -> None:
    game = started()
    fill(game, 0, (1, 3), (1, 2))
    game.play(A_DRAW)
    assert phase_of(game) is not Phase.OVER
    game.play(B_DRAW)
    assert phase_of(game) is Phase.OVER and len(game.maps[0]) == 34
    refused_over(game)


def refused_over(game: Game) -> None:
    with pytest.raises(IllegalMoveError, match=Rule.ORDER):
        game.play(Roll())


def test_the_game_ends_when_nobody_draws_this_round() -> None:
    """Seed 002: "No players are able to place their domino this turn."""
    game = started()
    fill(game, 0, (0, 0), (0, 1))
    fill(game, 1, (0, 0), (0, 1))
    game.play(DrawNothing())
    game.play(DrawNothing())
    assert phase_of(game) is Phase.OVER
    assert all(line.filled == 0 for lines in game.spellbook.lines for line in lines.values())


def test_the_french_game_goes_on_for_a_round_and_counts_what_was_not_drawn() -> None:
    """Seed 003: "Au tour précédent, aucun des deux joueurs n'a placé son domino"; "à chaque
    fois que vous obtenez une face Blason sans croix"."""
    game = started("dot:0", "line:0", "filled:2", "line:0", edition=FRENCH)
    fill(game, 0, (0, 0), (0, 1))
    fill(game, 1, (0, 0), (0, 1))
    game.play(DrawNothing())
    game.play(DrawNothing())
    assert phase_of(game) is not Phase.OVER
    first, second = game.spellbook.lines
    assert (first[Coat.DOT].filled, first[Coat.LINE].filled) == (1, 1)
    assert (second[Coat.FILLED].filled, second[Coat.LINE].filled) == (0, 1)
    roll(game, "?", "checked:0", "filled:2", "line:1")
    game.play(Take((0,)))
    game.play(Take((2, 3)))
    game.play(drawing((0, (0, 0), Coat.CHECKED), (1, (0, 1), Coat.CHECKED)))
    game.play(DrawNothing())
    assert phase_of(game) is Phase.OVER


# Players


@given(seeds)
@settings(max_examples=20)
def test_players_finish_lawful_games(seed: int) -> None:
    rng = random.Random(seed)
    edition = rng.choice(tuple(EDITIONS.values()))
    who = rng.choice(((random_player, random_player), (greedy_player, random_player)))
    game = play_game(seed, who, edition)
    assert phase_of(game) is Phase.OVER
    for player in (0, 1):
        board = game.maps[player]
        assert len(board) % 2 == 0
        assert max(shield.crosses for shield in board.values()) <= 4
    book = game.spellbook
    for coat in Coat:
        assert sum(lines[coat].filled >= SQUARES[coat] for lines in book.lines) <= 1
