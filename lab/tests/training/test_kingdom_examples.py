"""The tile networks' inputs agree with their targets."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.rules.kingdomino.kingdom import EMPTY
from kdscan.sheets.kingdom.lattice import SIDE_PX
from lab.synth.kingdoms.scene import Manner, make_kingdom_photo
from lab.tests.synth.test_kingdoms import BANK, COLORS
from lab.training.dataset import unpack
from lab.training.kingdoms import (
    RING,
    KingdomExample,
    example_from_photo,
    tiles_sample,
)


def example(seed: int) -> KingdomExample:
    return example_from_photo(make_kingdom_photo(seed, None, BANK, wild=True, manner=Manner(0.03)))


@pytest.mark.parametrize("seed", range(3))
def test_flat_kingdoms_hold_their_kinds(seed: int) -> None:
    flat = example(seed).flats[0]
    picture = unpack(flat.picture)
    for (row, col), kind in np.ndenumerate(flat.kinds):
        if kind != EMPTY:
            y, x = ((np.array([row, col]) + 0.5 + RING) * SIDE_PX).astype(int)
            assert abs(float(np.median(picture[y - 6 : y + 6, x - 6 : x + 6])) - COLORS[kind]) < 6


@pytest.mark.parametrize("seed", range(3))
def test_thumbnails_come_with_votes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    view, votes = tiles_sample(rng, example(seed))
    assert view.shape == (384, 384, 3)
    assert votes.shape == (6, 48, 48)
    on = votes[0] > 0
    assert on.any()
    np.testing.assert_allclose(np.hypot(votes[3][on], votes[4][on]), 1, atol=1e-4)
    side = np.exp(votes[5][on])
    assert (np.hypot(votes[1][on], votes[2][on]) < 0.9 * side).all()
