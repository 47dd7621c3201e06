"""Players that play whole games of Kingdomino from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from kdscan.rules.kingdomino.kingdom import Kingdom, Land, Place
from kdscan.rules.kingdomino.play import Choose, Discard, Game, Lay, Move, Phase
from kdscan.rules.kingdomino.scoring import score_kingdom
from kdscan.rules.kingdomino.tiles import Tile
from kdscan.rules.kingdomino.variants import PLAIN, Variants

Player = Callable[[Game, random.Random], Move]
"""Chooses a legal move for the player whose turn it is."""


def play_game(
    seed: int | random.Random,
    players: Sequence[Player],
    variants: Variants = PLAIN,
) -> Game:
    """Play one game to its end, with as many players as are given."""
    rng = seed if isinstance(seed, random.Random) else random.Random(seed)
    game = Game(len(players), variants, rng)
    while not game.over:
        game.play(players[game.to_move](game, rng))
    return game


def play_match(
    seed: int | random.Random, players: Sequence[Player], variants: Variants = PLAIN
) -> list[Game]:
    """Play a match: one game, or the three of a dynasty."""
    rng = seed if isinstance(seed, random.Random) else random.Random(seed)
    return [play_game(rng, players, variants) for _ in range(variants.games)]


def random_player(game: Game, rng: random.Random) -> Move:
    """Any legal move."""
    if game.phase is Phase.CHOOSE:
        return Choose(rng.choice(game.choices).number)
    places = game.places()
    return Lay(rng.choice(places)) if places else Discard()


def greedy_player(game: Game, rng: random.Random) -> Move:
    """The move that brings the most points now; ties are broken at random."""
    land = game.lands[game.to_move]
    if game.phase is Phase.CHOOSE:
        best = max(game.choices, key=lambda tile: (_best(land, tile), rng.random()))
        return Choose(best.number)
    places = game.places()
    if not places:
        return Discard()
    return Lay(max(places, key=lambda cells: (_worth(land, game.tile, cells), rng.random())))


def _best(land: Land, tile: Tile) -> int:
    return max((_worth(land, tile, cells) for cells in land.places(tile.squares)), default=-1)


def _worth(land: Land, tile: Tile, cells: Place) -> int:
    """The kingdom's points with the domino laid there."""
    reach = 2 * land.size
    squares = {**land.squares, **dict(zip(cells, tile.squares, strict=True))}
    moved = {(r + reach, c + reach): square for (r, c), square in squares.items()}
    return score_kingdom(Kingdom(moved, (reach, reach), (2 * reach, 2 * reach))).total
