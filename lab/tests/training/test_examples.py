"""The networks' inputs agree with their targets."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from kdscan.detection.locate import LATTICE_SCALE, STRIDE, THUMB_PX
from kdscan.rules.duel.board import CELLS, COATS
from lab.synth.scene import SynthPhoto, make_photo, random_page
from lab.training import augment
from lab.training.dataset import (
    Example,
    to_example,
)


@cache
def photo() -> SynthPhoto:
    return make_photo(
        3, "easy", page=random_page(np.random.default_rng(3)), size_wh=(1200, 900), messiness=0.0
    )


@cache
def example() -> Example:
    return to_example(photo())


def test_an_example_keeps_what_was_drawn() -> None:
    for i, at in enumerate(CELLS):
        shield = photo().board.get(at)
        assert COATS[example().coat[i]] is (shield and shield.coat)
        assert example().crosses[i] == (shield.crosses if shield else 0)


@pytest.mark.parametrize("seed", range(6))
def test_votes_lie_where_the_grid_is(seed: int) -> None:
    """The votes' mask and places, against the nodes drawn as a polygon."""
    rng = np.random.default_rng(seed)
    view, votes = augment.locate_sample(rng, example())
    n = THUMB_PX // STRIDE
    assert view.shape == (THUMB_PX, THUMB_PX, 3)
    assert votes.shape == (3, n, n)
    on = votes[0] > 0
    uv = votes[1:, on]
    assert np.abs(uv).max(initial=0) <= 1
    if on.sum() < 30:
        return  # cut off by the edge
    rows, cols = np.nonzero(on)
    lattice = uv.T * np.array(LATTICE_SCALE)
    plane, _ = cv2.findHomography(np.stack([cols, rows], 1).astype(np.float64), lattice, 0)
    at = np.stack([cols, rows, np.ones_like(rows)], 1) @ np.asarray(plane, np.float64).T
    error = np.abs(at[:, :2] / at[:, 2:] - lattice)
    assert np.quantile(error, 0.95) < 0.2
