"""Geometry of a print, measured in what its cells share."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.rules.duel.board import CASTLE, COLS, ROWS
from kdscan.templates.circles import find_circles
from kdscan.templates.describe import describe_cell
from kdscan.templates.pattern import PATTERN_MARGIN, PATTERN_PX, pattern_of

SHIELD = ((-0.25, -0.3), (0.25, -0.3), (0.25, 0.1), (0.0, 0.35), (-0.25, 0.1))


def drawn(
    circles: tuple[tuple[float, float], ...],
    *,
    lines: bool,
    off: tuple[float, float] = (0.0, 0.0),
    disc: bool = False,
    strokes: int = 0,
    boxes: float = 0.0,
) -> NDArray[np.uint8]:
    """A flat sheet whose lattice is `off` cells from where it is thought to be."""
    rng = np.random.default_rng(5)
    h, w = (round((n + 2 * PATTERN_MARGIN) * PATTERN_PX) for n in (ROWS, COLS))
    ground = cv2.resize(rng.uniform(120, 210, (9, 13, 3)).astype(np.float32), (w, h))
    page = np.clip(ground + rng.normal(0, 6, (h, w, 1)), 0, 255).astype(np.uint8)

    def px(points: list[tuple[float, float]]) -> NDArray[np.int32]:
        at = (np.array(points) + off + 0.5 + PATTERN_MARGIN) * PATTERN_PX - 0.5
        return np.round(at * 16).astype(np.int32)

    for i in range(COLS + 1 if lines else 0):
        ends = px([(i - 0.5, -0.5), (i - 0.5, ROWS - 0.5)])
        cv2.polylines(page, [ends], False, (60, 60, 60), 1, cv2.LINE_AA, 4)
    for i in range(ROWS + 1 if lines else 0):
        ends = px([(-0.5, i - 0.5), (COLS - 0.5, i - 0.5)])
        cv2.polylines(page, [ends], False, (60, 60, 60), 1, cv2.LINE_AA, 4)
    for row in range(ROWS):
        for col in range(COLS):
            if (row, col) == CASTLE:
                continue
            if boxes:
                b = 0.5 - boxes
                box = px([(x + col, y + row) for x, y in ((-b, -b), (b, -b), (b, b), (-b, b))])
                cv2.polylines(page, [box], True, (40, 40, 90), 3, cv2.LINE_AA, 4)
            outline = px([(x + col, y + row) for x, y in SHIELD])
            cv2.polylines(page, [outline], True, (30, 40, 50), 3, cv2.LINE_AA, 4)
            for x, y in circles:
                cx, cy = (int(v) for v in px([(x + col, y + row)])[0])
                how = ((245, 250, 250), -1) if disc else ((40, 40, 60), 2)
                cv2.circle(page, (cx, cy), 9 * 16, how[0], how[1], cv2.LINE_AA, 4)
            for _ in range(strokes):
                ends = px([tuple(rng.uniform(-0.3, 0.3, 2) + (col, row)) for _ in range(2)])
                cv2.polylines(page, [ends], False, (120, 40, 20), 5, cv2.LINE_AA, 4)
    return page


LEFT = ((-0.41, -0.2), (-0.41, -0.03), (-0.41, 0.14))


@pytest.mark.parametrize(("disc", "strokes"), [(False, 3), (True, 0)])
def test_lines_give_the_phase(disc: bool, strokes: int) -> None:
    off = (0.08, -0.05)
    page = drawn(LEFT, lines=True, off=off, disc=disc, strokes=strokes)
    found = describe_cell(pattern_of(page))
    assert found.lines == "ruled"
    assert found.offset == pytest.approx(off, abs=0.01)
    assert np.array(found.cell.circles) == pytest.approx(np.array(LEFT), abs=0.015)


def test_a_gap_between_boxes_gives_the_phase() -> None:
    off = (0.06, -0.04)
    circles = tuple((x + 0.06, y) for x, y in LEFT)
    found = describe_cell(pattern_of(drawn(circles, lines=False, off=off, boxes=0.035)))
    assert found.offset == pytest.approx(off, abs=0.008)
    assert np.array(found.cell.circles) == pytest.approx(np.array(circles), abs=0.015)


def test_where_a_person_placed_the_cells_only_lines_beside_there_count() -> None:
    page = drawn(LEFT, lines=True, off=(0.03, 0.2))
    found = describe_cell(pattern_of(page), placed=True)
    assert found.offset == pytest.approx((0.03, 0.0), abs=0.01)


@pytest.mark.parametrize(("side", "off"), [(-1, -0.15), (-1, 0.15), (1, 0.0), (1, 0.15)])
def test_a_circle_is_told_from_the_next_cells_without_lines(side: int, off: float) -> None:
    circles = tuple((side * x, y) for x, y in LEFT)
    page = drawn(circles, lines=False, off=(-side * off, 0.0))
    found = describe_cell(pattern_of(page))
    assert found.offset == (None, None)
    assert found.lines == "none"
    seen = np.array(found.cell.circles) + (side * off, 0.0)
    assert seen == pytest.approx(np.array(circles), abs=0.015)


@pytest.mark.parametrize("disc", [False, True])
def test_the_shields_outline_and_a_circle_s_middle_one_are_found(disc: bool) -> None:
    found = describe_cell(pattern_of(drawn(LEFT, lines=True, disc=disc)))
    assert found.cell.radius == pytest.approx(9 / PATTERN_PX, abs=0.004)
    shield = np.array(found.cell.shield)
    assert shield.min(0) == pytest.approx([-0.25, -0.3], abs=0.05)
    assert shield.max(0) == pytest.approx([0.25, 0.35], abs=0.03)


def test_a_plain_ground_has_nothing() -> None:
    h, w = (round((n + 2 * PATTERN_MARGIN) * PATTERN_PX) for n in (ROWS, COLS))
    page = np.random.default_rng(1).normal(180, 8, (h, w, 3)).clip(0, 255).astype(np.uint8)
    found = describe_cell(pattern_of(page))
    assert found.offset == (None, None)
    assert found.cell.circles == ()


def test_what_looks_nothing_like_the_circles_is_none() -> None:
    def disc(at: tuple[int, int], radius: int, level: float) -> NDArray[np.float32]:
        light = np.zeros((PATTERN_PX, PATTERN_PX), np.float32)
        cv2.circle(light, at, radius, level, -1, cv2.LINE_AA)
        return light

    trusted = np.ones((PATTERN_PX, PATTERN_PX), np.float32)
    noise = np.random.default_rng(1).normal(0, 0.02, (PATTERN_PX, PATTERN_PX, 4))
    period = noise.astype(np.float32)
    period[..., 0] += disc((30, 30), 9, 1.0) + disc((30, 60), 9, 1.0) + disc((90, 90), 9, 0.7)
    assert len(find_circles(period, trusted).xy) == 3
    period[..., 0] -= disc((90, 90), 4, 3.0)  # a frame around a printed dot
    found = find_circles(period, trusted)
    assert sorted(found.xy.round().tolist()) == [[30, 30], [30, 60]]
