"""Trust that is fitted on what came true."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.records import calibrated
from kdscan.training.trust import fit_trust


@pytest.mark.parametrize(("slope", "offset"), [(0.5, 0.0), (1.0, -1.0), (1.6, 0.5)])
def test_a_fit_finds_the_slope_and_offset_that_things_came_true_with(
    slope: float, offset: float
) -> None:
    rng = np.random.default_rng(1)
    said = rng.uniform(0.02, 0.995, 6000)
    truly = np.array([calibrated(p, np.array([slope, offset])) for p in said])
    found = fit_trust(said, rng.uniform(size=said.size) < truly)
    assert found == pytest.approx((slope, offset), abs=0.15)


def test_few_photos_change_little() -> None:
    slope, offset = fit_trust(np.array([0.99, 0.98]), np.array([True, False]))
    assert 0.3 < slope < 1.1
    assert -1.5 < offset < 0.1
