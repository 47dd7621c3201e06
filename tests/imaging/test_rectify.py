"""Coordinates from the lattice to the photo and back."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.imaging.picture import CENTERS, FLAT_MARGIN, FLAT_PX, Photo, flatten
from kdscan.rules.duel.board import COLS, ROWS
from tests.imaging.dots import bent_centers, photo_with_dots


def test_dots_on_bent_paper_lie_in_the_middle_of_their_flattened_cells() -> None:
    bent = bent_centers()
    flat = flatten(Photo(photo_with_dots(bent)), bent, FLAT_PX, FLAT_MARGIN)
    assert flat.shape == (round(5.25 * FLAT_PX), round(7.25 * FLAT_PX), 3)
    dark = 255 - flat[..., 0].astype(float)
    for row in range(ROWS):
        for col in range(COLS):
            y, x = int((row + FLAT_MARGIN) * FLAT_PX), int((col + FLAT_MARGIN) * FLAT_PX)
            cell = np.clip(dark[y : y + FLAT_PX, x : x + FLAT_PX] - 60, 0, None)
            ys, xs = np.mgrid[0:FLAT_PX, 0:FLAT_PX]
            middle = (float((xs * cell).sum() / cell.sum()), float((ys * cell).sum() / cell.sum()))
            assert middle == pytest.approx((FLAT_PX / 2 - 0.5, FLAT_PX / 2 - 0.5), abs=1.0)


@pytest.mark.parametrize("px_per_cell", [256, 128, 64, 32])
def test_a_coarser_level_is_sampled_at_the_same_places(px_per_cell: int) -> None:
    """Two greys a pixel, so that half a pixel of the coarsest level would be eight."""
    x = np.arange(256 * COLS)
    grey = np.round(255 * np.abs((x / 128) % 2 - 1)).astype(np.uint8)
    photo = Photo(
        np.ascontiguousarray(np.broadcast_to(grey[None, :, None], (256 * ROWS, *x.shape, 3)))
    )
    flat = flatten(photo, 256 * CENTERS + 127.5, px_per_cell, 0.0)
    at = (np.arange(flat.shape[1]) + 0.5) * 256 / px_per_cell - 0.5
    expected = np.interp(at, x, grey)
    assert np.median(np.abs(flat[flat.shape[0] // 2, :, 0] - expected)) < 1
