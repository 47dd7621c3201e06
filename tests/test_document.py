"""The JSON that other programs rely on, and plain values besides."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from kdscan.document import PhotoReport, outcome_json, photo_json, report_json, to_dict
from kdscan.errors import NoSheetFound
from kdscan.rules import Problem
from kdscan.rules.duel.board import CELLS, Board, Coat, Shield
from kdscan.sheets.duel_map.interpret import doubts
from tests.readings import make_kingdom, make_sheet

boards = st.dictionaries(
    st.sampled_from(CELLS), st.builds(Shield, st.sampled_from(Coat), st.integers(0, 4))
).map(Board)


def test_a_sheet_has_every_field_of_the_contract() -> None:
    problem = Problem("odd_shields", "warning", "an odd number of shields", ((0, 6),))
    sheet = make_sheet(doubtful=[(0, 0)], problems=(problem,), castle_used=None)
    entry = photo_json(PhotoReport("a.jpg", 2, 3, (640, 480), (sheet,)))
    assert {k: entry[k] for k in ("photo", "page", "width", "height", "error")} == {
        "photo": "a.jpg",
        "page": 2,
        "width": 640,
        "height": 480,
        "error": None,
    }
    (said,) = entry["sheets"]
    assert said["kind"] == "duel_map"
    assert said["layout"] == "kdscan-a5"
    assert said["sheet_id"] is None
    assert said["outline"] == [[100, 120], [660, 120], [660, 520], [100, 520]]
    assert said["castle_bonus_used"] is None
    assert [(c["row"], c["col"]) for c in said["cells"]] == list(CELLS)
    assert said["cells"][0] == {
        "row": 0,
        "col": 0,
        "coat": "dot",
        "crosses": 1,
        "center": [140.0, 160.0],
        "confidence": 0.7,
        "review": True,
        "seen": None,
        "alternatives": [{"coat": "dot", "crosses": 2, "probability": 0.3, "total": 40}],
    }
    assert said["cells"][6]["coat"] is None
    assert {"coat": "dot", "cells": [[0, 0], [0, 1], [1, 1]], "crosses": 1, "points": 3} in said[
        "domains"
    ]
    assert said["score"] == {"domains": 37, "wizard": 0, "total": 37}
    assert said["problems"] == [
        {
            "code": "odd_shields",
            "severity": "warning",
            "message": "an odd number of shields",
            "cells": [[0, 6]],
        }
    ]
    assert (said["confidence"], said["review"]) == (0.97, True)


def test_a_failed_photo_has_an_entry() -> None:
    entry = photo_json(PhotoReport("b.jpg", error=NoSheetFound("nothing there")))
    said = {"code": "no_sheet", "message": "nothing there"}
    # And what it takes to say it in another language.
    assert entry["error"] == said | {"text": "nothing there", "values": {}}
    assert entry["sheets"] == []


def test_the_object_is_json() -> None:
    report = report_json([PhotoReport("a.jpg", sheets=(make_sheet(),))])
    assert json.loads(json.dumps(report)) == report
    assert list(report) == ["schema", "photos", "fused", "game"]


def test_who_wins() -> None:
    tie = "d+ d . . . . .\n. . . . . . .\n. . . ## . . .\n. . . . . . .\n. . . . . . ."
    one_large = tie
    two_small = tie.replace("d+ d .", "d+ . l+")
    empty = tie.replace("d+ d", ".  .")

    def game(*boards: str) -> object:
        sheets = tuple(make_sheet(board) for board in boards)
        return report_json([PhotoReport("a.jpg", sheets=sheets)])["game"]

    assert game(one_large) is None
    assert game(one_large, one_large, one_large) is None
    assert game(empty, one_large) == {
        "players": [
            {"sheet": [0, 0], "total": 0, "largest_domain": 0},
            {"sheet": [0, 1], "total": 2, "largest_domain": 2},
        ],
        "winner": 1,
        "decided_by": "score",
        "spellbook": None,
        "confidence": 0.9409,
        "review": False,
        "photograph_again": False,
    }
    largest, draw = game(two_small, one_large), game(one_large, one_large)
    assert isinstance(largest, dict)
    assert (largest["winner"], largest["decided_by"]) == (1, "largest_domain")
    assert isinstance(draw, dict)
    assert (draw["winner"], draw["decided_by"]) == (None, "draw")


def test_of_kingdoms_worth_the_same_the_one_with_more_crowns_wins() -> None:
    empty = ".  .  .  .  .\n"
    one, two = (
        to_dict(make_kingdom(empty + wheat + "w  w  ## " + forest + 2 * empty))
        for wheat, forest in (("w+ w  .  .  .\n", "f  f\n"), ("w  w  .  .  .\n", "f+ f+\n"))
    )
    said = outcome_json([(7, one), (8, two)])
    assert [dict(player) for player in said["players"]] == [
        {"sheet": 7, "total": 4, "largest_domain": 4, "crowns": 1},
        {"sheet": 8, "total": 4, "largest_domain": 4, "crowns": 2},
    ]
    assert (said["winner"], said["decided_by"]) == (1, "crowns")
    assert said["photograph_again"] is False


def test_maps_of_two_photos_are_no_game() -> None:
    report = PhotoReport("a.jpg", sheets=(make_sheet(),))
    assert report_json([report, report])["game"] is None


def test_only_doubtful_shields_are_doubts() -> None:
    (doubt,) = doubts(make_sheet(doubtful=[(0, 5)]))
    assert doubt.cell.at == (0, 5)
    _, (marks, p, _) = doubt.options
    assert (marks, round(p, 6)) == ((Coat.FILLED, 3), 0.3)
