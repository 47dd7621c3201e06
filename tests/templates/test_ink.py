"""Ink from a known template and from a network, and logits of marks from ink and photo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan import load_photos, read_photo
from kdscan.imaging.arrays import softmax
from kdscan.imaging.picture import CENTERS, FLAT_MARGIN, FLAT_PX, Ink, Photo, RectifiedSheet
from kdscan.rules.duel.board import CELLS, COATS, COLS, ROWS, Coat
from kdscan.sheets.base import maps_of
from kdscan.sheets.overlay import draw_inks, ink_of
from kdscan.templates.align import align
from kdscan.templates.drop_out import drop_out, predict_ink, shield_ink
from kdscan.templates.ink_by_network import ink_by_network
from kdscan.templates.ink_by_subtraction import ink_by_subtraction
from tests.readings import with_evidence
from tests.templates.pads import ENGRAVED, PAINTED, found, learned, sheet

SHAPE = tuple(round((n + 2 * FLAT_MARGIN) * FLAT_PX) for n in (ROWS, COLS))
SAMPLE = Path(__file__).parent.parent.parent / "samples/02.jpg"
LINES, DOTS = COATS.index(Coat.DOUBLE_LINE), COATS.index(Coat.DOT)


def squares(seed: int, pixels: int = 16, low: int = 40, high: int = 220) -> NDArray[np.uint8]:
    """A print of coloured squares that many pixels wide."""
    rng = np.random.default_rng(seed)
    small = rng.integers(low, high, (SHAPE[0] // pixels, SHAPE[1] // pixels, 3))
    return small.repeat(pixels, 0).repeat(pixels, 1).astype(np.uint8)


def test_difference_in_colour_is_ink_whatever_the_light() -> None:
    blank = squares(2, 32, 60, 230)
    lit = blank * np.linspace(0.5, 1.1, blank.shape[1])[None, :, None]
    lit[300:330, 200:700] *= 0.3
    ink = ink_by_subtraction(np.clip(lit, 0, 255).astype(np.uint8), blank)
    assert ink.probability[305:325, 210:690].mean() > 0.9
    bare = ink.probability.copy()
    bare[290:340, 190:710] = 0
    assert bare.mean() < 0.02
    assert max(ink.pen_bgr) < 0.5


def test_what_is_lighter_than_the_template_in_all_colours_is_no_ink() -> None:
    ghost = squares(3, 16, 90, 200)
    photo = ghost.astype(np.float32)
    ghost[310:322, 300:420] = ghost[310:322, 300:420] * 0.7  # ink that was taken for print
    photo[400:412, 300:420] *= (1.1, 0.6, 0.4)  # a blue pen: lighter in blue
    ink = ink_by_subtraction(photo.astype(np.uint8), ghost).probability
    assert ink[312:320, 305:415].mean() < 0.1
    assert ink[402:410, 305:415].mean() > 0.8


def test_sheet_of_a_known_template_is_read_from_its_ink() -> None:
    photo, _ = found(PAINTED, 1)
    (reading,) = maps_of(read_photo(photo, prints=[learned(ENGRAVED), learned(PAINTED)]))
    assert reading.layout == f"pad {PAINTED}"
    assert reading.evidence.ink is not None
    read, truth = reading.board, sheet(PAINTED, 1).board
    assert sum(read.get(at) == truth.get(at) for at in CELLS) >= 30


def test_covered_cell_is_not_taken_for_a_coat() -> None:
    photo, centers = found(PAINTED, 1)
    template, at = learned(PAINTED), CELLS.index((1, 2))
    before = drop_out(photo, align(template, photo, centers))
    assert not before.poorly_known.any()
    x, y = (float(v) for v in before.rectified.centers_xy[1, 2])
    bgr, wide = photo.bgr.copy(), before.rectified.px_per_cell
    cv2.ellipse(bgr, ((x, y), (1.7 * wide, 1.4 * wide), 30), (120, 150, 210), -1)
    hidden = Photo(bgr, "finger.png")
    after = drop_out(hidden, align(template, hidden, centers))
    assert after.poorly_known[at] and after.poorly_known.sum() <= 3
    (reading,) = maps_of(read_photo(hidden, prints=[template]))
    cell = reading.cells[at]
    assert cell.covered and cell.review and cell.content[0] is None


def test_circles_in_a_wrong_place_are_left_to_the_photo() -> None:
    photo, _ = found(PAINTED, 3)
    template, truth = learned(PAINTED), sheet(PAINTED, 3).board
    wrong = replace(template.cell, circles=((-0.1, 0.05), (0.1, 0.05)), radius=0.09)
    (reading,) = maps_of(read_photo(photo, prints=[replace(template, cell=wrong)]))
    assert reading.layout == template.name
    read = reading.board
    assert sum(read.get(at) == truth.get(at) for at in CELLS) >= 31


def test_contradiction_of_ink_and_photo_is_a_doubt() -> None:
    ink, photo = (np.zeros((1, 34, 5), np.float32) for _ in range(2))
    ink[0, :, 0] = 8
    photo[0, :10, 2] = 8  # crosses that have become part of the template
    photo[0, 10:20, 2] = 1  # not sure
    photo[0, 20:, 0] = 8
    coat, rest = np.zeros((1, 34, 7), np.float32), np.zeros((1, 1), np.float32)

    def marks(*_: object) -> tuple[NDArray[np.float32], ...]:
        return coat, photo, rest, np.zeros((1, 35, 2), np.float32)

    def reader(*_: object) -> tuple[NDArray[np.float32], ...]:
        return coat, ink

    picture, centers = found(PAINTED, 1)
    dropped = drop_out(picture, align(learned(PAINTED), picture, centers))
    first = next(predict_ink(dropped, marks, reader))
    probs = softmax(first[1][0].astype(np.float64))
    assert np.abs(probs[:10, [0, 2]] - 0.5).max() < 0.02
    assert probs[10:20, 0].min() > 0.9
    assert probs[20:, 0].min() > 0.99


def board(coat: int, shields: int) -> NDArray[np.int_]:
    return np.array([coat] * shields + [0] * (len(CELLS) - shields))


def test_pen_on_an_unknown_print_is_measured_against_the_ground_around_it() -> None:
    """Yellow land beside blue sea: a red pen lets through as much of either."""
    pen = np.array([0.3, 0.35, 0.85])
    ground = np.full((*SHAPE, 3), (90, 210, 220), np.float32)
    ground[:, 464:] = (210, 170, 90)
    drawn = np.zeros(SHAPE, np.uint8)
    for x in range(80, 900, 128):
        cv2.line(drawn, (x, 40), (x, 630), 1, 9)
    bgr = np.where(drawn[..., None], ground * pen, ground).astype(np.uint8)
    corners = np.array([(0.0, 0.0), (896, 0), (896, 640), (0, 640)])
    flat = RectifiedSheet(bgr, CENTERS * FLAT_PX, corners, FLAT_PX, 1.0)

    def dark(ink: NDArray[np.float32], coarse: NDArray[np.float32]) -> tuple[Any, ...]:
        return (40 * (ink[:, :, 0] - 0.6),)

    ink = ink_by_network(flat, dark)
    assert ink.pen_bgr == pytest.approx(tuple(pen), abs=0.08)
    assert ((ink.probability > 0.5) == (drawn > 0)).mean() > 0.97


def test_ink_of_a_sample_is_where_its_coats_are_and_drawn_in_the_pens_colour() -> None:
    (reading,) = maps_of(read_photo(next(iter(load_photos(SAMPLE)))))
    shares: dict[bool, list[float]] = {True: [], False: []}
    for cell, share in zip(reading.cells, shield_ink(ink_of(reading)), strict=True):
        shares[cell.content[0] is not None].append(float(share))
    assert np.median(shares[True]) > max(0.01, *map(np.median, filter(None, [shares[False]])))

    probability = np.zeros(SHAPE, np.float32)
    probability[:10] = 1
    inked = with_evidence(reading, ink=Ink(probability, (0.8, 0.2, 0.2)))
    picture = draw_inks([inked, inked])
    assert picture is not None
    assert picture[0, 0].tolist() == [204, 51, 51]
    assert picture[20, 0].tolist() == [255, 255, 255]
    assert picture.shape[0] == 2 * SHAPE[0] + 24
    assert draw_inks([]) is None
