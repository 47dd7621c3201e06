"""Draws a known print over its own picture, and the ink of a sheet, for people.

Pictures have `TEMPLATE_PX` pixels per cell.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kdscan.imaging.pens import PAPER as WHITE
from kdscan.imaging.pens import circle, polygon
from kdscan.imaging.picture import Ink, lattice_to_flat
from kdscan.rules.duel.board import CASTLE, CELLS
from kdscan.templates.template import TEMPLATE_MARGIN, TEMPLATE_PX, Template

FOUND_BGR, CASTLE_BGR, GRID_BGR = (160, 0, 200), (0, 110, 230), (200, 140, 0)
"""Colours of shields and circles, of the castle, of the lattice's nodes."""

_VEIL = 0.6  # opacity of the veil over what is not known at all


def draw_template(template: Template) -> NDArray[np.uint8]:
    """(736, 992, 3) uint8 BGR: the print with its cells' shields, circles and castle where they
    were found; what is not known yet is veiled in white."""
    h, w = template.bgr.shape[:2]
    coverage = cv2.resize(template.coverage, (w, h), interpolation=cv2.INTER_LINEAR)[..., None]
    veil = _VEIL * (1 - np.clip(coverage, 0, 1))
    picture = np.ascontiguousarray((template.bgr * (1 - veil) + 255 * veil).astype(np.uint8))
    for at in CELLS:
        middle = _px((0, 0), at)
        circle(picture, middle, 6, WHITE)  # or a blue print would hide the dot
        circle(picture, middle, 4, GRID_BGR)
    cell, castle = template.cell, template.castle
    for at in CELLS:
        if cell.shield:
            polygon(picture, _px(cell.shield, at), FOUND_BGR, 2)
        for xy in cell.circles:
            circle(picture, _px(xy, at), cell.radius * TEMPLATE_PX, FOUND_BGR, 2)
    for part in (*castle.roofs, *castle.keep):
        polygon(picture, _px(part, CASTLE), CASTLE_BGR, 2)
    return picture


def draw_ink(ink: Ink) -> NDArray[np.uint8]:
    """(H, W, 3) uint8 BGR: a sheet's ink alone, in the pen's colour on white paper."""
    absorbed = 1 - np.array(ink.pen_bgr, np.float32)
    light = 1 - np.clip(ink.probability, 0, 1)[..., None] * absorbed
    return np.asarray(np.round(np.clip(light, 0, 1) * 255), np.uint8)


def _px(xy: ArrayLike, cell: tuple[int, int]) -> NDArray[np.float64]:
    """Pixels of points given in cells from a cell's centre."""
    return lattice_to_flat(np.asarray(xy, np.float64) + cell[::-1], TEMPLATE_PX, TEMPLATE_MARGIN)
