"""Areas in colours of their own are detected; ink, in however many colours, is not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.marks.network import COVER_HW, COVER_PX, foreign, tones, unseen_colors

BLUE, RED, GREY, PAPER = (150, 60, 40), (60, 60, 200), (130, 130, 130), (225, 235, 240)

Color = tuple[int, int, int]


def sheet(*coats: tuple[int, int, Color]) -> NDArray[np.uint8]:
    """Shields, of which some are filled, and a stroke of blue in the others of the first row."""
    flat = np.full((*COVER_HW, 3), PAPER, np.uint8)
    for row in range(5):
        for col in range(7):
            x, y = (round((n + 0.125) * COVER_PX) for n in (col, row))
            cv2.rectangle(flat, (x + 8, y + 8), (x + 44, y + 54), (120, 140, 150), 1)
            color = next((c for r, k, c in coats if (r, k) == (row, col)), None)
            if color is not None:
                cv2.rectangle(flat, (x + 12, y + 12), (x + 42, y + 52), color, -1)
            elif row == 0:
                cv2.line(flat, (x + 14, y + 48), (x + 40, y + 14), BLUE, 4)
    return flat


@pytest.mark.parametrize("color", [RED, GREY])
def test_a_solid_area_in_another_colour_is_told(color: Color) -> None:
    found = foreign(tones(sheet((1, 1, BLUE), (3, 5, color))))
    assert found[3, 5] > 1 > 0.15 > found[1, 1]


def test_where_nothing_else_is_drawn_no_colour_is_foreign() -> None:
    flat = sheet((3, 5, RED))
    flat[: round(1.125 * COVER_PX)] = PAPER
    assert foreign(tones(flat)) == {(3, 5): 0.0}


def test_colours_that_no_other_shield_shows_are_told() -> None:
    shares = unseen_colors(tones(sheet((1, 1, BLUE), (3, 5, RED))))
    assert shares.pop((3, 5)) > 0.2
    assert max(shares.values()) < 0.02


def test_a_pen_that_drew_two_shields_is_seen() -> None:
    assert max(unseen_colors(tones(sheet((1, 1, BLUE), (3, 5, RED), (4, 2, RED)))).values()) < 0.02
