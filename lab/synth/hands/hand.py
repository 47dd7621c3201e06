"""Draws a played board on a printed sheet as a `Hand` does it: habits are fixed, marks vary.

All randomness comes from the generator passed in, so a sheet can be reproduced.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from kdscan.rules import Cell
from kdscan.rules.duel.board import CASTLE, CELLS, Board, Coat, Shield
from lab.synth.fields import SQUARE, Rng, any_of, f32
from lab.synth.hands.dots_and_crosses import (
    COVERING,
    FREE_STANDING,
    cross_through,
    draw_cross,
    in_a_row,
    one_dot,
    two_dots,
)
from lab.synth.hands.fills import checked, fill, filled
from lab.synth.hands.ink import Spared, Stroke, Strokes
from lab.synth.hands.lines import one_line, two_lines
from lab.synth.hands.preferences import ShieldShape, StrokeBank
from lab.synth.hands.sketch import (
    DrawnPage,
    Hand,
    Page,
    Sketch,
    beside,
    fit_hand,
    free_room,
)
from lab.synth.hands.strokes import Path, Pen, outline, ring
from lab.synth.hands.surroundings import (
    add_extras,
    draw_borders,
    fluid,
    scribble_around,
    smear,
    smudge,
    soil,
)
from lab.synth.sheets.page import drawing_mask

COATS = {
    Coat.DOT: one_dot,
    Coat.DOUBLE_DOT: two_dots,
    Coat.LINE: one_line,
    Coat.DOUBLE_LINE: two_lines,
    Coat.FILLED: filled,
    Coat.CHECKED: checked,
}
"""The function that draws each coat in a shield. Each makes sure that a careful person can still
tell the coats apart: dots stay short, two lines are further apart than the runs of one, hatching
has too many strokes to be a line."""


def draw_board(
    rng: Rng,
    blank: Page,
    played: tuple[Board, bool],
    hand: Hand,
    messiness: float,
    strokes: StrokeBank | None = None,
    erased: float = 1.0,
) -> DrawnPage:
    """A copy of a printed page with a board drawn on it.

    played: the board, and whether the castle was used; crosses that exceed the circles are drawn
        beside them.
    messiness: 0 clean .. 1 very messy: careless marks, erasures, corrections, scrawl.
    strokes: recorded pen paths that some of the marks follow.
    erased: factor by which marks are erased more often than people do it.
    """
    (layout, blank_bgr, px_per_mm), (board, castle_used) = blank, played
    page = blank_bgr.copy()
    ground = page[drawing_mask(layout, page.shape[:2], px_per_mm) > 127][::7]
    shield = free_room(layout)
    hand = fit_hand(hand, layout, shield.radius, messiness, ground)
    sheet = Sketch(page, hand, rng, px_per_mm, strokes, messiness, layout, shield, erased)
    soil(page, layout.page_mm, rng, px_per_mm, messiness)
    for cell in CELLS:
        _draw_cell(sheet, cell, board.get(cell))
    draw_borders(sheet, board)
    add_extras(sheet, board)
    if castle_used:
        # colour the castle's roofs, one or all of them
        brush = sheet.brush(sheet.hand.pen)
        at = sheet.at(CASTLE)
        roofs = sheet.layout.castle.roofs
        keep = len(roofs) if sheet.rng.random() < 0.85 else max(1, (len(roofs) + 1) // 2)
        for roof in roofs[:keep]:
            polygon = np.array(roof, np.float64) + at
            sheet.ink(fill(polygon, brush, brush.pick("fill"), whole=False), sheet.hand.pen)
    scribble_around(sheet, board)
    for _ in range(rng.poisson(SMEARED.get(hand.pen.kind, 0.0) * messiness)):
        grid = np.array(layout.grid_rect)
        at = grid[:2] + rng.uniform(0, 1, 2) * grid[2:]
        smear(page, blank_bgr, at, 0.5 * min(layout.cell_mm), rng, px_per_mm)
    crossed = f32(sheet.crossed).reshape(-1, 3)
    return DrawnPage(layout, page, blank_bgr, px_per_mm, board, castle_used, crossed)


SMEARED = {"wipe": 2.0, "fountain": 0.3, "gel": 0.3, "marker": 0.2, "pencil": 0.2}
"""How often a hand smears fresh ink on a messy sheet, by kind of pen. Guesses."""


def _draw_cell(sheet: Sketch, cell: Cell, mark: Shield | None) -> None:
    """Draw the contents of one cell, and traces of what was there before."""
    rng, hand, messiness = sheet.rng, sheet.hand, sheet.messiness
    shield = sheet.shield_of(cell)
    # leave what an eraser left of an earlier mark
    pen = hand.pen
    often = (0.12 if pen.kind == "pencil" else 0.01) * messiness * sheet.erased
    if rng.random() < often:
        coat = any_of(rng, tuple(COATS))
        marks = COATS[coat](shield, sheet.brush(pen))
        if mark is not None and coat in (Coat.FILLED, Coat.CHECKED):
            marks = marks[:3]
        _erase(sheet, marks, shield.middle, shield.radius)
    if len(shield.circles) and rng.random() < often:
        at = shield.circles[rng.integers(len(shield.circles))]
        marks = draw_cross(at, shield.circle, shield.pitch, sheet.brush(pen), "x")
        _erase(sheet, marks, at, shield.circle)
    if rng.random() < 0.008 * messiness:
        # paint correction fluid over a wrong dot; the right coat goes on top
        small = replace(shield, radius=0.6 * shield.radius)
        sheet.ink(one_dot(small, sheet.brush(pen)), pen)
        reach = shield.radius * rng.uniform(0.75, 1.0)
        edge = ring(shield.middle, reach, rng, squash=rng.uniform(0.85, 1.0), wobble=0.06)
        fluid(sheet.page, edge, rng, sheet.px_per_mm)
    if mark is None:
        return
    coat = mark.coat
    pen = hand.other if rng.random() < hand.swaps else hand.pen
    # the places of a cell's crosses: in its circles, and beside them if there are too few
    crosses = mark.crosses
    order = np.arange(len(shield.circles))
    if not hand.in_order and rng.random() < 0.8:
        order = rng.permutation(order)
    spots = [shield.circles[i] for i in order[:crosses]]
    taken = [*shield.circles]
    for _ in range(crosses - len(spots)):
        spots.append(beside(sheet, shield, taken))
        taken.append(spots[-1])
    aim, spare = shield, Spared(shield.around, shield.circle * rng.uniform(1.02, 1.3))
    brush, wrong = sheet.brush(pen), messiness * (8.0 if sheet.adds == "corrections" else 1.0)
    if sheet.adds == "shields" and rng.random() < 0.7:
        # the shield's outline drawn once more
        scale = brush.near(1.0, 0.03, 0.93, 1.08)
        wobble = 0.01 * shield.span + 0.5 * brush.traits.tremor
        sheet.ink([Stroke(outline(shield.polygon, brush.rng, scale=scale, wobble=wobble))], pen)
    if coat in _SMALL and rng.random() < 0.02 * wrong:
        clear = replace(brush.traits, size=max(brush.traits.size, 0.7))
        half = _strike(sheet, shield, pen)
        sheet.ink(COATS[coat](half, replace(brush, traits=clear)), pen)
    else:
        if coat is Coat.FILLED and rng.random() < 0.04 * wrong:
            sheet.ink(COATS[any_of(rng, _SMALL)](shield, brush), pen)
        if hand.overruns and rng.random() < hand.overruns:
            aim, spare = _overrun(sheet, shield, coat, spots)
        sheet.ink(COATS[coat](aim, brush), pen, spare)
    _cross_out(sheet, shield, cell, spots)


GRAZED, BEYOND = 0.5, 1.35
"""A careless coat may cover half of a circle. More would look like a cross, unless it is visible
that the stroke which fills the shield continued over the circle. The second is the largest size of
such a coat relative to its shield. Guesses."""


def _overrun(
    sheet: Sketch, shield: ShieldShape, coat: Coat, crossed: list[Path]
) -> tuple[ShieldShape, Spared]:
    """Return the shield as a writer sees it whose strokes run out of it, and the discs that stay
    free. crossed: where crosses will be drawn; these places stay free, so that the crosses are
    visible."""
    rng, cell = sheet.rng, np.array(sheet.layout.cell_mm)
    most = np.clip(0.98 * cell / np.ptp(shield.polygon, 0), 1.0, BEYOND)
    polygon = shield.centre + (shield.polygon - shield.centre) * rng.uniform(1.0, most)
    around = shield.around
    taken = np.array(crossed).reshape(-1, 2)
    free = [at for at in shield.circles if not (taken == at).all(1).any()]
    covers = sheet.hand.traits.habits["cross"] in COVERING
    if free and not covers and rng.random() < sheet.hand.sweeps:
        swept = np.array(free)
        if coat is Coat.FILLED:
            polygon, swept = _swept(polygon, swept, shield.circle, rng)
        gaps = np.hypot(*(around[:, None] - swept).transpose(2, 0, 1)).min(1)
        around = around[gaps > 1e-6]
    heeded = shield.circles if covers else shield.circles[:0]
    careless = replace(shield, polygon=polygon, circles=heeded)
    return careless, Spared(around, 1.1 * shield.circle, GRAZED)


def _swept(polygon: Path, circles: Path, radius: float, rng: Rng) -> tuple[Path, Path]:
    """Extend the filled area over adjacent circles, one to all of them; returns these too."""
    start = circles[rng.integers(len(circles))]
    order = np.hypot(*(circles - start).T).argsort()
    swept = circles[order[: rng.integers(1, len(circles) + 1)]]
    corners = SQUARE * radius * rng.uniform(0.3, 1.3)
    points = np.concatenate((polygon, (swept[:, None] + corners).reshape(-1, 2)))
    hull = cv2.convexHull(f32(points))[:, 0]
    return hull.astype(np.float64), swept


_SMALL = (Coat.DOT, Coat.LINE)
"""Coats that fit into half a shield beside a struck-out one and stay legible."""


def _strike(sheet: Sketch, shield: ShieldShape, pen: Pen) -> ShieldShape:
    """Strike out a wrong dot in the upper or lower half of a shield; returns the other half."""
    rng, size = sheet.rng, 0.42 * shield.radius
    shift = np.array((0.0, 0.5 if rng.random() < 0.5 else -0.5)) * shield.radius
    wrong = replace(shield, middle=shield.middle - shift, radius=size)
    marks = one_dot(wrong, sheet.brush(pen))
    x = np.linspace(-0.85, 0.85, int(rng.integers(12, 22))) * shield.radius
    y = np.where(np.arange(len(x)) % 2, 0.8, -0.8) * size * rng.uniform(0.6, 1.1, len(x))
    zigzag = np.stack((x, y), 1) + wrong.middle
    sheet.ink([*marks, Stroke(zigzag)], pen)
    low = shield.middle + shift
    box = np.array(((-1, -0.42), (1, -0.42), (1, 0.42), (-1, 0.42))) * shield.radius + low
    return replace(shield, polygon=box, middle=low, radius=size)


def _erase(sheet: Sketch, marks: Strokes, at: Path, size: float) -> None:
    rng = sheet.rng
    sheet.erase(marks)
    if rng.random() < 0.5:
        smudge(sheet.page, at, 1.5 * size, rng, sheet.px_per_mm)


def _cross_out(sheet: Sketch, shield: ShieldShape, cell: Cell, spots: list[Path]) -> None:
    """Draw a cell's crosses."""
    if not spots:
        return
    brush, count = sheet.brush(sheet.hand.cross_pen), len(shield.circles)
    circles, beyond = np.array(spots[:count]).reshape(-1, 2), spots[count:]
    styles = [brush.pick("cross") for _ in circles]
    if "through" in styles and in_a_row(circles, shield.circles):
        marks = cross_through(circles, shield.circle, brush)
    else:
        marks = [
            stroke
            for at, style in zip(circles, styles, strict=True)
            for stroke in draw_cross(at, shield.circle, shield.pitch, brush, style)
        ]
    for at in beyond:
        style = brush.pick("cross")
        style = style if style in FREE_STANDING else "x"
        marks += draw_cross(at, shield.circle, shield.pitch, brush, style)
    (left, top), (w, h) = sheet.layout.grid_mm, sheet.layout.cell_mm
    for x, y in spots:
        sheet.crossed.append((CELLS.index(cell), (x - left) / w - 0.5, (y - top) / h - 0.5))
    sheet.ink(marks, sheet.hand.cross_pen)
