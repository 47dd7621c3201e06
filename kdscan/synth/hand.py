"""A hand that draws a played board onto a printed sheet.

One `Hand` is one writer with one or two pens on one sheet: habits stay, marks vary.
All chance comes from the generator handed in, so a sheet can be drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.game.duel.coats import Coat
from kdscan.records import CASTLE
from kdscan.sheet.layout import Layout
from kdscan.synth import scrawl
from kdscan.synth.bank import StrokeBank
from kdscan.synth.ink import Pen, Spots, Stroke, lay_ink, random_pen
from kdscan.synth.marks import (
    CROSSES,
    DOTS,
    FILLS,
    LINES,
    Brush,
    Shield,
    Taste,
    draw_coat,
    draw_cross,
    fill,
)
from kdscan.synth.strokes import Path, line, outline

__all__ = ["Hand", "StrokeBank", "draw_board"]

Board = Mapping[tuple[int, int], tuple[Coat, int]]

COATS = tuple(Coat)


@dataclass(frozen=True)
class Hand:
    """One writer with their pens on one sheet.

    pen: draws the coats; other: another pen that draws a share `swaps` of the cells;
    cross_pen, border_pen: mostly the first one.
    taste: how marks are made.
    borders: share of the lines between different coats that are shaded; rims: share
    of the map's outer edges beside a coat; border_line: how they are drawn.
    in_order: crosses go into the first circles; otherwise into any.
    real: share of marks that follow recorded paths, when there are some.
    """

    pen: Pen
    other: Pen
    swaps: float
    cross_pen: Pen
    border_pen: Pen
    taste: Taste
    borders: float
    rims: float
    border_line: Literal["straight", "wobbly", "double", "thick"]
    in_order: bool
    real: float

    @classmethod
    def random(cls, rng: np.random.Generator) -> Hand:
        """Return a random hand."""
        pen = random_pen(rng)
        cross_pen = pen if rng.random() < 0.85 else random_pen(rng)
        border_pen = pen if rng.random() < 0.75 else random_pen(rng)
        lot = rng.random()
        lines: tuple[Literal["straight", "wobbly", "double", "thick"], ...]
        lines = ("straight", "straight", "wobbly", "double", "thick")
        return cls(
            pen,
            random_pen(rng),
            float(rng.uniform(0.02, 0.5)) if rng.random() < 0.12 else 0.0,
            cross_pen,
            border_pen,
            _taste(rng),
            borders=0.0 if lot < 0.4 else float(rng.uniform(0.05, 0.9)) if lot < 0.65 else 1.0,
            rims=float(rng.uniform(0, 1)) if rng.random() < 0.25 else 0.0,
            border_line=lines[int(rng.integers(len(lines)))],
            in_order=bool(rng.random() < 0.75),
            real=float(rng.uniform(0.1, 0.6)),
        )


def _taste(rng: np.random.Generator) -> Taste:
    slop = float(rng.beta(1.6, 2.2))
    near_right = rng.normal(0, 0.1)
    slants = (0.0, math.pi / 2, -math.pi / 4, math.pi / 4, float(rng.uniform(0, math.pi)))
    return Taste(
        dot=DOTS[int(rng.integers(len(DOTS)))],
        fill=FILLS[int(rng.integers(len(FILLS)))],
        line=LINES[int(rng.integers(len(LINES)))],
        cross=CROSSES[int(rng.integers(len(CROSSES)))],
        slop=slop,
        tremor=float(rng.gamma(1.0, 0.08)),
        bow=float(rng.gamma(1.0, 0.025)),
        wander=float(rng.uniform(0.1, 1.0)),
        reach=float(rng.uniform(0.6, 1.15)),
        size=float(rng.uniform(0, 1)),
        gap=float(rng.uniform(0, 1)),
        angle=slants[int(rng.integers(len(slants)))] + near_right,
        hatch=float(rng.uniform(0, math.pi)),
        spread=float(rng.uniform(0, 1)),
        pair=slants[int(rng.integers(len(slants)))] + float(rng.normal(0, 0.1)),
        first=bool(rng.random() < 0.5),
        grid=bool(rng.random() < 0.4),
        joined=bool(rng.random() < 0.6),
        faithful=float(rng.uniform(0.6, 1.0)),
        writer=float(rng.random()),
    )


@dataclass(frozen=True, eq=False)
class _Sheet:
    """What is drawn on, and by whom."""

    page: NDArray[np.uint8]
    layout: Layout
    hand: Hand
    rng: np.random.Generator
    px_per_mm: float
    bank: StrokeBank | None
    mess: float
    shield: Shield = field(repr=False)

    def at(self, cell: tuple[int, int]) -> Path:
        return np.array(self.layout.center_mm(*cell))

    def brush(self, pen: Pen) -> Brush:
        return Brush(self.hand.taste, self.rng, pen.width, self.bank, self.hand.real)

    def ink(self, strokes: list[Stroke], pen: Pen, spare: Spots | None = None) -> None:
        lay_ink(self.page, strokes, pen, self.rng, px_per_mm=self.px_per_mm, spare=spare)


def draw_board(
    page_bgr: NDArray[np.uint8],
    layout: Layout,
    board: Board,
    castle_used: bool,
    hand: Hand,
    rng: np.random.Generator,
    *,
    px_per_mm: float,
    strokes: StrokeBank | None = None,
    mess: float = 0.5,
) -> NDArray[np.uint8]:
    """Return a copy of a printed page with a played board drawn on it.

    page_bgr: (H, W, 3) uint8, the page at `px_per_mm`, page point (x, y) mm at pixel
        (x, y) * px_per_mm - 0.5.
    board: filled shields only, row and column to coat and number of crosses, 0..4; a
        number beyond the circles is drawn beside them.
    strokes: recorded pen paths for a share of the marks.
    mess: 0 clean .. 1 very messy: careless marks, erasures, corrections, scrawl.
    """
    hand = _with_mess(hand, layout, mess)
    page = page_bgr.copy()
    sheet = _Sheet(page, layout, hand, rng, px_per_mm, strokes, mess, _room(layout))
    _clutter_below(sheet)
    for cell in ((r, c) for r in range(layout.rows) for c in range(layout.cols)):
        if cell != CASTLE:
            _draw_cell(sheet, cell, board.get(cell))
    _draw_borders(sheet, board)
    if castle_used:
        _colour_roofs(sheet)
    _clutter_above(sheet, board)
    return page


def _with_mess(hand: Hand, layout: Layout, mess: float) -> Hand:
    """Return the hand as careless as asked, with pens that fit the print's size."""
    room = _room(layout).radius
    thin = min(0.28 * room, 0.9 * layout.circle_radius_mm + 0.04 * room)
    edge = min(0.3 * room, 2.0 * _edge_room(layout))
    taste = replace(
        hand.taste,
        slop=hand.taste.slop * (0.4 + 1.0 * mess),
        tremor=min(hand.taste.tremor, 0.05 * room) * (0.4 + mess),
    )
    return replace(
        hand,
        taste=taste,
        pen=replace(hand.pen, width=min(hand.pen.width, 0.28 * room)),
        other=replace(hand.other, width=min(hand.other.width, 0.28 * room)),
        cross_pen=replace(hand.cross_pen, width=min(hand.cross_pen.width, thin)),
        border_pen=replace(hand.border_pen, width=min(hand.border_pen.width, edge)),
    )


