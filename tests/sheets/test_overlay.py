"""The overlay of a reading."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.imaging.picture import Photo, RectifiedSheet
from kdscan.sheets.board import REVIEW_COLOR
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.overlay import draw_overlay
from tests.readings import make_sheet, with_evidence


def blank(width: int = 800, height: int = 640) -> Photo:
    return Photo(np.full((height, width, 3), 230, np.uint8))


def turned(sheet: MapReading, degrees: float, around_xy: tuple[float, float]) -> MapReading:
    a = np.radians(degrees)
    turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    flat = sheet.rectified
    centers = (flat.centers_xy - around_xy) @ turn + around_xy
    corners = (flat.outline_xy - around_xy) @ turn + around_xy
    return with_evidence(sheet, rectified=RectifiedSheet(flat.bgr, centers, corners, 1.0, 1.0))


def test_the_photo_itself_is_left_alone() -> None:
    photo = blank()
    draw_overlay(photo, [make_sheet()])
    assert (photo.bgr == 230).all()


@pytest.mark.parametrize("at", [(640, 15), (15, 440)], ids=["beside", "below"])
@pytest.mark.parametrize("first", [True, False])
def test_a_total_lies_on_no_other_sheet(at: tuple[int, int], first: bool) -> None:
    own, (x, y) = ((15, 15), at) if first else (at, (15, 15))
    doubtful, other = make_sheet(doubtful=[(0, 5)], origin_xy=own), make_sheet(origin_xy=(x, y))
    photo = blank(*np.add(at, (575, 415)).astype(int))
    picture = draw_overlay(photo, [other, doubtful])[y : y + 400, x : x + 560]
    assert (picture != REVIEW_COLOR).any(axis=2).all()


@pytest.mark.parametrize("degrees", range(0, 360, 45))
def test_any_turn_is_drawn(degrees: int) -> None:
    sheet = turned(make_sheet(doubtful=[(3, 3)]), degrees, (400, 320))
    picture = draw_overlay(blank(), [sheet])
    assert picture.shape[1] == 800
    x, y = sheet.rectified.centers_xy[2, 2].round().astype(int)
    assert np.ptp(picture[y, x].astype(int)) > 40


@pytest.mark.parametrize("pitch", [4.0, 30.0, 300.0])
@pytest.mark.parametrize("origin", [(-200.0, -90.0), (700.0, 600.0)])
def test_sheets_that_leave_the_picture_are_drawn(pitch: float, origin: tuple[float, float]) -> None:
    sheet = make_sheet(doubtful=[(0, 0), (4, 6)], origin_xy=origin, pitch=pitch)
    assert draw_overlay(blank(), [sheet]).shape[1] == 800
