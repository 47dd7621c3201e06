from __future__ import annotations

import cv2
import numpy as np
import pytest

from lab.synth.scene import own_page
from lab.synth.sheets import page as copies

_, PAGE, PX_PER_MM = own_page(px_per_cell=60)


def copy_of(page: np.ndarray, seed: int, painted: bool = False) -> np.ndarray:
    return copies.reproduced(np.random.default_rng(seed), page, PX_PER_MM, painted)


@pytest.mark.parametrize("painted", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_a_copy_shows_the_same_print(
    seed: int, painted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "COPIED", 1.0)
    before = PAGE.copy()
    copy = copy_of(PAGE, seed, painted)
    assert (before == PAGE).all()  # it is shared
    assert copy.shape == PAGE.shape
    assert copy.dtype == np.uint8
    assert (copy != PAGE).any()
    assert cv2.matchTemplate(PAGE, copy, cv2.TM_CCOEFF_NORMED)[0, 0] > 0.7
    assert np.median(copy) > np.percentile(copy, 5) + 20  # ink stays darker than paper