def _room(layout: Layout) -> Shield:
    """Return the shield of a cell at (0, 0) with the largest disc free of circles."""
    polygon = np.array(layout.shield, np.float64)
    circles = np.array(layout.circles, np.float64).reshape(-1, 2)
    low = polygon.min(axis=0)
    scale = 96 / float(np.ptp(polygon, axis=0).max())
    mask = np.zeros((100, 100), np.uint8)
    cv2.fillPoly(mask, [np.round((polygon - low) * scale + 1).astype(np.int32)], 1)
    for x, y in (circles - low) * scale + 1:
        around = round(1.1 * layout.circle_radius_mm * scale)
        cv2.circle(mask, (round(float(x)), round(float(y))), around, 0, -1)
    mask[0], mask[-1], mask[:, 0], mask[:, -1] = 0, 0, 0, 0
    depth = cv2.distanceTransform(mask, cv2.DIST_L2, 5)
    deepest = depth >= 0.97 * depth.max()
    middle = np.argwhere(deepest)[:, ::-1].mean(axis=0)
    if not deepest[int(middle[1]), int(middle[0])]:
        middle = np.array(np.unravel_index(int(depth.argmax()), depth.shape)[::-1], np.float64)
    return Shield(
        polygon,
        (middle - 1) / scale + low,
        float(depth.max()) / scale,
        circles,
        layout.circle_radius_mm,
    )


