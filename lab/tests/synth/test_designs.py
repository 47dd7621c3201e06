"""Random designs: properties of every sheet that nobody has printed yet."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.rules.duel.board import CASTLE, CELLS
from lab.synth.sheets.designs import random_layout, random_style
from lab.synth.sheets.page import print_page

SEEDS = range(60)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_belongs_to_a_cell_lies_in_it(seed: int) -> None:
    layout = random_layout(np.random.default_rng(seed))
    half_w, half_h = layout.cell_mm[0] / 2, layout.cell_mm[1] / 2
    r = layout.circle_radius_mm
    for x, y in layout.circles:
        assert abs(x) + r <= half_w + 1e-6
        assert abs(y) + r <= half_h + 1e-6
    shield = np.array(layout.shield)
    assert np.abs(shield[:, 0]).max() < half_w * 1.05
    assert np.abs(shield[:, 1]).max() < half_h * 1.05


def test_a_page_has_its_size_and_every_shield_its_outline() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        layout, style = random_layout(rng), random_style(rng)
        page = print_page(layout, style, 4.0)
        assert page.shape == (round(layout.page_mm[1] * 4), round(layout.page_mm[0] * 4), 3)
        for row, col in (*CELLS, CASTLE):
            x, y = layout.center_mm(row, col)
            w, h = (v * 2 for v in layout.cell_mm)
            cell = page[int(y * 4 - h) : int(y * 4 + h), int(x * 4 - w) : int(x * 4 + w)]
            assert cell.std() > 1, f"nothing is printed in {row}, {col} of design {seed}"
