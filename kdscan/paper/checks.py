"""Validation of layouts: the conditions for printing, filling in and reading a sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import dist

import msgspec

from kdscan.errors import LayoutError
from kdscan.paper.parts import Layout, Markers, Point, Polygon
from kdscan.paper.text import unprintable

_SLACK_MM = 0.01
"""Tolerance for rounding decimal millimetres, far below what any printer can show."""

_DICTIONARY = re.compile(r"DICT_([4-7])X\1_(50|100|250|1000)")
"""OpenCV's families of markers with 4 to 7 modules (cv2.aruco), and their sizes."""


@dataclass(frozen=True)
class _Box:
    """A rectangle in mm: left, top, right, bottom."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def around(cls, center: Point, width: float, height: float) -> _Box:
        (x, y), w, h = center, width / 2, height / 2
        return cls(x - w, y - h, x + w, y + h)

    def holds(self, points: Iterable[Point], reach: float = 0.0) -> bool:
        reach -= _SLACK_MM
        return all(
            self.x0 + reach <= x <= self.x1 - reach and self.y0 + reach <= y <= self.y1 - reach
            for x, y in points
        )

    def meets(self, other: _Box) -> bool:
        return (
            min(self.x1, other.x1) - max(self.x0, other.x0) > _SLACK_MM
            and min(self.y1, other.y1) - max(self.y0, other.y0) > _SLACK_MM
        )

    @property
    def corners(self) -> Polygon:
        return ((self.x0, self.y0), (self.x1, self.y1))


def check_layout(layout: Layout) -> None:
    """Raise LayoutError, with a message that names the key, for the first thing wrong."""
    try:
        msgspec.convert(msgspec.to_builtins(layout, enc_hook=float), Layout)
    except msgspec.ValidationError as error:
        raise LayoutError("{where}: {error}", where=layout.name, error=error) from error
    for problem in layout_problems(layout):
        raise problem


def layout_problems(layout: Layout) -> Iterator[LayoutError]:
    """Everything that is wrong with a layout, the most serious first."""
    yield from _sizes(layout)
    yield from _cell(layout)
    yield from _surroundings(layout)
    if layout.markers is not None:
        yield from marker_problems(layout.markers)
    yield from _texts(layout)


def _sizes(layout: Layout) -> Iterator[LayoutError]:
    if not layout.name.strip():
        yield LayoutError("`name` is empty.")
    page, grid = _page(layout), _grid(layout)
    if not page.holds(grid.corners):
        yield LayoutError(
            "the grid needs {width:g} × {height:g} mm from `grid_mm` {x:g}, {y:g}, which "
            "reaches beyond the page of {page_width:g} × {page_height:g} mm.",
            width=grid.x1 - grid.x0,
            height=grid.y1 - grid.y0,
            x=layout.grid_mm[0],
            y=layout.grid_mm[1],
            page_width=layout.page_mm[0],
            page_height=layout.page_mm[1],
        )


def _cell(layout: Layout) -> Iterator[LayoutError]:
    cell = _Box.around((0, 0), *layout.cell_mm)
    polygons = {"shield": (layout.shield,), "castle.roofs": layout.castle.roofs,
                "castle.keep": layout.castle.keep}  # fmt: skip
    for key, group in polygons.items():
        for polygon in group:
            if not cell.holds(polygon):
                yield LayoutError("`{key}` reaches beyond its cell.", key=key)
    radius = layout.circle_radius_mm
    for i, center in enumerate(layout.circles):
        if not cell.holds([center], radius):
            yield LayoutError("`{key}` reaches beyond its cell.", key=f"circles[{i}]")
    for (i, a), (k, b) in combinations(enumerate(layout.circles), 2):
        if dist(a, b) < 2 * radius - _SLACK_MM:
            yield LayoutError(
                "`{key}` and `{other}` overlap.", key=f"circles[{i}]", other=f"circles[{k}]"
            )


def _surroundings(layout: Layout) -> Iterator[LayoutError]:
    page, grid = _page(layout), _grid(layout)
    boxes = list(_parts(layout))
    for key, box in boxes:
        if not page.holds(box.corners):
            yield LayoutError("`{key}` reaches beyond the page.", key=key)
        if box.meets(grid):
            yield LayoutError("`{key}` overlaps the grid.", key=key)
    for (key, box), (other, rival) in combinations(boxes, 2):
        if "markers" in key + other and box.meets(rival):
            yield LayoutError(
                "`{key}` and `{other}` overlap; a marker needs space of its own.",
                key=key,
                other=other,
            )


def _parts(layout: Layout) -> Iterator[tuple[str, _Box]]:
    """Everything around the grid, with the paper that it occupies; for texts, that of one
    letter."""
    if layout.title is not None:
        size = layout.title.size_mm
        yield "title", _Box.around(layout.title.center_mm, size, size)
    if layout.compass is not None:
        side = 2 * layout.compass.radius_mm
        yield "compass", _Box.around(layout.compass.center_mm, side, side)
    if layout.ruler is not None:
        x, y = layout.ruler.start_mm
        yield "ruler", _Box(x, y - 1, x + layout.ruler.length_mm, y + 1)
    for i, blank in enumerate(layout.blanks):
        x, y, w, h = blank.box_mm
        yield f"blanks[{i}]", _Box(x, y, x + w, y + h)
    for i, note in enumerate(layout.notes):
        yield f"notes[{i}]", _Box.around(note.at_mm, 1, 1)
    if layout.legend is not None:
        for i, example in enumerate(layout.legend.examples):
            size = layout.legend.size_mm
            yield f"legend.examples[{i}]", _Box.around(example.center_mm, size, size)
    for name, code in (("code", layout.code), ("second_code", layout.second_code)):
        if code is not None:
            yield name, _Box.around(code.center_mm, code.size_mm, code.size_mm)
    if layout.markers is not None:
        size = layout.markers.size_mm
        for i, marker in enumerate(layout.markers.places):
            yield f"markers.places[{i}]", _Box.around(marker.center_mm, size, size)


def marker_problems(markers: Markers) -> Iterator[LayoutError]:
    """What is wrong with a layout's markers by themselves."""
    family = _DICTIONARY.fullmatch(markers.dictionary)
    if family is None:
        yield LayoutError(
            "`markers.dictionary` is {dictionary!r}; it must be one of OpenCV's, such as "
            "DICT_4X4_50.",
            dictionary=markers.dictionary,
        )
        return
    ids = [marker.id for marker in markers.places]
    for i in ids:
        if not 0 <= i < int(family[2]):
            yield LayoutError(
                "marker {i} is not in {dictionary}.", i=i, dictionary=markers.dictionary
            )
    if len(set(ids)) != len(ids):
        yield LayoutError("each of `markers.places` needs a unique id, to tell which way is up.")


def _texts(layout: Layout) -> Iterator[LayoutError]:
    texts = {"name": layout.name, "title.text": layout.title.text if layout.title else ""}
    texts |= {f"blanks[{i}].label": blank.label for i, blank in enumerate(layout.blanks)}
    texts |= {f"notes[{i}].text": note.text for i, note in enumerate(layout.notes)}
    for key, text in texts.items():
        for letter in unprintable(text):
            yield LayoutError(
                "`{key}` holds {letter!r}, which the sheets' font doesn't have.",
                key=key,
                letter=letter,
            )


def _page(layout: Layout) -> _Box:
    return _Box(0, 0, *layout.page_mm)


def _grid(layout: Layout) -> _Box:
    x, y, w, h = layout.grid_rect
    return _Box(x, y, x + w, y + h)