def _edge_room(layout: Layout) -> float:
    """Return how far (mm) a line between cells may stray before it covers the circles."""
    half = np.array(layout.cell_mm) / 2
    if not layout.circles:
        return float(half.min())
    gap = (half - np.abs(np.array(layout.circles))).min() - layout.circle_radius_mm
    return float(max(gap, 0.2 * layout.circle_radius_mm))


def _moved(shield: Shield, by: Path) -> Shield:
    return replace(
        shield,
        polygon=shield.polygon + by,
        middle=shield.middle + by,
        circles=shield.circles + by,
    )


def _draw_cell(sheet: _Sheet, cell: tuple[int, int], mark: tuple[Coat, int] | None) -> None:
    """Draw what one cell holds, with what was there before."""
    rng, hand, mess = sheet.rng, sheet.hand, sheet.mess
    shield = _moved(sheet.shield, sheet.at(cell))
    _ghost(sheet, shield, mark is None)
    if rng.random() < 0.008 * mess:
        _paint_over(sheet, shield)
    if mark is None:
        return
    coat, crosses = mark
    pen = hand.other if rng.random() < hand.swaps else hand.pen
    spare = Spots(shield.circles, shield.circle * rng.uniform(1.02, 1.3))
    brush = sheet.brush(pen)
    if coat in _SMALL and rng.random() < 0.02 * mess:
        sheet.ink(draw_coat(coat, _strike(sheet, shield, pen), brush), pen)
    else:
        if coat is Coat.FILLED and rng.random() < 0.04 * mess:
            sheet.ink(draw_coat(_SMALL[int(rng.integers(2))], shield, brush), pen)
        sheet.ink(draw_coat(coat, shield, brush), pen, spare)
    _cross_out(sheet, shield, crosses)


_SMALL = (Coat.DOT, Coat.LINE)
"""Coats that fit into half a shield beside a struck one, and stay clear."""


def _strike(sheet: _Sheet, shield: Shield, pen: Pen) -> Shield:
    """Strike out a wrong dot in the upper or lower half of a shield; return the other half."""
    rng, size = sheet.rng, 0.42 * shield.radius
    shift = np.array((0.0, 0.5 if rng.random() < 0.5 else -0.5)) * shield.radius
    wrong = replace(shield, middle=shield.middle - shift, radius=size)
    marks = draw_coat(Coat.DOT, wrong, sheet.brush(pen))
    x = np.linspace(-0.85, 0.85, int(rng.integers(12, 22))) * shield.radius
    y = np.where(np.arange(len(x)) % 2, 0.8, -0.8) * size * rng.uniform(0.6, 1.1, len(x))
    zigzag = np.stack((x, y), axis=1) + wrong.middle
    sheet.ink([*marks, Stroke(zigzag)], pen)
    low = shield.middle + shift
    box = np.array(((-1, -0.42), (1, -0.42), (1, 0.42), (-1, 0.42))) * shield.radius + low
    return replace(shield, polygon=box, middle=low, radius=size)


