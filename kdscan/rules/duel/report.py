"""Boards, audits and games as plain values, ready for JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from kdscan.rules.duel.audit import Audit, Witness
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.play import Game
from kdscan.rules.duel.scoring import Score, domains_json, score_json
from kdscan.rules.duel.spellbook import Spellbook
from kdscan.rules.problem import Problem, problems_json
from kdscan.rules.winner import outcome


@dataclass(frozen=True)
class AuditedMap:
    """A map, its score, and whether a lawful game leads to it."""

    board: Board
    score: Score
    audit: Audit

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is impossible about it."""
        return self.audit.problems


def board_json(audited: AuditedMap) -> dict[str, Any]:
    """One entry of `boards`."""
    audit = audited.audit
    return {
        "text": str(audited.board),
        "domains": domains_json(audited.score),
        "score": score_json(audited.score),
        "problems": problems_json(audited.problems),
        "audit": {"lawful": audit.lawful, **witness_json(audit.witness)},
    }


def witness_json(witness: Witness | None) -> dict[str, Any]:
    """The dominoes in order, wizards and bonus crosses; `order` null without a witness."""
    if witness is None:
        return {"order": None, "castle": None, "wizard": None, "idle": []}
    return {
        "order": [
            {"cells": [list(cell) for cell in step.cells], "power": step.power}
            for step in witness.steps
        ],
        "castle": witness.castle,
        "wizard": witness.wizard,
        "idle": [{"after": count, "coat": coat} for count, coat in witness.idle],
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
    """A game as it stands: maps, spellbook, rounds, scores, who leads."""
    scores = game.scores()
    result = outcome(scores)
    return {
        "maps": [str(board) for board in game.maps],
        "castle_used": list(game.castle_used),
        "spellbook": spellbook_json(game.spellbook),
        "rounds": game.rounds,
        "score": [score_json(score) for score in scores],
        "largest_domain": [score.largest_domain for score in scores],
        "winner": result.winner,
        "decided_by": result.decided_by,
    }
