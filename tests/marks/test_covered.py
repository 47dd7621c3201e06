"""Objects on a sheet are detected, and nothing is detected on a sheet without any."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdscan.imaging.photo import load_photos
from kdscan.imaging.picture import FLAT_MARGIN, Photo, RectifiedSheet
from kdscan.inference.store import default_models
from kdscan.marks.network import COVER_HW, COVER_PX, covered
from kdscan.reader import read_photo
from kdscan.rules.duel.board import CASTLE
from kdscan.sheets.base import maps_of
from kdscan.sheets.duel_map.interpret import MIN_WHEN_REVIEWED
from kdscan.sheets.duel_map.model import MapReading

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "01.jpg"


@cache
def sample() -> Photo:
    return next(iter(load_photos(SAMPLE)))


def the_map(photo: Photo) -> MapReading:
    (sheet,) = maps_of(read_photo(photo))
    return sheet


@cache
def open_() -> MapReading:
    return the_map(sample())


def lit(*shields: tuple[int, int]) -> RectifiedSheet:
    """A sheet that is grey, and lighter at some shields and at the castle, which is none."""
    flat = np.full((*(2 * n for n in COVER_HW), 3), 100, np.uint8)
    side = 2 * COVER_PX
    rim = round(FLAT_MARGIN * side)
    for row, col in (*shields, CASTLE):
        flat[rim + row * side :, rim + col * side :][:side, :side] = 140
    return replace(open_().rectified, bgr=flat)


def test_nothing_lies_on_a_sheet_on_which_nothing_lies() -> None:
    assert max(covered(open_().rectified, default_models().cover).values()) < MIN_WHEN_REVIEWED
    assert not any(cell.covered for cell in open_().cells)


@pytest.mark.parametrize("at", [(1, 1), (3, 5)])
@pytest.mark.parametrize("color", [(60, 60, 200), (30, 30, 30), (220, 222, 238)])
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
    assert at in [c.at for c in sheet.cells if c.covered]
    assert [at in one.cells for one in sheet.problems if one.code == "covered"] == [True]


def test_a_small_thing_in_a_colour_of_its_own_is_told_from_ink() -> None:
    """The network alone takes it for drawn (probability 0.02)."""
    sheet = open_().rectified
    flat = sheet.bgr.copy()
    px = 2 * COVER_PX
    at = (0, 2)
    x, y = (round((n + 0.5 + FLAT_MARGIN) * px) for n in (at[1], at[0]))
    cv2.circle(flat, (x, y), round(0.2 * px), (40, 200, 250), -1, cv2.LINE_AA)
    assert covered(replace(sheet, bgr=flat), default_models().cover)[at] > 0.9
