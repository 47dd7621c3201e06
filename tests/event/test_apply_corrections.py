"""The current state of a sheet after corrections."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kdscan.document import to_dict
from kdscan.event.apply_corrections import corrected_json, corrected_sheets
from kdscan.event.store.records import Sheet
from kdscan.rules.duel.coats import Coat
from kdscan.sheets.base import AnyReading, correct, serialize
from tests.readings import make_book, make_kingdom, make_sheet, make_table, paid_game


def row(sheet: AnyReading, **more: Any) -> Sheet:
    values: dict[str, Any] = {
        "id": 1, "event_id": 1, "photo_id": 1, "page": 0, "reading_id": 1, "number": 0,
        "kind": sheet.kind, "code": None, "total": None, "confidence": 0.9,
        "review": True, "data": to_dict(sheet), "kept": serialize(sheet),
    }  # fmt: skip
    return Sheet(**values | more)


def test_without_corrections_it_is_what_was_read() -> None:
    sheet = make_sheet(doubtful=[(0, 1)])
    assert corrected_json(row(sheet), {}) == to_dict(sheet)


def test_shields_are_corrected_as_the_command_line_corrects_them() -> None:
    sheet = make_sheet(doubtful=[(0, 1), (2, 2)])
    said = {"cell:0,1": {"coat": "dot", "crosses": 1}, "cell:4,6": {"coat": None, "crosses": 0}}
    found = corrected_json(row(sheet), said)
    other = to_dict(correct(sheet, {(0, 1): (Coat.DOT, 1), (4, 6): (None, 0)}))
    assert found["score"] == other["score"]
    assert [c["coat"] for c in found["cells"]] == [c["coat"] for c in other["cells"]]
    assert found["score"]["domains"] != sheet.score.domain_points


def test_what_was_read_is_left_as_it_was() -> None:
    one = row(make_sheet(doubtful=[(0, 1)]))
    before = to_dict(make_sheet(doubtful=[(0, 1)]))
    said = {"confirmed": True, "castle": False}
    found = corrected_json(one, said)
    assert one.data == before
    assert found["review"] is False
    assert not any(cell["review"] for cell in found["cells"])
    assert found["castle_bonus_used"] is False


def test_whose_sheet_it_is_and_whether_it_counts_changes_nothing_on_it() -> None:
    said = {"ignored": True, "same_as": 0, "place": {"round": 1, "table": 2, "player": "Ada"}}
    assert corrected_json(row(make_sheet()), said) == to_dict(make_sheet())


def test_a_confirmed_sheet_of_which_no_evidence_was_kept_needs_no_look() -> None:
    old = row(make_sheet(doubtful=[(0, 1)]), kept=None)
    assert corrected_json(old, {})["review"] is True
    assert corrected_json(old, {"confirmed": True})["review"] is False


def test_the_wizards_coat_counts() -> None:
    sheet = make_sheet()
    found = corrected_json(row(sheet), {"value:chosen_coat": "dot"})
    assert found["chosen_coat"] == "dot"
    assert found["score"]["wizard"] > 0
    assert found["score"]["total"] == found["score"]["domains"] + found["score"]["wizard"]


def test_a_wizard_that_a_person_denies_pays_nothing() -> None:
    sheets, scores = table()
    paid = next(n for n, score in enumerate(scores) if score)
    found = corrected_json(sheets[paid], {"value:chosen_coat": None})
    assert sheets[paid].data["score"]["wizard"] == scores[paid]
    assert found["score"]["wizard"] == 0
    assert found["score"]["total"] == found["score"]["domains"] == found["range"][0]


def table() -> tuple[list[Sheet], list[int]]:
    """Two maps and the spellbook in one photo, as they are kept; what the wizard pays each."""
    game = paid_game()
    sheets = [row(one, id=n) for n, one in enumerate(make_table(game), 1)]
    return sheets, [score.wizard for score in game.scores()]


def test_a_corrected_spellbook_pays_the_maps_beside_it() -> None:
    sheets, scores = table()
    owner = scores.index(max(scores))
    nothing: list[dict[str, Any]] = [{}, {}, {}]
    assert [s["score"]["wizard"] for s in corrected_sheets(sheets, nothing)[:2]] == scores
    empty = {"filled": 0, "struck": False, "used": False}
    said = [{}, {}, {f"line:{owner},filled": empty, f"choice:{owner}": None}]
    first, second, book = corrected_sheets(sheets, said)
    assert [first["score"]["wizard"], second["score"]["wizard"]] == [0, 0]
    assert book["players"][owner]["lines"]["filled"]["filled"] == 0
    assert book["players"][owner]["chosen_coat"] is None
    again = {f"choice:{owner}": "checked"}
    paid = corrected_sheets(sheets, [{}, {}, again])[owner]
    assert paid["chosen_coat"] == "checked"
    assert paid["score"]["wizard"] == 3 * sum(d["coat"] == "checked" for d in paid["domains"])


def test_a_doubtful_wizard_widens_the_range_until_somebody_says_what_he_pays() -> None:
    sheets, scores = table()
    owner = scores.index(max(scores))
    sheet = sheets[owner]
    data = sheet.data | {"wizard_range": [0, 12]}
    data["range"] = [data["score"]["domains"], data["score"]["domains"] + 12]
    doubtful = replace(sheet, data=data)
    found = corrected_json(doubtful, {"value:chosen_coat": None})
    assert found["range"] == [found["score"]["total"]] * 2
    assert "wizard_range" not in found
    confirmed = corrected_json(doubtful, {"confirmed": True})
    assert confirmed["range"] == [confirmed["score"]["total"]] * 2


def test_what_was_photographed_apart_may_be_one_table() -> None:
    game = paid_game()
    maps = [row(make_sheet(str(board), confidence=0.999)) for board in game.maps]
    book = row(make_book(game.spellbook))
    apart = corrected_sheets([*maps, book], [{}, {}, {}])
    together = corrected_sheets([*maps, book], [{}, {}, {}], one_table=True)
    assert [s["score"]["wizard"] for s in apart[:2]] == [0, 0]
    assert [s["score"]["wizard"] for s in together[:2]] == [s.wizard for s in game.scores()]


def test_kingdoms_of_one_photo_share_a_box_when_one_is_corrected_too() -> None:
    sheet = row(make_kingdom("## w m+++ . ." + "\n. . . . ." * 4))  # the only domino of this kind
    said = {"variants": {"middle_kingdom": True, "harmony": False}}
    found = corrected_sheets([sheet, sheet], [said, {}])
    codes = [[problem["code"] for problem in one["problems"]] for one in found]
    assert codes == [["not_from_one_box"]] * 2
    changed = said | {"cell:0,2": {"terrain": "forest", "crowns": 0}}
    assert [one["problems"] for one in corrected_sheets([sheet, sheet], [changed, {}])] == [[]] * 2


def test_a_kingdoms_squares_and_rules_are_corrected() -> None:
    sheet = row(make_kingdom(doubtful={(0, 0): ("wheat", 0)}))
    before = corrected_json(sheet, {})
    low, high = before["range"]
    assert low < high and before["review"]
    said = {
        "cell:0,0": {"terrain": "wheat", "crowns": 0},
        "variants": {"middle_kingdom": True, "harmony": False},
    }
    found = corrected_json(sheet, said)
    assert found["score"]["middle_kingdom"] == 10
    assert found["score"]["domains"] != before["score"]["domains"]
    assert found["range"] == [found["score"]["total"]] * 2
    assert not found["review"]
