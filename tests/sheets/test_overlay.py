"""The overlay of a reading."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.pens import INK
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import RectifiedSheet
from kdscan.rules.duel.board import CELLS
from kdscan.sheets.board import DOMAIN_COLORS, REVIEW_COLOR
from kdscan.sheets.common import domain_colors
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


def test_without_a_sheet_the_picture_is_the_photo() -> None:
    assert (draw_overlay(blank(), []) == blank().bgr).all()


def test_every_shield_that_is_read_has_its_badge_and_no_other() -> None:
    sheet = make_sheet()
    picture = draw_overlay(blank(), [sheet])
    found = []
    for at in CELLS:
        x, y = sheet.rectified.centers_xy[at].round().astype(int)
        lower_right = picture[y + 15 : y + 35, x + 15 : x + 35]
        found += [at] * bool((lower_right == INK).all(axis=2).any())
    assert found == sorted(sheet.board_estimate.board)


def test_a_doubt_has_a_ring_and_a_tile_below() -> None:
    sheet = make_sheet(doubtful=[(0, 5)])
    picture = draw_overlay(blank(), [sheet])
    x, y = sheet.rectified.centers_xy[0, 5]
    ring = picture[round(y), round(x - 0.42 * 80)]
    assert ring.tolist() == list(REVIEW_COLOR)
    assert picture.shape[0] > 640
    assert (draw_overlay(blank(), [make_sheet()]) != REVIEW_COLOR).any(axis=2).all()


def test_the_total_covers_no_shield_if_there_is_room_beside_the_sheet() -> None:
    sheet = make_sheet(origin_xy=(20, 30), pitch=80)
    room_below, room_beside = (
        draw_overlay(blank(900, height), [sheet])[30:430, 20:580] for height in (640, 460)
    )
    assert (room_beside == room_below).all()


def reviewed(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where a picture has about the colour of doubts."""
    apart = np.abs(picture.astype(int) - REVIEW_COLOR)
    return np.asarray(apart.max(axis=2) < 100)


def test_sheets_of_one_photo_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("kdscan.sheets.board.draw_text", lambda *a, **_: said.append(a[1]))
    sheets = [make_sheet(doubtful=[(0, 5)], origin_xy=at) for at in ((15, 15), (640, 15))]
    draw_overlay(blank(1300), sheets)
    total = f"{sheets[0].score.total} points ?"
    assert {f"1: {total}", f"2: {total}", "1: F1", "2: F1"} <= set(said)
    said.clear()
    draw_overlay(blank(1300), sheets[:1])
    assert {total, "F1"} <= set(said)


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


def test_domain_colours_differ() -> None:
    assert len(set(DOMAIN_COLORS)) == 7
    found = domain_colors([[(0, 0), (0, 1)], [(1, 0)], [(1, 1)], [(4, 4)]], 7)
    assert found[0, 0] == found[0, 1]
    assert len({found[0, 0], found[1, 0], found[1, 1], found[4, 4]}) == 4
    apart, beside, between = [[(0, 0)], [(2, 0)]], [[(0, 1)], [(2, 1)]], [[(1, 0)]]
    few = domain_colors([*apart, *beside, *between], 2)
    assert few[0, 0] != few[0, 1] and few[2, 0] != few[2, 1]
    assert few[1, 0] in (0, 1), "where there are too few, neighbours may have one"
