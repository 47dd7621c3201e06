"""A game of Kingdomino, move by move, and players that play whole games from a seed.

`Game.play` makes a move, or raises IllegalMoveError with the rule that it breaks; nothing has
changed then. `Game.phase` and `Game.to_move` say what the game is waiting for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from kdscan.rules import Cell, IllegalMoveError, Worth, decide, neighbours, outcome, require, span
from kdscan.rules.kingdomino.kingdom import (
    PLAIN,
    TILES,
    Kingdom,
    Place,
    Score,
    Square,
    Terrain,
    Tile,
    VariantError,
    Variants,
    score_kingdom,
)


class Rule(StrEnum):
    """The rule that a refused move breaks."""

    ORDER = "this is not the move that the game is waiting for"
    LINE = "a king stands alone on a domino of the new line"
    PLACE = "a domino lies on two free squares side by side"
    LIMIT = "a kingdom spreads over no more squares than its limit"
    CONNECTION = "a square of the domino touches the castle or its own terrain"
    DISCARD = "lay the domino if you can"


class Choose(NamedTuple):
    """Put your king on the domino with that number in the new line."""

    number: int


class Lay(NamedTuple):
    """Lay your domino, its first square on the first cell; the castle lies at (0, 0)."""

    cells: Place


class Discard(NamedTuple):
    """Discard your domino, which is only legal if it cannot be laid."""


Move = Choose | Lay | Discard


class Phase(StrEnum):
    """What the game is waiting for."""

    CHOOSE = "choose"
    LAY = "lay"
    OVER = "over"


class Land:
    """A kingdom while it grows; the castle lies at (0, 0), rows and columns may be negative."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.squares: dict[Cell, Square] = {}

    def fits(self, cells: Place) -> bool:
        """Whether two cells are free, side by side, and stay within the limit."""
        one, two = cells
        if two not in neighbours(one) or not (self.is_free(one) and self.is_free(two)):
            return False
        return span([(0, 0), *self.squares, *cells]) <= self.size

    def is_free(self, cell: Cell) -> bool:
        """Whether nothing lies there."""
        return cell != (0, 0) and cell not in self.squares

    def joins(self, cell: Cell, terrain: Terrain) -> bool:
        """Whether that terrain would touch the castle or the same terrain there."""
        return any(
            near == (0, 0) or (near in self.squares and self.squares[near].terrain is terrain)
            for near in neighbours(cell)
        )

    def places(self, squares: tuple[Square, Square]) -> Iterator[Place]:
        """Where a domino may legally be laid: first square, second square."""
        around = {near for cell in (*self.squares, (0, 0)) for near in neighbours(cell)}
        first, second = (
            [c for c in around if self.is_free(c) and self.joins(c, square.terrain)]
            for square in squares
        )
        pairs = [(cell, near) for cell in sorted(first) for near in neighbours(cell)]
        pairs += [(near, cell) for cell in sorted(second) for near in neighbours(cell)]
        return filter(self.fits, dict.fromkeys(pairs))

    def lay(self, squares: tuple[Square, Square], cells: Place) -> None:
        """Lay a domino; nothing is checked here."""
        self.squares.update(zip(cells, squares, strict=True))

    def kingdom(self, more: Mapping[Cell, Square] | None = None) -> Kingdom:
        """The kingdom as it stands, with more squares, cropped to what it spans."""
        squares = {**self.squares, **(more or {})}
        rows, cols = zip(*squares, (0, 0), strict=True)
        top, left = min(rows), min(cols)
        moved = {(r - top, c - left): square for (r, c), square in squares.items()}
        return Kingdom(moved, (-top, -left), (max(rows) - top + 1, max(cols) - left + 1))


