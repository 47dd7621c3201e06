"""A kingdom as plain values: its entry in the JSON, and the squares to look at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kdscan.game.kingdomino.report import domains_json, score_json
from kdscan.game.problem import problems_json
from kdscan.locale import mark
from kdscan.plain import judged_json, point_json, probability_json
from kdscan.records import KINDS, KingdomReading, SquareKind, SquareReading, range_of

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
            p = kingdom.probs[square.row, square.col].copy()
            p[KINDS.index((square.terrain, square.crowns))] = 0
            p *= max(0.0, 1 - square.confidence) / max(p.sum(), 1e-12)
            others = [
                (KINDS[k], float(p[k]))
                for k in np.argsort(-p, kind="stable")[:most]
                if p[k] >= least_probability
            ]
            found.append(SquareDoubt(square, tuple(others)))
    return found


def kingdom_json(kingdom: KingdomReading) -> dict[str, Any]:
    """One entry of `sheets`, of the kind `kingdom`."""
    others = {(d.square.row, d.square.col): d.alternatives for d in square_doubts(kingdom)}
    variants = kingdom.variants
    return {
        "kind": kingdom.kind,
        "sheet_id": kingdom.sheet_id,
        "size": variants.size,
        "outline": [point_json(p) for p in kingdom.outline_xy],
        "cells": [
            _square_json(kingdom, s, others.get((s.row, s.col), ())) for s in kingdom.squares
        ],
        "domains": domains_json(kingdom.score),
        "score": score_json(kingdom.score),
        "range": list(range_of(kingdom.totals)) if kingdom.totals else [kingdom.score.total] * 2,
        "variants": {"middle_kingdom": variants.middle_kingdom, "harmony": variants.harmony},
        "problems": problems_json(kingdom.problems),
        "confidence": probability_json(kingdom.confidence),
        "review": kingdom.review,
    }


def dynasty_json(photos: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """A player's kingdoms of several games, added up; photos: entries of the JSON."""
    found = [
        ([n, k], sheet)
        for n, photo in enumerate(photos)
        for k, sheet in enumerate(photo["sheets"])
        if sheet["kind"] == "kingdom"
    ]
    return {
        "kingdoms": [where for where, _ in found],
        "total": sum(sheet["score"]["total"] for _, sheet in found),
        "confidence": probability_json(math.prod(sheet["confidence"] for _, sheet in found)),
        "review": any(sheet["review"] for _, sheet in found),
    }


def _square_json(
    kingdom: KingdomReading, square: SquareReading, others: Sequence[tuple[SquareKind, float]]
) -> dict[str, Any]:
    return {
        "row": square.row,
        "col": square.col,
        "terrain": square.terrain,
        "crowns": square.crowns,
        **judged_json(
            kingdom.rectified.centers_xy[square.row, square.col],
            square.confidence,
            square.review,
            _kind_json(square.seen) if square.seen else None,
            ((_kind_json(kind), p) for kind, p in others),
        ),
    }


def _kind_json(kind: SquareKind) -> dict[str, Any]:
    terrain, crowns = kind
    return {"terrain": terrain, "crowns": crowns}
