"""Games of Kingdomino. Quotations name their rulebook (seed)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from kdscan.rules import IllegalMoveError
from kdscan.rules.kingdomino.kingdom import (
    TILES,
    Kingdom,
    Square,
    Terrain,
    Tile,
    Variants,
    score_kingdom,
)
from kdscan.rules.kingdomino.legality import find_problems
from kdscan.rules.kingdomino.play import (
    Choose,
    Discard,
    Game,
    Lay,
    Move,
    Phase,
    Rule,
    match_winners,
    play_game,
    random_player,
)
from tests.rules.boards import seeds
from tests.rules.kingdoms import variants


def tile(number: int) -> Tile:
    return TILES[number - 1]


def two_players(*first: int) -> Game:
    """A game of two whose first lines hold those dominoes; kings come out 0, 1, 1, 0."""
    rest = [t for t in TILES if t.number not in first][: 24 - len(first)]
    return Game(2, deck=[tile(n) for n in first] + rest, kings=(0, 1, 1, 0))


def refused(game: Game, move: Move, rule: Rule) -> None:
    before = (game.phase, game.kingdoms, tuple(game.discarded), len(game.history))
    with pytest.raises(IllegalMoveError) as caught:
        game.play(move)
    assert caught.value.rule is rule
    assert (game.phase, game.kingdoms, tuple(game.discarded), len(game.history)) == before


def test_kings_settle_the_order() -> None:
    """Seed 004: the turn order is the order of the kings on the dominoes, lowest number first."""
    game = two_players(9, 1, 48, 20)
    assert [t.number for t in game.choices] == [1, 9, 20, 48]
    refused(game, Lay(((0, 1), (0, 2))), Rule.ORDER)
    refused(game, Choose(2), Rule.LINE)
    assert game.to_move == 0
    game.play(Choose(48))
    assert game.to_move == 1
    refused(game, Choose(48), Rule.LINE)
    game.play(Choose(9))
    game.play(Choose(1))
    game.play(Choose(20))
    assert game.rounds == 1 and game.phase is Phase.LAY
    order = []
    for _ in range(4):
        order.append((game.to_move, game.tile.number))
        game.play(Lay(game.places()[0]))
        game.play(Choose(game.choices[0].number))
    assert order == [(1, 1), (1, 9), (0, 20), (0, 48)]
    assert game.rounds == 2 and game.to_move == 1


def laying(number: int) -> Game:
    """The first player is about to lay that domino."""
    others = [n for n in (45, 46, 47, 48, 44) if n != number][:3]
    game = two_players(number, *others)
    for choice in (number, *others):
        game.play(Choose(choice))
    assert game.tile.number == number
    return game


def test_dominoes_join_the_castle_or_their_terrain() -> None:
    game = laying(13)
    refused(game, Choose(1), Rule.ORDER)
    refused(game, Discard(), Rule.DISCARD)
    refused(game, Lay(((0, 0), (0, 1))), Rule.PLACE)
    refused(game, Lay(((0, 1), (0, 3))), Rule.PLACE)
    refused(game, Lay(((1, 1), (1, 2))), Rule.CONNECTION)
    refused(game, Lay(((0, 4), (0, 5))), Rule.LIMIT)
    game.play(Lay(((0, 1), (0, 2))))
    assert str(game.kingdoms[0]) == "## w  f"
    land = game.lands[0]
    assert land.joins((0, 3), Terrain.FOREST) and not land.joins((0, 3), Terrain.WHEAT)
    assert not land.fits(((0, 1), (1, 1)))


def test_the_castle_may_lie_anywhere_within_the_limit() -> None:
    game = laying(1)
    land = game.lands[0]
    for col in (1, 3):
        land.lay(tile(1).squares, ((0, col), (0, col + 1)))
    assert not land.fits(((0, -2), (0, -1)))
    assert land.fits(((1, 4), (2, 4))) and land.fits(((-1, 4), (-2, 4)))
    land.lay(tile(1).squares, ((1, 4), (2, 4)))
    assert not land.fits(((-1, 0), (-1, -1)))
    assert land.fits(((-1, 0), (-2, 0)))
    assert not land.fits(((3, 0), (-3, 0)))


def test_what_fits_nowhere_is_discarded() -> None:
    game = laying(13)
    land = game.lands[0]
    for row in range(-2, 3):
        for col in range(-2, 3):
            if (row, col) not in ((0, 0), (2, 2)):
                land.squares[row, col] = Square(Terrain.MINE)
    assert game.places() == []
    refused(game, Lay(((2, 2), (2, 3))), Rule.LIMIT)
    game.play(Discard())
    assert game.discarded == [1, 0] and game.phase is Phase.CHOOSE


def test_the_last_round_only_lays() -> None:
    """Seed 004: in the last round players do only the first of the two actions."""
    game = play_game(3, [random_player] * 2)
    assert game.rounds == 6 and len(game.history) == 4 + 4 * 5 * 2 + 4
    assert not any(isinstance(move, Choose) for _, move in game.history[-4:])
    refused(game, Choose(1), Rule.ORDER)


@given(seeds, variants)
@settings(max_examples=25)
def test_players_finish_lawful_games(seed: int, how: tuple[int, Variants]) -> None:
    count, rules = how
    game = play_game(seed, [random_player] * count, rules)
    assert game.rounds == (6 if count == 2 and not rules.great_duel else 12)
    each = 24 if rules.great_duel else 12
    for kingdom, gone, score in zip(game.kingdoms, game.discarded, game.scores(), strict=True):
        assert len(kingdom.squares) == 2 * (each - gone)
        assert max(kingdom.extent) <= rules.size
        assert not find_problems(kingdom, rules)
        assert Kingdom.parse(str(kingdom)) == kingdom
        assert score == score_kingdom(kingdom, rules)
        assert score.harmony == (5 if rules.harmony and not gone else 0)
    assert match_winners([game.scores()])
