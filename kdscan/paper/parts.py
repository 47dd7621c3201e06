"""The parts of a sheet, in millimetres.

Points are x right, y down. The origin is the centre of the cell for what belongs to a cell, and the
top left corner of the page for everything else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from kdscan.rules.duel.board import COLS, MAX_CROSSES, ROWS

LARGEST_MM = 1189
"""Longer side of A0 (ISO 216), the largest page."""

Mm = Annotated[float, Meta(ge=-LARGEST_MM, le=LARGEST_MM)]
Size = Annotated[float, Meta(ge=0.01, le=LARGEST_MM)]
Point = tuple[Mm, Mm]
Box = tuple[Mm, Mm, Size, Size]
"""x, y of the top left corner, width and height."""

Polygon = Annotated[tuple[Point, ...], Meta(min_length=3)]
LineStyle = Literal["ruled", "dashed", "dotted", "none"]
CoatName = Literal["dot", "double_dot", "line", "double_line", "filled", "checked"]


def rect(x0: float, y0: float, x1: float, y1: float) -> Polygon:
    """A rectangle's corners, clockwise from the top left."""
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


def moved(polygon: Polygon, at: Point) -> Polygon:
    """A polygon given relative to a centre, placed with that centre on the page."""
    return tuple((at[0] + x, at[1] + y) for x, y in polygon)


@dataclass(frozen=True)
class Marker:
    """One ArUco marker: its number in the dictionary and its centre on the page."""

    id: int
    center_mm: Point


@dataclass(frozen=True)
class Markers:
    """Four markers around the grid, upright on an upright sheet.

    dictionary: OpenCV's name for the family, such as ``DICT_4X4_50``.
    size_mm: side of the black square.
    places: top left, top right, bottom right, bottom left.
    """

    dictionary: str
    size_mm: Size
    places: tuple[Marker, Marker, Marker, Marker]


@dataclass(frozen=True)
class Code:
    """The place of a sheet's own code, if it has one; anything else there is not printed.

    size_mm: side of the code without its white border.
    caption_mm: end of the baseline of its text in small print; None for no text.
    """

    center_mm: Point
    size_mm: Size
    caption_mm: Point | None = None


@dataclass(frozen=True)
class Castle:
    """The castle in the middle cell: roofs (to be coloured in) over a keep.

    All points in mm from the centre of its cell, x right, y down.
    roofs: polygons, each of three or more points.
    keep: polygons under the roofs, each drawn over the ones before it.
    """

    roofs: Annotated[tuple[Polygon, ...], Meta(min_length=1)]
    keep: tuple[Polygon, ...]


@dataclass(frozen=True)
class Title:
    """The sheet's heading, set around `center_mm` with capitals `size_mm` tall.

    width_mm: the text is set smaller if a language needs more room than this; None for no limit.
    """

    text: str
    center_mm: Point
    size_mm: Size
    width_mm: Size | None = None


@dataclass(frozen=True)
class Compass:
    """A compass rose whose north is the sheet's upper edge."""

    center_mm: Point
    radius_mm: Size


@dataclass(frozen=True)
class Ruler:
    """A line of known length to check the print scale with; `start_mm` is its left end."""

    start_mm: Point
    length_mm: Size


@dataclass(frozen=True)
class Blank:
    """A place to write in.

    box_mm: x, y of its top left corner, width and height.
    kind: a line to write on, a box, or a box with a double frame. coat: the coat that a box counts,
    shown small in its corner.
    """

    label: str
    box_mm: Box
    kind: Literal["line", "box", "double"] = "line"
    coat: CoatName | None = None


@dataclass(frozen=True)
class Note:
    """A line of small print; `at_mm` is the start, middle or end of its baseline.

    width_mm: the text is set smaller if a language needs more room than this; None for no limit.
    """

    text: str
    at_mm: Point
    align: Literal["left", "middle", "right"] = "left"
    width_mm: Size | None = None


@dataclass(frozen=True)
class Example:
    """One coat of the legend, drawn as players should draw it.

    center_mm: centre of the example's shield on the page.
    """

    coat: CoatName
    center_mm: Point


@dataclass(frozen=True)
class Legend:
    """How each coat is drawn. `size_mm` is the height of the examples' shields."""

    size_mm: Size
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Layout:
    """One map side of 5 × 7 cells.

    name: in the JSON.
    page_mm: width and height of the page.
    grid_mm: x, y of the grid's top left corner on the page.
    cell_mm: width and height of one cell (the pitch of the lattice).
    shield: closed polygon in mm from the centre of its cell.
    circles: centres of the small circles in mm from the centre of their cell.
    circle_radius_mm: their radius.
    lines: how the lines between cells are printed.
    castle: the castle in row 2, column 3.
    coordinates: whether column letters and row numbers are printed around it.
    second_code: the same code once more, far from the first, so that one may be covered or cut off.
    The other fields are printed around the grid if present.
    """

    name: str
    page_mm: tuple[Size, Size]
    grid_mm: Point
    cell_mm: tuple[Size, Size]
    shield: Polygon
    circles: Annotated[tuple[Point, ...], Meta(min_length=1, max_length=MAX_CROSSES)]
    circle_radius_mm: Size
    lines: LineStyle
    castle: Castle
    coordinates: bool = False
    title: Title | None = None
    compass: Compass | None = None
    ruler: Ruler | None = None
    markers: Markers | None = None
    code: Code | None = None
    second_code: Code | None = None
    legend: Legend | None = None
    blanks: tuple[Blank, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def grid_rect(self) -> tuple[float, float, float, float]:
        """x, y, width and height of the grid on the page, in mm."""
        (x, y), (w, h) = self.grid_mm, self.cell_mm
        return x, y, COLS * w, ROWS * h

    def center_mm(self, row: float, col: float) -> Point:
        """Centre of a cell on the page, in mm; fractions give points between centres."""
        return (
            self.grid_mm[0] + (col + 0.5) * self.cell_mm[0],
            self.grid_mm[1] + (row + 0.5) * self.cell_mm[1],
        )
