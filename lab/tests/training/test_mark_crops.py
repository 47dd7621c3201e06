"""The marks network is trained on what it will read, with matching targets."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from lab.synth.scene import make_photo, random_page
from lab.training.dataset import Example, to_example

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch


@cache
def example() -> Example:
    page = random_page(np.random.default_rng(3))
    return to_example(make_photo(3, "easy", page=page, size_wh=(1200, 900), messiness=0.0))


def test_spots_are_marked_in_the_shields_that_have_crosses() -> None:
    """Each cross within the crop is a blob of its own or touches another."""
    from lab.training.sheet_views import sample

    seen, rng = [], np.random.default_rng(0)
    for _ in range(10):
        for shield, crosses in zip(sample(rng, example()).spots, example().crosses, strict=True):
            blobs = cv2.connectedComponents(shield.astype(np.uint8))[0] - 1
            assert blobs <= crosses
            seen += [blobs > 0] * bool(crosses)
    assert np.mean(seen) > 0.97  # some sheets slip so far that a cross leaves its crop


def test_turned_sheets_keep_their_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a cell lies, which way it is off, and its picture are turned alike."""
    from lab.training import sheet_views

    x, y = np.meshgrid(*map(np.arange, sheet_views.VIEW_WH))
    off = 12 * np.stack([x - 464, y - 336], -1) / 464  # cells lie nearer to the middle than they do
    at = np.stack([x, y], -1) + off + sheet_views.PAD_PX
    monkeypatch.setattr(sheet_views, "random_map", lambda rng: at.astype(np.float32))
    rng = np.random.default_rng(0)
    for _ in range(10):
        seen = sheet_views.sample(rng, example())
        far = np.abs(seen.places) > 1
        assert (np.sign(seen.offsets[:-1]) == -np.sign(seen.places))[far].all()
        shields = {tuple(place) for place in seen.places.round().astype(int)}
        assert shields in (
            {(c, r) for r in range(-2, 3) for c in range(-3, 4)} - {(0, 0)},
            {(r, c) for r in range(-2, 3) for c in range(-3, 4)} - {(0, 0)},
        )