def _paint_over(sheet: _Sheet, shield: Shield) -> None:
    """Paint correction fluid over a wrong coat; what is right goes on top."""
    rng, pen = sheet.rng, sheet.hand.pen
    sheet.ink(draw_coat(COATS[int(rng.integers(4))], shield, sheet.brush(pen)), pen)
    edge = outline(shield.polygon, rng, scale=rng.uniform(0.95, 1.15), wobble=0.06 * shield.radius)
    scrawl.fluid(sheet.page, edge, rng, sheet.px_per_mm)


def _ghost(sheet: _Sheet, shield: Shield, empty: bool) -> None:
    """Leave what an eraser left of an earlier mark."""
    rng, pen = sheet.rng, sheet.hand.pen
    often = (0.12 if pen.kind == "pencil" else 0.01) * sheet.mess
    if rng.random() < often:
        coat = COATS[int(rng.integers(len(COATS)))]
        marks = draw_coat(coat, shield, sheet.brush(pen))
        if not empty and coat in (Coat.FILLED, Coat.CHECKED):
            marks = marks[:3]
        _erase(sheet, marks, shield.middle, shield.radius)
    if len(shield.circles) and rng.random() < often:
        at = shield.circles[int(rng.integers(len(shield.circles)))]
        marks = draw_cross(at, shield.circle, 0.0, sheet.brush(sheet.hand.cross_pen), "x")
        _erase(sheet, marks, at, shield.circle)


def _erase(sheet: _Sheet, marks: list[Stroke], at: Path, size: float) -> None:
    rng = sheet.rng
    lay_ink(
        sheet.page,
        marks,
        sheet.hand.pen,
        rng,
        px_per_mm=sheet.px_per_mm,
        fade=rng.uniform(0.04, 0.16),
        blur_mm=rng.uniform(0.05, 0.25),
    )
    if rng.random() < 0.5:
        scrawl.smudge(sheet.page, at, 1.5 * size, rng, sheet.px_per_mm)


def _cross_out(sheet: _Sheet, shield: Shield, crosses: int) -> None:
    """Cross out circles, and beside them what they have no room for."""
    if not crosses:
        return
    rng, hand = sheet.rng, sheet.hand
    order = np.arange(len(shield.circles))
    if not hand.in_order and rng.random() < 0.8:
        order = rng.permutation(order)
    spots = [shield.circles[i] for i in order[:crosses]]
    room = _room_around(shield)
    brush = sheet.brush(hand.cross_pen)
    marks: list[Stroke] = []
    for at in spots:
        style = brush.pick(hand.taste.cross, CROSSES)
        marks += draw_cross(at, shield.circle, room, brush, style)
    taken = [*shield.circles]
    for _ in range(crosses - len(spots)):
        beside = _beside(sheet, shield, taken)
        taken.append(beside)
        marks += draw_cross(beside, shield.circle, 0.0, brush, "x")
    sheet.ink(marks, hand.cross_pen)


def _room_around(shield: Shield) -> float:
    """Return how far a cross may slip before it could be meant for the next circle."""
    room = shield.circle
    for i, one in enumerate(shield.circles):
        for other in shield.circles[i + 1 :]:
            room = min(room, 0.25 * math.hypot(*(one - other)))
    return float(room)


def _beside(sheet: _Sheet, shield: Shield, taken: list[Path]) -> Path:
    """Return a free spot of the cell, the clearest of some.

    taken: centres in the cell to stay away from, as from the circles of cells around.
    """
    pitch = np.array(sheet.layout.cell_mm)
    centre = shield.polygon[0] - sheet.shield.polygon[0]
    tries = centre + sheet.rng.uniform(-0.4, 0.4, (40, 2)) * pitch
    around = [shield.circles + pitch * (dx, dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))]
    away = np.concatenate((np.array(taken).reshape(-1, 2), *around, centre[None] + 9e3))
    gaps = np.hypot(*(tries[:, None] - away).transpose(2, 0, 1)).min(axis=1)
    near = np.hypot(*(tries - (taken[0] if taken else centre)).T) / pitch[0]
    contour = np.round(shield.polygon * 64).astype(np.int32)
    outside = [
        -cv2.pointPolygonTest(contour, (float(x), float(y)), True) / 64
        for x, y in np.round(tries * 64)
    ]
    clear = np.minimum(np.array(outside) / (1.6 * shield.circle), 1.0)
    clear = clear + np.minimum(gaps / (2.3 * shield.circle), 1.0) - 0.15 * near
    return np.asarray(tries[int(clear.argmax())])


