"""Kingdomino: terrains, dominoes, a kingdom of them, its extra rules and its score."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from kdscan.errors import UsageError
from kdscan.rules import (
    Cell,
    DomainScore,
    TextError,
    cell_name,
    grid_text,
    groups,
    in_square,
)

# Extra rules, which can be combined freely, and what they change

DYNASTY_GAMES = 3
"""How many games make a dynasty."""


class VariantError(UsageError, ValueError):
    """Rules that cannot go together."""


@dataclass(frozen=True)
class Variants:
    """Which extra rules are played.

    dynasty: three games, their scores added. middle_kingdom: 10 points for a castle in
    the centre. harmony: 5 points if nothing was discarded. great_duel: two players,
    all 48 dominoes, 7 x 7; None: not said, as False except that a photo may show it. demo: the
    two-player demo. Its rulebook does not list its own 24 dominoes; pass them to the game, or any
    24 of the box are used instead.
    """

    dynasty: bool = False
    middle_kingdom: bool = False
    harmony: bool = False
    great_duel: bool | None = None
    demo: bool = False

    def __post_init__(self) -> None:
        if self.great_duel and self.demo:
            raise VariantError("the demo has too few dominoes for the great duel")

    @property
    def size(self) -> int:
        """Squares along a kingdom's side."""
        return 7 if self.great_duel else 5

    @property
    def games(self) -> int:
        """How many games make a match."""
        return DYNASTY_GAMES if self.dynasty else 1

    def check_players(self, players: int) -> None:
        """Raise VariantError if that many players cannot play by these rules."""
        if not 2 <= players <= 4:
            raise VariantError("2 to 4 can play, not {n}", n=players)
        if players != 2 and (self.great_duel or self.demo):
            raise VariantError("the great duel and the demo are for 2 players")

    def dominoes(self, players: int) -> int:
        """Number of dominoes in play: 12 per player; 24 per player in the great duel."""
        return 48 if self.great_duel else 12 * players


PLAIN = Variants()


# Terrains, dominoes, kingdoms


class Terrain(StrEnum):
    """A terrain; the value is its name in JSON."""

    WHEAT = "wheat"
    FOREST = "forest"
    LAKE = "lake"
    GRASSLAND = "grassland"
    SWAMP = "swamp"
    MINE = "mine"


LETTERS = {terrain: terrain.value[0] for terrain in Terrain}
"""How the text form writes each terrain: w f l g s m."""


_TERRAINS = {letter: terrain for terrain, letter in LETTERS.items()}


@dataclass(frozen=True)
class Square:
    """Half a domino: a terrain with its crowns."""

    terrain: Terrain
    crowns: int = 0

    def __str__(self) -> str:
        return LETTERS[self.terrain] + "+" * self.crowns

    @classmethod
    def parse(cls, token: str) -> Square:
        """Read a letter with a plus for each crown; raises TextError for anything else."""
        letter = token.rstrip("+")
        if letter not in _TERRAINS:
            raise TextError(
                "'{token}' is not a terrain (known: {known})",
                token=token,
                known=" ".join(_TERRAINS),
            )
        return cls(_TERRAINS[letter], len(token) - len(letter))


class Tile(NamedTuple):
    """A domino; `number` is on its back and determines the order of a line."""

    number: int
    squares: tuple[Square, Square]


_DATA = json.loads(Path(__file__).with_name("tiles.json").read_text("utf-8"))

TILES: tuple[Tile, ...] = tuple(
    Tile(number, (Square.parse(first), Square.parse(second)))
    for number, (first, second) in enumerate(map(str.split, _DATA["tiles"]), 1)
)
"""The box, by number from 1."""

SQUARES: Counter[Square] = Counter(square for tile in TILES for square in tile.squares)
"""How many squares of each kind the box holds."""

SquareKind = tuple[str, int]
"""What a square of a kingdom holds: a terrain, "castle" or "empty", and its crowns."""


SQUARE_CLASSES: tuple[SquareKind, ...] = (
    ("empty", 0),
    ("castle", 0),
    *sorted((square.terrain.value, square.crowns) for square in SQUARES),
)
"""All kinds of squares that the box holds, in the order of their probabilities."""


