"""Turns a template into a layout file, which `kdscan sheet` prints."""

from __future__ import annotations

from math import dist

import numpy as np

from kdscan.errors import LayoutError
from kdscan.paper.layout import Castle, Layout, Point, Polygon, check_layout
from kdscan.rules.duel.board import COLS, MAX_CROSSES, ROWS
from kdscan.templates.template import Template

INSIDE = 0.495
"""Cells from a cell's centre that its shield and circles may reach."""


def to_layout(template: Template, cell_mm: float = 24.0) -> Layout:
    """The layout that a template shows.

    cell_mm: width of a cell on paper. The height follows from the photo, which must therefore be
    taken from straight above. Raises LayoutError if shield or circles were not found.
    """
    cell = template.cell
    if not cell.shield or not 1 <= len(cell.circles) <= MAX_CROSSES:
        raise LayoutError(
            "no shield with one to four small circles was found in the cells; photograph an"
            " unmarked sheet from straight above, sharp and evenly lit"
        )
    w, h = round(cell_mm, 2), round(cell_mm * template.aspect, 2)
    # The lattice is off if its cells would not contain their shields and circles.
    x, y = (
        float(np.clip(0.0, high - INSIDE, low + INSIDE)) if high - low < 2 * INSIDE else 0.0
        for low, high in (
            (min(axis), max(axis)) for axis in zip(*cell.shield, *cell.circles, strict=True)
        )
    )
    off = (x, y)

    def mm(points: Polygon, off: Point = (0.0, 0.0)) -> Polygon:
        """Places in a cell in mm, clipped to the cell and rounded to a hundredth."""
        away = np.clip(np.subtract(points, off).reshape(-1, 2), -0.499, 0.499) * (w, h)
        return tuple((round(x, 2), round(y, 2)) for x, y in away.tolist())

    circles, border = mm(cell.circles, off), round(cell_mm / 2, 2)
    # Circles touch neither each other nor the cell's edges.
    room = [side / 2 - abs(at[axis]) for at in circles for axis, side in enumerate((w, h))]
    apart = [dist(a, b) / 2 for n, a in enumerate(circles) for b in circles[:n]]
    radius = round(min(cell.radius * min(w, h), *room, *apart) - 0.005, 2)
    layout = Layout(
        name=template.name,
        page_mm=(round(COLS * w + 2 * border, 2), round(ROWS * h + 2 * border, 2)),
        grid_mm=(border, border),
        cell_mm=(w, h),
        shield=mm(cell.shield, off),
        circles=circles,
        circle_radius_mm=radius,
        lines=template.lines,
        castle=Castle(tuple(map(mm, template.castle.roofs)), tuple(map(mm, template.castle.keep))),
    )
    check_layout(layout)
    return layout
