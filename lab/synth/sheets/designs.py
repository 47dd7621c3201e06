"""Random designs of sheets that do not exist.

The reader must work on unseen designs, so everything about a sheet that the rules do not fix is
chosen at random: the shield's shape, the places of two to four circles, lines and castle; paper or
a map's ground, colours, outlines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import pi, tau
from typing import Literal

import numpy as np

from kdscan.paper.layout import Castle, Layout, LineStyle, Point, rect
from kdscan.rules.duel.board import COLS, ROWS
from lab.synth.fields import WHITE, Color, Rng, any_of, as_bgr, weighted
from lab.synth.sheets.grounds.draw import ENGRAVED, PALE, random_family
from lab.synth.sheets.grounds.palette import Palette, luma, mixed, random_palette


def shield_polygon(rng: Rng, w: float, h: float) -> tuple[Point, ...]:
    """A shield of width `w` and height `h` (mm) around (0, 0), of a random family."""
    x, y = w / 2, h / 2
    family = rng.integers(0, 10)
    if family <= 2:
        return _heater(rng, x, y)
    if family in (3, 4):  # round bottom; an arch only the castle would tell from one turned round
        a = np.linspace(0, pi, 15)
        flat = h * (rng.uniform(-0.1, 0.3) if family == 3 else rng.uniform(-0.2, 0.25))
        return ((-x, -y), (x, -y), *((x * np.cos(s), flat + (y - flat) * np.sin(s)) for s in a))
    if family == 5:  # rounded rectangle
        return _superellipse(x, y, rng.uniform(3, 12))
    if family == 6:  # ellipse
        return _superellipse(x, y, 2.0)
    if family == 7:  # polygon: pentagon to octagon, one corner down
        n = int(rng.integers(5, 9))
        a = pi / 2 + tau * np.arange(n) / n
        return tuple((x * np.cos(s), y * np.sin(s)) for s in a)
    if family == 8:  # cut corners
        c = rng.uniform(0.15, 0.35)
        k, m = c * w, c * h
        top = ((-x, -y + m), (-x + k, -y), (x - k, -y), (x, -y + m))
        return (*top[1:], (x, y - m), (x - k, y), (-x + k, y), (-x, y - m), top[0])
    # swallow: waisted sides, pointed foot
    s = np.linspace(-1, 1, 13)
    waist = rng.uniform(0.05, 0.2)
    right = [(x * (1 - waist * np.cos(pi * k / 2)) * (1 - max(0, k) ** 3), y * k) for k in s]
    return ((0.0, -y + 0.06 * h), *right, *[(-a, b) for a, b in right[::-1]][1:])


def _heater(rng: Rng, x: float, y: float) -> tuple[Point, ...]:
    """Straight top, sides that curve to a point; x, y: half the width and height."""
    straight = rng.uniform(-0.6, 0.7) * y
    power = 1 + 1.6 * rng.uniform(0.15, 0.95)
    t = np.linspace(0, 1, 9)
    side: list[Point] = [(x * (1 - s**power), straight + (y - straight) * s) for s in t]
    dip = rng.uniform(-0.16, 0.16) * y * (rng.random() < 0.4)
    top = [(-x, -y), (0.0, -y + dip), (x, -y)]
    return tuple(top + side + [(-a, b) for a, b in side[::-1]][1:])


def _superellipse(x: float, y: float, power: float) -> tuple[Point, ...]:
    a = np.linspace(0, tau, 40, endpoint=False)
    c, s = np.cos(a), np.sin(a)
    c, s = (np.sign(p) * np.abs(p) ** (2 / power) for p in (c, s))
    return tuple(zip((x * c).tolist(), (y * s).tolist(), strict=True))


Box = tuple[float, float, float, float]
"""Of a shield: centre x, y, width and height, in mm from the cell's centre."""

Plan = tuple[Box, tuple[Point, ...], float]
"""A shield's box, its circles' centres and their radius, in mm from the cell's centre."""


@dataclass(frozen=True)
class _Circles:
    """The circles of a cell before they have a place; lengths in mm. gap: between the centres of
    neighbours. edge: from the cell's edge to a centre. side: on which side of the cell they lie, -1
    or 1."""

    count: int
    radius: float
    gap: float
    edge: float
    side: float

    def row(self, gap: float) -> list[float]:
        """Their places in a row about 0."""
        return [gap * (i - (self.count - 1) / 2) for i in range(self.count)]


