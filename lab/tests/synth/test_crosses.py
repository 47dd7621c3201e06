"""Hand-drawn crosses: on their circles, and on no others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kdscan.rules.duel.board import Coat
from lab.synth.hands.habits import HABITS, Part
from lab.tests.synth.drawing import BOX, LAYOUT, SEEDS, darkened, draw, inside


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