def _draw_borders(sheet: _Sheet, board: Board) -> None:
    """Shade lines between cells with different coats, as far as this hand does."""
    hand, rng, layout = sheet.hand, sheet.rng, sheet.layout
    if not hand.borders and not hand.rims:
        return
    origin, pitch = np.array(layout.grid_mm), np.array(layout.cell_mm)
    wrong = 0.03 * sheet.mess
    marks: list[Stroke] = []
    for r in range(layout.rows):
        for c in range(layout.cols):
            here = board.get((r, c), (None, 0))[0]
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                inside = 0 <= r + dr < layout.rows and 0 <= c + dc < layout.cols
                if inside and (dr < 0 or dc < 0):
                    continue
                there = board.get((r + dr, c + dc), (None, 0))[0]
                often = (hand.borders if inside else hand.rims) if here != there else 0.0
                if rng.random() < often * (1 - wrong) + wrong * (hand.borders > 0) * inside:
                    corner = origin + pitch * (c + max(dc, 0), r + max(dr, 0))
                    end = corner + pitch * (abs(dr), abs(dc))
                    marks += _border(sheet, corner, end)
    for i in range(0, len(marks), 6):
        sheet.ink(marks[i : i + 6], hand.border_pen)


def _border(sheet: _Sheet, a: Path, b: Path) -> list[Stroke]:
    """Return one shaded line between the corners of a cell."""
    rng, hand = sheet.rng, sheet.hand
    size = math.hypot(*(b - a))
    room = _edge_room(sheet.layout)
    loose = min((0.008 + 0.02 * hand.taste.slop) * size, 0.4 * room)
    ends = np.stack((a, b)) + rng.normal(0, loose, (2, 2))
    ends = ends + (b - a) * rng.normal(0, 0.03 + 0.05 * hand.taste.slop, (2, 1))
    wobble = hand.taste.tremor + (0.012 * size if hand.border_line == "wobbly" else 0.0)
    wobble = min(wobble, 0.02 * size, 0.4 * room)
    path = line(ends[0], ends[1], rng, wobble=wobble, bow=hand.taste.bow * 0.3)
    if hand.border_line == "double":
        shift = rng.normal(0, min(0.02 * size, 0.5 * room), 2)
        return [Stroke(path), Stroke(path[::-1] + shift)]
    return [Stroke(path, width=2.0 if hand.border_line == "thick" else 1.0)]


