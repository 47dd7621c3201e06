"""Kingdoms and games of Kingdomino as plain values, ready for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.scoring import Score
from kdscan.rules.problem import Problem, problems_json

if TYPE_CHECKING:
    from kdscan.rules.kingdomino.legality import KingdomAudit
    from kdscan.rules.kingdomino.play import Game


@dataclass(frozen=True)
class AuditedKingdom:
    """A kingdom, its score, its problems, and whether the box's dominoes can form it; audit: None
    for a kingdom of other dominoes."""

    kingdom: Kingdom
    score: Score
    problems: tuple[Problem, ...]
    audit: KingdomAudit | None


def kingdom_json(audited: AuditedKingdom) -> dict[str, Any]:
    """One entry of `boards`."""
    return {
        "text": str(audited.kingdom),
        "domains": domains_json(audited.score),
        "score": score_json(audited.score),
        "problems": problems_json(audited.problems),
        "audit": None if audited.audit is None else audit_json(audited.audit),
    }


def audit_json(audit: KingdomAudit) -> dict[str, Any]:
    """Dominoes in an order in which they can be laid; `lawful` is null if that was not decided."""
    order = [{"cells": [list(cell) for cell in place]} for place in audit.order]
    return {"lawful": audit.lawful, "order": order if audit.lawful else None}


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


def match_json(games: Sequence[Game]) -> dict[str, Any]:
    """A match: one game, or the three games of a dynasty with their sums."""
    from kdscan.rules.kingdomino.play import match_totals, match_winners

    scores = [game.scores() for game in games]
    return {
        "games": [
            {
                "kingdoms": [str(kingdom) for kingdom in game.kingdoms],
                "discarded": list(game.discarded),
                "rounds": game.rounds,
                "score": [score_json(score) for score in own],
            }
            for game, own in zip(games, scores, strict=True)
        ],
        "totals": match_totals(scores),
        "winners": list(match_winners(scores)),
    }
