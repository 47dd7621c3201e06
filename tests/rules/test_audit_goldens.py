"""Maps of played games, legal and altered, in all editions: recorded results of the audit.

Each line of `goldens/audit.jsonl` is a map with its terms, the verdict, and each problem with the
number of shields to blame. Which of several equally small sets of shields is reported is left open.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kdscan.rules.duel.audit import audit_map, replay
from kdscan.rules.duel.board import Board
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.editions import EDITIONS
from kdscan.rules.duel.spellbook import Spellbook, SpellbookLine

GOLDENS = [
    json.loads(line)
    for line in (Path(__file__).parent / "goldens/audit.jsonl").read_text("utf-8").splitlines()
]


def book_of(players: list[dict[str, list[Any]]] | None) -> Spellbook | None:
    if players is None:
        return None
    first, second = (
        {
            coat: SpellbookLine(marks[0], "struck" in marks, "used" in marks)
            for coat in Coat
            for marks in [player.get(coat.value, [0])]
        }
        for player in players
    )
    return Spellbook((first, second))


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda golden: golden["board"][:20])
def test_verdicts_and_proofs_stay_as_they_were(golden: dict[str, Any]) -> None:
    board, edition = Board.parse(golden["board"].replace("/", "\n")), EDITIONS[golden["edition"]]
    audit = audit_map(
        board,
        golden["castle"],
        spellbook=book_of(golden["book"]),
        player=golden["player"],
        edition=edition,
    )
    assert audit.lawful is golden["lawful"]
    told = [[problem.code, problem.severity, len(problem.cells)] for problem in audit.problems]
    assert told == golden["problems"]
    assert audit.lawful is (audit.witness is not None)
    if audit.witness is not None:
        replay(board, audit.witness, edition)
