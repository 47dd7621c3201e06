"""Print that can be made out: no press prints white shields on white paper."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from kdscan.records import CELLS
from kdscan.sheet.layout import Layout, Point
from kdscan.synth.fields import F32, U8, Color
from kdscan.synth.grounds.palette import Palette, luma
from kdscan.synth.styles import PrintStyle

LEAST = 30.0
"""Brightness (0..255) by which shields and circles differ from the ground at all but `BLENDED` of
their places at least; a guess from looking at prints with less and with more."""
BLENDED = 0.25

_BLACK, _WHITE = (25.0, 25.0, 25.0), (255.0, 255.0, 255.0)


def legible(page: U8, layout: Layout, style: PrintStyle, px_per_mm: float) -> PrintStyle:
    """The style, with other outlines where shields or circles would vanish on the ground.

    page: (H, W, 3) uint8 BGR, the ground alone.
    """
    palette = style.palette
    if palette is None:
        return style
    soft = cv2.GaussianBlur(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY), (0, 0), 1.5)
    grey = np.asarray(soft, np.float32)
    around = _seen(grey, layout, layout.shield, px_per_mm)
    light, fill = style.shield_light, style.shield_fill
    marks = [style.shield_color] if style.emboss < 0.6 else []
    marks += [light] if light is not None else []
    shown = max([_contrast(around, mark) for mark in marks], default=0.0)
    if fill is not None:
        shown = max(shown, style.shield_veil * _contrast(around, fill))
    if shown < LEAST:
        color, emboss = _best(around, palette), min(style.emboss, 0.5)
        style = replace(style, shield_color=color, emboss=emboss)
    rings = _seen(grey, layout, layout.circles, px_per_mm)
    shown = _contrast(rings, style.circle_color) if style.circle_mm else 0.0
    if style.circle_fill is not None:
        shown = max(shown, style.circle_veil * _contrast(rings, style.circle_fill))
    if shown < LEAST:
        ring = style.circle_mm or 0.02 * min(layout.cell_mm)
        style = replace(style, circle_color=_best(rings, palette), circle_mm=ring)
    return style


def _seen(grey: F32, layout: Layout, places: tuple[Point, ...], px_per_mm: float) -> F32:
    """Brightness of the ground at places of all cells (mm from a cell's middle)."""
    cells = np.array([layout.center_mm(*at) for at in CELLS])
    at = (cells[:, None] + np.array(places)).reshape(-1, 2) * px_per_mm - 0.5
    x, y = np.clip(np.round(at), 0, np.array(grey.shape[::-1]) - 1).astype(int).T
    return np.asarray(grey[y, x], np.float32)


def _contrast(ground: F32, color: Color) -> float:
    return float(np.quantile(np.abs(ground - luma(color)), BLENDED))


def _best(ground: F32, palette: Palette) -> Color:
    """The palette's ink where that can be seen, else black or white."""
    if _contrast(ground, palette.ink) >= 1.5 * LEAST:
        return palette.ink
    return max(_BLACK, _WHITE, key=lambda color: _contrast(ground, color))
