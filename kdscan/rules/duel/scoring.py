"""The score of a Duel map.

A domain is a group of equal coats connected edge to edge; it is worth its shields times
its crosses (English rulebook, "End of the Game"). The wizard of the filled coat
adds 3 points for each domain of the chosen coat, with or without crosses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from kdscan.rules.duel.board import CELLS, Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.grid import Cell, components, groups
from kdscan.rules.winner import DomainScore

WIZARD_POINTS = 3
"""What the wizard of the filled coat pays for each domain of the chosen coat."""


@dataclass(frozen=True)
class Domain:
    """Equal coats connected edge to edge. `cells` in row-major order."""

    coat: Coat
    cells: tuple[Cell, ...]
    crosses: int
    points: int


@dataclass(frozen=True)
class Score(DomainScore[Domain]):
    """A map's score."""

    wizard: int = 0


def find_domains(board: Board) -> tuple[Domain, ...]:
    """The domains of a map, ordered by their first cell, row-major."""
    domains = []
    for coat, cells in groups({cell: shield.coat for cell, shield in board.items()}):
        crosses = sum([board[cell].crosses for cell in cells])
        domains.append(Domain(coat, cells, crosses, len(cells) * crosses))
    return tuple(domains)


def domain_points(marks: Sequence[tuple[Coat | None, int]]) -> int:
    """The points of a map's domains, from the coat (None for an empty shield) and crosses of each
    of `CELLS`: like `score_board`, but fast for ranking hundreds of boards of one sheet.
    """
    of_coat: dict[Coat, tuple[list[Cell], list[int]]] = {}
    for cell, (coat, crosses) in zip(CELLS, marks, strict=True):
        if coat is not None:
            cells, numbers = of_coat.setdefault(coat, ([], []))
            cells.append(cell)
            numbers.append(crosses)
    return sum([_worth(tuple(cells), tuple(numbers)) for cells, numbers in of_coat.values()])


@lru_cache(maxsize=2048)
def _worth(cells: tuple[Cell, ...], crosses: tuple[int, ...]) -> int:
    """The points of one coat's cells, cached: boards of one sheet differ in a shield or two."""
    of = dict(zip(cells, crosses, strict=True))
    return sum(len(group) * sum([of[cell] for cell in group]) for group in components(cells))


def score_board(board: Board, chosen_coat: Coat | None = None) -> Score:
    """Score a map; `chosen_coat` is the coat that its owner's filled wizard pays for."""
    domains = find_domains(board)
    paid = sum(domain.coat is chosen_coat for domain in domains)
    return Score(domains, WIZARD_POINTS * paid)
