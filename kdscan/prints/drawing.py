"""A known print as a picture that says what was found in it, and how well each place is known."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.prints.known import PRINT_MARGIN, PRINT_PX, KnownPrint
from kdscan.records import CASTLE, CELLS, Ink
from kdscan.sheet.parts import Point

FOUND_BGR, CASTLE_BGR, GRID_BGR = (160, 0, 200), (0, 110, 230), (200, 140, 0)
"""Colours of shields and circles, of the castle, of the lattice's nodes."""

_SHIFT = 4  # cv2 draws with 1/16 pixel precision
_VEIL = 0.6  # so much of what is not known at all is hidden


def draw_print(known: KnownPrint) -> NDArray[np.uint8]:
    """(736, 992, 3) uint8 BGR: the print with its cells' shields, circles and castle where they
    were found; what is not known yet is veiled in white."""
    h, w = known.bgr.shape[:2]
    coverage = cv2.resize(known.known, (w, h), interpolation=cv2.INTER_LINEAR)[..., None]
    veil = _VEIL * (1 - np.clip(coverage, 0, 1))
    picture = np.ascontiguousarray((known.bgr * (1 - veil) + 255 * veil).astype(np.uint8))
    for row, col in CELLS:
        _dot(picture, (col, row), 3 / PRINT_PX, GRID_BGR)
        if known.cell.shield:
            _outline(picture, [(x + col, y + row) for x, y in known.cell.shield], FOUND_BGR)
        for x, y in known.cell.circles:
            _dot(picture, (x + col, y + row), known.cell.radius, FOUND_BGR)
    for polygon in (*known.castle.roofs, *known.castle.keep):
        _outline(picture, [(x + CASTLE[1], y + CASTLE[0]) for x, y in polygon], CASTLE_BGR)
    return picture


def draw_ink(ink: Ink) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 BGR: a sheet's ink alone, in the pen's colour on white paper."""
    absorbed = 1 - np.array(ink.pen_bgr, np.float32)
    light = 1 - np.clip(ink.probability, 0, 1)[..., None] * absorbed
    return np.asarray(np.round(np.clip(light, 0, 1) * 255), np.uint8)


def _px(points: list[Point]) -> NDArray[np.int32]:
    at = (np.array(points) + 0.5 + PRINT_MARGIN) * PRINT_PX - 0.5
    return np.round(at * (1 << _SHIFT)).astype(np.int32)


def _outline(picture: NDArray[np.uint8], points: list[Point], bgr: tuple[int, int, int]) -> None:
    cv2.polylines(picture, [_px(points)], True, bgr, 2, cv2.LINE_AA, _SHIFT)


def _dot(picture: NDArray[np.uint8], at: Point, radius: float, bgr: tuple[int, int, int]) -> None:
    x, y = (int(v) for v in _px([at])[0])
    cv2.circle(picture, (x, y), round(radius * PRINT_PX * (1 << _SHIFT)), bgr, 2, cv2.LINE_AA,
               _SHIFT)  # fmt: skip