def _row(rng: Rng, w: float, h: float, circles: _Circles) -> Plan:
    """Along the upper or lower edge."""
    length = w - 2 * circles.edge
    gap = min(circles.gap, length / max(circles.count - 1, 1))
    room = max(0.0, (length - gap * (circles.count - 1)) / 2)
    shift = float(rng.choice([0.0, 0.0, 1.0, -1.0])) * room
    y = circles.side * (h / 2 - circles.edge)
    box = (0.0, -circles.side * circles.edge, w * 0.9, (h - 2 * circles.edge - 0.02 * h) * 0.98)
    return box, tuple((shift + x, y) for x in circles.row(gap)), circles.radius


def _column(rng: Rng, w: float, h: float, circles: _Circles) -> Plan:
    """Along the left or right edge."""
    (y, x, long, wide), row, radius = _row(rng, h, w, circles)
    return (x, y, wide, long), tuple((a, b) for b, a in row), radius


def _block(rng: Rng, w: float, h: float, circles: _Circles) -> Plan:
    """Three or four in a square in one corner."""
    edge, gap = circles.edge, circles.gap
    sx, sy = circles.side, float(rng.choice([-1, 1]))
    cx, cy = sx * (w / 2 - edge - gap / 2), sy * (h / 2 - edge - gap / 2)
    corners = _CORNERS[:3] if circles.count == 3 else _CORNERS
    used = 2 * edge + gap
    box = (-sx * edge * 0.6, -sy * edge * 0.6, w * 0.72, h * 0.72)
    if rng.random() < 0.6:
        box = (-sx * used / 2, 0.0, (w - used) * 0.96, h * 0.9)
    places = tuple((cx + gap / 2 * a, cy + gap / 2 * b) for a, b in corners)
    return box, places, circles.radius


def _corners(rng: Rng, w: float, h: float, circles: _Circles) -> Plan:
    """Each in a corner of its own."""
    wide, high = w - 2 * circles.edge, h - 2 * circles.edge
    chosen = [_CORNERS[i] for i in sorted(rng.permutation(4)[: circles.count])]
    places = tuple((a * wide / 2, b * high / 2) for a, b in chosen)
    return (0.0, 0.0, wide * 0.92, high * 0.92), places, circles.radius


def _arc(rng: Rng, w: float, h: float, circles: _Circles) -> Plan:
    """Along an ellipse in the cell, about the middle of one of its edges."""
    radius_x, radius_y = w / 2 - circles.edge, h / 2 - circles.edge
    middle = float(pi / 2 * rng.integers(0, 4))
    step = circles.gap * 1.25 / min(radius_x, radius_y)
    angles = [middle + a for a in circles.row(step)]
    places = tuple((float(radius_x * np.cos(a)), float(radius_y * np.sin(a))) for a in angles)
    off = circles.radius * 1.1
    x, y = float(-np.cos(middle) * off), float(-np.sin(middle) * off)
    return (x, y, w - 4.2 * circles.edge, h - 4.2 * circles.edge), places, circles.radius


def _inside(rng: Rng, w: float, h: float, circles: _Circles) -> Plan:
    """Inside the shield, along its top or foot."""
    radius = min(circles.radius, min(w, h) * 0.06)
    y = circles.side * h * 0.26
    places = tuple((x, y) for x in circles.row(radius * rng.uniform(2.2, 2.8)))
    return (0.0, 0.0, w * 0.86, h * 0.9), places, radius


_CORNERS = ((-1, -1), (1, -1), (-1, 1), (1, 1))

_ARRANGEMENTS = {_row: 0.28, _column: 0.28, _block: 0.16, _corners: 0.1, _arc: 0.1, _inside: 0.08}
"""How circles lie in a cell, and how often. Each function returns the most room that they leave to
the shield."""


def _cell_plan(rng: Rng, w: float, h: float) -> Plan:
    """Divide a cell of w × h mm between a shield and its circles."""
    count = int(rng.choice([2, 3, 4], p=[0.25, 0.4, 0.35]))
    unit = min(w, h)
    radius = unit * rng.uniform(0.052, 0.095)
    gap = radius * rng.uniform(2.1, 3.0)
    arranged = weighted(rng, _ARRANGEMENTS)
    edge = radius + unit * rng.uniform(0.015, 0.06)
    side = float(rng.choice([-1, 1]))
    circles = _Circles(count, radius, gap, edge, side)
    (x, y, wide, high), places, radius = arranged(rng, w, h, circles)
    if rng.random() < 0.75:
        wide = min(wide, high * rng.uniform(0.85, 1.1))
    size = rng.uniform(0.74, 1.0)
    return (x, y, wide * size, high * size), places, radius


