"""Crops are robust to light, pen and print."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.picture import FLAT_MARGIN, FLAT_PX
from kdscan.marks.crops import half_size, planes, segment
from kdscan.rules.duel.board import CELLS

MARKED = (1, 2)


def flat(light: float = 1.0, pen: tuple[int, int, int] = (40, 40, 40)) -> NDArray[np.uint8]:
    """A flattened sheet: a printed ring in every cell, one pen stroke in one of them."""
    h, w = round(5.25 * FLAT_PX), round(7.25 * FLAT_PX)
    bgr = np.full((h, w, 3), 225, np.uint8)
    for row in range(5):
        for col in range(7):
            x, y = (int((v + 0.5 + FLAT_MARGIN) * FLAT_PX) for v in (col, row))
            cv2.circle(bgr, (x, y), 40, (120, 120, 120), 4, cv2.LINE_AA)
            if (row, col) == MARKED:
                cv2.line(bgr, (x - 24, y + 8), (x + 24, y - 8), pen, 8, cv2.LINE_AA)
    shade = np.linspace(1.0, 0.4, w)[None, :, None] * light
    return np.clip(bgr * shade, 0, 255).astype(np.uint8)


def test_the_print_plane_shows_what_all_shields_share_and_no_more() -> None:
    ink, common, _ = segment(flat()).coarse[CELLS.index(MARKED)]
    ring, middle = (32, 48), (32, 32)
    assert common[ring] > 0.2
    assert common[middle] < 0.1
    assert ink[middle] > 0.5


@pytest.mark.parametrize("light", [1.0, 0.6, 0.3])
def test_light_changes_nothing(light: float) -> None:
    bright, dim = planes(half_size(flat()))[0], planes(half_size(flat(light)))[0]
    assert np.abs(bright - dim).mean() < 0.03


def test_a_coloured_pen_shows_in_the_colour_plane() -> None:
    blue = segment(flat(pen=(170, 60, 40))).coarse[CELLS.index(MARKED)]
    grey = segment(flat()).coarse[CELLS.index(MARKED)]
    assert blue[2, 32, 32] > 0.2
    assert grey[2, 32, 32] < 0.05
