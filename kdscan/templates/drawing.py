"""Draws a known print: over its own picture for people, and as a plain page for the network.

Pictures have `TEMPLATE_PX` pixels per cell.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdscan.imaging.pens import PAPER as WHITE
from kdscan.imaging.pens import Color, circle, line, polygon
from kdscan.imaging.rectify import FLAT_MARGIN, Ink, lattice_to_flat
from kdscan.rules.duel.board import CASTLE, CELLS, COLS, ROWS
from kdscan.templates.template import TEMPLATE_MARGIN, TEMPLATE_PX, Template

FOUND_BGR, CASTLE_BGR, GRID_BGR = (160, 0, 200), (0, 110, 230), (200, 140, 0)
"""Colours of shields and circles, of the castle, of the lattice's nodes."""

PAPER, RULED, OUTLINE = 240, 180, 120
"""Grey levels of the plain page's paper, of lines between cells, of shields and circles."""
FULL_INK = 0.78
"""Share of the light that full ink absorbs: between pencil and ballpoint."""

_VEIL = 0.6  # opacity of the veil over what is not known at all


def draw_template(template: Template) -> NDArray[np.uint8]:
    """(736, 992, 3) uint8 BGR: the print with its cells' shields, circles and castle where they
    were found; what is not known yet is veiled in white."""
    h, w = template.bgr.shape[:2]
    coverage = cv2.resize(template.coverage, (w, h), interpolation=cv2.INTER_LINEAR)[..., None]
    veil = _VEIL * (1 - np.clip(coverage, 0, 1))
    picture = np.ascontiguousarray((template.bgr * (1 - veil) + 255 * veil).astype(np.uint8))
    for at in CELLS:
        middle = _px((0, 0), at, TEMPLATE_MARGIN)
        circle(picture, middle, 6, WHITE)  # or a blue print would hide the dot
        circle(picture, middle, 4, GRID_BGR)
    _geometry(picture, template, TEMPLATE_MARGIN, FOUND_BGR, CASTLE_BGR)
    return picture


def draw_ink(ink: Ink) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 BGR: a sheet's ink alone, in the pen's colour on white paper."""
    absorbed = 1 - np.array(ink.pen_bgr, np.float32)
    light = 1 - np.clip(ink.probability, 0, 1)[..., None] * absorbed
    return np.asarray(np.round(np.clip(light, 0, 1) * 255), np.uint8)


def on_plain_page(ink: Ink, template: Template) -> NDArray[np.uint8]:
    """A sheet's ink rendered on a plain page with its print's geometry: (H, W, 3) uint8, in the
    frame of `RectifiedSheet.bgr`. The marks network reads it like a pale design, whatever the
    print."""
    left = 1 - np.float32(FULL_INK) * ink.probability
    grey = np.asarray(plain_page(template) * left, np.uint8)
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)


@lru_cache(maxsize=8)
def plain_page(template: Template) -> NDArray[np.float32]:
    """(H, W) float32, grey levels, with thin cells, shields, circles and castle; not to be written
    to."""
    size = tuple(round((n + 2 * FLAT_MARGIN) * TEMPLATE_PX) for n in (ROWS, COLS))
    page = np.full(size, PAPER, np.uint8)
    if template.lines != "none":
        ends = [[(-0.5, i - 0.5), (COLS - 0.5, i - 0.5)] for i in range(ROWS + 1)]
        ends += [[(i - 0.5, -0.5), (i - 0.5, ROWS - 0.5)] for i in range(COLS + 1)]
        for a, b in _px(ends, (0, 0), FLAT_MARGIN):
            line(page, a, b, (RULED,) * 3, 1)
    _geometry(page, template, FLAT_MARGIN, (OUTLINE,) * 3, (OUTLINE,) * 3)
    plain = page.astype(np.float32)
    plain.setflags(write=False)
    return plain


def _geometry(
    picture: NDArray[np.uint8], template: Template, margin: float, color: Color, castle: Color
) -> None:
    """Draw all shields and circles, and the castle, in place."""
    for at in CELLS:
        if template.cell.shield:
            polygon(picture, _px(template.cell.shield, at, margin), color, 2)
        for xy in template.cell.circles:
            circle(picture, _px(xy, at, margin), template.cell.radius * TEMPLATE_PX, color, 2)
    for part in (*template.castle.roofs, *template.castle.keep):
        polygon(picture, _px(part, CASTLE, margin), castle, 2)


def _px(xy: ArrayLike, cell: tuple[int, int], margin: float) -> NDArray[np.float64]:
    """Pixels of points given in cells from a cell's centre."""
    return lattice_to_flat(np.asarray(xy, np.float64) + cell[::-1], TEMPLATE_PX, margin)
