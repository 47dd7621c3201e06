"""Every kind of sheet has the interface that the other packages need."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kdscan.document import to_dict
from kdscan.i18n import LANGUAGES, words
from kdscan.rules.duel.players import play_game
from kdscan.sheets.base import (
    SHEET_TYPES,
    AnyReading,
    SheetType,
    decides_game,
    deserialize,
    kind_named,
    kind_of,
    serialize,
)
from kdscan.sheets.board import Style
from kdscan.sheets.duel_map.interpret import interpret
from tests.readings import make_book, make_kingdom, make_sheet

FOUND: dict[str, AnyReading] = {
    "duel_map": interpret(make_sheet(doubtful=[(0, 5)]).evidence),
    "kingdom": make_kingdom(doubtful={(0, 1): ("wheat", 1)}),
    "duel_spellbook": make_book(play_game(3).spellbook, doubtful={"players[1].choices.line": 0.8}),
}


@pytest.mark.parametrize("kind", SHEET_TYPES, ids=lambda kind: kind.name)
def test_what_it_says_can_be_kept_told_and_confirmed(kind: SheetType[Any, Any]) -> None:
    found = FOUND[kind.name]
    assert kind_of(found) is kind and kind_named(kind.name) is kind
    entry = to_dict(found)
    assert entry["kind"] == kind.name and entry["review"]
    kept = json.loads(json.dumps(serialize(found)))
    assert to_dict(deserialize(kept)) == entry
    for language in LANGUAGES:
        w = words(language)
        assert kind.to_text(found, Style(words=w))
        (place,) = kind.places(found, w)
        assert place.name and len(place.choices) > 1 and place.quad_xy.shape == (4, 2)
    done = kind.correct_fields(found, {"confirmed": True}, 0.02)
    assert not done.review and not list(kind.places(done, words("en")))


def test_a_kind_that_a_newer_version_knows_is_none() -> None:
    assert kind_named("duel_dice") is None


@pytest.mark.parametrize(
    ("sheets", "decided"),
    [
        ("duel_map duel_map", True),
        ("duel_map duel_spellbook duel_map", True),
        ("duel_map duel_spellbook", False),
        ("duel_map duel_map duel_map", False),
        ("duel_map duel_map duel_spellbook duel_spellbook", False),
        ("kingdom kingdom", True),
        ("kingdom kingdom kingdom kingdom", True),
        ("kingdom kingdom kingdom kingdom kingdom", False),
        ("kingdom duel_map", False),
        ("from_tomorrow from_tomorrow", False),
    ],
)
def test_who_won_is_decided_by_the_sheets_of_one_game(sheets: str, decided: bool) -> None:
    assert decides_game(sheets.split()) == decided
