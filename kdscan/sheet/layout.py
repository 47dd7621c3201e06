"""A layout: what one map side looks like on paper, in millimetres.

The same numbers print the sheet (`kdscan.sheet.printing`), draw it for training
(`kdscan.synth`) and tell the reader where to look.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Point = tuple[float, float]
LineStyle = Literal["ruled", "dashed", "dotted", "none"]


@dataclass(frozen=True)
class Castle:
    """The castle in the middle cell: roofs (to be coloured in) over a keep.

    All points in mm from the centre of its cell, x right, y down.
    roofs: polygons, each of three or more points.
    keep: polygons under the roofs.
    """

    roofs: tuple[tuple[Point, ...], ...]
    keep: tuple[tuple[Point, ...], ...]


@dataclass(frozen=True)
class Layout:
    """One map side of 5 × 7 cells.

    name: how JSON calls it.
    page_mm: width and height of the page.
    grid_mm: x, y of the grid's top left corner on the page.
    cell_mm: width and height of one cell (the pitch of the lattice).
    shield: closed polygon in mm from the centre of its cell.
    circles: centres of the small circles in mm from the centre of their cell.
    circle_radius_mm: their radius.
    lines: how the lines between cells are printed.
    castle: the castle in row 2, column 3.
    """

    name: str
    page_mm: tuple[float, float]
    grid_mm: Point
    cell_mm: tuple[float, float]
    shield: tuple[Point, ...]
    circles: tuple[Point, ...]
    circle_radius_mm: float
    lines: LineStyle
    castle: Castle
    rows: int = 5
    cols: int = 7

    def center_mm(self, row: float, col: float) -> Point:
        """Centre of a cell on the page, in mm; fractions give points between centres."""
        return (
            self.grid_mm[0] + (col + 0.5) * self.cell_mm[0],
            self.grid_mm[1] + (row + 0.5) * self.cell_mm[1],
        )
