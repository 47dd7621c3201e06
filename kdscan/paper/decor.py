"""Draws coats as players draw them, codes and markers module by module, and the decorated style: a
parchment with burnt edges, a painted castle, a ribbon, a sea serpent.

All of it is drawn and nothing is a picture, so it prints as sharply as the printer can. Whatever is
random (stains, fibres, the torn edge) comes from a fixed seed, so that the same sheet gives the
same bytes. `art.toml` holds what is always the same. QR rather than Data Matrix or Micro QR: OpenCV
reads it without another library, and segno writes it in pure Python.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Sequence
from functools import cache
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import segno
from reportlab.lib.colors import Color as PdfColor

from kdscan.paper.layout import Code, Point, Polygon, around, bounds, moved, rect
from kdscan.paper.pen import Pen

# Coats, codes and markers


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


# The decorated style

RIBBON_MM, RIBBON_TAIL_MM = 6.6, 3.4
"""Height of a ribbon, and distance by which its forked ends extend beyond its body."""

_EDGE_MM = 3.0


@cache
def _art() -> dict[str, list[dict[str, Any]]]:
    text = Path(__file__).with_name("art.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def draw_art(pen: Pen, name: str, at: Point, size: float = 1.0, mirrored: bool = False) -> None:
    """Draw what `art.toml` has under this name, its origin at a point of the page, `size` times as
    large."""
    (x, y), across = at, -size if mirrored else size
    for part in _art()[name]:
        outlines = ([(x + across * a, y + size * b) for a, b in line] for line in part["outlines"])
        pen.shape(outlines, **part["style"])


def draw_parchment(pen: Pen, page_mm: tuple[float, float]) -> None:
    """Draw the ground of a page: torn at the edges, stained, a little darker towards the edges."""
    rng = random.Random(7)
    w, h = page_mm
    edge = _torn(rng, w, h)
    with pen.clipped(edge):
        light, shade = (PdfColor(*pen.theme.rgb(name)) for name in ("light", "shade"))
        pen.canvas.radialGradient(w / 2, h / 2, 0.62 * w, [light, light, shade], [0.0, 0.55, 1.0])
        for _ in range(16):
            at, r = (rng.uniform(0, w), rng.uniform(0, h)), rng.uniform(4, 17)
            for k in range(6):  # a soft spot: rings that add up towards the middle
                pen.veil(_ring(at, r * (1 - k / 6), rng), "stain", 0.011)
        for _ in range(260):
            x, y, a = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(0, pi)
            d = rng.uniform(0.6, 2.6)
            pen.lines(((x, y), (x + d * cos(a), y + d * sin(a))), line="shade", width=0.09)
        for width, alpha in ((7.0, 0.035), (4.0, 0.05), (2.0, 0.09), (0.8, 0.16)):
            pen.veil(edge, "stain", alpha, line=width)
    pen.polygon(edge, line="edge", width=0.25)


def _torn(rng: random.Random, w: float, h: float) -> Polygon:
    """The parchment's edge, slightly inside the paper's and uneven by less than a millimetre."""
    waves = [(rng.uniform(0.1, 0.34), rng.uniform(3, 40), rng.uniform(0, 7)) for _ in range(8)]
    corners = rect(_EDGE_MM, _EDGE_MM, w - _EDGE_MM, h - _EDGE_MM)
    inward = [(0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)]
    points: list[Point] = []
    for k, ((ax, ay), (nx, ny)) in enumerate(zip(corners, inward, strict=True)):
        bx, by = corners[(k + 1) % 4]
        steps = int(max(abs(bx - ax), abs(by - ay)))
        for i in range(steps):
            t = i / steps
            way = sum(size * sin(rate * (t * 2 * pi + k) + at) for size, rate, at in waves)
            way = min(0.9, abs(way)) * min(1.0, 8 * t, 8 * (1 - t)) + rng.uniform(0, 0.14)
            points.append((ax + t * (bx - ax) + way * nx, ay + t * (by - ay) + way * ny))
    return tuple(points)


def _ring(at: Point, r: float, rng: random.Random) -> Polygon:
    across, down, lobes = (rng.uniform(0.85, 1.15) for _ in range(3))
    return tuple(
        (
            at[0] + r * cos(a) * across,
            at[1] + r * sin(a) * down * (1 + 0.1 * cos(3 * a) * lobes),
        )
        for a in (2 * pi * k / 36 for k in range(36))
    )


def draw_ribbon(pen: Pen, center: Point, reach: float) -> None:
    """Draw a ribbon with forked ends for a heading; reach: its extent to each side, mm."""
    (x, y), a = center, RIBBON_MM / 2
    for side in (-1, 1):
        draw_art(pen, "ribbon", (x + side * reach, y), mirrored=side < 0)
    pen.polygon(rect(x - reach, y - a, x + reach, y + a), fill="cream", line="sepia", width=0.2)
    for level in (y - a + 0.55, y + a - 0.55):
        pen.lines(((x - reach + 0.8, level), (x + reach - 0.8, level)), line="gold", width=0.14)


def paint_castle(pen: Pen, keep: Sequence[Polygon]) -> None:
    """Draw the castle's stone walls, wooden gate, dark windows and red pennants.

    keep: the polygons under the roofs, placed on the page. Roofs stay blank, to be coloured in.
    """
    _, top, _, base = bounds(point for part in keep for point in part)
    eaves = top + 0.35 * (base - top)
    for part in keep:
        x0, y0, x1, y1 = bounds(part)
        if (x1 - x0) * (y1 - y0) < 4:
            pen.polygon(part, fill="red" if y1 < eaves else "sepia", line="sepia", width=0.15)
        elif x1 - x0 < 3.2 and y1 > base - 0.1:
            pen.polygon(part, fill="wood", line="sepia", width=0.2)
        else:
            pen.polygon(part, fill="stone")
            with pen.clipped(part):
                _stones(pen, x0, y0, x1 - x0, y1 - y0)
                pen.veil(rect(x1 - 0.28 * (x1 - x0), y0, x1, y1), "sepia", 0.16)
            pen.polygon(part, line="sepia", width=0.25)


def _stones(pen: Pen, x: float, y: float, w: float, h: float) -> None:
    """Courses of stones, 1 mm high, each row shifted by half a stone."""
    stone, joints = 1.7, []
    for r in range(int(h) + 1):
        joints.append(((x, y + r), (x + w, y + r)))
        for k in range(int(w / stone) + 1):
            at = x + (k + (0.5 if r % 2 else 1.0)) * stone
            joints.append(((at, y + r), (at, y + r + 1)))
    pen.lines(*joints, line="joint", width=0.1)
