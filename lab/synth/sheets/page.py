"""Renders the printed page of a random design from its layout and style.

Our own sheet is a rasterised PDF instead (`kdscan.paper.printing`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import pi, tau

import cv2
import numpy as np

from kdscan.imaging.arrays import sigmoid
from kdscan.paper.layout import Layout, Point, moved, rect
from kdscan.rules.duel.board import CASTLE, CELLS, COLS, ROWS
from lab.synth.fields import (
    F32,
    U8,
    WHITE,
    Canvas,
    Color,
    Rng,
    Size,
    f32,
    gaussian,
    noise,
    smooth_noise,
    stretched,
    to_u8,
    toward,
    u8,
    weighted,
)
from lab.synth.sheets.designs import PrintStyle
from lab.synth.sheets.grounds.draw import draw_ground
from lab.synth.sheets.grounds.palette import Palette, luma


def bare_paper(rng: Rng, shape: Size, style: PrintStyle) -> U8:
    """Paper of (h, w) pixels, with its grain, its age and a pale picture: (h, w, 3) uint8 BGR."""
    h, w = shape
    tone = np.zeros((h, w), np.float32)
    if style.paper_grain:
        tone += style.paper_grain * smooth_noise(rng, shape, rng.uniform(3, 60))
        tone += 0.5 * style.paper_grain * smooth_noise(rng, shape, rng.uniform(60, 300))
    if rng.random() < 0.15:  # aged edges
        y, x = f32(np.mgrid[0:h, 0:w])
        edge = np.minimum(np.minimum(x, w - x), np.minimum(y, h - y)) / (0.12 * min(h, w))
        tone -= 30 * np.exp(-edge) * rng.uniform(0.3, 1)
    picture = np.zeros((h, w), np.float32)
    if style.illustration:
        # a pale drawing under the grid: hills, blots, rays or stripes; 0..1 float32
        canvas: F32 = np.zeros((h // 2 + 1, w // 2 + 1), np.float32)
        ch, cw = canvas.shape
        kind = rng.integers(0, 4)
        for _ in range(rng.integers(3, 14)):
            shade = rng.uniform(0.25, 1)
            x, y = int(rng.uniform(0, cw)), int(rng.uniform(0, ch))
            size = int(rng.uniform(0.05, 0.35) * cw)
            if kind == 0:
                axes = (size, max(2, size // 2))
                lean, thick = rng.uniform(0, 180), 2 + size // 30
                cv2.ellipse(canvas, (x, y), axes, lean, 180, 360, shade, thick, cv2.LINE_AA)
            elif kind == 1:
                a = np.sort(rng.uniform(0, tau, 9))
                r = size * rng.uniform(0.4, 1, 9)
                blot = ((x, y) + r[:, None] * toward(a)).astype(np.int32)
                cv2.fillPoly(canvas, [blot], shade, cv2.LINE_AA)
            elif kind == 2:
                end = (int(rng.uniform(0, cw)), int(rng.uniform(0, ch)))
                cv2.line(canvas, (x, y), end, shade, max(1, size // 25), cv2.LINE_AA)
            else:
                cv2.circle(canvas, (x, y), size, shade, max(1, size // 12), cv2.LINE_AA)
        if rng.random() < 0.5:
            canvas = gaussian(canvas, rng.uniform(1, 8))
        picture = stretched(canvas, (w, h)) * style.illustration * 255
    paper = np.array(style.paper, np.float32)
    tint = f32(rng.uniform(0.4, 1.0, 3))
    page = paper + tone[..., None] - picture[..., None] * tint
    return u8(np.clip(page, 0, 255))


def ornaments(canvas: Canvas, layout: Layout, style: PrintStyle, rng: Rng) -> None:
    """What is printed around the grid: title, frames, boxes, legend."""
    (gx, gy, gw, gh), ch = layout.grid_rect, layout.cell_mm[1]
    page_w, page_h = layout.page_mm
    below = page_h - gy - gh
    if style.title and gy > 4:
        x = gx + gw * float(rng.choice([0.5, 0.3, 0.7]))
        size = min(gy * 0.45, ch * 0.35)
        canvas.text((x, gy * rng.uniform(0.4, 0.6)), style.title, size, style.castle_color, rng)
    for _ in range(style.ornaments):
        kind = rng.integers(0, 4)
        if kind == 0:  # a border round the page
            m = rng.uniform(0.8, max(0.9, min(gx, gy, below) * 0.7))
            box = rect(m, m, page_w - m, page_h - m)
            canvas.outline(box, style.line_color, rng.uniform(0.2, 1.2))
        elif kind == 1 and below > 6:  # boxes for points below the grid
            n = int(rng.integers(3, 9))
            size = min(below * 0.6, gw / n * 0.8)
            for i in range(n):
                x, y = gx + gw * (i + 0.2) / n, gy + gh + below * 0.2
                canvas.outline(rect(x, y, x + size, y + size), style.shield_color, 0.3)
        elif kind == 2 and below > 4:
            at, size = (gx + gw / 2, gy + gh + below * 0.55), min(below * 0.3, 4)
            canvas.text(at, "name ............ date ........", size, style.line_color, rng)
        elif kind == 3 and gx > 3:  # row numbers
            for row in range(ROWS):
                at = (gx * 0.5, gy + ch * (row + 0.5))
                canvas.text(at, str(row + 1), min(gx * 0.5, 4), style.line_color, rng)
    if style.legend and below > 0.5 * ch:
        _legend(canvas, style, (gx, gy + gh + below * 0.5), gw, below * 0.5)


def _legend(canvas: Canvas, style: PrintStyle, at: Point, width: float, height: float) -> None:
    """The six coats printed small under the grid: marks that must not be read."""
    s = height / 2
    for i in range(6):
        x, y = at[0] + width * (i + 0.5) / 6, at[1]
        box = rect(x - s, y - s, x + s, y + s)
        canvas.outline(box, style.shield_color, style.shield_mm)
        ink = style.castle_color
        if i < 2:
            for d in ((0,), (-0.4, 0.4))[i]:
                canvas.circle((x, y + d * s), s * 0.22, ink, None)
        elif i < 4:
            for d in ((0.0,), (-0.3, 0.3))[i - 2]:
                ends = [(x - s * 0.7, y + (0.5 + d) * s), (x + s * 0.7, y + (d - 0.5) * s)]
                canvas.line(ends, ink, s * 0.12)
        elif i == 4:
            canvas.fill(box, ink)
        else:
            canvas.fill([(x, y), (x + s, y), (x + s, y - s), (x, y - s)], ink)
            canvas.fill([(x, y), (x - s, y), (x - s, y + s), (x, y + s)], ink)


COPIED = 0.1
"""Share of prints that come from a copier or a poor printer."""


def reproduced(rng: Rng, page: U8, px_per_mm: float, painted: bool) -> U8:
    """A print (H, W, 3) as it left the press, or a copy of it. painted: its ground carries most of
    the picture, which a hard copy would turn black."""
    if rng.random() >= COPIED:
        return page
    kind = weighted(rng, {"photocopy": 0.4, "screen": 0.3, "toner": 0.3})
    if kind == "toner":
        # pale stripes down the page, where a cartridge is empty
        h, w = page.shape[:2]
        at = np.arange(w, dtype=np.float32)
        fade = np.zeros((h, w), np.float32)
        for _ in range(rng.integers(1, 5)):
            width = rng.uniform(0.5, 8) * px_per_mm
            stripe = rng.uniform(0.2, 0.9) * np.exp(-(((at - rng.uniform(0, w)) / width) ** 2))
            fade = np.maximum(fade, stripe * (1 + 0.3 * noise(rng, (h, 1), 12)))
        fade = np.clip(fade + rng.uniform(0, 0.35), 0, 0.8)[..., None]
        return to_u8(page + (255 - f32(page)) * fade)
    grey = f32(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY))
    copy = (_photocopied if kind == "photocopy" else _screened)(rng, grey, px_per_mm, painted)
    return u8(cv2.cvtColor(to_u8(copy), cv2.COLOR_GRAY2BGR))


def _photocopied(rng: Rng, grey: F32, px_per_mm: float, painted: bool) -> F32:
    """Hard contrast, uneven edges, specks of dust; what was pale fades or turns grey."""
    grey = gaussian(grey, rng.uniform(0.08, 0.2) * px_per_mm)
    grain = 6 * f32(rng.normal(size=grey.shape))
    limit, slope = rng.uniform(110, 200), rng.uniform(40, 80) if painted else rng.uniform(8, 40)
    copy = 255 * sigmoid((grey + grain - limit) / slope)
    dust = f32(rng.random(grey.shape) < rng.exponential(0.004) / px_per_mm**2)
    size = rng.uniform(0.05, 0.12) * px_per_mm
    specks = gaussian(dust, size) * tau * size**2
    black = rng.uniform(10, 60)
    return f32(np.maximum(copy - rng.uniform(100, 250) * np.minimum(specks, 1), black))


def _screened(rng: Rng, grey: F32, px_per_mm: float, painted: bool) -> F32:
    """Greys as the dots of a laser printer, 2 to 4 per millimetre."""
    h, w = grey.shape
    y, x = f32(np.mgrid[:h, :w])
    turn = rng.uniform(0, pi / 2)
    pitch = tau * rng.uniform(2, 4) / px_per_mm
    across, along = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    dots = 127 + 60 * (np.cos(across * pitch) + np.cos(along * pitch))
    black = rng.uniform(0, 60)
    copy = np.where((grey > dots) | (grey > 250), 255, black)
    copy = gaussian(f32(copy), max(0.4, 0.08 * px_per_mm))
    share = rng.uniform(0.2, 0.6) if painted else rng.uniform(0.4, 1)
    return f32(share * copy + (1 - share) * grey)


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
    fade = rng.uniform(0, PALER[0]) if bold else rng.uniform(*PALER)
    side = 2 * round(THIN * min(layout.cell_mm) * px_per_mm / 2) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    closed = u8(cv2.morphologyEx(page, cv2.MORPH_CLOSE, disc))
    edge = 0.04 * min(layout.cell_mm) * px_per_mm
    weight = f32(gaussian(places, edge)) * (fade / 255)
    calm = u8(cv2.blendLinear(closed, page, weight, 1 - weight))
    grey = u8(cv2.cvtColor(closed, cv2.COLOR_BGR2GRAY))
    dark = float(np.quantile(grey[places > 127], 0.05))
    if dark >= MIN_GROUND:
        return calm
    paler = (255 - MIN_GROUND) / (255 - dark)
    return u8(cv2.convertScaleAbs(calm, None, paler, 255 * (1 - paler)))


def drawing_mask(layout: Layout, shape: Size, px_per_mm: float) -> U8:
    """(H, W) uint8: 255 on shields and circles, where players draw."""
    canvas = Canvas(np.zeros(shape, np.uint8), px_per_mm)
    for at in CELLS:
        middle = layout.center_mm(*at)
        canvas.fill(moved(layout.shield, middle), WHITE)
        for circle in moved(layout.circles, middle):
            canvas.circle(circle, 1.3 * layout.circle_radius_mm, WHITE, None)
    return canvas.page


def ensure_contrast(page: U8, layout: Layout, style: PrintStyle, px_per_mm: float) -> PrintStyle:
    """The style, with other colours for outlines that would be invisible on the ground. page: (H,
    W, 3) uint8 BGR, the ground alone."""
    palette = style.palette
    if palette is None:
        return style
    soft = gaussian(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY), 1.5)
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


def print_page(layout: Layout, style: PrintStyle, px_per_mm: float) -> U8:
    """Draw an unmarked sheet. Returns (H, W, 3) uint8 BGR, H and W the page in mm times
    `px_per_mm`; the page point (x, y) mm lies at pixel (x, y) * px_per_mm - 0.5."""
    # the style with lines thin enough to leave room for drawing inside circles and cells
    cell = min(layout.cell_mm)
    style = replace(
        style,
        line_mm=min(style.line_mm, 0.025 * cell),
        shield_mm=min(style.shield_mm, 0.035 * cell),
        circle_mm=min(style.circle_mm, 0.3 * layout.circle_radius_mm),
    )
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
    (gx, gy, gw, gh), (cw, ch) = layout.grid_rect, layout.cell_mm
    if style.cell_fill == "tint":
        canvas.fill(rect(gx, gy, gx + gw, gy + gh), style.cell_tint)
    for row, col in np.ndindex(ROWS, COLS):
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
    for row, col in np.ndindex(ROWS, COLS):
        at = layout.center_mm(row, col)
        if (row, col) == CASTLE:
            castle = layout.castle
            for part, color in ((castle.keep, style.castle_fill), (castle.roofs, style.roof_fill)):
                for polygon in part:
                    points = moved(polygon, at)
                    if color is not None:
                        canvas.fill(points, color)
                    canvas.outline(points, style.castle_color, max(0.2, style.shield_mm * 0.8))
        else:
            shield = moved(layout.shield, at)
            if style.shield_fill is not None:
                canvas.fill(shield, style.shield_fill, style.shield_veil)
            if style.shield_light is not None:
                canvas.outline(shield, style.shield_light, 2.4 * style.shield_mm)
            if style.emboss:
                # light on the edges that face the upper left, shade on the others
                cx, cy = np.mean(shield, axis=0)
                for a, b in pairwise([*shield, shield[0]]):
                    mx, my = (a[0] + b[0]) / 2 - cx, (a[1] + b[1]) / 2 - cy
                    facing = -(mx + my) / (np.hypot(mx, my) * np.sqrt(2) + 1e-9)
                    shade = WHITE if facing > 0 else (0.0, 0.0, 0.0)
                    canvas.line([a, b], shade, 2 * style.shield_mm, abs(facing) * style.emboss)
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
    return reproduced(rng, page, px_per_mm, painted=style.palette is not None)


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