def _colour_roofs(sheet: _Sheet) -> None:
    """Colour the castle's roofs, one or all of them."""
    brush = sheet.brush(sheet.hand.pen)
    at = sheet.at(CASTLE)
    roofs = sheet.layout.castle.roofs
    keep = len(roofs) if sheet.rng.random() < 0.85 else max(1, (len(roofs) + 1) // 2)
    for roof in roofs[:keep]:
        polygon = np.array(roof, np.float64) + at
        style = brush.pick(sheet.hand.taste.fill, FILLS)
        sheet.ink(fill(polygon, brush, style, share=0.5), sheet.hand.pen)


def _clutter_below(sheet: _Sheet) -> None:
    """Smudges and cups: before the marks, all over the page."""
    rng, size = sheet.rng, np.array(sheet.layout.page_mm)
    for _ in range(int(rng.poisson(1.2 * sheet.mess))):
        scrawl.smudge(sheet.page, rng.uniform(0, 1, 2) * size, 14.0, rng, sheet.px_per_mm)
    if rng.random() < 0.04 * sheet.mess:
        scrawl.coffee_ring(
            sheet.page, rng.uniform(-0.1, 1.1, 2) * size, rng.uniform(28, 45), rng, sheet.px_per_mm
        )


def _clutter_above(sheet: _Sheet, board: Board) -> None:
    """Writing in the margins, slips of the pen between cells, scores of domains."""
    rng, layout, mess = sheet.rng, sheet.layout, sheet.mess
    low = np.array(layout.grid_mm)
    pitch = np.array(layout.cell_mm)
    high = low + pitch * (layout.cols, layout.rows)
    page = np.array(layout.page_mm)
    pens = (sheet.hand.pen, sheet.hand.cross_pen, random_pen(rng))
    for _ in range(int(rng.poisson(3.0 * mess))):
        height = rng.uniform(2.2, 7.0)
        band = int(rng.integers(4))
        lot = rng.uniform(0, 1, 2)
        at = lot * page
        if band < 2:
            depth = low[1] if band == 0 else page[1] - high[1]
            height = min(height, 0.6 * depth)
            at[1] = lot[1] * (depth - 1.5 * height) + (0 if band == 0 else high[1] + 0.5 * height)
            room = page[0] - at[0] - 2
        else:
            depth = low[0] if band == 2 else page[0] - high[0]
            height = min(height, 0.35 * depth)
            at[0] = lot[0] * 0.3 * depth + (0 if band == 2 else high[0] + 0.3 * height)
            room = (low[0] if band == 2 else page[0]) - at[0]
        if height < 1.2 or room < 2 * height:
            continue
        pen = pens[int(rng.integers(len(pens)))]
        pen = replace(pen, width=min(pen.width, 0.2 * height))
        sheet.ink(scrawl.writing(at, float(room), height, rng, sheet.bank), pen)
    _strays(sheet)
    if rng.random() < 0.25 * mess:
        _scores(sheet, board)


def _strays(sheet: _Sheet) -> None:
    """Slips of the pen along the lines between cells and outside of the map."""
    rng, layout = sheet.rng, sheet.layout
    pitch = np.array(layout.cell_mm)
    for _ in range(int(rng.poisson(3.0 * sheet.mess))):
        place = rng.uniform(0, 1, 2) * (layout.cols, layout.rows)
        place[int(rng.integers(2))] = float(rng.integers(0, layout.rows + 1))
        at = np.array(layout.grid_mm) + place * pitch
        marks = scrawl.stray(at, 0.05 * float(pitch.min()), rng)
        pen = replace(sheet.hand.pen, width=min(sheet.hand.pen.width, 0.03 * float(pitch.min())))
        sheet.ink(marks, pen)


def _scores(sheet: _Sheet, board: Board) -> None:
    """Write small numbers into free corners of some cells."""
    rng = sheet.rng
    cells = sorted(board)
    height = 0.13 * float(min(sheet.layout.cell_mm))
    for i in rng.permutation(len(cells))[: int(rng.integers(2, 8))]:
        shield = _moved(sheet.shield, sheet.at(cells[i]))
        at = _beside(sheet, shield, [*shield.circles])
        contour = np.round(shield.polygon * 64).astype(np.int32)
        away = cv2.pointPolygonTest(contour, (float(at[0] * 64), float(at[1] * 64)), True)
        gaps = np.hypot(*(shield.circles - at).T) if len(shield.circles) else np.array((9e9,))
        if away < -64 * 0.5 * height and gaps.min() > 2.0 * shield.circle + 0.5 * height:
            text = str(int(rng.integers(1, 30)))
            marks = scrawl.number(text, at - 0.5 * height, height, rng)
            pen = replace(sheet.hand.pen, width=min(sheet.hand.pen.width, 0.16 * height))
            sheet.ink(marks, pen)
