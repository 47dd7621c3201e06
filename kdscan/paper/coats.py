"""Coats as printed: in legends, counts and spells."""

from __future__ import annotations

from kdscan.paper.parts import CoatName, Point, Polygon, moved, rect
from kdscan.paper.pen import INK, LINE, Pen


def draw_coat(pen: Pen, coat: CoatName, outline: Polygon, center: Point, height: float) -> None:
    """A shield of this outline, `height` mm tall around a point of the page, with its coat, drawn
    as players draw it."""
    x0, y0, x1, y1 = _bounds(outline)
    k, x, y = height / (y1 - y0), (x0 + x1) / 2, (y0 + y1) / 2
    shield = moved(tuple((k * (px - x), k * (py - y)) for px, py in outline), center)
    x0, y0, x1, y1 = _bounds(shield)
    x, y, w, h = (x0 + x1) / 2, (y0 + y1) / 2 - 0.04 * (y1 - y0), x1 - x0, y1 - y0
    if pen.theme.ground is not None:
        pen.polygon(shield, fill=pen.theme.ground)
    with pen.clipped(shield):
        if coat == "filled":
            pen.polygon(shield, fill=INK)
        elif coat == "checked":
            pen.shape([rect(x0, y0, x, y), rect(x, y, x1, y1)], fill=INK)
        elif coat in ("dot", "double_dot"):
            for dx in (0.0,) if coat == "dot" else (-0.22 * w, 0.22 * w):
                pen.circle((x + dx, y), 0.155 * w, fill=INK)
        else:
            for dx in (0.0,) if coat == "line" else (-0.13 * w, 0.13 * w):
                slope = ((x + dx - 0.2 * w, y + 0.24 * h), (x + dx + 0.2 * w, y - 0.24 * h))
                pen.lines(slope, line=INK, width=0.09 * w)
    pen.polygon(shield, line=LINE, width=0.22)


def _bounds(polygon: Polygon) -> tuple[float, float, float, float]:
    xs, ys = zip(*polygon, strict=True)
    return min(xs), min(ys), max(xs), max(ys)
