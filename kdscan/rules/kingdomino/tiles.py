"""Terrains, squares and the 48 dominoes of the box, read from `tiles.json`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from kdscan.errors import UsageError


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


class KingdomTextError(UsageError, ValueError):
    """A text is not a kingdom; the message says where and why."""


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
        """Read a letter with a plus for each crown; raises KingdomTextError for anything else."""
        letter = token.rstrip("+")
        if letter not in _TERRAINS:
            raise KingdomTextError(
                "'{token}' is not a terrain (known: {known})",
                token=token,
                known=" ".join(_TERRAINS),
            )
        return cls(_TERRAINS[letter], len(token) - len(letter))


@dataclass(frozen=True)
class Tile:
    """A domino; `number` is on its back and determines the order of a line."""

    number: int
    squares: tuple[Square, Square]


def _read() -> tuple[Tile, ...]:
    data = json.loads(Path(__file__).with_name("tiles.json").read_text("utf-8"))
    tiles = []
    for number, text in enumerate(data["tiles"], 1):
        one, two = (Square.parse(token) for token in text.split())
        tiles.append(Tile(number, (one, two)))
    return tuple(tiles)


TILES: tuple[Tile, ...] = _read()
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
