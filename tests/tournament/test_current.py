"""A sheet as it stands after corrections."""

from __future__ import annotations

from typing import Any

from kdscan.game.duel.coats import Coat
from kdscan.keeping import keep
from kdscan.pipeline import correct
from kdscan.records import SheetReading
from kdscan.report import sheet_json
from kdscan.tournament.current import current_json
from kdscan.tournament.store.records import Sheet
from tests.readings import make_sheet


def row(sheet: SheetReading, **more: Any) -> Sheet:
    values: dict[str, Any] = {
        "id": 1, "event_id": 1, "photo_id": 1, "page": 0, "reading_id": 1, "number": 0,
        "kind": "duel_map", "code": None, "total": sheet.score.total, "confidence": 0.9,
        "review": True, "data": sheet_json(sheet), "kept": keep(sheet),
    }  # fmt: skip
    return Sheet(**values | more)


def test_without_corrections_it_is_what_was_read() -> None:
    sheet = make_sheet(doubtful=[(0, 1)])
    assert current_json(row(sheet), {}) == sheet_json(sheet)


def test_shields_are_corrected_as_the_command_line_corrects_them() -> None:
    sheet = make_sheet(doubtful=[(0, 1), (2, 2)])
    said = {"cell:0,1": {"coat": "dot", "crosses": 1}, "cell:4,6": {"coat": None, "crosses": 0}}
    found = current_json(row(sheet), said)
    other = sheet_json(correct(sheet, {(0, 1): (Coat.DOT, 1), (4, 6): (None, 0)}))
    assert found["score"] == other["score"]
    assert [c["coat"] for c in found["cells"]] == [c["coat"] for c in other["cells"]]
    assert found["score"]["domains"] != sheet.score.domain_points


def test_what_was_read_is_left_as_it_was() -> None:
    one = row(make_sheet(doubtful=[(0, 1)]))
    before = sheet_json(make_sheet(doubtful=[(0, 1)]))
    said = {"confirmed": True, "castle": False, "value:problems": ["x"], "value:no/such/place": 1}
    found = current_json(one, said)
    assert one.data == before
    assert found["review"] is False
    assert not any(cell["review"] for cell in found["cells"])
    assert found["castle_bonus_used"] is False
    assert found["problems"] == ["x"]
    assert "no" not in found


def test_the_wizards_coat_counts() -> None:
    sheet = make_sheet()
    found = current_json(row(sheet), {"value:chosen_coat": "dot"})
    assert found["chosen_coat"] == "dot"
    assert found["score"]["wizard"] > 0
    assert found["score"]["total"] == found["score"]["domains"] + found["score"]["wizard"]


def test_a_spellbook_is_corrected_by_path() -> None:
    book = {
        "kind": "duel_spellbook",
        "review": True,
        "players": [{"lines": {"dot": {"filled": 3}}}],
    }
    one = row(make_sheet(), kind="duel_spellbook", data=book, kept=None)
    found = current_json(
        one, {"value:players/0/lines/dot/filled": 4, "cell:0,1": {"coat": None, "crosses": 0}}
    )
    assert found["players"][0]["lines"]["dot"]["filled"] == 4
