"""Kingdoms and games of Kingdomino as plain values, ready for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.legality import KingdomAudit
from kdscan.rules.kingdomino.play import Game, match_totals, match_winners
from kdscan.rules.kingdomino.scoring import Score, domains_json, score_json
from kdscan.rules.problem import Problem, problems_json


@dataclass(frozen=True)
class AuditedKingdom:
    """A kingdom, its score, its problems, and whether the box's dominoes can form it; audit: None
    for a kingdom of other dominoes."""

    kingdom: Kingdom
    score: Score
    problems: tuple[Problem, ...]
    audit: KingdomAudit | None


def kingdom_json(audited: AuditedKingdom) -> dict[str, Any]:
    """One entry of `boards`: dominoes in an order in which they can be laid; `lawful` is null if
    that was not decided."""
    audit = audited.audit
    order = [{"cells": place} for place in audit.order] if audit and audit.lawful else None
    return {
        "text": str(audited.kingdom),
        "domains": domains_json(audited.score),
        "score": score_json(audited.score),
        "problems": problems_json(audited.problems),
        "audit": audit and {"lawful": audit.lawful, "order": order},
    }


def match_json(games: Sequence[Game]) -> dict[str, Any]:
    """A match: one game, or the three games of a dynasty with their sums."""
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
