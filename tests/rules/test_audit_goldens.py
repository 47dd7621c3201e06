"""Maps of played games, legal and altered, in all editions: recorded results of the audit.

Each line of `goldens/audit.jsonl` is a map with its terms, the verdict, and the problems' codes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kdscan.rules.duel.audit import audit_map
from kdscan.rules.duel.board import Board, Coat
from kdscan.rules.duel.play import EDITIONS
from kdscan.rules.duel.spellbook import Spellbook, SpellbookLine
from tests.rules.replay import replay

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
def test_verdict_and_reason(golden: dict[str, Any]) -> None:
    board, edition = Board.parse(golden["board"].replace("/", "\n")), EDITIONS[golden["edition"]]
    audit = audit_map(
        board,
        golden["castle"],
        spellbook=book_of(golden["book"]),
        player=golden["player"],
        edition=edition,
    )
    assert audit.lawful is golden["lawful"]
    assert sorted({problem.code for problem in audit.problems}) == golden["problems"]
    assert audit.lawful is (audit.witness is not None)
    if audit.witness is not None:
        replay(board, audit.witness, edition)
