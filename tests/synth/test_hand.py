"""The hand: what it draws lies where it should, is dark enough, and comes from the seed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.game.duel.coats import Coat
from kdscan.records import CELLS
from kdscan.sheet.parts import Castle, Layout
from kdscan.synth.bends import BENDS
from kdscan.synth.crosses import cross_through, draw_cross, in_a_row
from kdscan.synth.dots import CAREFUL
from kdscan.synth.habits import HABITS, PARTS, Part, any_habit
from kdscan.synth.hand import COATS, Hand, draw_board
from kdscan.synth.preferences import Brush, random_preferences
from kdscan.synth.scrawl import smear
from kdscan.synth.sketch import free_room

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
    habits: Mapping[Part, str] | None = None,
) -> NDArray[np.uint8]:
    rng = np.random.default_rng(seed)
    hand = Hand.random(rng, {"extra": "nothing", **(habits or {})})
    if habits:
        hand = replace(hand, traits=replace(hand.traits, faithful=1.0))
    if not borders:
        hand = replace(hand, borders=0.0, rims=0.0, overruns=0.0)
    return draw_board(BLANK, LAYOUT, board, castle, hand, rng, px_per_mm=PX, mess=mess)


def inside(polygon: NDArray[np.float64], at: tuple[float, float]) -> NDArray[np.bool_]:
    """Mask of a polygon (mm from `at`, mm on the page)."""
    mask = np.zeros(BLANK.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round((polygon + at) * PX).astype(np.int32)], 1)
    return mask > 0


def darkened(page: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray((BLANK.astype(int) - page).max(axis=2) > 25)


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
        hand = Hand.random(rng, {"extra": "nothing"})
        hand = replace(hand, borders=0.0, rims=0.0, overruns=overruns, sweeps=0.0)
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
    habits: dict[Part, str] = {"cross": list(HABITS["cross"])[seed % 9]}
    board = dict.fromkeys(cells, (Coat.DOT, crosses))
    page = draw(board, seed, mess=0.0, borders=False, habits=habits)
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
    hand = Hand.random(rng, {"dot": ("blob", "ring")[seed % 2], "pair": "anyhow"})
    width = min(hand.pen.width, 0.28 * shield.radius)
    traits = replace(hand.traits, slop=hand.traits.slop * (0.4 + mess), faithful=1.0)
    canvas = np.zeros((400, 400), np.uint8)
    for stroke in COATS[coat](shield, Brush(traits, rng, width)):
        points = [np.round(stroke.path * 15 + 200).astype(np.int32)]
        cv2.polylines(canvas, points, False, 255, max(1, round(width * stroke.width * 15)))
        if stroke.solid:
            cv2.fillPoly(canvas, points, 255)
    return cv2.connectedComponents(canvas)[0] - 1, traits.slop


def short_side(coat: Coat, hand: Hand, seed: int) -> float:
    """The shorter side (mm) of the least box around a coat of one hand."""
    rng, shield = np.random.default_rng(seed), free_room(LAYOUT)
    strokes = COATS[coat](shield, Brush(hand.traits, rng, min(hand.pen.width, 1.5)))
    points = np.concatenate([stroke.path for stroke in strokes]).astype(np.float32)
    return float(min(cv2.minAreaRect(points)[1]))


@pytest.mark.parametrize("style", sorted(set(HABITS["line"]) - {"hooked"}))  # a hook is wide itself
def test_two_lines_lie_further_apart_than_the_runs_of_one(style: str) -> None:
    for seed in range(25):
        hand = Hand.random(np.random.default_rng(seed), {"line": style, "lines": "even"})
        traits = replace(hand.traits, faithful=1.0, bow=0.01, slop=min(hand.traits.slop, 0.7))
        hand = replace(hand, traits=traits)
        one = short_side(Coat.LINE, hand, seed)
        assert short_side(Coat.DOUBLE_LINE, hand, seed) > 1.15 * one, seed


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
        brush = Brush(replace(random_preferences(rng), slop=0.3), rng, 0.3)
        (tick,) = draw_cross(np.zeros(2), radius, pitch, brush, "tick")
        foot = tick.path[tick.path[:, 1].argmax()]
        share = np.linspace(0, 1, 20)[:, None, None]
        stroke = (1 - share) * tick.path[:-1] + share * tick.path[1:]
        assert np.hypot(*foot) < 1.5 * radius, seed
        assert np.hypot(*stroke.reshape(-1, 2).T).min() < 0.8 * radius, seed
        assert np.ptp(tick.path[:, 1]) > 0.3 * radius, seed
        assert np.hypot(*tick.path.T).max() < 1.2 * pitch, seed


COAT_OF: dict[Part, Coat] = {
    "dot": Coat.DOT,
    "pair": Coat.DOUBLE_DOT,
    "line": Coat.LINE,
    "lines": Coat.DOUBLE_LINE,
    "fill": Coat.FILLED,
    "area": Coat.FILLED,
    "checked": Coat.CHECKED,
}


@pytest.mark.parametrize(("part", "coat"), COAT_OF.items())
def test_every_habit_draws_its_coat_in_its_own_cell(part: Part, coat: Coat) -> None:
    around = inside(np.array(LAYOUT.cell_mm) * BOX * 1.5, LAYOUT.center_mm(1, 2))
    middle = inside(np.array(SHIELD), LAYOUT.center_mm(1, 2))
    for seed, name in enumerate(HABITS[part]):
        habits: dict[Part, str] = {part: name}
        page = draw({(1, 2): (coat, 0)}, seed, mess=0.0, borders=False, habits=habits)
        dark = darkened(page)
        assert dark[middle].sum() > 8, name
        assert not dark[~around].any(), name


BOX = np.array(((-1, -1), (1, -1), (1, 1), (-1, 1))) / 2


def test_every_cross_marks_its_circle_and_leaves_the_others() -> None:
    for seed, name in enumerate(HABITS["cross"]):
        habits: dict[Part, str] = {"cross": name, "pen": "ball"}
        page = draw({(1, 2): (Coat.DOT, 1)}, seed, mess=0.0, borders=False, habits=habits)
        dark = darkened(page)
        x, y = LAYOUT.center_mm(1, 2)
        shares = sorted(
            float(dark[inside(BOX * 2 * 1.9, (x + cx, y + cy))].mean()) for cx, cy in LAYOUT.circles
        )
        assert shares[-1] > 0.04, name
        assert shares[-2] < shares[-1], name


@pytest.mark.parametrize("name", HABITS["extra"])
def test_what_players_add_leaves_the_coats_to_be_seen(name: str) -> None:
    board = dict.fromkeys(CELLS[::2], (Coat.FILLED, 0))
    page = draw(board, 5, mess=0.0, borders=False, habits={"extra": name, "fill": "solid"})
    grey = page.min(axis=2)
    full, empty = (
        [float(grey[inside(np.array(SHIELD) * 0.6, LAYOUT.center_mm(*c))].mean()) for c in cells]
        for cells in (CELLS[::2], CELLS[1::2])
    )
    assert max(full) < min(empty) - 20


def test_a_fifth_of_the_habits_is_held_out_and_never_drawn_by_lot() -> None:
    held = [habit.held_out for part in PARTS for habit in HABITS[part].values()]
    assert len(held) >= 100
    assert 0.18 < np.mean(held) < 0.25
    rng = np.random.default_rng(0)
    for part in PARTS:
        drawn = {any_habit(part, dice, rng) for dice in (True, False) for _ in range(600)}
        assert not any(HABITS[part][name].held_out for name in drawn), part
        assert len(drawn) > 0.7 * sum(not h.held_out for h in HABITS[part].values()), part
    for seed in range(300):
        traits = Hand.random(np.random.default_rng(seed)).traits
        assert not any(HABITS[part][traits.habits[part]].held_out for part in PARTS)


def test_many_copy_the_dice() -> None:
    traits = [random_preferences(np.random.default_rng(seed)) for seed in range(600)]
    assert 0.35 < np.mean([traits.dice for traits in traits]) < 0.48
    bends = [traits.habits["line"] in BENDS for traits in traits if traits.dice]
    assert np.mean(bends) > 0.8


def test_a_sweeping_hand_fills_circles_too_but_none_that_is_crossed() -> None:
    near = replace(LAYOUT, circles=((-7.5, -4.0), (-7.5, 0.0), (-7.5, 4.0)))
    board = dict.fromkeys(CELLS, (Coat.FILLED, 1))
    covered = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        hand = Hand.random(rng, {"cross": "x", "fill": "solid", "area": "whole", "pen": "gel"})
        black, red = replace(hand.pen, bgr=(0.05,) * 3), replace(hand.pen, bgr=(0.1, 0.1, 0.95))
        hand = replace(hand, borders=0.0, rims=0.0, overruns=1.0, sweeps=1.0, in_order=True)
        hand = replace(hand, pen=black, cross_pen=red, swaps=0.0)
        page = draw_board(BLANK, near, board, False, hand, rng, px_per_mm=PX, mess=0.0)
        dark = page[..., 2] < 120
        for cell in CELLS:
            for x, y in np.array(near.circles) + near.center_mm(*cell):
                covered.append(float(dark[inside(BOX * 1.6, (x, y))].mean()))
    shares = np.array(covered).reshape(-1, 3)
    assert shares[:, 0].max() < 0.75
    assert np.mean(shares[:, 1:].max(axis=1) > 0.9) > 0.4


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