BOXED = 0.15
"""Share of layouts that resemble the picture on the game's box."""


def _boxed_plan(rng: Rng, w: float, h: float) -> Plan:
    """As `_cell_plan`, modelled on the box: the shield right of the middle, circles left of it. The
    circles are stacked, or two by two, or in a slanted row from bottom to top."""
    n = int(rng.choice([2, 3, 4], p=[0.5, 0.3, 0.2]))
    unit = min(w, h)
    r = unit * rng.uniform(0.05, 0.085)
    side = rng.uniform(0.5, 0.66)
    right, down = w * rng.uniform(0.08, 0.15), h * rng.uniform(-0.05, 0.08)
    box = (right, down, side * w, side * h)
    left = -w / 2 + r + unit * 0.02
    right = max(left, box[0] - box[2] / 2 - 1.15 * r)
    gap = r * rng.uniform(2.15, 3.0)
    top = -h / 2 + r + unit * rng.uniform(0.02, 0.2)
    lean = float(rng.choice([0.0, 0.0, 1.0])) * (right - left)
    last = min(top + gap * (n - 1), h / 2 - r - 0.02 * unit)
    at = np.linspace(0, 1, n)
    circles = [(float(right - lean * t), float(top + (last - top) * t)) for t in at]
    return box, tuple(circles), float(r)


