"""A greedy player, who takes the most points available now, like a beginner."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.drawing import NEAR, Drawing, Slot, cell_of, number
from kdscan.rules.duel.moves import AddCross, ChooseCoat, Draw, Move, Take, Turn
from kdscan.rules.duel.play import Game, Phase
from kdscan.rules.duel.players import halves, random_player
from kdscan.rules.duel.scoring import find_domains

_CONTACT = 0.4
"""Value of a shield beside an equal coat, in addition to its points: its domain may still grow."""

_LATER = 30
"""Number of shields drawn before the castle's cross is spent on less than its best use."""


def greedy_player(game: Game, rng: random.Random) -> Move:
    """The move that brings the most points now; ties are broken at random."""
    if game.phase is Phase.TAKE:
        return _take(game, rng)
    if game.phase is Phase.BOLT:
        return _bolt(game)
    if game.phase is Phase.DRAW:
        return _draw(game, rng)
    return random_player(game, rng)


class _Domains:
    """The domains of a map while it is being drawn: each shield's domain, sizes, crosses."""

    def __init__(self, drawing: Drawing) -> None:
        found = find_domains(drawing.board())
        self.of = {number(cell): n for n, domain in enumerate(found) for cell in domain.cells}
        self.size = [len(domain.cells) for domain in found]
        self.crosses = [domain.crosses for domain in found]
        self.coats = [domain.coat for domain in found]
        self._gains: dict[tuple[tuple[int, ...], Coat, int], float] = {}

    def gain(self, halves: tuple[tuple[int, Coat, int], ...]) -> float:
        """Points gained by drawing these (cell, coat, crosses), contact with equals included."""
        (u, a, x), (v, b, y) = halves
        if a is b and v in NEAR[u]:
            return self._gain((u, v), a, x + y)
        return self._gain((u,), a, x) + self._gain((v,), b, y)

    def _gain(self, cells: tuple[int, ...], coat: Coat, crosses: int) -> float:
        key = cells, coat, crosses
        known = self._gains.get(key)
        if known is None:
            known = self._gains[key] = self._count(cells, coat, crosses)
        return known

    def _count(self, cells: tuple[int, ...], coat: Coat, crosses: int) -> float:
        joined = set()
        size, total, before = len(cells), crosses, 0
        for i in cells:
            for j in NEAR[i]:
                name = self.of.get(j)
                if name is not None and name not in joined and self.coats[name] is coat:
                    joined.add(name)
                    size += self.size[name]
                    total += self.crosses[name]
                    before += self.size[name] * self.crosses[name]
        return size * total - before + _CONTACT * len(joined) * size


def _take(game: Game, rng: random.Random) -> Take:
    drawing = game.drawings[game.to_move]

    def worth(die: int) -> float:
        face = game.faces[die]
        if face.coat is None:
            return 1.5 + rng.random()
        return face.crosses + drawing.touch[face.coat].bit_count() / 10 + rng.random()

    free = sorted(game.free_dice, key=worth, reverse=True)
    both = game.to_move == game.player_b or game.book.ready(game.to_move, Coat.DOUBLE_DOT)
    return Take(tuple(free[: 2 if both else 1]))


def _bolt(game: Game) -> ChooseCoat | AddCross:
    drawing = game.drawings[game.to_move]
    domains = _Domains(drawing)
    if game.bolt is Coat.FILLED:
        return ChooseCoat(max(Coat, key=domains.coats.count))
    return AddCross(cell_of(max(drawing.coats, key=lambda i: domains.size[domains.of[i]])))


def _draw(game: Game, rng: random.Random) -> Move:
    drawing = game.drawings[game.to_move]
    one, two = game.hands[game.to_move]
    x, y = game.faces[one].crosses, game.faces[two].crosses
    domains = _Domains(drawing)

    def gain(place: _Place, castle: int | None = None) -> float:
        (a, b), (u, v) = place
        return domains.gain(((u, a, x + (castle == one)), (v, b, y + (castle == two))))

    best = max(_places(game), key=lambda place: gain(place) + rng.random() / 2, default=None)
    if best is None:
        return _turn(game, rng)
    castle = None
    if not drawing.castle_used:
        chosen = max((one, two), key=lambda die: gain(best, die))
        late = drawing.filled.bit_count() >= _LATER
        if late or gain(best, chosen) - gain(best) >= 6:
            castle = chosen
    return Draw(halves(game, *best), castle)


_Place = tuple[tuple[Coat, Coat], Slot]


def _places(game: Game) -> Iterator[_Place]:
    first, second = map(game.coats_of, game.hands[game.to_move])
    for coats in product(first, second):
        for slot in game.drawings[game.to_move].slots(*coats):
            yield coats, slot


def _turn(game: Game, rng: random.Random) -> Move:
    """Nothing fits: turn a die if possible, else call the other wizards."""
    player = game.to_move
    if game.book.ready(player, Coat.DOUBLE_LINE):
        return Turn(rng.choice(game.hands[player]), rng.randrange(6))
    return random_player(game, rng)
