"""The overlay of a reading."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.pens import INK, draw_marks, marks_width
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import RectifiedSheet, cell_corners
from kdscan.rules.duel.board import CELLS
from kdscan.rules.duel.coats import Coat
from kdscan.rules.problem import Problem
from kdscan.sheets.board import DOMAIN_COLORS, PROBLEM_COLOR, REVIEW_COLOR, TILE_WH
from kdscan.sheets.common import domain_colors
from kdscan.sheets.duel_map.model import MapReading
from kdscan.sheets.overlay import GAP, LONGEST_PX, draw_overlay
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


def test_scoring_domains_are_tinted_and_others_are_not() -> None:
    sheet = make_sheet()
    picture = draw_overlay(blank(), [sheet]).astype(int)
    centers = sheet.rectified.centers_xy.astype(int)

    def hue(row: int, col: int) -> int:
        x, y = centers[row, col]
        return int(np.ptp(picture[y, x]))

    assert hue(0, 0) > 40
    assert hue(4, 0) == 0  # a filled shield without a cross
    assert hue(0, 6) == 0  # an empty shield


def test_every_shield_that_is_read_has_its_badge_and_no_other() -> None:
    sheet = make_sheet()
    picture = draw_overlay(blank(), [sheet])
    found = []
    for at in CELLS:
        x, y = sheet.rectified.centers_xy[at].round().astype(int)
        lower_right = picture[y + 15 : y + 35, x + 15 : x + 35]
        found += [at] * bool((lower_right == INK).all(axis=2).any())
    assert found == sorted(sheet.reading.board)


def test_a_domain_that_scores_has_a_border_where_it_ends_and_none_within() -> None:
    sheet = make_sheet()
    picture = draw_overlay(blank(), [sheet])
    darker = {tuple(round(0.7 * v) for v in color) for color in DOMAIN_COLORS}
    for domain in sheet.score.domains:
        for r, c in domain.cells:
            x, y = sheet.rectified.centers_xy[r, c].round().astype(int)
            for beyond, edge in (
                ((r - 1, c), picture[y - 38, x + 25 : x + 35]),
                ((r, c - 1), picture[y : y + 30, x - 38]),
                ((r, c + 1), picture[y - 30 : y, x + 38]),
            ):
                drawn = any(tuple(pixel) in darker for pixel in edge.tolist())
                assert drawn == (domain.points > 0 and beyond not in domain.cells), (r, c)


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


def test_no_ring_covers_what_a_neighbour_is_said_to_hold() -> None:
    x, y = make_sheet().rectified.centers_xy[0, 5].round().astype(int)
    inside = slice(y + 18, y + 34), slice(x + 38, x + 54)
    alone, both = (
        draw_overlay(blank(), [make_sheet(doubtful=doubtful)])[inside]
        for doubtful in ([(0, 5)], [(0, 5), (0, 6)])
    )
    assert reviewed(alone).any()  # the badge's question mark
    assert (alone == both).all()


def test_the_edge_of_the_picture_cuts_no_badge() -> None:
    sheet = make_sheet(doubtful=[(2, 6)], origin_xy=(0, 0))
    marked = reviewed(draw_overlay(blank(560, 400), [sheet])[:400])
    assert marked[:, -10:].any()
    assert not marked[:, -1].any()


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


def test_what_is_written_lies_in_the_picture_where_it_belongs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: dict[str, tuple[float, float]] = {}
    monkeypatch.setattr("kdscan.sheets.board.draw_text", lambda *a, **_: drawn.update({a[1]: a[2]}))
    odd = Problem("unconnected_domino", "error", "it touches nothing", ((3, 3),))
    sheet = make_sheet(origin_xy=(0, 0), problems=(odd,))
    draw_overlay(blank(560, 400), [sheet])
    x, y = drawn[f"{sheet.score.total} points"]
    assert 0 < x < 280 and 0 < y < 400, "although the sheet fills the picture"
    x, y = drawn["!"]
    assert 240 < x < 280 and 280 < y < 320, "in the cell's lower left corner"
    scoring = [(len(one.cells), one.points) for one in sheet.score.domains if one.points]
    sums = {f"{count}×{points // count}={points}" for count, points in scoring}
    assert {text for text in drawn if "=" in text} == sums


@pytest.mark.parametrize("at", [(640, 15), (15, 440)], ids=["beside", "below"])
@pytest.mark.parametrize("first", [True, False])
def test_a_total_lies_on_no_other_sheet(at: tuple[int, int], first: bool) -> None:
    own, (x, y) = ((15, 15), at) if first else (at, (15, 15))
    doubtful, other = make_sheet(doubtful=[(0, 5)], origin_xy=own), make_sheet(origin_xy=(x, y))
    photo = blank(*np.add(at, (575, 415)).astype(int))
    picture = draw_overlay(photo, [other, doubtful])[y : y + 400, x : x + 560]
    assert (picture != REVIEW_COLOR).any(axis=2).all()


def test_a_large_photo_becomes_a_picture_to_send() -> None:
    sheet = make_sheet(origin_xy=(900, 700), pitch=400)
    picture = draw_overlay(blank(4032, 3024), [sheet])
    assert picture.shape[:2] == (LONGEST_PX * 3 // 4, LONGEST_PX)


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


def test_more_doubts_than_a_row_holds_wrap() -> None:
    few = draw_overlay(blank(), [make_sheet(doubtful=CELLS[:2])])
    many = draw_overlay(blank(), [make_sheet(doubtful=CELLS[:8])])
    row = TILE_WH[1] + GAP
    assert [(one.shape[0] - 640) / row for one in (few, many)] == [1, 4]  # 2 × 276 of 800 pixels
    assert draw_overlay(blank(100, 80), [make_sheet(doubtful=CELLS[:2])]).shape[1] == 100


def test_corners_lie_between_centres() -> None:
    centers = make_sheet().rectified.centers_xy
    corners = cell_corners(centers)
    assert corners.shape == (6, 8, 2)
    assert np.allclose(corners[0, 0], (100, 120))
    assert np.allclose(corners[-1, -1], (660, 520))
    assert np.allclose(corners[1:-1, 1:-1], (centers[:-1, :-1] + centers[1:, 1:]) / 2)


@pytest.mark.parametrize("coat", [*Coat, None])
@pytest.mark.parametrize("crosses", [0, 4])
def test_marks_stay_in_their_room(coat: Coat | None, crosses: int) -> None:
    picture = np.full((60, 200, 3), 255, np.uint8)
    draw_marks(picture, (20, 30), coat, crosses, 24)
    inked = np.argwhere((picture < 128).all(axis=2))
    (top, left), (bottom, right) = inked.min(0), inked.max(0)
    assert top >= 17
    assert bottom <= 43
    assert left >= 19
    assert right <= 20 + marks_width(crosses, 24) + 1


def test_each_coat_has_its_own_sign() -> None:
    signs = set()
    for coat in Coat:
        picture = np.full((30, 30, 3), 255, np.uint8)
        draw_marks(picture, (3, 15), coat, 0, 24)
        signs.add(picture.tobytes())
    assert len(signs) == len(Coat)


@pytest.mark.parametrize("crosses", range(5))
def test_each_cross_is_drawn_beside_its_coat(crosses: int) -> None:
    picture = np.full((60, 200, 3), 255, np.uint8)
    draw_marks(picture, (10.0, 30.0), Coat.CHECKED, crosses, 40.0)
    ink = (picture[..., 0] < 100).astype(np.uint8)
    assert cv2.connectedComponents(ink)[0] - 2 == crosses  # besides the paper and the coat
    quarters = [ink[y - 4 : y + 4, x - 4 : x + 4].mean() for y in (22, 38) for x in (22, 38)]
    assert quarters == [1, 0, 0, 1]  # as players draw it


def test_domain_colours_differ() -> None:
    assert len(set(DOMAIN_COLORS)) == 7
    found = domain_colors([[(0, 0), (0, 1)], [(1, 0)], [(1, 1)], [(4, 4)]], 7)
    assert found[0, 0] == found[0, 1]
    assert len({found[0, 0], found[1, 0], found[1, 1], found[4, 4]}) == 4
    apart, beside, between = [[(0, 0)], [(2, 0)]], [[(0, 1)], [(2, 1)]], [[(1, 0)]]
    few = domain_colors([*apart, *beside, *between], 2)
    assert few[0, 0] != few[0, 1] and few[2, 0] != few[2, 1]
    assert few[1, 0] in (0, 1), "where there are too few, neighbours may have one"


def test_what_a_problem_names_is_framed() -> None:
    broken = Problem("unconnected_domino", "error", "it touches nothing", ((4, 5),))
    whole = Problem("unpaired_shields", "error", "an odd number", CELLS)
    plain = draw_overlay(blank(), [make_sheet()])
    picture = draw_overlay(blank(), [make_sheet(problems=(broken, whole))])
    framed = np.argwhere((picture == PROBLEM_COLOR).all(axis=2))[:, ::-1]
    x, y = make_sheet().rectified.centers_xy[4, 5]
    assert len(framed) > 50
    assert (np.abs(framed - (x, y)) < 41).all()
    changed = np.argwhere((picture != plain).any(axis=2))[:, ::-1]
    assert (np.abs(changed - (x, y)) < 41).all()
