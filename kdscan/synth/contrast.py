"""Contrast of printed shields and circles with their ground, for random designs."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from kdscan.records import CELLS
from kdscan.sheet.parts import Layout, Point
from kdscan.synth.fields import F32, U8, Color
from kdscan.synth.grounds.palette import Palette, luma
from kdscan.synth.styles import PrintStyle

MIN_CONTRAST = 30.0
"""Least difference in brightness (0..255) between the outlines of shields or circles and their
ground, except at a share `BLENDED` of their points. Estimated by eye."""
BLENDED = 0.25

_BLACK, _WHITE = (25.0, 25.0, 25.0), (255.0, 255.0, 255.0)


def ensure_contrast(page: U8, layout: Layout, style: PrintStyle, px_per_mm: float) -> PrintStyle:
    """The style, with other colours for outlines that would be invisible on the ground.

    page: (H, W, 3) uint8 BGR, the ground alone.
    """
    palette = style.palette
    if palette is None:
        return style
    soft = cv2.GaussianBlur(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY), (0, 0), 1.5)
    grey = np.asarray(soft, np.float32)
    around = _sample(grey, layout, layout.shield, px_per_mm)
    light, fill = style.shield_light, style.shield_fill
    marks = [style.shield_color] if style.emboss < 0.6 else []
    marks += [light] if light is not None else []
    shown = max([_contrast(around, mark) for mark in marks], default=0.0)
    if fill is not None:
        shown = max(shown, style.shield_veil * _contrast(around, fill))
    if shown < MIN_CONTRAST:
        color, emboss = _best(around, palette), min(style.emboss, 0.5)
        style = replace(style, shield_color=color, emboss=emboss)
    rings = _sample(grey, layout, layout.circles, px_per_mm)
    shown = _contrast(rings, style.circle_color) if style.circle_mm else 0.0
    if style.circle_fill is not None:
        shown = max(shown, style.circle_veil * _contrast(rings, style.circle_fill))
    if shown < MIN_CONTRAST:
        ring = style.circle_mm or 0.02 * min(layout.cell_mm)
        style = replace(style, circle_color=_best(rings, palette), circle_mm=ring)
    return style


def _sample(grey: F32, layout: Layout, places: tuple[Point, ...], px_per_mm: float) -> F32:
    """Brightness of the ground at places of all cells (mm from a cell's middle)."""
    cells = np.array([layout.center_mm(*at) for at in CELLS])
    at = (cells[:, None] + np.array(places)).reshape(-1, 2) * px_per_mm - 0.5
    x, y = np.clip(np.round(at), 0, np.array(grey.shape[::-1]) - 1).astype(int).T
    return np.asarray(grey[y, x], np.float32)


def _contrast(ground: F32, color: Color) -> float:
    return float(np.quantile(np.abs(ground - luma(color)), BLENDED))


def _best(ground: F32, palette: Palette) -> Color:
    """The palette's ink where that can be seen, else black or white."""
    if _contrast(ground, palette.ink) >= 1.5 * MIN_CONTRAST:
        return palette.ink
    return max(_BLACK, _WHITE, key=lambda color: _contrast(ground, color))
