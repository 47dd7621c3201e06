"""Players that play whole games of Duel from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable

from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.dice import DICE
from kdscan.rules.duel.drawing import Slot, cell_of
from kdscan.rules.duel.editions import ENGLISH, Edition
from kdscan.rules.duel.moves import (
    AddCross,
    ChooseCoat,
    Draw,
    DrawNothing,
    Half,
    Move,
    Roll,
    Take,
    Turn,
)
from kdscan.rules.duel.play import Game, Phase

Player = Callable[[Game, random.Random], Move]
"""Chooses a legal move for the player whose turn it is."""

Halves = tuple[Half, Half]

MAX_ROUNDS = 200
"""Far above any game's length; the dice end games long before."""


def play_game(
    seed: int | random.Random,
    players: tuple[Player, Player] | None = None,
    edition: Edition = ENGLISH,
    rounds: int = MAX_ROUNDS,
) -> Game:
    """Play a game to its end, or to the end of that many rounds; with random players if none are
    given."""
    rng = seed if isinstance(seed, random.Random) else random.Random(seed)
    both = players or (random_player, random_player)
    game = Game(edition, rng)
    while not game.over and not (game.phase is Phase.ROLL and game.rounds >= rounds):
        game.play(both[game.to_move](game, rng))
    return game


def random_board(rng: random.Random) -> tuple[Board, bool]:
    """A map and whether its roof is coloured; three in four are finished, the others mid-game."""
    rounds = MAX_ROUNDS if rng.random() < 0.75 else rng.randint(1, 16)
    game = play_game(rng, rounds=rounds)
    which = rng.randrange(2)
    return game.drawings[which].board(), game.castle_used[which]


def random_player(game: Game, rng: random.Random) -> Move:
    """Any legal move; sometimes with a wizard or the castle."""
    player = game.to_move
    if game.phase is Phase.ROLL:
        return Roll()
    if game.phase is Phase.TAKE:
        return _random_take(game, rng)
    if game.phase is Phase.BOLT:
        if game.bolt is Coat.FILLED:
            return ChooseCoat(rng.choice(tuple(Coat)))
        return AddCross(cell_of(rng.choice(tuple(game.drawings[player].coats))))
    if game.book.ready(player, Coat.DOUBLE_LINE) and rng.random() < 0.2:
        die = rng.choice(game.hands[player])
        return Turn(die, rng.randrange(len(DICE[die])))
    return _random_draw(game, rng)


def _random_take(game: Game, rng: random.Random) -> Take:
    free = game.free_dice
    count = 1 if game.to_move == game.player_a else 2
    if count == 1 and game.book.ready(game.to_move, Coat.DOUBLE_DOT) and rng.random() < 0.5:
        count = 2
    return Take(tuple(rng.sample(free, count)))


def _random_draw(game: Game, rng: random.Random) -> Draw | DrawNothing:
    player = game.to_move
    drawing = game.drawings[player]
    one, two = game.hands[player]
    pairs = [(a, b) for a in game.coats_of(one) for b in game.coats_of(two)]
    rng.shuffle(pairs)
    both, power = _helped(game, rng, pairs) if rng.random() < 0.2 else (None, None)
    if both is None:
        both = _plain(game, rng, pairs)
    if both is None:
        both, power = _helped(game, rng, pairs)
    if both is None:
        return DrawNothing()
    castle = None
    if not drawing.castle_used and rng.random() < 0.12:
        castle = rng.choice((one, two))
    return Draw(both, castle, power)


def halves(game: Game, coats: tuple[Coat, Coat], slot: Slot) -> Halves:
    """The dice of the player whose turn it is, as these coats on these cells."""
    (one, two), (a, b), (u, v) = game.hands[game.to_move], coats, slot
    return Half(one, cell_of(u), a), Half(two, cell_of(v), b)


def _plain(game: Game, rng: random.Random, pairs: list[tuple[Coat, Coat]]) -> Halves | None:
    for coats in pairs:
        if slots := game.drawings[game.to_move].slots(*coats):
            return halves(game, coats, rng.choice(slots))
    return None


def _helped(
    game: Game, rng: random.Random, pairs: list[tuple[Coat, Coat]]
) -> tuple[Halves | None, Coat | None]:
    """A domino drawn with the dot's or the line's wizard, if the player has one."""
    player = game.to_move
    drawing = game.drawings[player]
    if game.book.ready(player, Coat.DOT) and (free := drawing.free_slots()):
        return halves(game, pairs[0], rng.choice(free)), Coat.DOT
    if game.book.ready(player, Coat.LINE):
        for coats in pairs:
            first, second = map(drawing.single_cells, coats)
            if places := [(u, v) for u in first for v in second if u != v]:
                return halves(game, coats, rng.choice(places)), Coat.LINE
    return None, None
