"""Coordinates from the lattice to the photo and back."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from kdscan.records import COLS, ROWS, Photo, SheetOutline
from kdscan.vision.rectify import (
    CENTERS,
    FLAT_MARGIN,
    FLAT_PX,
    fit_homography,
    flatten,
    lattice_to_photo,
    lattice_to_photo_homography,
    project,
    rectify,
    resolution,
    turned,
)

CORNERS = np.array([(300.0, 200.0), (1210.0, 260.0), (1160.0, 900.0), (260.0, 820.0)])


def bent_centers() -> np.ndarray:
    """Centres of a sheet in perspective whose paper bulges by up to 12 pixels."""
    flat = project(lattice_to_photo_homography(CORNERS), CENTERS)
    flat[..., 1] += 12 * np.sin(CENTERS[..., 0] / 6 * np.pi)
    return flat


def photo_with_dots(centers: np.ndarray) -> np.ndarray:
    bgr = np.full((1100, 1500, 3), 235, np.uint8)
    for x, y in centers.reshape(-1, 2):
        cv2.circle(bgr, (round(x * 16), round(y * 16)), 10 * 16, (20, 20, 20), -1, cv2.LINE_AA, 4)
    return bgr


def test_corners_are_where_the_homography_puts_them() -> None:
    h = lattice_to_photo_homography(CORNERS)
    grid = np.array([(-0.5, -0.5), (6.5, -0.5), (6.5, 4.5), (-0.5, 4.5)])
    assert project(h, grid) == pytest.approx(CORNERS, abs=1e-3)


def test_a_fitted_homography_gives_back_flat_centres() -> None:
    flat = project(lattice_to_photo_homography(CORNERS), CENTERS)
    assert project(fit_homography(flat), CENTERS) == pytest.approx(flat, abs=0.01)


def test_the_lattice_passes_through_bent_centres() -> None:
    bent = bent_centers()
    assert lattice_to_photo(bent, CENTERS) == pytest.approx(bent, abs=0.2)


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


def test_a_much_larger_photo_gives_the_same_flat_sheet() -> None:
    bent = bent_centers()
    small = photo_with_dots(bent)
    big = cv2.resize(small, None, fx=4, fy=4, interpolation=cv2.INTER_LINEAR)
    large = np.asarray(big, np.uint8)
    a = flatten(Photo(small), bent, FLAT_PX, FLAT_MARGIN).astype(float)
    b = flatten(Photo(large), (bent + 0.5) * 4 - 0.5, FLAT_PX, FLAT_MARGIN).astype(float)
    assert np.abs(a - b).mean() < 1.5


def test_turning_the_table_twice_changes_nothing() -> None:
    bent = bent_centers()
    assert np.array_equal(turned(turned(bent)), bent)
    assert np.array_equal(turned(bent)[0, 0], bent[4, 6])


def test_resolution_is_pixels_a_cell() -> None:
    assert resolution(CENTERS * 90.0) == pytest.approx(90)


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
def test_rectify_follows_what_the_network_says(upside_down: bool) -> None:
    """A network that sees nothing but the true offsets leads every cell home."""
    true = bent_centers()
    guess = SheetOutline(GUESS.corners_xy[[2, 3, 0, 1]], 0.9) if upside_down else GUESS
    calls = 0

    def oracle(view: np.ndarray) -> tuple[np.ndarray, ...]:
        nonlocal calls
        calls += 1
        up = np.array([[-9.0 if upside_down and calls == 1 else 9.0]], np.float32)
        return true_offsets(view), np.full((1, 1, ROWS, COLS), 9, np.float32), up

    sheet = rectify(Photo(photo_with_dots(true)), guess, oracle)
    assert sheet.centers_xy == pytest.approx(true, abs=1.5)
    assert sheet.confidence > 0.99


def test_a_grid_bent_to_the_wrong_column_starts_again_from_where_most_cells_agree() -> None:
    true = bent_centers()
    calls = 0

    def fooled(view: np.ndarray) -> tuple[np.ndarray, ...]:
        """Takes the paper beyond the last column for a column, until it starts anew."""
        nonlocal calls
        calls += 1
        offset, place = true_offsets(view), np.full((1, 1, ROWS, COLS), 9, np.float32)
        if calls <= 3:  # two looks until the plane is at rest, one that judges
            offset[0, 0, :, -1] += 1
            place[..., -1] = 1.0
        return offset, place, np.array([[9.0]], np.float32)

    sheet = rectify(Photo(photo_with_dots(true)), GUESS, fooled)
    assert sheet.centers_xy == pytest.approx(true, abs=1.5)
    assert sheet.confidence > 0.99
