"""The doubtful squares of a kingdom and their alternatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kdscan.records import KINDS, KingdomReading, SquareReading
from kdscan.records.kinds import CASTLE
from kdscan.sheets.common.doubt import MAX_OTHERS, MIN_OTHER, Doubt


def doubts(kingdom: KingdomReading) -> list[Doubt[SquareReading]]:
    """The squares that need review.

    The remaining probability is distributed among the other kinds in proportion to the
    probabilities from the pixels, which do not account for covered tiles, nor for the castle if
    somebody said where it is.
    """
    found = []
    castle_known = ("castle", 0) in kingdom.evidence.corrections.squares.values()
    for square in kingdom.squares:
        if square.review:
            p = kingdom.evidence.probs[square.at].copy()
            p[KINDS.index(square.kind)] = 0
            if castle_known:
                p[CASTLE] = 0
            p *= max(0.0, 1 - square.confidence) / max(p.sum(), 1e-12)
            others = [
                replace(square, terrain=KINDS[k][0], crowns=KINDS[k][1], confidence=float(p[k]))
                for k in np.argsort(-p, kind="stable")[:MAX_OTHERS]
                if p[k] >= MIN_OTHER and not square.covered
            ]
            found.append(Doubt(square, tuple(others)))
    return found
