"""Legibility: keeps the ground pale enough where players draw, and shields and circles visible
on it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from kdscan.paper.parts import Layout, Point, moved
from kdscan.rules.duel.board import CELLS
from lab.synth.canvas import Canvas
from lab.synth.fields import F32, U8, WHITE, Color, Rng, f32, u8
from lab.synth.sheets.grounds.palette import Palette, luma
from lab.synth.sheets.styles import PrintStyle

MIN_GROUND = 95.0
"""Least brightness (0..255) of the ground under shields and circles, as its 5% quantile: the sea of
the publisher's box has 97. Pencil on darker ground cannot be distinguished from it."""

THIN = 0.07
"""Cells: thinner dark lines are drawings of hills and woods rather than areas."""

PALER, BOLD = (0.5, 0.95), 0.15
"""Range of the share by which such lines are faded under shields and circles, and share of sheets
on which they may be faded less."""

MIN_CONTRAST, BLENDED = 30.0, 0.25
"""Least difference (0..255) that people can see, estimated by eye. For a pen's line it is the root
mean square over the channels, required on nine tenths of its ground; for outlines of shields and
circles the difference in brightness, required except at a share `BLENDED` of their points."""

_BLACK: Color = (25.0, 25.0, 25.0)


def lighten_ground(page: U8, layout: Layout, px_per_mm: float, rng: Rng) -> U8:
    """The page (H, W, 3) uint8 BGR, lightened until a careful person can read pencil on it.

    Thin dark lines are faded under shields and circles; if the ground there is still too dark, the
    whole page is lightened.
    """
    places = drawing_mask(layout, page.shape[:2], px_per_mm)
    bold = rng.random() < BOLD
    fade = float(rng.uniform(0, PALER[0]) if bold else rng.uniform(*PALER))
    side = 2 * round(THIN * min(layout.cell_mm) * px_per_mm / 2) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    closed = u8(cv2.morphologyEx(page, cv2.MORPH_CLOSE, disc))
    edge = 0.04 * min(layout.cell_mm) * px_per_mm
    weight = f32(cv2.GaussianBlur(places, (0, 0), edge)) * np.float32(fade / 255)
    calm = u8(cv2.blendLinear(closed, page, weight, 1 - weight))
    grey = u8(cv2.cvtColor(closed, cv2.COLOR_BGR2GRAY))
    dark = float(np.quantile(grey[places > 127], 0.05))
    if dark >= MIN_GROUND:
        return calm
    paler = (255 - MIN_GROUND) / (255 - dark)
    return u8(cv2.convertScaleAbs(calm, None, paler, 255 * (1 - paler)))


def drawing_mask(layout: Layout, shape: tuple[int, int], px_per_mm: float) -> U8:
    """(H, W) uint8: 255 on shields and circles, where players draw."""
    canvas = Canvas(np.zeros(shape, np.uint8), px_per_mm)
    for at in CELLS:
        middle = layout.center_mm(*at)
        canvas.fill(moved(layout.shield, middle), WHITE)
        for circle in moved(layout.circles, middle):
            canvas.circle(circle, 1.3 * layout.circle_radius_mm, WHITE, None)
    return canvas.page


def ensure_contrast(page: U8, layout: Layout, style: PrintStyle, px_per_mm: float) -> PrintStyle:
    """The style, with other colours for outlines that would be invisible on the ground.

    page: (H, W, 3) uint8 BGR, the ground alone.
    """
    palette = style.palette
    if palette is None:
        return style
    soft = cv2.GaussianBlur(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY), (0, 0), 1.5)
    grey = f32(soft)
    around = _sample(grey, layout, layout.shield, px_per_mm)
    light, fill = style.shield_light, style.shield_fill
    marks = [style.shield_color] if style.emboss < 0.6 else []
    marks += [light] if light is not None else []
    shown = max([_stands_out(around, mark) for mark in marks], default=0.0)
    if fill is not None:
        shown = max(shown, style.shield_veil * _stands_out(around, fill))
    if shown < MIN_CONTRAST:
        color, emboss = _best(around, palette), min(style.emboss, 0.5)
        style = replace(style, shield_color=color, emboss=emboss)
    rings = _sample(grey, layout, layout.circles, px_per_mm)
    shown = _stands_out(rings, style.circle_color) if style.circle_mm else 0.0
    if style.circle_fill is not None:
        shown = max(shown, style.circle_veil * _stands_out(rings, style.circle_fill))
    if shown < MIN_CONTRAST:
        ring = style.circle_mm or 0.02 * min(layout.cell_mm)
        style = replace(style, circle_color=_best(rings, palette), circle_mm=ring)
    return style


def _sample(grey: F32, layout: Layout, places: tuple[Point, ...], px_per_mm: float) -> F32:
    """Brightness of the ground at places of all cells (mm from a cell's middle)."""
    cells = np.array([layout.center_mm(*at) for at in CELLS])
    at = (cells[:, None] + np.array(places)).reshape(-1, 2) * px_per_mm - 0.5
    x, y = np.clip(np.round(at), 0, np.array(grey.shape[::-1]) - 1).astype(int).T
    return f32(grey[y, x])


def _stands_out(ground: F32, color: Color) -> float:
    return float(np.quantile(np.abs(ground - luma(color)), BLENDED))


def _best(ground: F32, palette: Palette) -> Color:
    """The palette's ink if that is visible, else black or white."""
    if _stands_out(ground, palette.ink) >= 1.5 * MIN_CONTRAST:
        return palette.ink
    return max(_BLACK, WHITE, key=lambda color: _stands_out(ground, color))
