"""The current state of a sheet: its reading with what people said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from kdscan.document import to_dict
from kdscan.event.actions import OnField
from kdscan.event.log import Entry
from kdscan.event.sheets import ReadSheet, SheetSaid, fold_table
from kdscan.files import Json
from kdscan.rules.duel.board import Coat
from kdscan.sheets.base import AnyReading, correct, serialize
from tests.readings import make_book, make_kingdom, make_sheet, make_table, paid_game


def row(sheet: AnyReading, **more: Any) -> ReadSheet:
    data = to_dict(sheet)
    return replace(ReadSheet(1, 1, 0, 0, sheet.kind, data, serialize(sheet), data), **more)


class Given(OnField, frozen=True):
    """Any value of a sheet."""

    path: str
    new: Any

    @property
    def field(self) -> str:
        return self.path

    @property
    def value(self) -> Any:
        return self.new


def by_desk(values: Mapping[str, Any]) -> SheetSaid:
    actions: list[Any] = [Given(1, path, new) for path, new in values.items()]
    at = datetime.now(UTC)
    words = (Entry(n, at, "Zoe", "desk", "", action) for n, action in enumerate(actions))
    return SheetSaid({word.action.field: word for word in words})


def fold(
    sheets: Sequence[ReadSheet], values: Sequence[Mapping[str, Any]], one_table: bool = False
) -> list[Json]:
    return fold_table(sheets, list(map(by_desk, values)), one_table=one_table)


def fold_one(sheet: ReadSheet, values: Mapping[str, Any]) -> Json:
    return fold([sheet], [values])[0]


def test_shields_are_corrected_as_the_command_line_corrects_them() -> None:
    sheet = make_sheet(doubtful=[(0, 1), (2, 2)])
    said = {"cell:0,1": {"coat": "dot", "crosses": 1}, "cell:4,6": {"coat": None, "crosses": 0}}
    found = fold_one(row(sheet), said)
    other = to_dict(correct(sheet, {(0, 1): (Coat.DOT, 1), (4, 6): (None, 0)}))
    assert (found["score"], found["cells"]) == (other["score"], other["cells"])
    assert [(one["old"], one["new"], one["who"]) for one in found["said"]] == [
        ({"coat": "dot", "crosses": 0}, {"coat": "dot", "crosses": 1}, "Zoe"),
        ({"coat": "double_dot", "crosses": 1}, {"coat": None, "crosses": 0}, "Zoe"),
    ]


def test_a_confirmed_sheet_needs_no_look_and_what_was_read_stays() -> None:
    one = row(make_sheet(doubtful=[(0, 1)]))
    before = to_dict(make_sheet(doubtful=[(0, 1)]))
    found = fold_one(one, {"confirmed": True, "castle": False})
    assert one.data == before
    assert not found["review"] and not any(cell["review"] for cell in found["cells"])
    assert found["castle_bonus_used"] is False
    old = replace(one, kept=None)
    assert fold_one(old, {})["review"] and not fold_one(old, {"confirmed": True})["review"]


def test_the_wizards_coat_counts_or_is_denied() -> None:
    found = fold_one(row(make_sheet()), {"value:chosen_coat": "dot"})
    assert found["chosen_coat"] == "dot"
    assert found["score"]["total"] == found["score"]["domains"] + found["score"]["wizard"]
    sheets, scores = table()
    paid = next(n for n, score in enumerate(scores) if score)
    found = fold_one(sheets[paid], {"value:chosen_coat": None})
    assert sheets[paid].data["score"]["wizard"] == scores[paid]
    assert found["score"]["wizard"] == 0


def table() -> tuple[list[ReadSheet], list[int]]:
    """Two maps and the spellbook in one photo; what the wizard pays each."""
    game = paid_game()
    sheets = [row(one, id=n) for n, one in enumerate(make_table(game), 1)]
    return sheets, [score.wizard for score in game.scores()]


def test_a_corrected_spellbook_pays_the_maps_beside_it() -> None:
    sheets, scores = table()
    owner = scores.index(max(scores))
    assert [s["score"]["wizard"] for s in fold(sheets, [{}, {}, {}])[:2]] == scores
    empty = {"filled": 0, "struck": False, "used": False}
    said: list[Json] = [{}, {}, {f"line:{owner},filled": empty, f"choice:{owner}": None}]
    first, second, book = fold(sheets, said)
    assert [first["score"]["wizard"], second["score"]["wizard"]] == [0, 0]
    assert book["players"][owner]["lines"]["filled"]["filled"] == 0
    paid = fold(sheets, [{}, {}, {f"choice:{owner}": "checked"}])[owner]
    assert paid["score"]["wizard"] == 3 * sum(d["coat"] == "checked" for d in paid["domains"])


def test_a_doubtful_wizard_widens_the_range_until_somebody_says_what_he_pays() -> None:
    sheets, scores = table()
    sheet = sheets[scores.index(max(scores))]
    data = sheet.data | {"wizard_range": [0, 12]}
    data["range"] = [data["score"]["domains"], data["score"]["domains"] + 12]
    for said in ({"value:chosen_coat": None}, {"confirmed": True}):
        found = fold_one(replace(sheet, data=data), said)
        assert found["range"] == [found["score"]["total"]] * 2
        assert "wizard_range" not in found


def test_what_was_photographed_apart_may_be_one_table() -> None:
    game = paid_game()
    maps = [row(make_sheet(str(board), confidence=0.999)) for board in game.maps]
    sheets = [*maps, row(make_book(game.spellbook))]
    apart, together = (fold(sheets, [{}, {}, {}], one_table=one) for one in (False, True))
    assert [s["score"]["wizard"] for s in apart[:2]] == [0, 0]
    assert [s["score"]["wizard"] for s in together[:2]] == [s.wizard for s in game.scores()]


def test_kingdoms_of_one_photo_share_a_box_when_one_is_corrected_too() -> None:
    sheet = row(make_kingdom("## w m+++ . ." + "\n. . . . ." * 4))  # the only domino of this kind
    said: Json = {"variants": {"middle_kingdom": True, "harmony": False}}
    found = fold([sheet, sheet], [said, {}])
    assert [[one["code"] for one in each["problems"]] for each in found] == [
        ["not_from_one_box"]
    ] * 2
    changed = said | {"cell:0,2": {"terrain": "forest", "crowns": 0}}
    assert [one["problems"] for one in fold([sheet, sheet], [changed, {}])] == [[]] * 2


def test_a_kingdoms_squares_and_rules_are_corrected() -> None:
    sheet = row(make_kingdom(doubtful={(0, 0): ("wheat", 0)}))
    before = fold_one(sheet, {})
    assert before["range"][0] < before["range"][1] and before["review"]
    said = {
        "cell:0,0": {"terrain": "wheat", "crowns": 0},
        "variants": {"middle_kingdom": True, "harmony": False},
    }
    found = fold_one(sheet, said)
    assert found["score"]["middle_kingdom"] == 10
    assert found["range"] == [found["score"]["total"]] * 2 and not found["review"]
