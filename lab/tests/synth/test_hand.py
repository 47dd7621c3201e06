"""A hand on a page: it draws where it should, and leaves print, empty shields and circles alone."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from msgspec import structs

from kdscan.rules.duel.board import CELLS, Board, Coat, Shield
from lab.synth.hands.hand import draw_board
from lab.synth.hands.sketch import Hand
from lab.tests.synth.drawing import (
    BLANK,
    LAYOUT,
    PX,
    SEEDS,
    SHIELD,
    darkened,
    inside,
)


def inked_circles(overruns: float) -> list[float]:
    """Share of each circle that fills and lines without crosses cover, of some careless hands."""
    near = structs.replace(LAYOUT, circles=((-7.0, -4.0), (7.0, -4.0)))
    coats = (Coat.FILLED, Coat.CHECKED, Coat.LINE, Coat.DOUBLE_LINE)
    board = Board({cell: Shield(coats[i % 4]) for i, cell in enumerate(CELLS)})
    shares = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hand = Hand.random(rng, {"extra": "nothing"})
        hand = replace(hand, borders=0.0, rims=0.0, overruns=overruns, sweeps=0.0)
        dark = darkened(draw_board(rng, (near, BLANK, PX), (board, False), hand, 0.0).bgr)
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


def test_what_was_erased_stays_faint() -> None:
    """On every shield there was another mark before."""
    shields = np.any([inside(np.array(SHIELD), LAYOUT.center_mm(*cell)) for cell in CELLS], axis=0)
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hand = Hand.random(rng, {"extra": "nothing", "pen": "pencil"})
        hand = replace(hand, borders=0.0, rims=0.0)
        page = draw_board(rng, (LAYOUT, BLANK, PX), (Board(), False), hand, 0.2, erased=1e3)
        left = page.bgr.min(axis=2)[shields]
        assert 150 < left.min() < 240
        assert (left < 244).mean() > 0.1
