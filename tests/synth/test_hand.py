"""The hand: what it draws lies where it should, is dark enough, and comes from the seed."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.game.duel.coats import Coat
from kdscan.records import CELLS
from kdscan.sheet.layout import Castle, Layout
from kdscan.synth.crosses import draw_cross
from kdscan.synth.hand import Hand, draw_board
from kdscan.synth.marks import CAREFUL, draw_coat
from kdscan.synth.sketch import free_room
from kdscan.synth.taste import Brush, random_taste

PX = 5.0
SHIELD = ((-6.0, -6.5), (6.0, -6.5), (6.0, 2.0), (0.0, 7.5), (-6.0, 2.0))
CASTLE = Castle(roofs=(((-6.0, 0.0), (0.0, -7.0), (6.0, 0.0)),), keep=())
LAYOUT = Layout(
    name="test",
    page_mm=(180.0, 130.0),
    grid_mm=(10.0, 12.0),
    cell_mm=(22.0, 20.0),
    shield=SHIELD,
    circles=((-8.5, -6.0), (-8.5, -2.0), (-8.5, 2.0), (-8.5, 6.0)),
    circle_radius_mm=1.2,
    lines="ruled",
    castle=CASTLE,
)
BLANK = np.full((650, 900, 3), 245, np.uint8)
SEEDS = range(8)


def draw(
    board: dict[tuple[int, int], tuple[Coat, int]],
    seed: int,
    *,
    mess: float = 0.5,
    castle: bool = False,
    borders: bool = True,
) -> NDArray[np.uint8]:
    rng = np.random.default_rng(seed)
    hand = Hand.random(rng)
    if not borders:
        hand = replace(hand, borders=0.0, rims=0.0)
    return draw_board(BLANK, LAYOUT, board, castle, hand, rng, px_per_mm=PX, mess=mess)


def inside(polygon: NDArray[np.float64], at: tuple[float, float]) -> NDArray[np.bool_]:
    """Mask of a polygon (mm from `at`, mm on the page)."""
    mask = np.zeros(BLANK.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round((polygon + at) * PX).astype(np.int32)], 1)
    return mask > 0


def darkened(page: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray((BLANK.astype(int) - page).max(axis=2) > 25)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_seed_draws_the_same_page(seed: int) -> None:
    board = {cell: (list(Coat)[i % 6], i % 5) for i, cell in enumerate(CELLS)}
    first, again = draw(board, seed, mess=1.0), draw(board, seed, mess=1.0)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, draw(board, seed + 1000, mess=1.0))


def test_the_printed_page_is_left_alone() -> None:
    before = BLANK.copy()
    draw({(0, 0): (Coat.FILLED, 2)}, 3, mess=1.0)
    assert np.array_equal(before, BLANK)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_empty_board_leaves_shields_alone_when_clean(seed: int) -> None:
    page = draw({}, seed, mess=0.0)
    for cell in CELLS:
        mask = inside(np.array(SHIELD), LAYOUT.center_mm(*cell))
        assert np.array_equal(page[mask], BLANK[mask])


@pytest.mark.parametrize("seed", SEEDS)
def test_filled_darkens_most_of_the_shield_and_a_dot_little(seed: int) -> None:
    page = draw(
        {(0, c): (Coat.FILLED, 0) for c in range(7)} | {(3, c): (Coat.DOT, 0) for c in range(7)},
        seed,
        mess=0.0,
    )
    dark = darkened(page)
    for c in range(7):
        shield = np.array(SHIELD)
        assert dark[inside(shield * 0.9, LAYOUT.center_mm(0, c))].mean() > 0.22
        share = dark[inside(shield * 0.9, LAYOUT.center_mm(3, c))].mean()
        assert 0.002 < share < 1 / 3


def inked_circles(overruns: float) -> list[float]:
    """Share of each circle that fills and lines without crosses cover, of some careless hands."""
    near = replace(LAYOUT, circles=((-7.0, -4.0), (7.0, -4.0)))
    coats = (Coat.FILLED, Coat.CHECKED, Coat.LINE, Coat.DOUBLE_LINE)
    board = {cell: (coats[i % 4], 0) for i, cell in enumerate(CELLS)}
    shares = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hand = replace(Hand.random(rng), borders=0.0, rims=0.0, overruns=overruns)
        dark = darkened(draw_board(BLANK, near, board, False, hand, rng, px_per_mm=PX, mess=0.0))
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
def test_checked_darkens_two_opposite_quarters(seed: int) -> None:
    page = draw({(r, 1): (Coat.CHECKED, 0) for r in range(5)}, seed, mess=0.0, borders=False)
    dark = darkened(page)
    for r in range(5):
        x, y = LAYOUT.center_mm(r, 1)
        box = np.array(((0.8, 0.8), (3.2, 0.8), (3.2, 3.2), (0.8, 3.2)))
        shares = [
            float(dark[inside(box * (sx, sy) + (0.0, 0.5), (x, y))].mean())
            for sx, sy in ((-1, -1), (1, 1), (1, -1), (-1, 1))
        ]
        one, other = sorted((shares[:2], shares[2:]), key=min)
        assert min(other) > 0.15
        assert max(one) < min(other)


@pytest.mark.parametrize("crosses", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_crosses_lie_on_as_many_circles(seed: int, crosses: int) -> None:
    cells = [(r, 2) for r in range(5)]
    page = draw(dict.fromkeys(cells, (Coat.DOT, crosses)), seed, mess=0.0, borders=False)
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
    board = {(1, 1): (Coat.DOT, 4)}
    page = draw_board(BLANK, bare, board, False, hand, rng, px_per_mm=PX, mess=0.0)
    dark = darkened(page)
    x, y = LAYOUT.center_mm(1, 1)
    disc = np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0, 6.28, 20)]) * 2.6
    for cx, cy in bare.circles:
        dark[inside(disc, (x + cx, y + cy))] = False
    dark[inside(np.array(SHIELD), (x, y))] = False
    assert dark.sum() > 12


@pytest.mark.parametrize("seed", SEEDS)
def test_the_roof_is_coloured_only_when_the_castle_was_used(seed: int) -> None:
    roof = inside(np.array(CASTLE.roofs[0]) * 0.9, LAYOUT.center_mm(2, 3))
    assert darkened(draw({}, seed, mess=0.0, castle=True))[roof].mean() > 0.2
    assert not darkened(draw({}, seed, mess=0.0))[roof].any()


def parts_of_two(coat: Coat, mess: float, seed: int) -> tuple[int, float]:
    """How many parts two marks come in, and how careless their writer is."""
    shield = free_room(LAYOUT)
    rng = np.random.default_rng(seed)
    hand = Hand.random(rng)
    width = min(hand.pen.width, 0.28 * shield.radius)
    taste = replace(hand.taste, slop=hand.taste.slop * (0.4 + mess))
    canvas = np.zeros((400, 400), np.uint8)
    for stroke in draw_coat(coat, shield, Brush(taste, rng, width)):
        points = [np.round(stroke.path * 15 + 200).astype(np.int32)]
        cv2.polylines(canvas, points, False, 255, max(1, round(width * stroke.width * 15)))
        if stroke.solid:
            cv2.fillPoly(canvas, points, 255)
    return cv2.connectedComponents(canvas)[0] - 1, taste.slop


@pytest.mark.parametrize("mess", [0.0, 1.0])
def test_two_lines_never_touch(mess: float) -> None:
    for seed in range(150):
        assert parts_of_two(Coat.DOUBLE_LINE, mess, seed)[0] == 2, seed


def test_two_dots_touch_at_times_but_not_of_a_careful_writer() -> None:
    drawn = [
        parts_of_two(Coat.DOUBLE_DOT, mess, seed) for mess in (0.0, 1.0) for seed in range(150)
    ]
    careful = [parts for parts, slop in drawn if slop <= CAREFUL]
    careless = [parts for parts, slop in drawn if slop > CAREFUL]
    assert set(careful) == {2}
    assert 0.03 < careless.count(1) / len(careless) < 0.3


def test_a_tick_passes_through_its_circle_and_stands_near_it() -> None:
    radius, pitch = 2.0, 6.0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        brush = Brush(replace(random_taste(rng), slop=0.3), rng, 0.3)
        (tick,) = draw_cross(np.zeros(2), radius, pitch, brush, "tick")
        foot = tick.path[tick.path[:, 1].argmax()]
        share = np.linspace(0, 1, 20)[:, None, None]
        stroke = (1 - share) * tick.path[:-1] + share * tick.path[1:]
        assert np.hypot(*foot) < 1.5 * radius, seed
        assert np.hypot(*stroke.reshape(-1, 2).T).min() < 0.8 * radius, seed
        assert np.ptp(tick.path[:, 1]) > 0.3 * radius, seed
        assert np.hypot(*tick.path.T).max() < pitch, seed
