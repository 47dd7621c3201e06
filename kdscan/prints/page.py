"""A synthetic plain page with a print's geometry: thin cells, shields, circles and castle on
white."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX, lattice_to_flat
from kdscan.prints.known import KnownPrint
from kdscan.records import CASTLE, CELLS, COLS, ROWS, Ink
from kdscan.sheet.parts import Point

PAPER, RULED, OUTLINE = 240, 180, 120
"""Grey levels of the plain page's paper, of lines between cells, of shields and circles."""
FULL_INK = 0.78
"""Share of the light that full ink absorbs: between pencil and ballpoint."""

_SHIFT = 4  # cv2 draws with 1/16 pixel precision


def on_plain_page(ink: Ink, known: KnownPrint) -> NDArray[np.uint8]:
    """A sheet's ink rendered on a plain page with its print's geometry: (H, W, 3) uint8, in the
    frame of `RectifiedSheet.bgr`. The marks network reads it like a pale design, whatever the
    print."""
    left = 1 - np.float32(FULL_INK) * ink.probability
    grey = np.asarray(plain_page(known) * left, np.uint8)
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)


@lru_cache(maxsize=8)
def plain_page(known: KnownPrint) -> NDArray[np.float32]:
    """(H, W) float32, grey levels; not to be written to."""
    size = tuple(round((n + 2 * FLAT_MARGIN) * FLAT_PX) for n in (ROWS, COLS))
    page = np.full(size, PAPER, np.uint8)
    if known.lines != "none":
        across, down = COLS - 0.5, ROWS - 0.5
        for i in range(ROWS + 1):
            _polyline(page, [(-0.5, i - 0.5), (across, i - 0.5)], RULED, 1)
        for i in range(COLS + 1):
            _polyline(page, [(i - 0.5, -0.5), (i - 0.5, down)], RULED, 1)
    for row, col in CELLS:
        if known.cell.shield:
            _closed(page, [(x + col, y + row) for x, y in known.cell.shield])
        for x, y in known.cell.circles:
            _circle(page, (x + col, y + row), known.cell.radius)
    for polygon in (*known.castle.roofs, *known.castle.keep):
        _closed(page, [(x + CASTLE[1], y + CASTLE[0]) for x, y in polygon])
    plain = page.astype(np.float32)
    plain.setflags(write=False)
    return plain


def _px(points: list[Point]) -> NDArray[np.int32]:
    at = lattice_to_flat(np.array(points), FLAT_PX, FLAT_MARGIN)
    return np.round(at * (1 << _SHIFT)).astype(np.int32)


def _polyline(page: NDArray[np.uint8], points: list[Point], grey: int, width: int) -> None:
    cv2.polylines(page, [_px(points)], False, (grey,), width, cv2.LINE_AA, _SHIFT)


def _closed(page: NDArray[np.uint8], points: list[Point]) -> None:
    cv2.polylines(page, [_px(points)], True, (OUTLINE,), 2, cv2.LINE_AA, _SHIFT)


def _circle(page: NDArray[np.uint8], at: Point, radius: float) -> None:
    x, y = (int(v) for v in _px([at])[0])
    reach = round(radius * FLAT_PX * (1 << _SHIFT))
    cv2.circle(page, (x, y), reach, (OUTLINE,), 2, cv2.LINE_AA, _SHIFT)
