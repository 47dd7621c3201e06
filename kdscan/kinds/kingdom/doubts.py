"""The squares of a kingdom to look at, and what else they may be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kdscan.locale import mark
from kdscan.records import KINDS, KingdomReading, SquareKind, SquareReading

TERRAIN_NAMES = {
    "wheat": mark("wheat"),
    "forest": mark("forest"),
    "lake": mark("lake"),
    "grassland": mark("grassland"),
    "swamp": mark("swamp"),
    "mine": mark("mine"),
    "castle": mark("castle"),
    "empty": mark("empty"),
}
"""What lies on a square, in words that catalogues know."""


@dataclass(frozen=True)
class SquareDoubt:
    """A square to look at, and what else it may be, the likeliest first, with probabilities."""

    square: SquareReading
    alternatives: tuple[tuple[SquareKind, float], ...]


def square_doubts(
    kingdom: KingdomReading, most: int = 2, least_probability: float = 0.02
) -> list[SquareDoubt]:
    """The squares marked for review, each with up to `most` other kinds.

    What the reading leaves open is shared out among them as the pixels see it.
    """
    found = []
    for square in kingdom.squares:
        if square.review:
            p = kingdom.evidence.probs[square.row, square.col].copy()
            p[KINDS.index((square.terrain, square.crowns))] = 0
            p *= max(0.0, 1 - square.confidence) / max(p.sum(), 1e-12)
            others = [
                (KINDS[k], float(p[k]))
                for k in np.argsort(-p, kind="stable")[:most]
                if p[k] >= least_probability
            ]
            found.append(SquareDoubt(square, tuple(others)))
    return found
