"""Separates what was drawn from what was printed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from kdscan.rules.duel.board import CELLS, Board
from lab.synth.hands.ink import multiply
from lab.synth.hands.surroundings import soil
from lab.synth.inked import InkedPage, inked_page
from lab.synth.scene import chosen, draw_page, random_page


def sheet(seed: int, ground: str = "painted", messiness: float = 0.0) -> InkedPage:
    page = random_page(np.random.default_rng([seed, 1]), ground)
    return inked_page(np.random.default_rng([seed, 2]), page=page, messiness=messiness)


@pytest.mark.parametrize(("seed", "ground"), [(0, "painted"), (1, "etched"), (2, "pale")])
def test_ink_is_where_filled_and_blank_differ_and_nowhere_else(seed: int, ground: str) -> None:
    inked = sheet(seed, ground)
    page, ink = inked.page, inked.ink
    assert ink.shape == page.bgr.shape[:2] and ink.dtype == np.float32
    changed = np.abs(page.bgr.astype(int) - page.blank_bgr).max(axis=2)
    assert (changed[ink == 0] <= 1).mean() > 0.9999
    assert ink[changed > 12].min() > 0
    assert 0.002 < (ink > 0.1).mean() < 0.5


def test_the_page_is_the_one_that_is_drawn_without_a_mask() -> None:
    page = random_page(np.random.default_rng(4), "painted")
    inked = inked_page(np.random.default_rng(5), page=page, messiness=0.7)
    drawn = draw_page(np.random.default_rng(5), page=page, messiness=0.7)
    assert inked.page.board == drawn.board
    assert np.array_equal(inked.page.bgr, drawn.bgr)
    assert inked.page.blank_bgr is page[1]


def test_smudges_are_no_ink() -> None:
    """With nothing played on a very messy table, what is left is writing and slips alone."""
    page = random_page(np.random.default_rng(4), "pale")
    layout, blank, px_per_mm = page
    smudged = 0
    for seed in range(6):
        rng, empty = np.random.default_rng(seed), (Board(), False)
        ink = inked_page(np.random.default_rng(seed), page=page, played=empty, messiness=1.0).ink
        assert (ink > 0.02).mean() < 0.1
        chosen(rng, page, played=empty, messiness=1.0)  # as a sheet begins
        soiled = blank.copy()
        soil(soiled, layout.page_mm, rng, px_per_mm, 1.0)
        dirt = (blank.astype(int) - soiled).max(axis=2) > 4
        smudged += int(dirt.sum() > 500)
        assert not dirt.any() or (ink[dirt] > 0.01).mean() < 0.25
    assert smudged > 1


def test_flat_pictures_lie_on_the_grid() -> None:
    inked = sheet(3)
    flat = inked.flat(inked.ink, 64, 0.25)
    assert flat.shape == (round(5.5 * 64), round(7.5 * 64)) and flat.dtype == np.float32
    assert inked.flat(inked.page.bgr, 64, 0.25).shape == (*flat.shape, 3)
    for row, col in CELLS:
        y, x = int((row + 0.25) * 64), int((col + 0.25) * 64)
        drawn = flat[y : y + 64, x : x + 64].max() > 0.3
        assert drawn or (row, col) not in inked.page.board


def test_a_flat_picture_of_a_marked_point_has_it_in_its_place() -> None:
    inked = sheet(3)
    layout, scale = inked.page.layout, inked.page.px_per_mm
    dot = np.zeros(inked.ink.shape, np.float32)
    x, y = (v * scale - 0.5 for v in layout.center_mm(1, 4))
    cv2.circle(dot, (round(x * 16), round(y * 16)), 5 * 16, 1.0, -1, cv2.LINE_AA, 4)
    flat = inked.flat(dot, 100, 0.5)
    middle = np.argwhere(flat > 0.5).mean(axis=0)
    assert middle == pytest.approx(((1 + 1) * 100 - 0.5, (4 + 1) * 100 - 0.5), abs=0.6)


def test_graphite_is_as_light_as_itself_on_a_dark_ground() -> None:
    """On saturated blue it takes blue and gives red; a dye only takes."""
    alpha = np.ones((4, 4), np.float32)
    blue = np.full((4, 4, 3), (176, 122, 18), np.uint8)
    graphite, dye = blue.copy(), blue.copy()
    multiply(graphite, (0, 0), alpha, (0.25, 0.25, 0.25), 0.75)
    multiply(dye, (0, 0), alpha, (0.25, 0.25, 0.25))
    assert graphite[0, 0, 2] > 18 > dye[0, 0, 2]
    assert graphite[0, 0, 0] < 176
    white = np.full((4, 4, 3), 255, np.uint8)
    multiply(white, (0, 0), alpha, (0.25, 0.25, 0.25), 0.75)
    assert white[0, 0].tolist() == [64, 64, 64]
