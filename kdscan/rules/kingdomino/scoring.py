"""The score of a kingdom, and who wins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from kdscan.rules.grid import Cell, groups
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

    @property
    def points(self) -> int:
        return len(self.cells) * self.crowns


@dataclass(frozen=True)
class Score(DomainScore[Domain]):
    """A kingdom's score."""

    middle_kingdom: int = 0
    harmony: int = 0

    @property
    def total(self) -> int:
        return self.domain_points + self.middle_kingdom + self.harmony

    @property
    def crowns(self) -> int:
        """All crowns of the kingdom: the second tie-break."""
        return sum(domain.crowns for domain in self.domains)


def score_kingdom(
    kingdom: Kingdom, variants: Variants = PLAIN, discarded: int | None = None
) -> Score:
    """Score a kingdom.

    discarded: number of dominoes its owner discarded. If that is unknown (None), a kingdom
    counts as harmonious if every square is filled; this is equivalent, because every player
    gets exactly the dominoes that fill the square.
    """
    areas = groups({cell: square.terrain for cell, square in kingdom.squares.items()})
    domains = tuple(
        Domain(terrain, cells, sum(kingdom.squares[cell].crowns for cell in cells))
        for terrain, cells in areas
    )
    middle = variants.middle_kingdom and kingdom.fits_around_castle(variants.size)
    whole = kingdom.complete(variants.size) if discarded is None else discarded == 0
    return Score(
        domains,
        MIDDLE_KINGDOM_POINTS if middle else 0,
        HARMONY_POINTS if variants.harmony and whole else 0,
    )


class LandJson(TypedDict):
    """Equal terrain connected edge to edge."""

    terrain: str
    cells: list[list[int]]
    crowns: int
    points: int


class KingdomScoreJson(TypedDict):
    """The breakdown of a kingdom's score."""

    domains: int
    middle_kingdom: int
    harmony: int
    total: int


def domains_json(score: Score) -> list[LandJson]:
    """The points of each domain."""
    return [
        {
            "terrain": domain.terrain.value,
            "cells": [list(cell) for cell in domain.cells],
            "crowns": domain.crowns,
            "points": domain.points,
        }
        for domain in score.domains
    ]


def score_json(score: Score) -> KingdomScoreJson:
    """The breakdown of a score."""
    return {
        "domains": score.domain_points,
        "middle_kingdom": score.middle_kingdom,
        "harmony": score.harmony,
        "total": score.total,
    }
