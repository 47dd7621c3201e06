"""Sheets that several photos show: records, JSON, exit code and texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kdscan.cli.score import Printer
from kdscan.document import PhotoReport, report_json
from kdscan.rules import Cell
from kdscan.rules.duel.board import CELLS
from kdscan.rules.duel.players import play_game
from kdscan.sheets.base import AnyReading
from kdscan.sheets.board import Style
from kdscan.sheets.duel_map.interpret import interpret
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.table import FusedSheet, fuse_evidence, fuse_sheets
from tests.readings import make_book, make_sheet

SECOND = """
c   c   f   .   .   d   d+
c+  f   f+  l   l   d   dd
ll  ll+ f   ##  l   dd  dd
d   ll  l+  l   c   c   dd+
d   d   d   dd  .   c+  f
"""


def fused_of(*sheets: MapReading) -> tuple[FusedSheet, ...]:
    return fuse_sheets({(n, 0): sheet for n, sheet in enumerate(sheets)})


def seen_as(sheet: MapReading, **probs: Any) -> MapReading:
    return interpret(replace(sheet.evidence, probs=replace(sheet.evidence.probs, **probs)))


def clip(sheet: MapReading, *cells: Cell) -> MapReading:
    """The same sheet where the picture's edge cuts off some shields."""
    return interpret(replace(sheet.evidence, clipped=cells))


def soft(sheet: MapReading, sure: float = 0.9) -> MapReading:
    """The same sheet as a network would see it: nothing is quite certain."""
    coat, crosses = (
        sure * p + (1 - sure) / p.shape[1]
        for p in (sheet.evidence.probs.coat, sheet.evidence.probs.crosses)
    )
    return seen_as(sheet, coat=coat, crosses=crosses)


def test_photos_of_one_sheet_make_one_that_is_surer() -> None:
    one, two = soft(make_sheet(confidence=0.6)), soft(make_sheet(confidence=0.7))
    (fused,) = fused_of(one, two)
    assert fused.views == ((0, 0), (1, 0))
    assert fused.best == (1, 0)
    assert fused.sheet.score.total == one.score.total
    assert fused.sheet.layout == "kdscan-a5"
    (of_three,) = fused_of(one, two, one)
    assert of_three.views == ((0, 0), (1, 0), (2, 0))
    assert of_three.sheet.confidence >= fused.sheet.confidence


def test_other_sheets_are_left_alone() -> None:
    assert fused_of(soft(make_sheet()), soft(make_sheet(SECOND))) == ()
    assert fused_of(soft(make_sheet())) == ()


def reports_of(*sheets_a_photo: tuple[AnyReading, ...]) -> list[PhotoReport]:
    return [
        PhotoReport(f"{n}.jpg", 0, 1, (800, 600), sheets) for n, sheets in enumerate(sheets_a_photo)
    ]


def fused_in(reports: list[PhotoReport]) -> tuple[FusedSheet, ...]:
    return fuse_sheets(
        {
            (n, k): sheet
            for n, report in enumerate(reports)
            for k, sheet in enumerate(report.sheets)
            if isinstance(sheet, MapReading)
        }
    )


def answer(*sheets_a_photo: tuple[MapReading, ...]) -> Any:
    reports = reports_of(*sheets_a_photo)
    return report_json(reports, fused_in(reports))


def test_json_says_which_photos_show_which_sheet() -> None:
    said = answer((soft(make_sheet()),), (soft(make_sheet(SECOND)),), (soft(make_sheet()),))
    (one,) = said["fused"]
    assert one["sheets"] == [[0, 0], [2, 0]]
    assert one["best"] in one["sheets"]
    assert one["sheet"]["kind"] == "duel_map"
    assert len(one["sheet"]["cells"]) == 34
    assert [len(photo["sheets"]) for photo in said["photos"]] == [1, 1, 1]
    assert said["game"] is None


def test_the_spellbook_of_a_game_may_lie_in_another_photo_than_its_best_map() -> None:
    maps, book = (make_sheet(), make_sheet(SECOND)), make_book(play_game(1).spellbook)

    def of(*photos: tuple[AnyReading, ...]) -> object:
        game = report_json(reports_of(*photos))["game"]
        assert game is not None
        return game["spellbook"]

    assert of((*maps, book)) == [0, 2]
    assert of(maps, (book,)) == [1, 0]
    assert of(maps, (book, book)) is None
    assert of(maps) is None


def test_two_photos_of_both_maps_are_one_game() -> None:
    mine, theirs = soft(make_sheet()), soft(make_sheet(SECOND, origin_xy=(900, 120)))
    said = answer((mine, theirs), (theirs, mine))
    assert [one["sheets"] for one in said["fused"]] == [[[0, 0], [1, 1]], [[0, 1], [1, 0]]]
    totals = [player["total"] for player in said["game"]["players"]]
    assert totals == [mine.score.total, theirs.score.total]


def test_people_are_told_what_to_photograph_again(capsys: pytest.CaptureFixture[str]) -> None:
    (fused,) = fused_of(soft(make_sheet(), 0.75), soft(make_sheet(), 0.74))
    assert fused.sheet.review
    Printer(2, True, False, Style()).answer([], [fused], dynasty=False)
    said = capsys.readouterr().out
    assert "Photos 1 and 2 show the same sheet" in said
    assert "take a close-up: " in said
    assert "Photograph again" in said and "points" not in said
    doubted = {c.at for c in fused.sheet.cells if c.review}
    assert set(fused.photograph_again) == doubted


def test_one_photo_given_twice_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    sheet = soft(make_sheet(), 0.75)
    sheet = interpret(replace(sheet.evidence, covered={(1, 2): 0.6}))
    (fused,) = fused_of(sheet, sheet)
    assert (fused.sheet.cells, fused.sheet.alone) == (sheet.cells, sheet.alone)
    Printer(2, True, False, Style()).answer([], [fused, fused], dynasty=False)
    assert capsys.readouterr().out == "Photos 1 and 2 are the same photo.\n"


def test_what_every_photo_cuts_off_stays_cut_off() -> None:
    one = clip(soft(make_sheet()), (0, 0), (0, 1))
    two = clip(soft(make_sheet()), (0, 0), (1, 0))
    (fused,) = fused_of(one, two)
    assert fused.sheet.clipped == ((0, 0),)
    assert fused.sheet.review
    assert fused.sheet.confidence == 0


def test_what_one_photo_shows_the_others_need_not() -> None:
    whole = make_sheet()
    one = clip(soft(garbled(whole, (0, 0))), (0, 0))
    two = clip(soft(garbled(whole, (4, 6))), (4, 6))
    (fused,) = fused_of(one, two)
    assert fused.sheet.clipped == ()
    assert fused.sheet.score.total == whole.score.total


def test_a_sheet_is_blurred_or_without_greys_if_all_its_photos_are() -> None:
    plain = make_sheet().evidence
    poor = replace(plain, bilevel=True, blurred=True)
    for evidence, expected in ((plain, False), (poor, True)):
        fused = fuse_evidence([poor, evidence], 0)
        assert (fused.bilevel, fused.blurred) == (expected, expected)


def garbled(sheet: MapReading, cell: tuple[int, int]) -> MapReading:
    """The same sheet; what the picture's edge cuts off was surely read as something else."""
    coat, crosses = sheet.evidence.probs.coat.copy(), sheet.evidence.probs.crosses.copy()
    at = CELLS.index(cell)
    coat[at], crosses[at] = np.roll(coat[at], 3), np.roll(crosses[at], 2)
    return seen_as(sheet, coat=coat, crosses=crosses)
