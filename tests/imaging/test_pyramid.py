"""Levels of a photo: a large one is decoded in full only if a stage needs it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.picture import Photo, finest_for, level, level_for, mapped

WIDTH, HEIGHT = 1600, 1200


def half() -> NDArray[np.uint8]:
    """Blue grows to the right, green downwards."""
    x, y = np.meshgrid(np.arange(WIDTH // 2), np.arange(HEIGHT // 2))
    return np.dstack([x // 4, y // 4, np.full_like(x, 90)]).astype(np.uint8)


def large() -> Photo:
    def whole() -> NDArray[np.uint8]:
        pytest.fail("the whole was decoded")

    return Photo(half(), whole=whole)


def test_levels_begin_with_the_half_that_was_decoded() -> None:
    assert (level(large(), 1) == half()).all()
    assert level(large(), 2).shape == (HEIGHT // 4, WIDTH // 4, 3)
    assert [finest_for(large(), wide, 100) for wide in (199, 200)] == [0, 1]
    assert finest_for(Photo(half()), 1000, 100) == 0


def test_no_level_of_a_tiny_photo_is_empty() -> None:
    for side in range(1, 40):
        photo = Photo(np.zeros((side, 50, 3), np.uint8))
        assert min(level(photo, level_for(photo, 1e9)).shape[:2]) > 0


@pytest.mark.parametrize("angle", [0.0, 0.7, np.pi / 2, 3.0])
@pytest.mark.parametrize("squeeze", [1.0, 0.5])
def test_what_a_mapped_photo_shows_lies_where_it_is_in_the_photo(
    angle: float, squeeze: float
) -> None:
    bgr = np.zeros((300, 500, 3), np.uint8)
    bgr[100:108, 340:348] = 255  # its middle lies at 343.5, 103.5
    c, s = np.cos(angle), np.sin(angle)
    view, back = mapped(Photo(bgr), np.array([[c, -s], [s, c]]) * (squeeze, 1), 400)
    ys, xs = np.nonzero(view.bgr[..., 0] > 128)
    at = back @ (xs.mean(), ys.mean(), 1)
    assert at[:2] / at[2] == pytest.approx((343.5, 103.5), abs=1.0)
    corners = np.array([(0, 0), (499, 0), (499, 299), (0, 299)])
    there = (np.column_stack([corners, np.ones(4)]) @ np.linalg.inv(back).T)[:, :2]
    assert (there > -1).all() and (there < (view.width, view.height)).all()
