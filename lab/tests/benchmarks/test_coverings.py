"""Objects on a sheet hide what is under them, and nothing else moves."""

from __future__ import annotations

import numpy as np
import pytest

from lab.benchmarks.coverings import KINDS, Covering
from lab.synth.scene import DrawnPage, draw_page, own_page, shoot

AT = (2, 5)
SIZE = (1008, 756)


@pytest.fixture(scope="module")
def page() -> DrawnPage:
    return draw_page(np.random.default_rng(5), page=own_page(60))


@pytest.mark.parametrize("kind", KINDS)
def test_a_covered_shield_looks_otherwise(page: DrawnPage, kind: str) -> None:
    cover = Covering(np.random.default_rng(2), page.layout, kind, AT)
    bare = shoot(np.random.default_rng(3), page, "easy", size_wh=SIZE)
    spoiled = shoot(np.random.default_rng(3), page, "easy", size_wh=SIZE, cover=cover)
    assert np.array_equal(bare.nodes_xy, spoiled.nodes_xy)
    x, y = bare.centers_xy[AT].round().astype(int)
    near = np.s_[y - 20 : y + 20, x - 20 : x + 20]
    change = np.abs(bare.bgr[near].astype(int) - spoiled.bgr[near])
    assert change.mean() > 5
