"""Hand-drawn coats: each in its shield, dark enough, and distinguishable from the others."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.rules.duel.board import Coat
from lab.synth.hands.habits import HABITS, Part
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
