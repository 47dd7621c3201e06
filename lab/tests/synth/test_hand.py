"""A hand on a page: it draws where it should, and leaves print, empty shields and circles alone."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from kdscan.rules.duel.board import CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from lab.synth.hands.habits import HABITS
from lab.synth.hands.hand import draw_board
from lab.synth.hands.scrawl import smear
from lab.synth.hands.sketch import Hand
from lab.tests.synth.drawing import (
    BLANK,
    BOX,
    CASTLE,
    LAYOUT,
    PX,
    SEEDS,
    SHIELD,
    darkened,
    draw,
    inside,
)


def test_the_printed_page_is_left_alone() -> None:
    before = BLANK.copy()
    draw({(0, 0): (Coat.FILLED, 2)}, 3, messiness=1.0)
    assert np.array_equal(before, BLANK)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_empty_board_leaves_shields_alone_when_clean(seed: int) -> None:
    page = draw({}, seed, messiness=0.0)
    for cell in CELLS:
        mask = inside(np.array(SHIELD), LAYOUT.center_mm(*cell))
        assert np.array_equal(page[mask], BLANK[mask])


def inked_circles(overruns: float) -> list[float]:
    """Share of each circle that fills and lines without crosses cover, of some careless hands."""
    near = replace(LAYOUT, circles=((-7.0, -4.0), (7.0, -4.0)))
    coats = (Coat.FILLED, Coat.CHECKED, Coat.LINE, Coat.DOUBLE_LINE)
    board = Board({cell: Shield(coats[i % 4]) for i, cell in enumerate(CELLS)})
    shares = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hand = Hand.random(rng, {"extra": "nothing"})
        hand = replace(hand, borders=0.0, rims=0.0, overruns=overruns, sweeps=0.0)
        dark = darkened(
            draw_board(BLANK, near, board, False, hand, rng, px_per_mm=PX, messiness=0.0)[0]
        )
        for cell in CELLS:
            for x, y in np.array(near.circles) + near.center_mm(*cell):
                mask = np.zeros(dark.shape, np.uint8)
                cv2.circle(mask, (round(x * PX), round(y * PX)), round(1.2 * PX), 1, -1)
                shares.append(float(dark[mask > 0].mean()))
    return shares


def test_a_coat_runs_over_circles_but_hides_none_and_only_of_hands_that_do() -> None:
    assert max(inked_circles(0.0)) < 0.15  # the rim of a disc left free is soft
    careless = inked_circles(1.0)
    assert np.mean(np.array(careless) > 0.15) > 0.05
    assert max(careless) < 0.85


@pytest.mark.parametrize("seed", SEEDS)
def test_the_roof_is_coloured_only_when_the_castle_was_used(seed: int) -> None:
    roof = inside(np.array(CASTLE.roofs[0]) * 0.9, LAYOUT.center_mm(2, 3))
    assert darkened(draw({}, seed, messiness=0.0, castle=True))[roof].mean() > 0.2
    assert not darkened(draw({}, seed, messiness=0.0))[roof].any()


def test_what_was_erased_stays_faint() -> None:
    """On every shield there was another mark before."""
    shields = np.any([inside(np.array(SHIELD), LAYOUT.center_mm(*cell)) for cell in CELLS], axis=0)
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hand = Hand.random(rng, {"extra": "nothing", "pen": "pencil"})
        hand = replace(hand, borders=0.0, rims=0.0)
        page, _ = draw_board(
            *(BLANK, LAYOUT, Board(), False, hand, rng), px_per_mm=PX, messiness=0.2, erased=1e3
        )
        left = page.min(axis=2)[shields]
        assert 150 < left.min() < 240
        assert (left < 244).mean() > 0.1


def test_slips_of_the_pen_and_scores_look_like_no_crosses() -> None:
    """On a messy sheet with a dot in each shield, no circle bears ink."""
    board = Board(dict.fromkeys(CELLS, Shield(Coat.DOT, 0)))
    near = replace(LAYOUT, circles=((-9.7, -6.0), (-9.7, 0.0), (-9.7, 6.0)))
    discs = [
        inside(BOX * 1.6, (x + u, y + v))
        for x, y in (near.center_mm(*cell) for cell in CELLS)
        for u, v in near.circles
    ]
    circles = np.any(discs, axis=0)
    for seed in range(16):
        rng = np.random.default_rng(seed)
        hand = Hand.random(rng, {"extra": "scores", "pen": "ball", "dot": "blob"})
        hand = replace(hand, traits=replace(hand.traits, faithful=1.0), swaps=0.0)
        hand = replace(hand, borders=0.0, rims=0.0, overruns=0.0)
        page, _ = draw_board(
            *(BLANK, near, board, False, hand, rng), px_per_mm=PX, messiness=1.0, erased=0.0
        )
        assert page.min(axis=2)[circles].min() > 170, seed


@pytest.mark.parametrize("name", HABITS["extra"])
def test_what_players_add_leaves_the_coats_to_be_seen(name: str) -> None:
    board = dict.fromkeys(CELLS[::2], (Coat.FILLED, 0))
    page = draw(board, 5, messiness=0.0, borders=False, habits={"extra": name, "fill": "solid"})
    grey = page.min(axis=2)
    full, empty = (
        [float(grey[inside(np.array(SHIELD) * 0.6, LAYOUT.center_mm(*c))].mean()) for c in cells]
        for cells in (CELLS[::2], CELLS[1::2])
    )
    assert max(full) < min(empty) - 20


def test_a_sweeping_hand_fills_circles_too_but_none_that_is_crossed() -> None:
    near = replace(LAYOUT, circles=((-7.5, -4.0), (-7.5, 0.0), (-7.5, 4.0)))
    board = Board(dict.fromkeys(CELLS, Shield(Coat.FILLED, 1)))
    covered = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hand = Hand.random(rng, {"cross": "x", "fill": "solid", "area": "whole", "pen": "gel"})
        black, red = replace(hand.pen, bgr=(0.05,) * 3), replace(hand.pen, bgr=(0.1, 0.1, 0.95))
        hand = replace(hand, borders=0.0, rims=0.0, overruns=1.0, sweeps=1.0, in_order=True)
        hand = replace(hand, pen=black, cross_pen=red, swaps=0.0)
        page, _ = draw_board(BLANK, near, board, False, hand, rng, px_per_mm=PX, messiness=0.0)
        dark = page[..., 2] < 120
        for cell in CELLS:
            for x, y in np.array(near.circles) + near.center_mm(*cell):
                covered.append(float(dark[inside(BOX * 1.6, (x, y))].mean()))
    shares = np.array(covered).reshape(-1, 3)
    assert shares[:, 0].max() < 0.75
    assert np.mean(shares[:, 1:].max(axis=1) > 0.9) > 0.4


def test_a_smear_moves_ink_and_leaves_print_alone() -> None:
    blank = np.full((200, 200, 3), 240, np.uint8)
    cv2.line(blank, (0, 60), (199, 60), (90, 120, 160), 3)
    drawn = blank.copy()
    smear(drawn, blank, np.array((20.0, 20.0)), 8.0, np.random.default_rng(1), PX)
    assert np.array_equal(drawn, blank)
    cv2.line(drawn, (100, 20), (100, 180), (20, 20, 20), 4)
    before = drawn.copy()
    smear(drawn, blank, np.array((20.0, 20.0)), 8.0, np.random.default_rng(1), PX)
    changed = (before.astype(int) - drawn)[80:120, 85:115].max(axis=2)
    assert changed[:, 5:10].max() > 5  # paper beside the line is darker
    assert changed[:, 13:17].min() < -5  # the line itself is paler
