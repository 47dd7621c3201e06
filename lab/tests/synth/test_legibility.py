"""A careful person can read what is drawn on a ground."""

from __future__ import annotations

import numpy as np
import pytest

from lab.synth.fields import LUMA
from lab.synth.hands.sketch import visible_pen
from lab.synth.hands.strokes import Pen, random_pen
from lab.synth.sheets.designs import random_layout
from lab.synth.sheets.page import MIN_CONTRAST, MIN_GROUND, drawing_mask, lighten_ground


@pytest.mark.parametrize("shade", [(90, 40, 10), (20, 60, 20), (60, 50, 45)])
def test_a_dark_print_is_made_paler_where_players_draw(shade: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(1)
    layout = random_layout(rng)
    w, h = (round(3 * mm) for mm in layout.page_mm)
    page = np.full((h, w, 3), shade, np.uint8)
    page[:, : w // 2] = 200
    ground = lighten_ground(page, layout, 3.0, rng)[drawing_mask(layout, (h, w), 3.0) > 127]
    assert np.quantile(ground @ LUMA, 0.05) > MIN_GROUND - 3
    hues = ground.astype(float).min(0).argsort()
    assert np.array_equal(hues, np.argsort(shade, kind="stable"))  # paler, and no other colour


def test_pens_show_on_any_ground_that_is_printed() -> None:
    """Graphite on saturated blue is pressed harder; on white paper every pen stays as it is."""
    sea = np.array([[176, 122, 18]], np.uint8)
    white = np.full((1, 3), 250, np.uint8)
    hard = Pen("pencil", (0.33, 0.33, 0.33), 0.4, 0.45, grain=0.4)
    darker = visible_pen(hard, sea)
    assert darker.opacity > hard.opacity and darker.bgr < hard.bgr
    alpha = darker.opacity * (1 - 0.4 * darker.grain)
    through = darker.bgr[0]
    line = sea[0] * (1 - alpha * (1 - 0.25 * through)) + alpha * 0.75 * 255 * through
    assert np.sqrt(np.mean((sea[0] - line) ** 2)) >= MIN_CONTRAST - 1
    rng = np.random.default_rng(3)
    pens = [random_pen(rng) for _ in range(60)]
    assert [visible_pen(pen, white) for pen in pens] == pens
