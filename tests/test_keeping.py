"""A sheet that was kept is the sheet that was read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kdscan.keeping import keep, recall
from kdscan.pipeline import correct, read_photo
from kdscan.records import SheetReading, maps_of
from kdscan.report import PhotoReport, photo_json
from kdscan.vision.photo import load_photos

SAMPLES = Path(__file__).parent.parent / "samples"


@pytest.fixture(scope="module")
def sheet() -> SheetReading:
    (photo,) = load_photos(SAMPLES / "01.jpg")
    return maps_of(read_photo(photo))[0]


def as_json(sheet: SheetReading) -> object:
    return photo_json(PhotoReport("a", sheets=(sheet,)))


def test_recalled_it_says_the_same(sheet: SheetReading) -> None:
    kept = json.loads(json.dumps(keep(sheet)))
    assert as_json(recall(kept)) == as_json(sheet)


def test_kept_twice_it_stays_the_same(sheet: SheetReading) -> None:
    kept = keep(sheet)
    assert keep(recall(kept)) == kept


def test_it_corrects_like_the_original(sheet: SheetReading) -> None:
    said = {(0, 0): (None, 0), (1, 1): (sheet.reading.cells[3].coat, 2)}
    assert as_json(correct(recall(keep(sheet)), said)) == as_json(correct(sheet, said))


def test_it_is_small(sheet: SheetReading) -> None:
    assert len(json.dumps(keep(sheet))) < 10_000


def test_what_was_not_kept_is_refused(sheet: SheetReading) -> None:
    with pytest.raises(KeyError):
        recall({"layout": "kdscan-a5"})
