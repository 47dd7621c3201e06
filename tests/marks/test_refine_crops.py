"""A misaligned sheet is resampled where the marks network sees its cells."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.picture import CENTERS, Network, Photo, rectify
from kdscan.marks.network import refine_crops

Batch = NDArray[np.float32]
CELL_PX = 40.0
PHOTO = Photo(np.random.default_rng(0).integers(0, 255, (300, 400, 3)).astype(np.uint8))
SHEET = rectify(PHOTO, CENTERS * CELL_PX + 70, 0.93)


def network(says: Callable[[int], tuple[float, float]]) -> Network:
    """Says at each call, from 0, how far all cells lie off, and nothing of marks."""
    calls = 0

    def said(*_: Batch) -> tuple[Batch, ...]:
        nonlocal calls
        off = np.full((1, 35, 2), says(calls), np.float32)
        calls += 1
        shapes = (1, 34, 7), (1, 34, 5), (1, 1)
        return *(np.full(shape, calls, np.float32) for shape in shapes), off

    return said


def test_cells_that_lie_off_are_sampled_where_they_lie() -> None:
    sheet, looks = refine_crops(
        PHOTO, SHEET, network(lambda call: (0.1, -0.05) if call == 0 else (0, 0))
    )
    assert sheet.centers_xy == pytest.approx(SHEET.centers_xy + (4, -2), abs=0.01)
    assert sheet.confidence == SHEET.confidence
    assert not np.array_equal(sheet.bgr, SHEET.bgr)
    first, both = looks
    assert first[2] == 2  # what the first call said of the marks counts no more
    assert both[2] == pytest.approx((2 + 3) / 2)


def test_the_view_of_a_sheet_that_lies_a_little_off_counts_half() -> None:
    sheet, looks = refine_crops(PHOTO, SHEET, network(lambda call: (0.05, 0)))
    assert sheet.centers_xy == pytest.approx(SHEET.centers_xy + (2, 0), abs=0.01)
    first, both = looks
    assert first[2] == 1
    assert both[2] == pytest.approx((0.5 * 1 + 2) / 1.5)
