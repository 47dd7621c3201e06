"""Draws the map itself: cells, shields with their circles, the castle, the border."""

from __future__ import annotations

from collections.abc import Iterator

from kdscan.paper.decor import draw_art, paint_castle
from kdscan.paper.fonts import CAPITAL
from kdscan.paper.layout import Castle, Layout, Point, moved, rect
from kdscan.paper.pen import Pen
from kdscan.rules.duel.board import CASTLE, COLS, ROWS

_DASHES = {"ruled": (), "dashed": (1.8, 1.2), "dotted": (0.3, 1.1)}
"""Lengths of dashes and gaps in mm."""

_BORDER_GAP_MM, _BORDER_MM = 0.8, 1.1
_COORDINATE_MM = 2.1


def draw_map(pen: Pen, layout: Layout) -> None:
    """Draw everything inside the grid and the graduated border around it."""
    _lines(pen, layout)
    _border(pen, layout)
    if layout.coordinates:
        _coordinates(pen, layout)
    for row in range(ROWS):
        for col in range(COLS):
            at = layout.center_mm(row, col)
            if (row, col) == CASTLE:
                _castle(pen, layout.castle, at)
            else:
                ground = pen.theme.ground
                pen.polygon(moved(layout.shield, at), line="line", width=0.3, fill=ground)
                for center in moved(layout.circles, at):
                    radius = layout.circle_radius_mm
                    pen.circle(center, radius, line="line", width=0.22, fill=ground)


def _lines(pen: Pen, layout: Layout) -> None:
    if layout.lines == "none":
        return
    (x, y, w, h), (cw, ch) = layout.grid_rect, layout.cell_mm
    down = [((x + i * cw, y), (x + i * cw, y + h)) for i in range(1, COLS)]
    across = [((x, y + i * ch), (x + w, y + i * ch)) for i in range(1, ROWS)]
    pen.lines(*down, *across, line="faint", width=0.2, dash=_DASHES[layout.lines])
    for i in range(1, COLS):
        for k in range(1, ROWS):
            draw_art(pen, "diamond", (x + i * cw, y + k * ch))
    pen.box(x, y, w, h, width=0.3)


def _border(pen: Pen, layout: Layout) -> None:
    """The graduated border of an old map: dark beside the middle of each cell, light between."""
    (x, y, w, h), (cw, ch) = layout.grid_rect, layout.cell_mm
    inner, outer = _BORDER_GAP_MM, _BORDER_GAP_MM + _BORDER_MM
    bars = []
    for a, b in _steps(x, cw, COLS):
        bars += [rect(a, y - outer, b, y - inner), rect(a, y + h + inner, b, y + h + outer)]
    for a, b in _steps(y, ch, ROWS):
        bars += [rect(x - outer, a, x - inner, b), rect(x + w + inner, a, x + w + outer, b)]
    for a in (x - outer, x + w + inner):
        bars += [rect(a, b, a + _BORDER_MM, b + _BORDER_MM) for b in (y - outer, y + h + inner)]
    pen.shape(bars, fill="faint")
    for d in (inner, outer):
        pen.box(x - d, y - d, w + 2 * d, h + 2 * d, width=0.18)


def _coordinates(pen: Pen, layout: Layout) -> None:
    """Columns A to G above the border, rows 1 to 5 left of it."""
    outer, size = _BORDER_GAP_MM + _BORDER_MM, _COORDINATE_MM
    for col in range(COLS):
        x = layout.center_mm(0, col)[0]
        at = (x, layout.grid_mm[1] - outer - 0.7)
        pen.text(at, "ABCDEFG"[col], size, color="line", align="middle")
    for row in range(ROWS):
        y = layout.center_mm(row, 0)[1] + size * CAPITAL / 2
        at = (layout.grid_mm[0] - outer - 1.2, y)
        pen.text(at, str(row + 1), size, color="line", align="middle")


def _steps(start: float, cell: float, count: int) -> Iterator[tuple[float, float]]:
    for i in range(count):
        yield start + (i + 0.25) * cell, start + (i + 0.75) * cell


def _castle(pen: Pen, castle: Castle, at: Point) -> None:
    keep = [moved(polygon, at) for polygon in castle.keep]
    if pen.theme.parchment:
        paint_castle(pen, keep)
    else:
        for polygon in keep:
            pen.polygon(polygon, line="ink", width=0.25, fill="white")
    for polygon in castle.roofs:
        pen.polygon(moved(polygon, at), line="ink", width=0.3, fill="white")
