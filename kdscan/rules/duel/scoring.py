"""The score of a Duel map.

A domain is a group of equal coats connected edge to edge; it is worth its shields times
its crosses (English rulebook, "End of the Game"). The wizard of the filled coat
adds 3 points for each domain of the chosen coat, with or without crosses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, TypedDict

from kdscan.rules.duel.board import CELLS, Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.grid import Cell, components
from kdscan.rules.winner import DomainScore

WIZARD_POINTS = 3
"""What the wizard of the filled coat pays for each domain of the chosen coat."""


class Domain(NamedTuple):
    """Equal coats connected edge to edge. `cells` in row-major order."""

    coat: Coat
    cells: tuple[Cell, ...]
    crosses: int

    @property
    def points(self) -> int:
        return len(self.cells) * self.crosses


@dataclass(frozen=True)
class Score(DomainScore[Domain]):
    """A map's score."""

    wizard: int = 0

    @property
    def total(self) -> int:
        return self.domain_points + self.wizard


def find_domains(board: Board) -> tuple[Domain, ...]:
    """The domains of a map, ordered by their first cell, row-major."""
    of_coat: dict[Coat, list[Cell]] = {}
    crosses = {}
    for cell, shield in board.items():
        of_coat.setdefault(shield.coat, []).append(cell)
        crosses[cell] = shield.crosses
    domains = [
        Domain(coat, group, sum([crosses[cell] for cell in group]))
        for coat, cells in of_coat.items()
        for group in _joined(tuple(cells))
    ]
    return tuple(sorted(domains, key=itemgetter(1)))


@lru_cache(maxsize=2048)
def _joined(cells: tuple[Cell, ...]) -> tuple[tuple[Cell, ...], ...]:
    """The domains of one coat's cells, cached: boards of one sheet differ in a shield or two."""
    return components(cells)


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
    """The points of the domains of one coat's cells, cached like `_joined`."""
    of = dict(zip(cells, crosses, strict=True))
    return sum(len(group) * sum([of[cell] for cell in group]) for group in _joined(cells))


def score_board(board: Board, chosen_coat: Coat | None = None) -> Score:
    """Score a map; `chosen_coat` is the coat that its owner's filled wizard pays for."""
    domains = find_domains(board)
    paid = sum(domain.coat is chosen_coat for domain in domains)
    return Score(domains, WIZARD_POINTS * paid)


class DomainJson(TypedDict):
    """Equal coats connected edge to edge."""

    coat: str
    cells: list[list[int]]
    crosses: int
    points: int


class MapScoreJson(TypedDict):
    """The breakdown of a map's score."""

    domains: int
    wizard: int
    total: int


def domains_json(score: Score) -> list[DomainJson]:
    """The points of each domain."""
    return [
        {
            "coat": domain.coat.value,
            "cells": [list(cell) for cell in domain.cells],
            "crosses": domain.crosses,
            "points": domain.points,
        }
        for domain in score.domains
    ]


def score_json(score: Score) -> MapScoreJson:
    """The breakdown of a score."""
    return {"domains": score.domain_points, "wizard": score.wizard, "total": score.total}
