from dataclasses import replace
from itertools import cycle
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.picture import Photo, softmax
from kdscan.imaging.rectify import CENTERS, FLAT_PX, Ink, RectifiedSheet
from kdscan.reader import read_photo
from kdscan.rules.duel.board import CELLS
from kdscan.sheets.base import maps_of
from kdscan.templates.align import align
from kdscan.templates.divide import divide
from kdscan.templates.drawing import on_plain_page, plain_page
from kdscan.templates.dropout import drop_out, poorly_known, predict_ink
from kdscan.templates.separate import separate
from tests.templates.pads import ENGRAVED, PAINTED, found, learned, sheet


def test_what_differs_in_colour_is_ink_whatever_the_light() -> None:
    rng = np.random.default_rng(2)
    known = rng.integers(60, 230, (21, 29, 3)).repeat(32, 0).repeat(32, 1).astype(np.uint8)
    light = np.linspace(0.5, 1.1, known.shape[1])[None, :, None]
    lit = known * light
    lit[300:330, 200:700] *= 0.3
    photo = np.clip(lit, 0, 255).astype(np.uint8)
    ink = divide(photo, known)
    assert ink.probability[305:325, 210:690].mean() > 0.9
    bare = ink.probability.copy()
    bare[290:340, 190:710] = 0
    assert bare.mean() < 0.02
    assert max(ink.pen_bgr) < 0.5


def test_a_print_on_which_nothing_was_drawn_has_neither_ink_nor_pen() -> None:
    known = np.random.default_rng(2).integers(60, 230, (21, 29, 3)).astype(np.uint8)
    known = known.repeat(32, 0).repeat(32, 1)
    ink = divide((known * 0.8).astype(np.uint8), known)
    assert ink.probability.max() < 0.5
    assert ink.pen_bgr == (0, 0, 0)


def test_what_is_lighter_than_the_print_in_all_colours_is_no_ink() -> None:
    rng = np.random.default_rng(3)
    known = rng.integers(90, 200, (42, 58, 3)).repeat(16, 0).repeat(16, 1).astype(np.uint8)
    ghost, photo = known.copy(), known.astype(np.float32)
    ghost[310:322, 300:420] = ghost[310:322, 300:420] * 0.7  # ink that was taken for print
    photo[400:412, 300:420] *= (1.1, 0.6, 0.4)  # a blue pen: lighter in blue
    ink = divide(photo.astype(np.uint8), ghost).probability
    assert ink[312:320, 305:415].mean() < 0.1
    assert ink[402:410, 305:415].mean() > 0.8


def test_the_plain_page_has_what_the_print_has() -> None:
    known = learned(PAINTED)
    page = plain_page(known)
    empty = Ink(np.zeros(page.shape, np.float32), (0, 0, 0))
    assert np.array_equal(on_plain_page(empty, known)[..., 0], page.astype(np.uint8))
    assert page.min() < page.max()


def test_a_known_print_is_read_from_its_ink() -> None:
    photo, _ = found(PAINTED, 1)
    (reading,) = maps_of(read_photo(photo, prints=[learned(ENGRAVED), learned(PAINTED)]))
    assert reading.layout == f"pad {PAINTED}"
    assert reading.ink is not None
    read, truth = reading.reading.board, sheet(PAINTED, 1).board
    assert sum(read.get(at) == truth.get(at) for at in CELLS) >= 30


def test_a_cell_of_which_little_is_known_is_read_from_the_photo() -> None:
    photo, centers = found(PAINTED, 1)
    known = learned(PAINTED)
    assert not poorly_known(known).any()
    coverage = known.known.copy()
    coverage[:26] = 0.1
    holed = replace(known, known=coverage)
    dropped = drop_out(photo, align(holed, photo, centers))
    poorly = [CELLS[i] for i in np.flatnonzero(dropped.poorly_known)]
    assert poorly == [at for at in CELLS if at[0] < 2]


