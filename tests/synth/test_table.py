"""A whole table in one synthetic photo: where things lie, and that everything is legible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kdscan.pipeline.document import PhotoReport, photo_json, report_json
from kdscan.pipeline.read import read_photo
from kdscan.records import MapReading, Photo, SpellbookReading
from kdscan.synth.own import own_book, own_page
from kdscan.synth.table import SynthTable, make_table


@pytest.fixture(scope="module")
def table() -> SynthTable:
    return make_table(
        5, "easy", book_page=own_book(), page=own_page(), messiness=0.1, size_wh=(2304, 1728)
    )


@pytest.fixture(scope="module")
def answer(table: SynthTable) -> Any:
    photo = Photo(table.bgr)
    found = read_photo(photo)
    assert [type(one) for one in found] == [MapReading, MapReading, SpellbookReading]
    return report_json([photo_json(PhotoReport("t", size_wh=(1, 1), sheets=found))])


def test_everything_lies_in_the_picture(table: SynthTable) -> None:
    high, wide = table.bgr.shape[:2]
    points = np.concatenate([xy.reshape(-1, 2) for xy in (*table.centers_xy, table.places_xy)])
    assert ((points > 0) & (points < (wide, high))).all()


def test_maps_are_found_where_they_lie(table: SynthTable, answer: dict[str, Any]) -> None:
    sheets = answer["photos"][0]["sheets"][:2]
    for centers in table.centers_xy:
        pitch = float(np.linalg.norm(centers[0, 1] - centers[0, 0]))
        gaps = [
            max(
                float(np.hypot(*(np.array(c["center"]) - centers[c["row"], c["col"]])))
                for c in sheet["cells"]
            )
            for sheet in sheets
        ]
        assert min(gaps) < 0.35 * pitch


def test_totals_and_winner_are_right_or_doubted(table: SynthTable, answer: dict[str, Any]) -> None:
    game, truth = answer["game"], table.truth()
    assert game is not None and game["spellbook"] == [0, 2]
    totals = sorted(one["score"] + one["wizard"] for one in truth["maps"])
    right = sorted(player["total"] for player in game["players"]) == totals
    assert right or game["review"]


def test_the_spellbook_is_read_or_doubted(table: SynthTable, answer: dict[str, Any]) -> None:
    book = answer["photos"][0]["sheets"][2]
    for said, true in zip(book["players"], table.truth()["spellbook"]["players"], strict=True):
        for coat, line in true["lines"].items():
            read = {key: said["lines"][coat][key] for key in ("filled", "struck", "used")}
            assert read == line or said["lines"][coat]["review"], coat
