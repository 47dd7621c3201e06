"""What the ink reader's network is given, and how its mirrored views are combined."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import FLAT_MARGIN, lattice_to_flat
from kdscan.rules.duel.board import CELLS, COATS, COLS, MAX_CROSSES, ROWS
from kdscan.templates.ink_reader import (
    CELL_PX,
    FLIPS,
    MAX_CIRCLES,
    SIDE,
    PrintedCells,
    inputs,
    read_ink,
    reduced,
)

PX = 64
SHIELD = ((-0.3, -0.3), (0.2, -0.3), (0.2, 0.3), (-0.3, 0.3))
CIRCLES = ((0.35, -0.2), (0.35, 0.1))
RADIUS = 0.07


def flat_px(x: float, y: float, cell: tuple[int, int]) -> tuple[int, int]:
    px, py = lattice_to_flat(np.array([x + cell[1], y + cell[0]]), PX, FLAT_MARGIN).round()
    return int(px), int(py)


def sheet() -> NDArray[np.uint8]:
    return np.zeros([round((n + 2 * FLAT_MARGIN) * PX) for n in (ROWS, COLS)], np.uint8)


def printed() -> PrintedCells:
    grey = sheet() + 200
    for cell in CELLS:
        for x, y in CIRCLES:
            cv2.circle(grey, flat_px(x, y, cell), round(RADIUS * PX), (40,), 1)
    return PrintedCells.of(grey, SHIELD, CIRCLES, RADIUS)


def test_a_cross_is_in_the_middle_of_its_circles_crop() -> None:
    ink = sheet()
    cv2.circle(ink, flat_px(*CIRCLES[1], (3, 5)), 3, (255,), -1)
    cells, shared, rounds, near, about = inputs(reduced(ink), printed())
    number = CELLS.index((3, 5))
    middle = np.s_[..., 10:14, 10:14]
    brightness = rounds[middle].mean((2, 3))
    assert brightness[number, 1] > 200
    brightness[number, 1] = 0
    assert brightness.max() < 5
    y, x = np.unravel_index(int(cells[number, 0].argmax()), (SIDE, SIDE))
    at = np.array(CIRCLES[1]) * CELL_PX + SIDE / 2
    assert np.hypot(*(at - (x, y))) < 4
    assert shared[1, int(at[1]), int(at[0])] == 255 and shared[0, SIDE // 2, SIDE // 2] == 255
    assert near[:2].min() < 100 < near[2:].min()  # the circles' outlines, and none
    assert about[:MAX_CIRCLES].tolist() == [1, 1, 0, 0]


def test_a_print_without_circles_has_empty_crops() -> None:
    bare = PrintedCells.of(sheet() + 200, (), (), 0.0)
    _, shared, rounds, _, about = inputs(reduced(sheet()), bare)
    assert not shared[:2].any() and not rounds.any() and not about.any()


def brightest(*parts: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
    """A network that says how much ink is in each crop, and in its circles."""
    cells, _, rounds = parts[:3]
    coat = np.zeros((1, len(CELLS), len(COATS)), np.float32)
    crosses = np.zeros((1, len(CELLS), MAX_CROSSES + 1), np.float32)
    coat[..., 1] = cells[:, :, 0].mean((2, 3))
    crosses[..., 1:] = rounds.mean((3, 4))
    return coat, crosses, crosses[..., 1:]


def test_mirrored_views_say_the_same_of_each_cell() -> None:
    ink = sheet().astype(np.float32)
    rng = np.random.default_rng(1)
    for cell in CELLS:
        reach = int(rng.integers(2, 12))
        cv2.circle(ink, flat_px(-0.05, 0.0, cell), reach, (1.0,), -1)
        cv2.circle(ink, flat_px(*CIRCLES[0], cell), reach // 3, (1.0,), -1)
    upright, *mirrored = (read_ink(ink, printed(), brightest, flip) for flip in FLIPS)
    assert np.ptp(upright[0][..., 1]) > 0.02
    for coat, crosses in mirrored:
        assert np.abs(coat - upright[0]).max() < 0.003
        assert np.abs(crosses - upright[1]).max() < 0.02
