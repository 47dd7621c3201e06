"""The printing press for random designs: layout and style to a page of pixels.

Our own sheet needs none of this: it is the rasterised PDF (`kdscan.sheet.raster`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.records import CASTLE
from kdscan.sheet.layout import Layout, Point
from kdscan.synth.designs import Color, PrintStyle

_SHIFT = 4  # cv2 draws with 1/16 pixel precision


class _Plate:
    """A page that is drawn on in mm."""

    def __init__(self, page: NDArray[np.uint8], px_per_mm: float) -> None:
        self.page, self.scale = page, px_per_mm

    def px(self, points: Iterable[Point]) -> NDArray[np.int32]:
        return np.round((np.array(list(points)) * self.scale - 0.5) * (1 << _SHIFT)).astype(
            np.int32
        )

    def width(self, mm: float) -> int:
        return max(1, round(mm * self.scale))

    def fill(self, points: Iterable[Point], color: Color) -> None:
        cv2.fillPoly(self.page, [self.px(points)], color, cv2.LINE_AA, _SHIFT)

    def stroke(self, points: Iterable[Point], color: Color, mm: float, closed: bool = True) -> None:
        cv2.polylines(
            self.page, [self.px(points)], closed, color, self.width(mm), cv2.LINE_AA, _SHIFT
        )

    def circle(self, at: Point, radius: float, color: Color, mm: float | None) -> None:
        center = self.px([at])[0]
        r = round(radius * self.scale * (1 << _SHIFT))
        thick = -1 if mm is None else self.width(mm)
        cv2.circle(
            self.page, (int(center[0]), int(center[1])), r, color, thick, cv2.LINE_AA, _SHIFT
        )

    def text(
        self, at: Point, text: str, size_mm: float, color: Color, rng: np.random.Generator
    ) -> None:
        faces = [cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SIMPLEX]
        if rng.random() < 0.3:
            faces = [cv2.FONT_HERSHEY_SCRIPT_COMPLEX]
        face = faces[int(rng.integers(0, len(faces)))]
        scale = size_mm * self.scale / 22
        (w, h), _ = cv2.getTextSize(text, face, scale, 1)
        x, y = at[0] * self.scale - w / 2, at[1] * self.scale + h / 2
        thick = max(1, round(scale * 1.3))
        cv2.putText(self.page, text, (int(x), int(y)), face, scale, color, thick, cv2.LINE_AA)


def smooth_noise(
    rng: np.random.Generator, shape: tuple[int, int], cells: float
) -> NDArray[np.float32]:
    """Noise of about unit variance, `cells` bumps across the longer side; (H, W) float32."""
    h, w = shape
    k = max(h, w) / max(cells, 1)
    small = rng.normal(0, 1, (max(2, round(h / k) + 2), max(2, round(w / k) + 2))).astype(
        np.float32
    )
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC), np.float32)


def print_page(layout: Layout, style: PrintStyle, px_per_mm: float) -> NDArray[np.uint8]:
    """Draw an unmarked sheet.

    Returns (H, W, 3) uint8 BGR, H and W the page in mm times `px_per_mm`; the page
    point (x, y) mm lies at pixel (x, y) * px_per_mm - 0.5.
    """
    style = _slender(style, layout)
    rng = np.random.default_rng(style.seed)
    w, h = (round(v * px_per_mm) for v in layout.page_mm)
    page = _paper(rng, (h, w), style)
    plate = _Plate(page, px_per_mm)
    _ornaments(plate, layout, style, rng)
    _cells_and_lines(plate, layout, style)
    for row in range(layout.rows):
        for col in range(layout.cols):
            at = layout.center_mm(row, col)
            if (row, col) == CASTLE:
                _castle(plate, layout, style, at)
            else:
                _shield(plate, layout, style, at)
    return page


def _slender(style: PrintStyle, layout: Layout) -> PrintStyle:
    """The style with lines that leave room for what is drawn inside circles and cells."""
    cell = min(layout.cell_mm)
    return replace(
        style,
        line_mm=min(style.line_mm, 0.025 * cell),
        shield_mm=min(style.shield_mm, 0.035 * cell),
        circle_mm=min(style.circle_mm, 0.3 * layout.circle_radius_mm),
    )


def _paper(
    rng: np.random.Generator, shape: tuple[int, int], style: PrintStyle
) -> NDArray[np.uint8]:
    h, w = shape
    tone = np.zeros((h, w), np.float32)
    if style.paper_grain:
        tone += style.paper_grain * smooth_noise(rng, shape, float(rng.uniform(3, 60)))
        tone += 0.5 * style.paper_grain * smooth_noise(rng, shape, float(rng.uniform(60, 300)))
    if rng.random() < 0.15:  # aged edges
        y, x = np.mgrid[0:h, 0:w].astype(np.float32)
        edge = np.minimum(np.minimum(x, w - x), np.minimum(y, h - y)) / (0.12 * min(h, w))
        tone -= 30 * np.exp(-edge) * rng.uniform(0.3, 1)
    picture = np.zeros((h, w), np.float32)
    if style.illustration:
        picture = _illustration(rng, shape) * style.illustration * 255
    paper = np.array(style.paper, np.float32)
    tint = rng.uniform(0.4, 1.0, 3).astype(np.float32)
    page = paper + tone[..., None] - picture[..., None] * tint
    return np.clip(page, 0, 255).astype(np.uint8)


def _illustration(rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.float32]:
    """A pale drawing under the grid: hills, blots, rays or stripes; 0..1 float32."""
    h, w = shape
    canvas: NDArray[np.float32] = np.zeros((h // 2 + 1, w // 2 + 1), np.float32)
    ch, cw = canvas.shape
    kind = rng.integers(0, 4)
    for _ in range(int(rng.integers(3, 14))):
        shade = float(rng.uniform(0.25, 1))
        x, y = int(rng.uniform(0, cw)), int(rng.uniform(0, ch))
        size = int(rng.uniform(0.05, 0.35) * cw)
        if kind == 0:
            axes = (size, max(2, size // 2))
            cv2.ellipse(
                canvas,
                (x, y),
                axes,
                float(rng.uniform(0, 180)),
                180,
                360,
                shade,
                2 + size // 30,
                cv2.LINE_AA,
            )
        elif kind == 1:
            a = np.sort(rng.uniform(0, 2 * np.pi, 9))
            r = size * rng.uniform(0.4, 1, 9)
            blot = np.stack([x + r * np.cos(a), y + r * np.sin(a)], 1).astype(np.int32)
            cv2.fillPoly(canvas, [blot], shade, cv2.LINE_AA)
        elif kind == 2:
            end = (int(rng.uniform(0, cw)), int(rng.uniform(0, ch)))
            cv2.line(canvas, (x, y), end, shade, max(1, size // 25), cv2.LINE_AA)
        else:
            cv2.circle(canvas, (x, y), size, shade, max(1, size // 12), cv2.LINE_AA)
    if rng.random() < 0.5:
        canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), float(rng.uniform(1, 8))), np.float32)
    return np.asarray(cv2.resize(canvas, (w, h)), np.float32)


def _ornaments(plate: _Plate, layout: Layout, style: PrintStyle, rng: np.random.Generator) -> None:
    """Title, frames, boxes, legend: what stands around the grid."""
    (gx, gy), (cw, ch) = layout.grid_mm, layout.cell_mm
    gw, gh = cw * layout.cols, ch * layout.rows
    page_w, page_h = layout.page_mm
    below = page_h - gy - gh
    if style.title and gy > 4:
        x = gx + gw * float(rng.choice([0.5, 0.3, 0.7]))
        size = min(gy * 0.45, ch * 0.35)
        plate.text((x, gy * rng.uniform(0.4, 0.6)), style.title, size, style.castle_color, rng)
    for _ in range(style.ornaments):
        kind = rng.integers(0, 4)
        if kind == 0:  # a border round the page
            m = rng.uniform(0.8, max(0.9, min(gx, gy, below) * 0.7))
            box = [(m, m), (page_w - m, m), (page_w - m, page_h - m), (m, page_h - m)]
            plate.stroke(box, style.line_color, rng.uniform(0.2, 1.2))
        elif kind == 1 and below > 6:  # boxes for points below the grid
            n = int(rng.integers(3, 9))
            size = min(below * 0.6, gw / n * 0.8)
            for i in range(n):
                x, y = gx + gw * (i + 0.2) / n, gy + gh + below * 0.2
                plate.stroke(
                    [(x, y), (x + size, y), (x + size, y + size), (x, y + size)],
                    style.shield_color,
                    0.3,
                )
        elif kind == 2 and below > 4:
            plate.text(
                (gx + gw / 2, gy + gh + below * 0.55),
                "name ............ date ........",
                min(below * 0.3, 4),
                style.line_color,
                rng,
            )
        elif kind == 3 and gx > 3:  # row numbers
            for row in range(layout.rows):
                plate.text(
                    (gx * 0.5, gy + ch * (row + 0.5)),
                    str(row + 1),
                    min(gx * 0.5, 4),
                    style.line_color,
                    rng,
                )
    if style.legend and below > 0.5 * ch:
        _legend(plate, style, (gx, gy + gh + below * 0.5), gw, below * 0.5)


def _legend(plate: _Plate, style: PrintStyle, at: Point, width: float, height: float) -> None:
    """The six coats printed small under the grid: marks that must not be read."""
    s = height / 2
    for i in range(6):
        x, y = at[0] + width * (i + 0.5) / 6, at[1]
        box = [(x - s, y - s), (x + s, y - s), (x + s, y + s), (x - s, y + s)]
        plate.stroke(box, style.shield_color, style.shield_mm)
        ink = style.castle_color
        if i < 2:
            for d in ((0,), (-0.4, 0.4))[i]:
                plate.circle((x, y + d * s), s * 0.22, ink, None)
        elif i < 4:
            for d in ((0.0,), (-0.3, 0.3))[i - 2]:
                plate.stroke(
                    [(x - s * 0.7, y + (0.5 + d) * s), (x + s * 0.7, y + (d - 0.5) * s)],
                    ink,
                    s * 0.12,
                    False,
                )
        elif i == 4:
            plate.fill(box, ink)
        else:
            plate.fill([(x, y), (x + s, y), (x + s, y - s), (x, y - s)], ink)
            plate.fill([(x, y), (x - s, y), (x - s, y + s), (x, y + s)], ink)


def _cells_and_lines(plate: _Plate, layout: Layout, style: PrintStyle) -> None:
    (gx, gy), (cw, ch) = layout.grid_mm, layout.cell_mm
    gw, gh = cw * layout.cols, ch * layout.rows
    if style.cell_fill == "tint":
        plate.fill([(gx, gy), (gx + gw, gy), (gx + gw, gy + gh), (gx, gy + gh)], style.cell_tint)
    for row in range(layout.rows):
        for col in range(layout.cols):
            x, y = gx + col * cw, gy + row * ch
            if style.cell_fill == "checker" and (row + col) % 2:
                plate.fill([(x, y), (x + cw, y), (x + cw, y + ch), (x, y + ch)], style.cell_tint)
            elif style.cell_fill == "boxes":
                m = 0.03 * cw
                box = [
                    (x + m, y + m),
                    (x + cw - m, y + m),
                    (x + cw - m, y + ch - m),
                    (x + m, y + ch - m),
                ]
                plate.fill(box, style.cell_tint)
                if layout.lines != "none":
                    plate.stroke(box, style.line_color, style.line_mm)
    if style.cell_fill != "boxes":
        for i in range(1, layout.cols):
            _line(plate, layout, style, (gx + i * cw, gy), (gx + i * cw, gy + gh))
        for i in range(1, layout.rows):
            _line(plate, layout, style, (gx, gy + i * ch), (gx + gw, gy + i * ch))
    _frame(plate, layout, style, (gx, gy, gx + gw, gy + gh))


def _frame(
    plate: _Plate, layout: Layout, style: PrintStyle, box: tuple[float, float, float, float]
) -> None:
    x0, y0, x1, y1 = box
    if style.frame == "none":
        if layout.lines != "none":
            for a, b in (
                ((x0, y0), (x1, y0)),
                ((x0, y1), (x1, y1)),
                ((x0, y0), (x0, y1)),
                ((x1, y0), (x1, y1)),
            ):
                _line(plate, layout, style, a, b)
        return
    r = 1.5 if style.frame == "rounded" else 0.0
    outline = [
        (x0 + r, y0),
        (x1 - r, y0),
        (x1, y0 + r),
        (x1, y1 - r),
        (x1 - r, y1),
        (x0 + r, y1),
        (x0, y1 - r),
        (x0, y0 + r),
    ]
    plate.stroke(outline, style.line_color, style.line_mm * 1.4)
    if style.frame == "double":
        d = 3 * style.line_mm
        plate.stroke(
            [(x0 - d, y0 - d), (x1 + d, y0 - d), (x1 + d, y1 + d), (x0 - d, y1 + d)],
            style.line_color,
            style.line_mm,
        )


def _line(plate: _Plate, layout: Layout, style: PrintStyle, a: Point, b: Point) -> None:
    if layout.lines == "none":
        return
    if layout.lines == "ruled":
        plate.stroke([a, b], style.line_color, style.line_mm, closed=False)
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
        plate.stroke([p, q], style.line_color, style.line_mm, closed=False)


def _shield(plate: _Plate, layout: Layout, style: PrintStyle, at: Point) -> None:
    shield = [(at[0] + x, at[1] + y) for x, y in layout.shield]
    if style.shield_fill is not None:
        plate.fill(shield, style.shield_fill)
    plate.stroke(shield, style.shield_color, style.shield_mm)
    if style.shield_inner:
        cx, cy = np.mean(layout.shield, axis=0)
        inner = [
            (at[0] + cx + 0.86 * (x - cx), at[1] + cy + 0.86 * (y - cy)) for x, y in layout.shield
        ]
        plate.stroke(inner, style.shield_color, style.shield_mm * 0.6)
    for x, y in layout.circles:
        center = (at[0] + x, at[1] + y)
        if style.circle_fill is not None:
            plate.circle(center, layout.circle_radius_mm, style.circle_fill, None)
        plate.circle(center, layout.circle_radius_mm, style.circle_color, style.circle_mm)


def _castle(plate: _Plate, layout: Layout, style: PrintStyle, at: Point) -> None:
    for part, color in (
        (layout.castle.keep, style.castle_fill),
        (layout.castle.roofs, style.roof_fill),
    ):
        for polygon in part:
            points = [(at[0] + x, at[1] + y) for x, y in polygon]
            if color is not None:
                plate.fill(points, color)
            plate.stroke(points, style.castle_color, max(0.2, style.shield_mm * 0.8))