class Game:
    """One game of 2 to 4 players.

    deck: dominoes in the order drawn; None to shuffle the box with `rng` and set the
    surplus aside. kings: the order in which kings are drawn from the hand at the start, a
    player for each king; None to draw them with `rng`.
    """

    def __init__(
        self,
        players: int,
        variants: Variants = PLAIN,
        rng: random.Random | None = None,
        deck: Sequence[Tile] | None = None,
        kings: Sequence[int] | None = None,
    ) -> None:
        variants.check_players(players)
        chance = rng or random.Random()
        count = variants.dominoes(players)
        self.deck = list(chance.sample(TILES, count) if deck is None else deck)
        if len(self.deck) != count:
            raise VariantError(
                "{count} dominoes are in play, not {n}", count=count, n=len(self.deck)
            )
        each = 2 if players == 2 else 1
        order = [player for player in range(players) for _ in range(each)]
        if kings is None:
            chance.shuffle(order)
        elif sorted(kings) == order:
            order = list(kings)
        else:
            raise VariantError(
                "{kings}: every player must have {each} kings", each=each, kings=kings
            )
        self.players = players
        self.variants = variants
        self.lands = [Land(variants.size) for _ in range(players)]
        self.discarded = [0] * players
        self.rounds = 0
        self.phase = Phase.CHOOSE
        self.history: list[tuple[int, Move]] = []
        self._kings = order
        self._line: list[tuple[Tile, int]] = []
        self._new: dict[int, tuple[Tile, int | None]] = {}
        self._deal()

    # State

    @property
    def over(self) -> bool:
        return self.phase is Phase.OVER

    @property
    def to_move(self) -> int:
        """Whose move it is; raises IndexError once the game is over."""
        return self._kings[0] if not self.rounds else self._line[0][1]

    @property
    def tile(self) -> Tile:
        """The domino to be laid now."""
        return self._line[0][0]

    @property
    def choices(self) -> tuple[Tile, ...]:
        """Dominoes of the new line without a king, in the line's order."""
        return tuple(tile for tile, king in self._new.values() if king is None)

    @property
    def kingdoms(self) -> tuple[Kingdom, ...]:
        return tuple(land.kingdom() for land in self.lands)

    def scores(self) -> tuple[Score, ...]:
        """Every kingdom's score as it stands; no harmony before the end."""
        return tuple(
            score_kingdom(land.kingdom(), self.variants, gone if self.over else gone or None)
            for land, gone in zip(self.lands, self.discarded, strict=True)
        )

    def places(self) -> list[Place]:
        """Where the domino to be laid may go."""
        return list(self.lands[self.to_move].places(self.tile.squares))

    # Moves

    def play(self, move: Move) -> None:
        """Make a move for the player whose turn it is, or raise IllegalMoveError."""
        player = -1 if self.over else self.to_move
        match self.phase, move:
            case Phase.CHOOSE, Choose(number):
                tile, king = self._new.get(number, (None, None))
                if tile is None or king is not None:
                    raise IllegalMoveError(Rule.LINE)
                self._new[number] = tile, player
                waiting = self._line if self.rounds else self._kings
                waiting.pop(0)
                if not waiting:  # the new line is to be laid, in the order of its numbers
                    self.rounds += 1
                    new = self._new.values()
                    self._line = [(tile, king) for tile, king in new if king is not None]
                    self._deal()
                    self.phase = Phase.LAY
                elif self.rounds:
                    self.phase = Phase.LAY
            case Phase.LAY, Lay((one, two) as cells):
                land, squares = self.lands[player], self.tile.squares
                free = land.is_free(one) and land.is_free(two) and two in neighbours(one)
                require(free, Rule.PLACE)
                require(land.fits(cells), Rule.LIMIT)
                pairs = zip(cells, squares, strict=True)
                joins = any(land.joins(cell, square.terrain) for cell, square in pairs)
                require(joins, Rule.CONNECTION)
                land.lay(squares, cells)
                self._laid()
            case Phase.LAY, Discard():
                require(not self.places(), Rule.DISCARD)
                self.discarded[player] += 1
                self._laid()
            case _:
                raise IllegalMoveError(Rule.ORDER)
        self.history.append((player, move))

    def _laid(self) -> None:
        if self._new:
            self.phase = Phase.CHOOSE
            return
        self._line.pop(0)
        if not self._line:
            self.phase = Phase.OVER

    def _deal(self) -> None:
        count = 3 if self.players == 3 else 4
        drawn, self.deck = self.deck[:count], self.deck[count:]
        drawn.sort(key=lambda tile: tile.number)
        self._new = {tile.number: (tile, None) for tile in drawn}


def match_totals(games: Sequence[Sequence[Score]]) -> list[int]:
    """Each player's points over the games of a match, from every game's scores."""
    return [sum(score.total for score in scores) for scores in zip(*games, strict=True)]


def match_winners(games: Sequence[Sequence[Score]]) -> tuple[int, ...]:
    """Who wins a match: its one game, or the most points over the three of a dynasty; several if
    they share the win."""
    if len(games) == 1:
        return outcome(games[0]).winners
    return decide([Worth(total) for total in match_totals(games)]).winners


Player = Callable[[Game, random.Random], Move]
"""Chooses a legal move for the player whose turn it is."""


def play_game(
    seed: int | random.Random, players: Sequence[Player], variants: Variants = PLAIN
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

        def most(tile: Tile) -> int:
            places = land.places(tile.squares)
            return max((_worth(land, tile, cells) for cells in places), default=-1)

        best = max(game.choices, key=lambda tile: (most(tile), rng.random()))
        return Choose(best.number)
    places = game.places()
    if not places:
        return Discard()
    return Lay(max(places, key=lambda cells: (_worth(land, game.tile, cells), rng.random())))


def _worth(land: Land, tile: Tile, cells: Place) -> int:
    """The kingdom's points with the domino laid there."""
    return score_kingdom(land.kingdom(dict(zip(cells, tile.squares, strict=True)))).total
