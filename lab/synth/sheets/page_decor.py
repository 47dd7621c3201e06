"""What is printed under and around the grid of a random design: paper, pictures, titles, frames."""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.paper.parts import Layout, Point, rect
from kdscan.rules.duel.board import ROWS
from lab.synth.canvas import Canvas, smooth_noise
from lab.synth.fields import F32, U8, Rng, f32, toward, u8
from lab.synth.sheets.styles import PrintStyle


def bare_paper(rng: Rng, shape: tuple[int, int], style: PrintStyle) -> U8:
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
        picture = _illustration(rng, shape) * style.illustration * 255
    paper = np.array(style.paper, np.float32)
    tint = f32(rng.uniform(0.4, 1.0, 3))
    page = paper + tone[..., None] - picture[..., None] * tint
    return u8(np.clip(page, 0, 255))


def _illustration(rng: Rng, shape: tuple[int, int]) -> F32:
    """A pale drawing under the grid: hills, blots, rays or stripes; 0..1 float32."""
    h, w = shape
    canvas: F32 = np.zeros((h // 2 + 1, w // 2 + 1), np.float32)
    ch, cw = canvas.shape
    kind = rng.integers(0, 4)
    for _ in range(int(rng.integers(3, 14))):
        shade = rng.uniform(0.25, 1)
        x, y = int(rng.uniform(0, cw)), int(rng.uniform(0, ch))
        size = int(rng.uniform(0.05, 0.35) * cw)
        if kind == 0:
            axes = (size, max(2, size // 2))
            lean, thick = rng.uniform(0, 180), 2 + size // 30
            cv2.ellipse(canvas, (x, y), axes, lean, 180, 360, shade, thick, cv2.LINE_AA)
        elif kind == 1:
            a = np.sort(rng.uniform(0, 2 * np.pi, 9))
            r = size * rng.uniform(0.4, 1, 9)
            blot = ((x, y) + r[:, None] * toward(a)).astype(np.int32)
            cv2.fillPoly(canvas, [blot], shade, cv2.LINE_AA)
        elif kind == 2:
            end = (int(rng.uniform(0, cw)), int(rng.uniform(0, ch)))
            cv2.line(canvas, (x, y), end, shade, max(1, size // 25), cv2.LINE_AA)
        else:
            cv2.circle(canvas, (x, y), size, shade, max(1, size // 12), cv2.LINE_AA)
    if rng.random() < 0.5:
        canvas = f32(cv2.GaussianBlur(canvas, (0, 0), rng.uniform(1, 8)))
    return f32(cv2.resize(canvas, (w, h)))


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
