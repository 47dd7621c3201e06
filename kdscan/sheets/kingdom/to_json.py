"""A kingdom's entry in the JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kdscan.records import KingdomReading, SquareKind, SquareReading
from kdscan.records.results import DynastyJson, KingdomJson, PhotoJson, SquareJson, SquareKindJson
from kdscan.rules.kingdomino.report import domains_json, score_json
from kdscan.rules.kingdomino.variants import DYNASTY_GAMES
from kdscan.rules.problem import problems_json
from kdscan.sheets.common.values import judged_json, point_json, probability_json
from kdscan.sheets.kingdom.doubts import doubts


def to_json(kingdom: KingdomReading) -> KingdomJson:
    """One entry of `sheets`, of the kind `kingdom`."""
    others = {d.cell.at: d.others for d in doubts(kingdom)}
    variants = kingdom.variants
    return {
        "kind": kingdom.kind,
        "sheet_id": kingdom.sheet_id,
        "size": variants.size,
        "outline": [point_json(p) for p in kingdom.outline_xy],
        "cells": [_square_json(kingdom, s, others.get(s.at, ())) for s in kingdom.squares],
        "domains": domains_json(kingdom.score),
        "score": score_json(kingdom.score),
        "range": list(kingdom.total_range),
        "variants": {"middle_kingdom": variants.middle_kingdom, "harmony": variants.harmony},
        "problems": problems_json(kingdom.problems),
        "confidence": probability_json(kingdom.confidence),
        "review": kingdom.review,
    }


def dynasty_json(photos: Sequence[PhotoJson]) -> DynastyJson:
    """A player's kingdoms of several games, added up; photos: entries of the JSON.

    A photo without a kingdom leaves a game out; a photo with several also shows other players'.
    Kingdoms of equal domains are one kingdom, photographed twice.
    """
    found = [
        ([n, k], sheet)
        for n, photo in enumerate(photos)
        for k, sheet in enumerate(photo["sheets"])
        if sheet["kind"] == "kingdom"
    ]
    different = {_domains_of(sheet) for _, sheet in found}
    repeated = len(different) < len(found)
    return {
        "kingdoms": [where for where, _ in found],
        "total": sum(sheet["score"]["total"] for _, sheet in found),
        "confidence": probability_json(math.prod(sheet["confidence"] for _, sheet in found)),
        "repeated": repeated,
        "review": repeated
        or len(found) > DYNASTY_GAMES
        or any(sheet["review"] for _, sheet in found)
        or [photo for (photo, _), _ in found] != list(range(len(photos))),
    }


def _domains_of(kingdom: KingdomJson) -> tuple[tuple[str, int, int], ...]:
    """Terrain, squares and crowns of each domain, the same whichever way the kingdom lies."""
    found = ((one["terrain"], len(one["cells"]), one["crowns"]) for one in kingdom["domains"])
    return tuple(sorted(found))


def _square_json(
    kingdom: KingdomReading, square: SquareReading, others: Sequence[SquareReading]
) -> SquareJson:
    center = kingdom.rectified.centers_xy[square.at]
    return {
        "row": square.row,
        "col": square.col,
        **_kind_json(square.kind),
        **judged_json(center, square.confidence, square.review),
        "seen": _kind_json(square.seen) if square.seen else None,
        "alternatives": [
            {**_kind_json(other.kind), "probability": probability_json(other.confidence)}
            for other in others
        ],
    }


def _kind_json(kind: SquareKind) -> SquareKindJson:
    terrain, crowns = kind
    return {"terrain": terrain, "crowns": crowns}
