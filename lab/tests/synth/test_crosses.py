"""Hand-drawn crosses: on their circles, and on no others."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from kdscan.rules.duel.board import CELLS, Board, Shield
from kdscan.rules.duel.coats import Coat
from lab.synth.hands.crosses import cross_through, draw_cross, in_a_row
from lab.synth.hands.habits import HABITS, Part
from lab.synth.hands.hand import draw_board
from lab.synth.hands.preferences import Brush, random_preferences
from lab.synth.hands.sketch import Hand
from lab.synth.scene import crossed_cells
from lab.tests.synth.drawing import BLANK, BOX, LAYOUT, PX, SEEDS, SHIELD, darkened, draw, inside


@pytest.mark.parametrize("crosses", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_crosses_lie_on_as_many_circles(seed: int, crosses: int) -> None:
    cells = [(r, 2) for r in range(5)]
    habits: dict[Part, str] = {"cross": list(HABITS["cross"])[seed % 9]}
    board = dict.fromkeys(cells, (Coat.DOT, crosses))
    page = draw(board, seed, messiness=0.0, borders=False, habits=habits)
    dark = darkened(page)
    for cell in cells:
        x, y = LAYOUT.center_mm(*cell)
        disc = np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0, 6.28, 20)])
        share = sorted(
            float(dark[inside(disc * LAYOUT.circle_radius_mm, (x + cx, y + cy))].mean())
            for cx, cy in LAYOUT.circles
        )
        marked, free = share[4 - crosses :], share[: 4 - crosses]
        assert min(marked) > 0.06
        assert max(free, default=0.0) < min(marked)


@pytest.mark.parametrize("seed", SEEDS)
def test_crosses_without_a_circle_stand_beside(seed: int) -> None:
    bare = replace(LAYOUT, circles=LAYOUT.circles[1:3])
    rng = np.random.default_rng(seed)
    hand = replace(Hand.random(rng), borders=0.0, rims=0.0)
    board = Board({(1, 1): Shield(Coat.DOT, 4)})
    page, _ = draw_board(BLANK, bare, board, False, hand, rng, px_per_mm=PX, messiness=0.0)
    dark = darkened(page)
    x, y = LAYOUT.center_mm(1, 1)
    disc = np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0, 6.28, 20)]) * 2.6
    for cx, cy in bare.circles:
        dark[inside(disc, (x + cx, y + cy))] = False
    dark[inside(np.array(SHIELD), (x, y))] = False
    assert dark.sum() > 12


def test_the_place_of_every_cross_is_told_those_beside_the_circles_too() -> None:
    """In red ink, which nothing else of the sheet has."""
    near = replace(LAYOUT, circles=LAYOUT.circles[1:3])
    board = Board({(1, 1): Shield(Coat.DOT, 4), (3, 5): Shield(Coat.FILLED, 1)})
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hand = Hand.random(rng, {"cross": "x", "pen": "gel", "extra": "nothing"})
        traits = replace(hand.traits, faithful=1.0)
        black, red = replace(hand.pen, bgr=(0.05,) * 3), replace(hand.pen, bgr=(0.1, 0.1, 0.95))
        hand = replace(hand, traits=traits, pen=black, cross_pen=red, swaps=0.0)
        hand = replace(hand, borders=0.0, rims=0.0, overruns=0.0)
        page, spots = draw_board(BLANK, near, board, False, hand, rng, px_per_mm=PX, messiness=0.0)
        crossed = crossed_cells(near, spots)
        cells = crossed[:, 0].astype(int).tolist()
        assert cells == 4 * [CELLS.index((1, 1))] + [CELLS.index((3, 5))]
        ink = page[..., 2].astype(int) - page[..., 0] > 60
        for x, y in crossed[:, 1:].tolist():
            at = near.center_mm(y, x)
            assert ink[inside(BOX * 2, at)].any()
            ink[inside(BOX * 6, at)] = False
        assert not ink.any()


def test_a_tick_passes_through_its_circle_and_stands_near_it() -> None:
    radius, pitch = 2.0, 6.0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        brush = Brush(replace(random_preferences(rng), slop=0.3), rng, 0.3)
        (tick,) = draw_cross(np.zeros(2), radius, pitch, brush, "tick")
        foot = tick.path[tick.path[:, 1].argmax()]
        share = np.linspace(0, 1, 20)[:, None, None]
        stroke = tick.path[:-1] + share * np.diff(tick.path, axis=0)
        assert np.hypot(*foot) < 1.5 * radius, seed
        assert np.hypot(*stroke.reshape(-1, 2).T).min() < 0.8 * radius, seed
        assert np.ptp(tick.path[:, 1]) > 0.3 * radius, seed
        assert np.hypot(*tick.path.T).max() < 1.2 * pitch, seed


def test_every_cross_marks_its_circle_and_leaves_the_others() -> None:
    for seed, name in enumerate(HABITS["cross"]):
        habits: dict[Part, str] = {"cross": name, "pen": "ball"}
        page = draw({(1, 2): (Coat.DOT, 1)}, seed, messiness=0.0, borders=False, habits=habits)
        dark = darkened(page)
        x, y = LAYOUT.center_mm(1, 2)
        shares = sorted(
            float(dark[inside(BOX * 2 * 1.9, (x + cx, y + cy))].mean()) for cx, cy in LAYOUT.circles
        )
        assert shares[-1] > 0.04, name
        assert shares[-2] < shares[-1], name


@pytest.mark.parametrize("style", sorted(set(HABITS["cross"]) - {"ring"}))
def test_no_cross_only_touches_the_rim_of_its_circle(style: str) -> None:
    """However careless the hand: the printed line would hide it."""
    radius = 2.0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        brush = Brush(replace(random_preferences(rng), slop=1.4), rng, 0.3)
        strokes = draw_cross(np.zeros(2), radius, 3 * radius, brush, style)
        t = np.linspace(0, 1, 50)[:, None, None]
        within = 0.0
        for path in (stroke.path for stroke in strokes):
            steps = np.hypot(*np.diff(path, axis=0).T) / len(t)
            points = (1 - t) * path[:-1] + t * path[1:]
            within += float((steps * (np.hypot(*points.transpose(2, 0, 1)) < 0.8 * radius)).sum())
        assert within > 0.75 * radius, seed


def test_one_stroke_crosses_circles_in_a_row_only_where_no_other_lies_between() -> None:
    column = np.array(LAYOUT.circles)
    assert in_a_row(column[:2], column)
    assert in_a_row(column[1:], column)
    assert not in_a_row(column[[0, 2]], column)
    assert not in_a_row(column[:1], column)
    for seed in range(20):
        brush = Brush(
            random_preferences(np.random.default_rng(seed)), np.random.default_rng(seed), 0.3
        )
        (path, *_) = (stroke.path for stroke in cross_through(column[1:3], 1.2, brush))
        t = np.linspace(0, 1, 50)[:, None, None]
        points = ((1 - t) * path[:-1] + t * path[1:]).reshape(-1, 2)
        gaps = np.hypot(*(points[:, None] - column).transpose(2, 0, 1)).min(axis=0)
        assert gaps[1:3].max() < 0.5 * 1.2
