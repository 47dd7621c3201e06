"""Hand-drawn coats: each in its shield, dark enough, and distinguishable from the others."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from kdscan.rules.duel.coats import Coat
from lab.synth.hands.dots import CAREFUL
from lab.synth.hands.habits import HABITS, Part
from lab.synth.hands.hand import COATS
from lab.synth.hands.preferences import Brush
from lab.synth.hands.sketch import Hand, free_room
from lab.tests.synth.drawing import BOX, LAYOUT, SEEDS, SHIELD, darkened, draw, inside


@pytest.mark.parametrize("seed", SEEDS)
def test_filled_darkens_most_of_the_shield_and_a_dot_little(seed: int) -> None:
    page = draw(
        {(0, c): (Coat.FILLED, 0) for c in range(7)} | {(3, c): (Coat.DOT, 0) for c in range(7)},
        seed,
        messiness=0.0,
    )
    dark = darkened(page)
    for c in range(7):
        shield = np.array(SHIELD)
        assert dark[inside(shield * 0.9, LAYOUT.center_mm(0, c))].mean() > 0.22
        share = dark[inside(shield * 0.9, LAYOUT.center_mm(3, c))].mean()
        assert 0.002 < share < 1 / 3


@pytest.mark.parametrize("seed", SEEDS)
def test_checked_darkens_two_opposite_quarters(seed: int) -> None:
    page = draw({(r, 1): (Coat.CHECKED, 0) for r in range(5)}, seed, messiness=0.0, borders=False)
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


def parts_of_two(coat: Coat, messiness: float, seed: int) -> tuple[int, float]:
    """How many parts two marks come in, and how careless their writer is."""
    shield = free_room(LAYOUT)
    rng = np.random.default_rng(seed)
    hand = Hand.random(rng, {"dot": ("blob", "ring")[seed % 2], "pair": "anyhow"})
    width = min(hand.pen.width, 0.28 * shield.radius)
    traits = replace(hand.traits, slop=hand.traits.slop * (0.4 + messiness), faithful=1.0)
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


def test_lines_meet_only_of_writers_whose_single_lines_are_single_strokes() -> None:
    def least_gap(line: str, seed: int) -> float:
        rng, shield = np.random.default_rng(seed), free_room(LAYOUT)
        traits = Hand.random(rng, {"line": line, "lines": "meeting"}).traits
        brush = Brush(replace(traits, faithful=1.0), rng, 0.3)
        strokes = COATS[Coat.DOUBLE_LINE](shield, brush)
        first, second = strokes[0].path, strokes[-1].path
        share = np.linspace(0, 1, 60)[:, None]
        along = [path[0] + share * (path[-1] - path[0]) for path in (first, second)]
        return float(np.hypot(*(along[0][:, None] - along[1]).transpose(2, 0, 1)).min())

    assert np.mean([least_gap("stroke", seed) < 0.8 for seed in range(40)]) > 0.5
    assert min(least_gap("retraced", seed) for seed in range(40)) > 0.5


def test_two_dots_touch_at_times_but_not_of_a_careful_writer() -> None:
    drawn = [
        parts_of_two(Coat.DOUBLE_DOT, messiness, seed)
        for messiness in (0.0, 1.0)
        for seed in range(150)
    ]
    careful = [parts for parts, slop in drawn if slop <= CAREFUL]
    careless = [parts for parts, slop in drawn if slop > CAREFUL]
    assert set(careful) == {2}
    assert 0.03 < careless.count(1) / len(careless) < 0.3


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
        page = draw({(1, 2): (coat, 0)}, seed, messiness=0.0, borders=False, habits=habits)
        dark = darkened(page)
        assert dark[middle].sum() > 8, name
        assert not dark[~around].any(), name