def _castle(rng: Rng, w: float, h: float) -> Castle:
    """A castle for a cell of w × h mm: one to four roofs over a keep."""
    size = rng.uniform(0.55, 0.9)
    w, h = w * size, h * size
    eaves = h * rng.uniform(-0.25, 0.05)
    n = int(rng.choice([1, 1, 2, 3, 3, 4]))
    if n == 1 and rng.random() < 0.6:
        return _keep_with_a_cone(rng, w, h)
    left, step = -w / 2, w / n
    roofs = []
    for i in range(n):
        a, b = left + step * i, left + step * (i + 1)
        tip = -h / 2 * (1.0 if i == n // 2 or rng.random() < 0.5 else rng.uniform(0.7, 1.0))
        roofs.append(((a, eaves), ((a + b) / 2, tip), (b, eaves)))
    keep = [rect(left, eaves, -left, h / 2)]
    style = rng.random()
    if style < 0.3:  # set-back keep under wide roofs
        inset = w * rng.uniform(0.04, 0.15)
        keep = [rect(left + inset, eaves, -left - inset, h / 2)]
    elif style < 0.6:  # towers of their own
        keep = [
            rect(left + step * (i + 0.12), eaves, left + step * (i + 0.88), h / 2) for i in range(n)
        ]
    if rng.random() < 0.5:
        d = w * rng.uniform(0.06, 0.14)
        top = h / 2 - h * rng.uniform(0.15, 0.3)
        keep.append(rect(-d, top, d, h / 2))
    return Castle(roofs=tuple(roofs), keep=tuple(keep))


def _keep_with_a_cone(rng: Rng, w: float, h: float) -> Castle:
    """A keep with battlements and one small cone on a tower."""
    x, foot, top = w / 2, h / 2, h * rng.uniform(-0.15, 0.1)
    teeth = int(rng.integers(2, 6))
    notch = h * rng.uniform(0.05, 0.12)
    wall: list[Point] = [(-x, foot)]
    for i in range(2 * teeth - 1):
        a, b = (-x + 2 * x * k / (2 * teeth - 1) for k in (i, i + 1))
        level = top + notch * (i % 2)
        wall += [(a, level), (b, level)]
    wall.append((x, foot))
    at, half = w * rng.uniform(-0.25, 0.25), w * rng.uniform(0.1, 0.2)
    eaves = top - h * rng.uniform(0.03, 0.15)
    tower = ((at - half, top), (at - half, eaves), (at + half, eaves), (at + half, top))
    wide = half * rng.uniform(1.1, 1.6)
    cone = ((at - wide, eaves), (at, -h / 2), (at + wide, eaves))
    door = w * 0.08
    gate = ((-door, foot), (-door, foot - 0.2 * h), (door, foot - 0.2 * h), (door, foot))
    return Castle(roofs=(cone,), keep=(tuple(wall), tower, gate))


_LINES: dict[LineStyle, float] = {"ruled": 0.4, "dashed": 0.2, "dotted": 0.2, "none": 0.2}
"""How often the lines between cells are printed in each style."""


def random_layout(rng: Rng) -> Layout:
    """A random map side; lengths in mm."""
    cell_w = rng.uniform(14, 32)
    cell_h = cell_w * float(np.clip(rng.normal(1.0, 0.13), 0.72, 1.35))
    margin = rng.uniform(2, 20, 4) * (cell_w / 24)
    margin[1] += cell_h * rng.choice([0, 0.3, 0.7, 1.3], p=[0.25, 0.3, 0.3, 0.15])
    margin[3] += cell_h * rng.choice([0, 0.4, 1.2], p=[0.6, 0.25, 0.15])
    boxed = rng.random() < BOXED
    plan = _boxed_plan if boxed else _cell_plan
    (bx, by, bw, bh), circles, radius = plan(rng, cell_w, cell_h)
    outline = _heater(rng, bw / 2, bh / 2) if boxed else shield_polygon(rng, bw, bh)
    shield = tuple((bx + x, by + y) for x, y in outline)
    width = float(COLS * cell_w + margin[0] + margin[2])
    height = float(ROWS * cell_h + margin[1] + margin[3])
    return Layout(
        name="random",
        page_mm=(width, height),
        grid_mm=(float(margin[0]), float(margin[1])),
        cell_mm=(float(cell_w), float(cell_h)),
        shield=shield,
        circles=circles,
        circle_radius_mm=radius,
        lines=weighted(rng, _LINES),
        castle=_castle(rng, cell_w, cell_h),
    )


@dataclass(frozen=True)
class PrintStyle:
    """How a layout is printed. Lengths in mm, colours BGR 0..255.

    seed: of everything random on the page (texture, ornaments).
    circle_mm: 0 for circles without an outline.
    family, palette: of the ground (`grounds`); no palette for `PALE` paper.
    line_veil, shield_veil, circle_veil: opacity of lines and of the fill of shields and
        circles, 0..1.
    shield_light: a second outline, inside the first.
    emboss: strength of light and shade at the shields' edges, as if embossed, 0..1.
    """

    seed: int
    paper: Color
    paper_grain: float
    illustration: float
    cell_fill: Literal["none", "tint", "checker", "boxes"]
    cell_tint: Color
    line_color: Color
    line_mm: float
    frame: Literal["none", "single", "double", "rounded"]
    shield_color: Color
    shield_mm: float
    shield_fill: Color | None
    shield_inner: bool
    circle_color: Color
    circle_mm: float
    circle_fill: Color | None
    castle_color: Color
    castle_fill: Color | None
    roof_fill: Color | None
    title: str
    ornaments: int
    legend: bool
    family: str = PALE
    palette: Palette | None = None
    line_veil: float = 1.0
    shield_veil: float = 1.0
    shield_light: Color | None = None
    emboss: float = 0.0
    circle_veil: float = 1.0


_TITLES = (
    "Terra",
    "Map of the realm",
    "Kingdom",
    "My kingdom",
    "Regnum",
    "DUEL",
    "Mapa",
    "Carte",
    "Score",
    "Royaume",
    "Player A",
    "The Seven Vales",
    "Domains",
    "Mapa krolestwa",
    "Shire",
    "Kingdom map no. 7",
    "",
)


def _dark(rng: Rng, low: float = 20, high: float = 150) -> Color:
    """A printing colour: mostly grey or brown, sometimes blue, green or red."""
    value = rng.uniform(low, high)
    tint = rng.normal(0, 1, 3) * rng.choice([0, 8, 25], p=[0.4, 0.35, 0.25])
    return as_bgr(np.clip(value + tint, 0, 215))


def _pale(rng: Rng, low: float, spread: float) -> Color:
    return as_bgr(np.clip(rng.uniform(low, 255) + rng.normal(0, spread, 3), 120, 255))


def random_style(rng: Rng, family: str | None = None, colours: str | None = None) -> PrintStyle:
    """A random style for a layout. family: of the ground; if None, a random one that is not held
    out. colours: the kind of palette of a map (`random_palette`), random if None."""
    style = _on_paper(rng)
    family = family or random_family(rng)
    return style if family == PALE else _on_map(rng, style, family, colours)


def _on_paper(rng: Rng) -> PrintStyle:
    """A style for plain or faintly illustrated paper."""

    def maybe(p: float, color: Color) -> Color | None:
        return color if rng.random() < p else None

    white = rng.random() < 0.3
    paper = _pale(rng, 238, 3) if white else _pale(rng, 190, 16)
    warm = rng.random() < 0.35
    if warm and not white:
        paper = (paper[0] * rng.uniform(0.7, 0.95), paper[1] * rng.uniform(0.9, 0.99), paper[2])
    tint = as_bgr([np.clip(c + rng.normal(0, 14), 110, 255) for c in paper])
    return PrintStyle(
        seed=int(rng.integers(0, 2**31)),
        paper=paper,
        paper_grain=float(rng.choice([0.0, 1.5, 4.0, 9.0]) * rng.uniform(0.5, 1.5)),
        illustration=float(rng.choice([0.0, rng.uniform(0.03, 0.18)], p=[0.6, 0.4])),
        cell_fill=weighted(rng, {"none": 0.6, "tint": 0.1, "checker": 0.1, "boxes": 0.2}),
        cell_tint=tint,
        line_color=_dark(rng, 40, 190),
        line_mm=rng.uniform(0.15, 0.7),
        frame=weighted(rng, {"none": 0.3, "single": 0.35, "double": 0.2, "rounded": 0.15}),
        shield_color=_dark(rng, 20, 175),
        shield_mm=rng.uniform(0.15, 0.8),
        shield_fill=maybe(0.5, _pale(rng, 215, 10)),
        shield_inner=rng.random() < 0.12,
        circle_color=_dark(rng, 20, 175),
        circle_mm=rng.uniform(0.12, 0.45),
        circle_fill=maybe(0.4, _pale(rng, 225, 8)),
        castle_color=_dark(rng),
        castle_fill=maybe(0.6, as_bgr(rng.uniform(60, 235, 3))),
        roof_fill=maybe(0.2, _pale(rng, 185, 22)),
        title=any_of(rng, _TITLES),
        ornaments=int(rng.choice([0, 1, 2, 4])),
        legend=rng.random() < 0.15,
    )


def _on_map(rng: Rng, style: PrintStyle, family: str, colours: str | None) -> PrintStyle:
    """The style with lines, shields, circles and castle as mapmakers print them on a ground."""
    palette = random_palette(rng, colours)
    fine = family in ENGRAVED
    ground = palette.paper if fine else palette.sea
    light = luma(ground) if fine else float(np.mean([luma(shade) for shade in palette.grounds]))
    dim = light < 165
    white = mixed(WHITE, palette.paper, rng.uniform(0, 1))
    dark = mixed(palette.ink, ground, float(rng.choice([0.0, rng.uniform(0.05, 0.4)])))
    line = white if rng.random() < (0.65 if dim else 0.3) else dark
    # fill, its opacity, outline, second outline and embossing of shields on a map
    look = weighted(rng, {"clear": 0.3, "veiled": 0.37, "solid": 0.18, "embossed": 0.15})
    veil = {"clear": 0.0, "solid": 1.0}.get(look, rng.uniform(0.2, 0.85))
    emboss = rng.uniform(0.35, 1.0) if look == "embossed" else 0.0
    edge = dark
    if look in ("clear", "veiled") and dim and rng.random() < 0.4:
        edge = white
    second = None
    if rng.random() < 0.2:
        second = white if edge is dark else dark
    if look == "embossed" and rng.random() < 0.5:
        veil = 0.0
    disc = rng.random() < 0.55
    ring = not disc or rng.random() < 0.5
    ring_color = white if dim and not disc and rng.random() < 0.4 else dark
    faint = mixed(ring_color, ground, float(rng.choice([0.0, rng.uniform(0.1, 0.45)])))
    return replace(
        style,
        family=family,
        palette=palette,
        cell_fill="none" if rng.random() < 0.92 else style.cell_fill,
        cell_tint=palette.sand,
        line_color=line,
        line_veil=float(rng.choice([1.0, rng.uniform(0.35, 0.95)])),
        frame="none" if rng.random() < 0.5 else style.frame,
        shield_color=edge,
        shield_fill=None if veil == 0 else white,
        shield_veil=veil,
        shield_light=second,
        emboss=emboss,
        shield_inner=rng.random() < 0.06,
        circle_color=faint,
        circle_mm=style.circle_mm if ring else 0.0,
        circle_fill=white if disc else None,
        circle_veil=float(rng.choice([1.0, rng.uniform(0.4, 0.95)])),
        castle_color=palette.ink,
        castle_fill=palette.sand if rng.random() < 0.8 else style.castle_fill,
        roof_fill=palette.accent if rng.random() < 0.6 else style.roof_fill,
    )
