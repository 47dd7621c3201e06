"""Separates what was drawn from what was printed."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.rules.duel.board import CELLS
from lab.synth.scene import InkedPage, inked_page, random_page


def sheet(seed: int, ground: str = "painted", messiness: float = 0.0) -> InkedPage:
    page = random_page(np.random.default_rng([seed, 1]), ground)
    return inked_page(np.random.default_rng([seed, 2]), page=page, messiness=messiness)


@pytest.mark.parametrize(("seed", "ground"), [(0, "painted"), (1, "etched"), (2, "pale")])
def test_ink_is_where_filled_and_blank_differ_and_nowhere_else(seed: int, ground: str) -> None:
    inked = sheet(seed, ground)
    page, ink = inked.page, inked.ink
    assert ink.shape == page.bgr.shape[:2] and ink.dtype == np.float32
    changed = np.abs(page.bgr.astype(int) - page.blank_bgr).max(axis=2)
    assert (changed[ink == 0] <= 1).mean() > 0.9999
    assert ink[changed > 12].min() > 0
    assert 0.002 < (ink > 0.1).mean() < 0.5


def test_flat_pictures_lie_on_the_grid() -> None:
    inked = sheet(3)
    flat = inked.flat(inked.ink, 64, 0.25)
    assert flat.shape == (round(5.5 * 64), round(7.5 * 64)) and flat.dtype == np.float32
    assert inked.flat(inked.page.bgr, 64, 0.25).shape == (*flat.shape, 3)
    for row, col in CELLS:
        y, x = int((row + 0.25) * 64), int((col + 0.25) * 64)
        drawn = flat[y : y + 64, x : x + 64].max() > 0.3
        assert drawn or (row, col) not in inked.page.board
