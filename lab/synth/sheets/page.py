"""Renders the printed page of a random design from its layout and style.

Our own sheet is a rasterised PDF instead (`kdscan.paper.raster`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from kdscan.paper.parts import Layout, Point, Polygon, moved, rect
from kdscan.rules.duel.board import CASTLE, COLS, ROWS
from lab.synth.canvas import Canvas
from lab.synth.fields import U8, WHITE
from lab.synth.sheets.copies import reproduced
from lab.synth.sheets.grounds.draw import draw_ground
from lab.synth.sheets.legibility import ensure_contrast, lighten_ground
from lab.synth.sheets.page_decor import bare_paper, ornaments
from lab.synth.sheets.styles import PrintStyle


def print_page(layout: Layout, style: PrintStyle, px_per_mm: float) -> U8:
    """Draw an unmarked sheet.

    Returns (H, W, 3) uint8 BGR, H and W the page in mm times `px_per_mm`; the page
    point (x, y) mm lies at pixel (x, y) * px_per_mm - 0.5.
    """
    style = _thin_lines(style, layout)
    rng = np.random.default_rng(style.seed)
    w, h = (round(v * px_per_mm) for v in layout.page_mm)
    if style.palette is None:
        page = bare_paper(rng, (h, w), style)
    else:
        page = draw_ground(style.family, rng, layout, px_per_mm, style.palette)
        page = lighten_ground(page, layout, px_per_mm, rng)
        style = ensure_contrast(page, layout, style, px_per_mm)
    canvas = Canvas(page, px_per_mm)
    ornaments(canvas, layout, style, rng)
    _cells_and_lines(canvas, layout, style)
    for row in range(ROWS):
        for col in range(COLS):
            at = layout.center_mm(row, col)
            if (row, col) == CASTLE:
                _castle(canvas, layout, style, at)
            else:
                _shield(canvas, layout, style, at)
    return reproduced(rng, page, px_per_mm, painted=style.palette is not None)


def _thin_lines(style: PrintStyle, layout: Layout) -> PrintStyle:
    """The style with lines thin enough to leave room for drawing inside circles and cells."""
    cell = min(layout.cell_mm)
    return replace(
        style,
        line_mm=min(style.line_mm, 0.025 * cell),
        shield_mm=min(style.shield_mm, 0.035 * cell),
        circle_mm=min(style.circle_mm, 0.3 * layout.circle_radius_mm),
    )


def _cells_and_lines(canvas: Canvas, layout: Layout, style: PrintStyle) -> None:
    (gx, gy, gw, gh), (cw, ch) = layout.grid_rect, layout.cell_mm
    if style.cell_fill == "tint":
        canvas.fill(rect(gx, gy, gx + gw, gy + gh), style.cell_tint)
    for row in range(ROWS):
        for col in range(COLS):
            x, y = gx + col * cw, gy + row * ch
            if style.cell_fill == "checker" and (row + col) % 2:
                canvas.fill(rect(x, y, x + cw, y + ch), style.cell_tint)
            elif style.cell_fill == "boxes":
                m = 0.03 * cw
                box = rect(x + m, y + m, x + cw - m, y + ch - m)
                canvas.fill(box, style.cell_tint)
                if layout.lines != "none":
                    canvas.outline(box, style.line_color, style.line_mm)
    if style.cell_fill != "boxes":
        for i in range(1, COLS):
            _line(canvas, layout, style, (gx + i * cw, gy), (gx + i * cw, gy + gh))
        for i in range(1, ROWS):
            _line(canvas, layout, style, (gx, gy + i * ch), (gx + gw, gy + i * ch))
    _frame(canvas, layout, style, (gx, gy, gx + gw, gy + gh))


def _frame(
    canvas: Canvas, layout: Layout, style: PrintStyle, box: tuple[float, float, float, float]
) -> None:
    x0, y0, x1, y1 = box
    if style.frame == "none":
        corners = rect(x0, y0, x1, y1)
        for i, j in ((0, 1), (3, 2), (0, 3), (1, 2)):
            _line(canvas, layout, style, corners[i], corners[j])
        return
    r = 1.5 if style.frame == "rounded" else 0.0
    outline = [(x0 + r, y0), (x1 - r, y0), (x1, y0 + r), (x1, y1 - r)]
    outline += [(x1 - r, y1), (x0 + r, y1), (x0, y1 - r), (x0, y0 + r)]
    canvas.outline(outline, style.line_color, style.line_mm * 1.4)
    if style.frame == "double":
        d = 3 * style.line_mm
        canvas.outline(rect(x0 - d, y0 - d, x1 + d, y1 + d), style.line_color, style.line_mm)


def _line(canvas: Canvas, layout: Layout, style: PrintStyle, a: Point, b: Point) -> None:
    if layout.lines == "none":
        return
    if layout.lines == "ruled":
        canvas.line([a, b], style.line_color, style.line_mm, style.line_veil)
        return
    length = float(np.hypot(b[0] - a[0], b[1] - a[1]))
    cw = layout.cell_mm[0]
    period = cw * (0.12 if layout.lines == "dashed" else 0.055)
    n = round(length / period)
    ends: Sequence[float] = np.linspace(0, 1, n + 1).tolist()
    duty = 0.6 if layout.lines == "dashed" else 0.25
    for s, t in pairwise(ends):
        t = s + (t - s) * duty
        p = (a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1]))
        q = (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]))
        canvas.line([p, q], style.line_color, style.line_mm, style.line_veil)


def _shield(canvas: Canvas, layout: Layout, style: PrintStyle, at: Point) -> None:
    shield = moved(layout.shield, at)
    if style.shield_fill is not None:
        canvas.fill(shield, style.shield_fill, style.shield_veil)
    if style.shield_light is not None:
        canvas.outline(shield, style.shield_light, 2.4 * style.shield_mm)
    if style.emboss:
        _emboss(canvas, shield, style)
    if style.emboss < 0.6:  # what stands out boldly needs no line
        canvas.outline(shield, style.shield_color, style.shield_mm)
    if style.shield_inner:
        cx, cy = np.mean(layout.shield, axis=0)
        inner = tuple((0.86 * (x - cx), 0.86 * (y - cy)) for x, y in layout.shield)
        middle = (at[0] + cx, at[1] + cy)
        canvas.outline(moved(inner, middle), style.shield_color, style.shield_mm * 0.6)
    radius = layout.circle_radius_mm
    for center in moved(layout.circles, at):
        if style.circle_fill is not None:
            canvas.circle(center, radius, style.circle_fill, None, style.circle_veil)
        if style.circle_mm:
            canvas.circle(center, radius, style.circle_color, style.circle_mm)


def _emboss(canvas: Canvas, shield: Polygon, style: PrintStyle) -> None:
    """Light on the edges that face the upper left, shade on the others."""
    cx, cy = np.mean(shield, axis=0)
    for a, b in pairwise([*shield, shield[0]]):
        mx, my = (a[0] + b[0]) / 2 - cx, (a[1] + b[1]) / 2 - cy
        facing = -(mx + my) / (np.hypot(mx, my) * np.sqrt(2) + 1e-9)
        shade = WHITE if facing > 0 else (0.0, 0.0, 0.0)
        canvas.line([a, b], shade, 2 * style.shield_mm, abs(facing) * style.emboss)


def _castle(canvas: Canvas, layout: Layout, style: PrintStyle, at: Point) -> None:
    castle = layout.castle
    for part, color in ((castle.keep, style.castle_fill), (castle.roofs, style.roof_fill)):
        for polygon in part:
            points = moved(polygon, at)
            if color is not None:
                canvas.fill(points, color)
            canvas.outline(points, style.castle_color, max(0.2, style.shield_mm * 0.8))
