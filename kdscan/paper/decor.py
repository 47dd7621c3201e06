"""The decorated style: a parchment with burnt edges, a painted castle, a ribbon, a sea serpent.

All of it is drawn and nothing is a picture, so it prints as sharply as the printer can. Whatever is
random (stains, fibres, the torn edge) comes from a fixed seed, so that the same sheet gives the
same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import cos, pi, sin

from reportlab.lib.colors import Color as PdfColor

from kdscan.paper.parts import Point, Polygon, rect
from kdscan.paper.pen import Pen
from kdscan.paper.style import CREAM, GOLD, RED, SEPIA, STONE, Color

RIBBON_MM, RIBBON_TAIL_MM = 6.6, 3.4
"""Height of a ribbon, and distance by which its forked ends extend beyond its body."""

_EDGE_MM = 3.0
_LIGHT: Color = (0.990, 0.962, 0.892)
_DARK: Color = (0.912, 0.822, 0.652)
_STAIN: Color = (0.62, 0.42, 0.2)
_WOOD: Color = (0.42, 0.27, 0.15)
_SEA: Color = (0.36, 0.46, 0.45)
_SKIN: Color = (0.66, 0.72, 0.62)
_FINS: Color = (0.78, 0.50, 0.36)


def draw_parchment(pen: Pen, page_mm: tuple[float, float]) -> None:
    """Draw the ground of a page: torn at the edges, stained, a little darker towards the edges."""
    rng = random.Random(7)
    w, h = page_mm
    edge = _torn(rng, w, h)
    canvas = pen.canvas
    with pen.clipped(edge):
        colors = [PdfColor(*_LIGHT), PdfColor(*_LIGHT), PdfColor(*_DARK)]
        canvas.radialGradient(w / 2, h / 2, 0.62 * w, colors, [0.0, 0.55, 1.0])
        for _ in range(16):
            x, y, r = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(4, 17)
            for k in range(6):  # a soft spot: rings that add up towards the middle
                pen.veil(_ring((x, y), r * (1 - k / 6), rng), _STAIN, 0.011)
        for _ in range(260):
            x, y, a = rng.uniform(0, w), rng.uniform(0, h), rng.uniform(0, pi)
            d = rng.uniform(0.6, 2.6)
            pen.lines(((x, y), (x + d * cos(a), y + d * sin(a))), line=_DARK, width=0.09)
        for width, alpha in ((7.0, 0.035), (4.0, 0.05), (2.0, 0.09), (0.8, 0.16)):
            pen.veil(edge, _STAIN, alpha, line=width)
    pen.polygon(edge, line=(0.55, 0.38, 0.2), width=0.25)


def _torn(rng: random.Random, w: float, h: float) -> Polygon:
    """The parchment's edge, slightly inside the paper's and uneven by less than a millimetre."""
    waves = [(rng.uniform(0.1, 0.34), rng.uniform(3, 40), rng.uniform(0, 7)) for _ in range(8)]
    e = _EDGE_MM
    corners = [(e, e), (w - e, e), (w - e, h - e), (e, h - e)]
    inward = [(0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (1.0, 0.0)]
    points: list[Point] = []
    for k, (a, n) in enumerate(zip(corners, inward, strict=True)):
        b = corners[(k + 1) % 4]
        steps = int(max(abs(b[0] - a[0]), abs(b[1] - a[1])))
        for i in range(steps):
            t = i / steps
            way = sum(size * sin(rate * (t * 2 * pi + k) + at) for size, rate, at in waves)
            way = min(0.9, abs(way)) * min(1.0, 8 * t, 8 * (1 - t)) + rng.uniform(0, 0.14)
            x, y = a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])
            points.append((x + way * n[0], y + way * n[1]))
    return tuple(points)


def _ring(at: Point, r: float, rng: random.Random) -> Polygon:
    wobble = [rng.uniform(0.85, 1.15) for _ in range(3)]
    return tuple(
        (
            at[0] + r * cos(a) * wobble[0],
            at[1] + r * sin(a) * wobble[1] * (1 + 0.1 * cos(3 * a) * wobble[2]),
        )
        for a in (2 * pi * k / 36 for k in range(36))
    )


def draw_ribbon(pen: Pen, center: Point, reach: float) -> None:
    """Draw a ribbon with forked ends for a heading; reach: its extent to each side, mm."""
    x, y = center
    a, tail, drop = RIBBON_MM / 2, RIBBON_TAIL_MM, 1.1
    for side in (-1, 1):
        inner, outer = x + side * (reach - 1.6), x + side * (reach + tail)
        fork = x + side * (reach + tail - 2)
        end = [
            (inner, y - a + drop),
            (outer, y - a + drop),
            (fork, y + drop),
            (outer, y + a + drop),
            (inner, y + a + drop),
        ]
        pen.polygon(end, fill=(0.86, 0.74, 0.52), line=SEPIA, width=0.16)
        fold = [(x + side * reach, y + a), (inner, y + a), (inner, y + a + drop)]
        pen.polygon(fold, fill=_WOOD, line=SEPIA, width=0.12)
    pen.polygon(rect(x - reach, y - a, x + reach, y + a), fill=CREAM, line=SEPIA, width=0.2)
    for d in (-1, 1):
        level = y + d * (a - 0.55)
        pen.lines(((x - reach + 0.8, level), (x + reach - 0.8, level)), line=GOLD, width=0.14)


def paint_castle(pen: Pen, keep: Sequence[Polygon]) -> None:
    """Draw the castle's stone walls, wooden gate, dark windows and red pennants.

    keep: the polygons under the roofs, placed on the page. Roofs stay blank, to be coloured in.
    """
    levels = [y for part in keep for _, y in part]
    base = max(levels)
    eaves = min(levels) + 0.35 * (base - min(levels))
    for part in keep:
        xs, ys = [x for x, _ in part], [y for _, y in part]
        wide, high = max(xs) - min(xs), max(ys) - min(ys)
        if wide * high < 4:
            pen.polygon(part, fill=RED if max(ys) < eaves else SEPIA, line=SEPIA, width=0.15)
        elif wide < 3.2 and max(ys) > base - 0.1:
            pen.polygon(part, fill=_WOOD, line=SEPIA, width=0.2)
        else:
            pen.polygon(part, fill=STONE)
            with pen.clipped(part):
                _stones(pen, min(xs), min(ys), wide, high)
                shaded = rect(max(xs) - 0.28 * wide, min(ys), max(xs), max(ys))
                pen.veil(shaded, SEPIA, 0.16)
            pen.polygon(part, line=SEPIA, width=0.25)


def _stones(pen: Pen, x: float, y: float, w: float, h: float) -> None:
    """Courses of stones, each row shifted by half a stone."""
    rows, course, stone = int(h / 1.0) + 1, 1.0, 1.7
    pairs = [((x, y + r * course), (x + w, y + r * course)) for r in range(1, rows)]
    for r in range(rows):
        first = x + (0.5 if r % 2 else 1.0) * stone
        pairs += [
            ((first + k * stone, y + r * course), (first + k * stone, y + (r + 1) * course))
            for k in range(int(w / stone) + 1)
        ]
    pen.lines(*pairs, line=(0.72, 0.65, 0.54), width=0.1)


def draw_serpent(pen: Pen, at: Point, size: float) -> None:
    """Draw a sea serpent `size` mm long, its middle at the waterline `at`."""
    x, y = at
    u = size / 10
    for dx, r in ((-2.1, 1.25), (0.4, 1.0), (2.5, 0.72)):
        arch = [(x + (dx + r * cos(a)) * u, y - 1.5 * r * sin(a) * u) for a in _turn(0, pi, 18)]
        inside = [
            (x + (dx + 0.5 * r * cos(a)) * u, y - 0.75 * r * sin(a) * u) for a in _turn(pi, 0, 18)
        ]
        pen.polygon([*arch, *inside], fill=_SKIN, line=_SEA, width=0.16)
        for a in _turn(0.6, pi - 0.6, 5):
            tip = (x + (dx + 1.25 * r * cos(a)) * u, y - 1.85 * r * sin(a) * u)
            a0, a1 = (
                (x + (dx + r * cos(b)) * u, y - 1.5 * r * sin(b) * u) for b in (a - 0.12, a + 0.12)
            )
            pen.polygon([a0, tip, a1], fill=_FINS)
    _head(pen, x - 4.2 * u, y, u)
    tail = [(x + 3.7 * u, y), (x + 4.3 * u, y - 1.1 * u), (x + 5.0 * u, y - 1.5 * u),
            (x + 4.6 * u, y - 0.8 * u), (x + 5.1 * u, y - 0.5 * u), (x + 4.4 * u, y - 0.35 * u),
            (x + 4.1 * u, y)]  # fmt: skip
    pen.polygon(tail, fill=_SKIN, line=_SEA, width=0.16)
    for row, (left, right) in enumerate(((-5.6, 5.6), (-4.6, 4.9), (-2.8, 3.0))):
        wave = [
            (x + t * u, y + (0.25 + 0.5 * row + 0.16 * sin(4.2 * t)) * u)
            for t in _turn(left, right, 60)
        ]
        pen.shape([wave], line=_SEA, width=0.17, closed=False)


def _head(pen: Pen, x: float, y: float, u: float) -> None:
    neck = [(0.9, 0), (0.75, -1.3), (0.35, -2.2), (-0.35, -2.75), (-1.25, -2.5), (-1.6, -2.05),
            (-0.9, -2.0), (-1.45, -1.7), (-0.75, -1.65), (-0.15, -1.35), (0.05, 0)]  # fmt: skip
    pen.polygon([(x + a * u, y + b * u) for a, b in neck], fill=_SKIN, line=_SEA, width=0.16)
    pen.circle((x - 0.45 * u, y - 2.3 * u), 0.14 * u, fill=SEPIA)
    crest = [(0.35, -2.2), (0.95, -2.75), (0.62, -1.85), (1.25, -2.0), (0.75, -1.3)]
    pen.polygon([(x + a * u, y + b * u) for a, b in crest], fill=_FINS)


def _turn(first: float, last: float, steps: int) -> list[float]:
    return [first + (last - first) * k / (steps - 1) for k in range(steps)]
