"""The score of a kingdom, and who wins."""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.rules.grid import Cell, groups, in_square
from kdscan.rules.kingdomino.kingdom import Kingdom, Terrain
from kdscan.rules.kingdomino.variants import PLAIN, Variants
from kdscan.rules.winner import DomainScore

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
