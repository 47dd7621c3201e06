"""What lies on a sheet is seen, and on a sheet on which nothing lies nothing is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.photo import load_photos
from kdscan.inference.store import default_models
from kdscan.kinds.duel_map.covered import LIKELY
from kdscan.marks.covered import COVER_HW, covered
from kdscan.pipeline.read import read_photo
from kdscan.records import CELLS, Photo, SheetReading, maps_of

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "01.jpg"


@cache
def sample() -> Photo:
    return next(iter(load_photos(SAMPLE)))


def the_map(photo: Photo) -> SheetReading:
    (sheet,) = maps_of(read_photo(photo))
    return sheet


@cache
def open_() -> SheetReading:
    return the_map(sample())


def test_each_shield_has_what_the_network_says_of_its_cell() -> None:
    def network(batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        assert batch.shape == (1, 3, *COVER_HW) and batch.min() >= 0 and batch.max() <= 1
        logits = np.full((1, 5, 7), -4, np.float32)
        logits[0, 2, 3] = 9  # the castle, which is no shield
        logits[0, 1, 5] = 2
        return (logits,)

    found = covered(open_().rectified, network)
    assert set(found) == set(CELLS)
    assert found.pop((1, 5)) == pytest.approx(0.8808, abs=1e-4)
    assert max(found.values()) < 0.02


def test_nothing_lies_on_a_sheet_on_which_nothing_lies() -> None:
    assert max(covered(open_().rectified, default_models().cover).values()) < LIKELY
    assert not any(cell.covered for cell in open_().reading.cells)


@pytest.mark.parametrize("at", [(1, 1), (3, 5)])
@pytest.mark.parametrize("color", [(60, 60, 200), (140, 170, 220), (30, 30, 30)])
def test_a_disc_as_large_as_a_cell_is_asked_about(
    at: tuple[int, int], color: tuple[int, int, int]
) -> None:
    before = open_().rectified
    bgr = sample().bgr.copy()
    x, y = before.centers_xy[at]
    radius = round(0.6 * before.px_per_cell)
    cv2.circle(bgr, (round(float(x)), round(float(y))), radius, color, -1, cv2.LINE_AA)
    sheet = the_map(Photo(np.asarray(bgr, np.uint8)))
    assert sheet.review
    assert at in [(c.row, c.col) for c in sheet.reading.cells if c.covered]
    assert [at in one.cells for one in sheet.problems if one.code == "covered"] == [True]