EMPTY, CASTLE = SQUARE_CLASSES.index(("empty", 0)), SQUARE_CLASSES.index(("castle", 0))
"""Indices in `SQUARE_CLASSES` of the two kinds without terrain."""


@dataclass(frozen=True)
class Kingdom:
    """Squares by (row, column) around a castle.

    squares: the squares laid. castle: the start tile. shape: rows and columns of the
    grid that the cells refer to, empty margins included.
    """

    squares: Mapping[Cell, Square]
    castle: Cell
    shape: tuple[int, int]

    def __post_init__(self) -> None:
        for row, col in (*self.squares, self.castle):
            if not (0 <= row < self.shape[0] and 0 <= col < self.shape[1]):
                raise ValueError(f"({row}, {col}) lies outside the {self.shape} grid")
        if self.castle in self.squares:
            raise ValueError("the castle's square holds nothing else")

    def __hash__(self) -> int:
        return hash((frozenset(self.squares.items()), self.castle, self.shape))

    @property
    def extent(self) -> tuple[int, int]:
        """Rows and columns that the kingdom actually spans, castle included."""
        rows, cols = zip(*(*self.squares, self.castle), strict=True)
        return max(rows) - min(rows) + 1, max(cols) - min(cols) + 1

    def __str__(self) -> str:
        """The text form."""
        return grid_text(self.shape, self.castle, self.squares)

    @classmethod
    def parse(cls, text: str) -> Kingdom:
        """Read the text form; raises TextError, which names the square, if it is invalid."""
        rows = [line.split() for line in text.strip().splitlines()]
        if not rows or len({len(row) for row in rows}) != 1:
            raise TextError("all rows of a kingdom must have the same number of squares")
        castles, squares = [], {}
        for r, row in enumerate(rows):
            for c, token in enumerate(row):
                if token == "##":
                    castles.append((r, c))
                elif token != ".":
                    try:
                        squares[r, c] = Square.parse(token)
                    except TextError as error:
                        raise TextError(
                            "{where}: {error}", where=cell_name((r, c)), error=error
                        ) from None
        if len(castles) != 1:
            raise TextError("a kingdom must have one castle '##', not {n}", n=len(castles))
        return cls(squares, castles[0], (len(rows), len(rows[0])))


Place = tuple[Cell, Cell]


# The score

MIDDLE_KINGDOM_POINTS = 10
HARMONY_POINTS = 5


@dataclass(frozen=True)
class Domain:
    """Equal terrains connected edge to edge. `cells` in row-major order."""

    terrain: Terrain
    cells: tuple[Cell, ...]
    crowns: int
    points: int


@dataclass(frozen=True)
class Score(DomainScore[Domain]):
    """A kingdom's score."""

    middle_kingdom: int = 0
    harmony: int = 0


def score_kingdom(
    kingdom: Kingdom, variants: Variants = PLAIN, discarded: int | None = None
) -> Score:
    """Score a kingdom.

    discarded: number of dominoes its owner discarded. If that is unknown (None), a kingdom
    counts as harmonious if every square is filled; this is equivalent, because every player
    gets exactly the dominoes that fill the square.
    """
    domains = []
    terrains = {cell: square.terrain for cell, square in kingdom.squares.items()}
    for terrain, cells in groups(terrains):
        crowns = sum(kingdom.squares[cell].crowns for cell in cells)
        domains.append(Domain(terrain, cells, crowns, len(cells) * crowns))
    size, (row, col) = variants.size, kingdom.castle
    corner = row - size // 2, col - size // 2  # of the square with the castle in its centre
    middle = variants.middle_kingdom and all(in_square(c, corner, size) for c in kingdom.squares)
    full = kingdom.extent == (size, size) and len(kingdom.squares) == size * size - 1
    whole = full if discarded is None else discarded == 0
    return Score(
        tuple(domains),
        MIDDLE_KINGDOM_POINTS if middle else 0,
        HARMONY_POINTS if variants.harmony and whole else 0,
    )
