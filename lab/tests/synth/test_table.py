"""A whole table in one synthetic photo: where things lie, and that everything is legible."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kdscan.document import PhotoReport, report_json
from kdscan.imaging.picture import Photo
from kdscan.reader import read_photo
from kdscan.rules.duel.board import CELLS, Coat
from kdscan.rules.duel.players import greedy_player, play_game, random_player
from kdscan.sheets.base import AnyReading
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.spellbook.model import SpellbookReading
from lab.synth.scene import own_book, own_page
from lab.synth.table import SynthTable, make_table


@pytest.fixture(scope="module")
def table() -> SynthTable:
    return make_table(
        5, "easy", book_page=own_book(), page=own_page(), messiness=0.1, size_wh=(2304, 1728)
    )


@pytest.fixture(scope="module")
def found(table: SynthTable) -> tuple[AnyReading, ...]:
    return read_photo(Photo(table.bgr))


@pytest.fixture(scope="module")
def answer(found: tuple[AnyReading, ...]) -> Any:
    assert [type(one) for one in found] == [MapReading, MapReading, SpellbookReading]
    return report_json([PhotoReport("t", size_wh=(1, 1), sheets=found)])


def test_each_map_is_found_where_it_lies(table: SynthTable, answer: dict[str, Any]) -> None:
    sheets = answer["photos"][0]["sheets"][:2]
    for centers, board in zip(table.centers_xy, table.game.maps, strict=True):
        pitch = float(np.linalg.norm(centers[0, 1] - centers[0, 0]))
        gaps = [
            max(
                float(np.hypot(*(np.array(c["center"]) - centers[c["row"], c["col"]])))
                for c in sheet["cells"]
            )
            for sheet in sheets
        ]
        assert min(gaps) < 0.35 * pitch
        read = {(c["row"], c["col"]): c["coat"] for c in sheets[int(np.argmin(gaps))]["cells"]}
        same = [read[at] == (board[at].coat if at in board else None) for at in CELLS]
        assert sum(same) > 0.8 * len(CELLS)


def test_truth_tells_the_game_as_it_was_played() -> None:
    nowhere, decided = np.zeros((5, 7, 2)), set()
    for seed in range(30):
        game = play_game(seed, (greedy_player, random_player))
        black = np.zeros((6, 8, 3), np.uint8)
        truth = SynthTable(black, (nowhere, nowhere), nowhere[0], {}, game, "easy").truth()
        assert [one["castle_used"] for one in truth["maps"]] == list(game.castle_used)
        totals = [one["score"] + one["wizard"] for one in truth["maps"]]
        assert totals == [score.total for score in game.scores()]
        coats = [one["chosen_coat"] for one in truth["spellbook"]["players"]]
        owner = game.spellbook.owner(Coat.FILLED)
        assert coats == [game.spellbook.chosen_coat if k == owner else None for k in (0, 1)]
        assert truth["winner"] is None or totals[truth["winner"]] == max(totals)
        decided |= {owner, truth["winner"]}
    assert {0, 1} <= decided
