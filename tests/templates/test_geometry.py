"""Geometry of a print, measured in what its cells share."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from kdscan.inference.store import default_models
from kdscan.rules.duel.board import CASTLE, COLS, ROWS
from kdscan.templates.features import PATTERN_MARGIN, PERIOD_PX, pattern_of
from kdscan.templates.geometry import MeasuredCell, measure_cell

Points = tuple[tuple[float, float], ...]

SHIELD = ((-0.25, -0.3), (0.25, -0.3), (0.25, 0.1), (0.0, 0.35), (-0.25, 0.1))
RADIUS = 7
LEFT: Points = ((-0.41, -0.2), (-0.41, -0.03), (-0.41, 0.14))


def measured(
    circles: Points,
    lines: bool,
    off: tuple[float, float] = (0.0, 0.0),
    disc: bool = False,
    strokes: int = 0,
    boxes: float = 0.0,
    placed: bool = False,
    shield: Points = SHIELD,
) -> MeasuredCell:
    """What is found on a drawn sheet whose lattice is `off` cells from where it is thought to
    be."""
    rng = np.random.default_rng(5)
    h, w = (round((n + 2 * PATTERN_MARGIN) * PERIOD_PX) for n in (ROWS, COLS))
    ground = cv2.resize(rng.uniform(120, 210, (9, 13, 3)).astype(np.float32), (w, h))
    page = np.clip(ground + rng.normal(0, 6, (h, w, 1)), 0, 255).astype(np.uint8)

    def px(points: Points, cell: tuple[int, int] = (0, 0)) -> NDArray[np.int32]:
        at = (np.array(points) + cell[::-1] + off + 0.5 + PATTERN_MARGIN) * PERIOD_PX - 0.5
        return np.asarray(np.round(at * 16), np.int32)

    def draw(
        points: ArrayLike, colour: tuple[int, int, int], wide: int, closed: bool = True
    ) -> None:
        cv2.polylines(page, [np.array(points)], closed, colour, wide, cv2.LINE_AA, 4)

    for i in range(COLS + 1 if lines else 0):
        draw(px(((i - 0.5, -0.5), (i - 0.5, ROWS - 0.5))), (60, 60, 60), 1, False)
    for i in range(ROWS + 1 if lines else 0):
        draw(px(((-0.5, i - 0.5), (COLS - 0.5, i - 0.5))), (60, 60, 60), 1, False)
    for cell in np.ndindex(ROWS, COLS):
        if cell == CASTLE:
            continue
        if boxes:
            b = 0.5 - boxes
            draw(px(((-b, -b), (b, -b), (b, b), (-b, b)), cell), (40, 40, 90), 3)
        draw(px(shield, cell), (30, 40, 50), 3)
        for x, y in px(circles, cell):
            colour, wide = ((245, 250, 250), -1) if disc else ((40, 40, 60), 2)
            cv2.circle(page, (int(x), int(y)), RADIUS * 16, colour, wide, cv2.LINE_AA, 4)
        for _ in range(strokes):
            stroke = tuple(tuple(rng.uniform(-0.3, 0.3, 2)) for _ in range(2))
            draw(px(stroke, cell), (120, 40, 20), 5, False)
    return measure_cell(pattern_of(page), default_models().geometry, placed)


def circles_of(cell: MeasuredCell) -> NDArray[np.float64]:
    return np.array(cell.cell.circles)


@pytest.mark.parametrize(("disc", "strokes"), [(False, 3), (True, 0)])
def test_lines_give_the_phase(disc: bool, strokes: int) -> None:
    off = (0.08, -0.05)
    cell = measured(LEFT, True, off, disc=disc, strokes=strokes)
    assert cell.lines == "ruled"
    assert cell.offset == pytest.approx(off, abs=0.01)
    assert circles_of(cell) == pytest.approx(np.array(LEFT), abs=0.015)
    assert cell.cell.radius == pytest.approx(RADIUS / PERIOD_PX, abs=0.01)
    if strokes:
        return
    shield = np.array(cell.cell.shield)
    assert shield.min(0) == pytest.approx([-0.25, -0.3], abs=0.05)
    assert shield.max(0) == pytest.approx([0.25, 0.35], abs=0.03)


def test_a_side_beside_a_line_between_cells_is_found() -> None:
    cell = measured(LEFT, True).cell
    assert cell.is_certain
    beside = measured(LEFT, True, shield=tuple((x + 0.24, y) for x, y in SHIELD)).cell
    assert np.array(beside.shield).min(0) == pytest.approx([-0.01, -0.3], abs=0.04)
    assert np.array(beside.shield).max(0) == pytest.approx([0.49, 0.35], abs=0.04)
    assert len(beside.circles) == 3 and beside.is_certain


def test_gap_between_boxes_gives_the_phase() -> None:
    circles = tuple((x + 0.06, y) for x, y in LEFT)
    cell = measured(circles, False, (0.06, -0.04), boxes=0.035)
    assert cell.offset == pytest.approx((0.06, -0.04), abs=0.008)
    assert circles_of(cell) == pytest.approx(np.array(circles), abs=0.015)


def test_where_a_person_placed_the_cells_only_lines_nearby_count() -> None:
    cell = measured(LEFT, True, (0.03, 0.2), placed=True)
    assert cell.offset == pytest.approx((0.03, 0.0), abs=0.01)


@pytest.mark.parametrize(("side", "off"), [(-1, -0.15), (-1, 0.15), (1, 0.0), (1, 0.15)])
def test_sheets_ends_show_whose_circles_they_are_without_lines(side: int, off: float) -> None:
    circles = tuple((side * x, y) for x, y in LEFT)
    cell = measured(circles, False, (-side * off, 0.0))
    assert cell.offset == (None, None)
    assert cell.lines == "none"
    places = circles_of(cell) + (side * off, 0.0)
    assert places == pytest.approx(np.array(circles), abs=0.015)


def test_plain_ground_has_nothing() -> None:
    h, w = (round((n + 2 * PATTERN_MARGIN) * PERIOD_PX) for n in (ROWS, COLS))
    page = np.random.default_rng(1).normal(180, 8, (h, w, 3)).clip(0, 255).astype(np.uint8)
    cell = measure_cell(pattern_of(page), default_models().geometry)
    assert cell.offset == (None, None)
    assert cell.cell.circles == ()
