"""Draws coats as players draw them, and codes and markers module by module.

QR rather than Data Matrix or Micro QR: OpenCV reads it without another library, and
segno writes it in pure Python.
"""

from __future__ import annotations

from collections.abc import Sequence

import segno

from kdscan.paper.layout import Code, Point, Polygon, around, bounds, moved, rect
from kdscan.paper.pen import Pen


def draw_coat(pen: Pen, coat: str, outline: Polygon, center: Point, height: float) -> None:
    """A shield of this outline, `height` mm tall around a point of the page, with its coat, drawn
    as players draw it."""
    x0, y0, x1, y1 = bounds(outline)
    k, x, y = height / (y1 - y0), (x0 + x1) / 2, (y0 + y1) / 2
    shield = moved(tuple((k * (px - x), k * (py - y)) for px, py in outline), center)
    x0, y0, x1, y1 = bounds(shield)
    x, y, w, h = (x0 + x1) / 2, (y0 + y1) / 2 - 0.04 * (y1 - y0), x1 - x0, y1 - y0
    if pen.theme.ground is not None:
        pen.polygon(shield, fill=pen.theme.ground)
    with pen.clipped(shield):
        if coat == "filled":
            pen.polygon(shield, fill="ink")
        elif coat == "checked":
            pen.shape([rect(x0, y0, x, y), rect(x, y, x1, y1)], fill="ink")
        elif coat in ("dot", "double_dot"):
            for dx in (0.0,) if coat == "dot" else (-0.22 * w, 0.22 * w):
                pen.circle((x + dx, y), 0.155 * w, fill="ink")
        else:
            for dx in (0.0,) if coat == "line" else (-0.13 * w, 0.13 * w):
                slope = ((x + dx - 0.2 * w, y + 0.24 * h), (x + dx + 0.2 * w, y - 0.24 * h))
                pen.lines(slope, line="ink", width=0.09 * w)
    pen.polygon(shield, line="line", width=0.22)


_PLATE_MODULES = 1.5
"""White border that is printed around a code, in modules. ISO/IEC 18004 requires 4; the light paper
around it provides the rest."""


def draw_code(pen: Pen, place: Code, text: str) -> None:
    """Draw `text` as a QR code of the place's size, with the white border that it needs."""
    rows = [bytes(row) for row in segno.make_qr(text, error="m").matrix]
    step = place.size_mm / len(rows)
    plate = place.size_mm + 2 * _PLATE_MODULES * step
    pen.polygon(rect(*around(place.center_mm, plate)), fill="white")
    draw_modules(pen, rows, place.center_mm, place.size_mm)


def draw_modules(pen: Pen, rows: Sequence[bytes], center: Point, size: float) -> None:
    """Draw the modules of a square that are not 0."""
    step = size / len(rows)
    x, y, _, _ = around(center, size)
    dark = ((r, c) for r, row in enumerate(rows) for c, module in enumerate(row) if module)
    corners = ((x + c * step, y + r * step) for r, c in dark)
    pen.shape([rect(a, b, a + step, b + step) for a, b in corners], fill="black")
