"""Audited boards and played games of both games as plain values, ready for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kdscan.rules.duel.audit import Audit, Witness
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.play import Game
from kdscan.rules.duel.scoring import Score
from kdscan.rules.duel.spellbook import Spellbook
from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.legality import KingdomAudit
from kdscan.rules.kingdomino.play import Game as KingdominoGame
from kdscan.rules.kingdomino.play import match_totals, match_winners
from kdscan.rules.kingdomino.scoring import Score as KingdomScore
from kdscan.rules.problem import Problem
from kdscan.rules.winner import outcome


@dataclass(frozen=True)
class Audited:
    """A map or kingdom, its score, its problems, and whether a lawful game leads to it; audit: None
    for a kingdom of other dominoes."""

    board: Board | Kingdom
    score: Score | KingdomScore
    problems: tuple[Problem, ...]
    audit: Audit | KingdomAudit | None


def audited_json(audited: Audited) -> dict[str, Any]:
    """One entry of `boards`: its dominoes in a possible order, for a map with wizards and bonus
    crosses; `lawful` is null if that was not decided, and so is `order` without a lawful one."""
    audit: dict[str, Any] | None = None
    if isinstance(audited.audit, KingdomAudit):
        order = [{"cells": place} for place in audited.audit.order]
        audit = {"lawful": audited.audit.lawful, "order": order if audited.audit.lawful else None}
    elif audited.audit:
        witness = audited.audit.witness
        audit = {"lawful": audited.audit.lawful, **asdict(witness or Witness())}
        audit |= {} if witness else {"order": None}
    return {
        "text": str(audited.board),
        "domains": [asdict(domain) for domain in audited.score.domains],
        "score": audited.score.points,
        "problems": [asdict(problem) for problem in audited.problems],
        "audit": audit,
    }


def spellbook_json(book: Spellbook) -> dict[str, Any]:
    """Both players' lines and the coat that the filled wizard was paid for."""
    return {
        "players": [
            {coat.value: asdict(line) for coat, line in lines.items()} for lines in book.lines
        ],
        "chosen_coat": book.chosen_coat,
        "chosen_by": book.owner(Coat.FILLED),
    }


def game_json(game: Game) -> dict[str, Any]:
    """A game of Duel as it stands: maps, spellbook, rounds, scores, who leads."""
    scores = game.scores()
    result = outcome(scores)
    return {
        "maps": [str(board) for board in game.maps],
        "castle_used": list(game.castle_used),
        "spellbook": spellbook_json(game.spellbook),
        "rounds": game.rounds,
        "score": [score.points for score in scores],
        "largest_domain": [score.worth.largest_domain for score in scores],
        "winner": result.winner,
        "decided_by": result.decided_by,
    }


def match_json(games: Sequence[KingdominoGame]) -> dict[str, Any]:
    """A match of Kingdomino: one game, or the three games of a dynasty with their sums."""
    scores = [game.scores() for game in games]
    return {
        "games": [
            {
                "kingdoms": [str(kingdom) for kingdom in game.kingdoms],
                "discarded": game.discarded,
                "rounds": game.rounds,
                "score": [score.points for score in own],
            }
            for game, own in zip(games, scores, strict=True)
        ],
        "totals": match_totals(scores),
        "winners": match_winners(scores),
    }
