"""Players that play whole games of Duel from a seed, at random or for points."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from itertools import product

from kdscan.rules.duel.board import DICE, NEAR, Coat, cell_of, find_domains, number
from kdscan.rules.duel.play import (
    ENGLISH,
    AddCross,
    ChooseCoat,
    Draw,
    Drawing,
    DrawNothing,
    Edition,
    Game,
    Half,
    Move,
    Phase,
    Roll,
    Slot,
    Take,
    Turn,
)

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


def random_player(game: Game, rng: random.Random) -> Move:
    """Any legal move; sometimes with a wizard or the castle."""
    player = game.to_move
    if game.phase is Phase.ROLL:
        return Roll()
    if game.phase is Phase.TAKE:
        count = 1 if player == game.player_a else 2
        if count == 1 and game.spellbook.ready(player, Coat.DOUBLE_DOT) and rng.random() < 0.5:
            count = 2
        return Take(tuple(rng.sample(game.free_dice, count)))
    if game.phase is Phase.BOLT:
        if game.bolt is Coat.FILLED:
            return ChooseCoat(rng.choice(tuple(Coat)))
        return AddCross(cell_of(rng.choice(tuple(game.drawings[player].coats))))
    if game.spellbook.ready(player, Coat.DOUBLE_LINE) and rng.random() < 0.2:
        die = rng.choice(game.hands[player])
        return Turn(die, rng.randrange(len(DICE[die])))
    drawing = game.drawings[player]
    one, two = game.hands[player]
    pairs = [(a, b) for a in game.coats_of(one) for b in game.coats_of(two)]
    rng.shuffle(pairs)
    both, power = _helped(game, rng, pairs) if rng.random() < 0.2 else (None, None)
    if both is None:
        fits = ((coats, slots) for coats in pairs if (slots := drawing.slots(*coats)))
        first = next(fits, None)
        both = first and halves(game, first[0], rng.choice(first[1]))
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


def _helped(
    game: Game, rng: random.Random, pairs: list[tuple[Coat, Coat]]
) -> tuple[Halves | None, Coat | None]:
    """A domino drawn with the dot's or the line's wizard, if the player has one."""
    player = game.to_move
    drawing = game.drawings[player]
    if game.spellbook.ready(player, Coat.DOT) and (free := drawing.free_slots()):
        return halves(game, pairs[0], rng.choice(free)), Coat.DOT
    if game.spellbook.ready(player, Coat.LINE):
        for coats in pairs:
            open_bits = (drawing.touch[coat] & ~drawing.filled for coat in coats)
            first, second = ([i for i in NEAR if cells >> i & 1] for cells in open_bits)
            if places := [(u, v) for u in first for v in second if u != v]:
                return halves(game, coats, rng.choice(places)), Coat.LINE
    return None, None


_CONTACT = 0.4
"""Value of a shield beside an equal coat, in addition to its points: its domain may still grow."""

_LATER = 30
"""Number of shields drawn before the castle's cross is spent on less than its best use."""


_Place = tuple[tuple[Coat, Coat], Slot]
"""Coats of the two dice, and where they are drawn."""


def greedy_player(game: Game, rng: random.Random) -> Move:
    """The move that brings the most points now; ties are broken at random."""
    drawing = game.drawings[game.to_move]
    if game.phase is Phase.TAKE:

        def worth(die: int) -> float:
            face = game.faces[die]
            if face.coat is None:
                return 1.5 + rng.random()
            return face.crosses + drawing.touch[face.coat].bit_count() / 10 + rng.random()

        free = sorted(game.free_dice, key=worth, reverse=True)
        both = game.to_move == game.player_b or game.spellbook.ready(game.to_move, Coat.DOUBLE_DOT)
        return Take(tuple(free[: 2 if both else 1]))
    if game.phase is Phase.BOLT:
        domains = find_domains(drawing.board())
        if game.bolt is Coat.FILLED:
            return ChooseCoat(max(Coat, key=[domain.coat for domain in domains].count))
        size = {cell: len(domain.cells) for domain in domains for cell in domain.cells}
        return AddCross(max(map(cell_of, drawing.coats), key=size.__getitem__))
    if game.phase is Phase.DRAW:
        return _draw(game, rng)
    return random_player(game, rng)


def _gains(drawing: Drawing) -> Callable[[tuple[tuple[int, Coat, int], ...]], float]:
    """From two halves (cell, coat, crosses) to the points gained by drawing them, contact with
    equals included."""
    domains = find_domains(drawing.board())
    domain_of = {number(cell): n for n, domain in enumerate(domains) for cell in domain.cells}

    @cache
    def gain(cells: tuple[int, ...], coat: Coat, crosses: int) -> float:
        near = {domain_of[j] for i in cells for j in NEAR[i] if j in domain_of}
        joined = [domains[n] for n in near if domains[n].coat is coat]
        size = len(cells) + sum(len(domain.cells) for domain in joined)
        total = crosses + sum(domain.crosses for domain in joined)
        before = sum(domain.points for domain in joined)
        return size * total - before + _CONTACT * len(joined) * size

    def of_domino(halves: tuple[tuple[int, Coat, int], ...]) -> float:
        (u, a, x), (v, b, y) = halves
        if a is b and v in NEAR[u]:
            return gain((u, v), a, x + y)
        return gain((u,), a, x) + gain((v,), b, y)

    return of_domino


def _draw(game: Game, rng: random.Random) -> Move:
    drawing = game.drawings[game.to_move]
    one, two = game.hands[game.to_move]
    x, y = game.faces[one].crosses, game.faces[two].crosses
    gain_of = _gains(drawing)

    def gain(place: _Place, castle: int | None = None) -> float:
        (a, b), (u, v) = place
        return gain_of(((u, a, x + (castle == one)), (v, b, y + (castle == two))))

    places = (
        (coats, slot)
        for coats in product(game.coats_of(one), game.coats_of(two))
        for slot in drawing.slots(*coats)
    )
    best = max(places, key=lambda place: gain(place) + rng.random() / 2, default=None)
    if best is None:  # turn a die if possible, else call the other wizards
        if game.spellbook.ready(game.to_move, Coat.DOUBLE_LINE):
            return Turn(rng.choice((one, two)), rng.randrange(6))
        return random_player(game, rng)
    castle = None
    if not drawing.castle_used:
        chosen = max((one, two), key=lambda die: gain(best, die))
        late = drawing.filled.bit_count() >= _LATER
        if late or gain(best, chosen) - gain(best) >= 6:
            castle = chosen
    return Draw(halves(game, *best), castle)
