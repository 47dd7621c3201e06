"""From a rough outline to registered cells, with networks that know the true offsets."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.detection.find import follow_paper, register, turned
from kdscan.detection.locate import SheetOutline
from kdscan.imaging.picture import CENTERS, Photo, lattice_to_photo
from kdscan.rules.duel.board import COLS, ROWS
from tests.imaging.dots import CORNERS, bent_centers, photo_with_dots

GUESS = SheetOutline(CORNERS + np.array([(9, -7), (-6, 8), (5, 5), (-8, 3)]), 0.9)


def true_offsets(view: np.ndarray) -> np.ndarray:
    """What a perfect network says of a view of the dots: (1, 2, 5, 7), in cells."""
    dark = 255 * (1 - view[0].mean(0)) - 60
    offset = np.zeros((1, 2, ROWS, COLS), np.float32)
    for row in range(ROWS):
        for col in range(COLS):
            y, x = (row + 1) * 32, (col + 1) * 32
            cell = np.clip(dark[y : y + 32, x : x + 32], 0, None)
            ys, xs = np.mgrid[0:32, 0:32]
            ink = max(cell.sum(), 1e-9)  # beyond the grid there is none
            offset[0, 0, row, col] = (((xs - 15.5) * cell).sum() / ink) / 32
            offset[0, 1, row, col] = (((ys - 15.5) * cell).sum() / ink) / 32
    return offset


@pytest.mark.parametrize("upside_down", [False, True])
def test_settling_follows_what_the_network_says(upside_down: bool) -> None:
    """A network that sees nothing but the true offsets leads every cell home."""
    true = bent_centers()
    guess = SheetOutline(GUESS.corners_xy[[2, 3, 0, 1]], 0.9) if upside_down else GUESS
    calls = 0

    def oracle(view: np.ndarray) -> tuple[np.ndarray, ...]:
        nonlocal calls
        calls += 1
        up = np.array([[-9.0 if upside_down and calls == 1 else 9.0]], np.float32)
        return true_offsets(view), np.full((1, 1, ROWS, COLS), 9, np.float32), up

    centers, sure = register(Photo(photo_with_dots(true)), guess, oracle)
    assert centers == pytest.approx(true, abs=1.5)
    assert sure > 0.99


SURE = np.full((1, 1, ROWS, COLS), 9, np.float32), np.array([[9.0]], np.float32)


def test_a_sheet_that_no_plane_comes_near_is_followed() -> None:
    true = bent_centers(45)
    start = lattice_to_photo(true, CENTERS + (0.2, -0.15))
    centers, sure = follow_paper(
        Photo(photo_with_dots(true)), turned(start), lambda view: (true_offsets(view), *SURE)
    )
    assert sure > 0.99
    assert turned(centers) == pytest.approx(true, abs=2.5)