def test_a_cell_that_something_covers_is_not_taken_for_a_coat() -> None:
    photo, centers = found(PAINTED, 1)
    known, at = learned(PAINTED), CELLS.index((1, 2))
    before = drop_out(photo, align(known, photo, centers))
    assert not before.poorly_known.any()
    x, y = (float(v) for v in before.rectified.centers_xy[1, 2])
    bgr, wide = photo.bgr.copy(), before.rectified.px_per_cell
    cv2.ellipse(bgr, ((x, y), (1.7 * wide, 1.4 * wide), 30), (120, 150, 210), -1)
    hidden = Photo(bgr, "finger.png")
    after = drop_out(hidden, align(known, hidden, centers))
    assert after.poorly_known[at] and after.poorly_known.sum() <= 3
    (reading,) = maps_of(read_photo(hidden, prints=[known]))
    cell = reading.reading.cells[at]
    assert cell.covered and cell.review and cell.coat is None


@pytest.mark.parametrize("number", [1, 3])
def test_circles_in_a_wrong_place_are_left_to_the_photo(number: int) -> None:
    photo, _ = found(PAINTED, number)
    known, truth = learned(PAINTED), sheet(PAINTED, number).board
    wrong = replace(known.cell, circles=((-0.1, 0.05), (0.1, 0.05)), radius=0.09)
    (reading,) = maps_of(read_photo(photo, prints=[replace(known, cell=wrong)]))
    assert reading.layout == known.name
    read = reading.reading.board
    assert sum(read.get(at) == truth.get(at) for at in CELLS) >= 31


def test_where_the_photo_surely_says_something_else_neither_is_sure() -> None:
    ink, photo = (np.zeros((1, 34, 5), np.float32) for _ in range(2))
    ink[0, :, 0] = 8
    photo[0, :10, 2] = 8  # crosses that have become part of the print
    photo[0, 10:20, 2] = 1  # not sure
    photo[0, 20:, 0] = 8
    turns = cycle((ink, photo))

    def network(*_: object) -> tuple[NDArray[np.float32], ...]:
        """Says of the ink what it is asked first, then of the photo."""
        coat, rest = np.zeros((1, 34, 7), np.float32), np.zeros((1, 1), np.float32)
        return coat, next(turns), rest, np.zeros((1, 35, 2), np.float32)

    picture, centers = found(PAINTED, 1)
    dropped = drop_out(picture, align(learned(PAINTED), picture, centers))
    first = next(predict_ink(dropped, network))
    said = softmax(first[1][0].astype(np.float64))
    assert np.abs(said[:10, [0, 2]] - 0.5).max() < 0.02
    assert said[10:20, 0].min() > 0.9
    assert said[20:, 0].min() > 0.99


def test_the_pen_of_an_unknown_print_is_seen_against_the_ground_around_it() -> None:
    """Yellow land beside blue sea: a red pen lets through as much of either."""
    pen = np.array([0.3, 0.35, 0.85])
    ground = np.full((672, 928, 3), (90, 210, 220), np.float32)
    ground[:, 464:] = (210, 170, 90)
    drawn = np.zeros((672, 928), np.uint8)
    for x in range(80, 900, 128):
        cv2.line(drawn, (x, 40), (x, 630), 1, 9)
    bgr = np.where(drawn[..., None], ground * pen, ground).astype(np.uint8)
    corners = np.array([(0.0, 0.0), (896, 0), (896, 640), (0, 640)])
    seen = RectifiedSheet(bgr, CENTERS * FLAT_PX, corners, FLAT_PX, 1.0)

    def dark(ink: NDArray[np.float32], coarse: NDArray[np.float32]) -> tuple[Any, ...]:
        return (40 * (ink[:, :, 0] - 0.6),)

    ink = separate(seen, dark)
    assert ink.pen_bgr == pytest.approx(tuple(pen), abs=0.08)
    assert ((ink.probability > 0.5) == (drawn > 0)).mean() > 0.97
