"""A layout: one side of a sheet, designed in millimetres; its file, and what may be wrong with it.

The same numbers print the sheet (`kdscan.paper.printing`), draw it for training (`lab.synth`) and
tell the reader where to look. A club adds its own as a TOML file with the fields of `Layout`.

Points are x right, y down. The origin is the centre of the cell for what belongs to a cell, and the
top left corner of the page for everything else.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations
from math import dist
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from kdscan.errors import LayoutError
from kdscan.files import read_error, read_text
from kdscan.paper.letters import unprintable
from kdscan.rules.duel.board import COLS, MAX_CROSSES, ROWS, Coat

# The parts of a sheet

LARGEST_MM = 1189
"""Longer side of A0 (ISO 216), the largest page."""

Mm = Annotated[float, Meta(ge=-LARGEST_MM, le=LARGEST_MM)]
Size = Annotated[float, Meta(ge=0.01, le=LARGEST_MM)]
Point = tuple[Mm, Mm]
Box = tuple[Mm, Mm, Size, Size]
"""x, y of the top left corner, width and height."""

Polygon = Annotated[tuple[Point, ...], Meta(min_length=3)]
LineStyle = Literal["ruled", "dashed", "dotted", "none"]


def rect(x0: float, y0: float, x1: float, y1: float) -> Polygon:
    """A rectangle's corners, clockwise from the top left."""
    return (x0, y0), (x1, y0), (x1, y1), (x0, y1)


def moved(polygon: Polygon, at: Point) -> Polygon:
    """A polygon given relative to a centre, placed with that centre on the page."""
    return tuple((at[0] + x, at[1] + y) for x, y in polygon)


Corners = tuple[float, float, float, float]
"""Left, top, right, bottom of a rectangle."""

SLACK_MM = 0.01
"""Tolerance for rounding decimal millimetres, far below what any printer can show."""


def bounds(points: Iterable[Point]) -> Corners:
    """The smallest rectangle that holds points."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def around(center: Point, width: float, height: float | None = None) -> Corners:
    """A rectangle around a point, a square without `height`."""
    (x, y), w, h = center, width / 2, (width if height is None else height) / 2
    return x - w, y - h, x + w, y + h


def holds(outer: Corners, inner: Corners) -> bool:
    """Whether one rectangle lies in another."""
    return all(
        outer[k] <= inner[k] + SLACK_MM and outer[k + 2] >= inner[k + 2] - SLACK_MM for k in (0, 1)
    )


def overlap(a: Corners, b: Corners) -> bool:
    """Whether two rectangles share more than an edge."""
    return all(min(a[k + 2], b[k + 2]) - max(a[k], b[k]) > SLACK_MM for k in (0, 1))


class Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a layout's TOML file has as a table; its keys are the fields."""


class Marker(Part, frozen=True):
    """One ArUco marker: its number in the dictionary and its centre on the page."""

    id: int
    center_mm: Point


class Markers(Part, frozen=True):
    """Four markers around the grid, upright on an upright sheet.

    dictionary: OpenCV's name for the family, such as ``DICT_4X4_50``.
    size_mm: side of the black square.
    places: top left, top right, bottom right, bottom left.
    """

    dictionary: str
    size_mm: Size
    places: tuple[Marker, Marker, Marker, Marker]


class Code(Part, frozen=True):
    """The place of a sheet's own code, if it has one; anything else there is not printed.

    size_mm: side of the code without its white border.
    caption_mm: end of the baseline of its text in small print; None for no text.
    """

    center_mm: Point
    size_mm: Size
    caption_mm: Point | None = None


class Castle(Part, frozen=True):
    """The castle in the middle cell: roofs (to be coloured in) over a keep.

    All points in mm from the centre of its cell, x right, y down.
    roofs: polygons, each of three or more points.
    keep: polygons under the roofs, each drawn over the ones before it.
    """

    roofs: Annotated[tuple[Polygon, ...], Meta(min_length=1)]
    keep: tuple[Polygon, ...]


class Title(Part, frozen=True):
    """The sheet's heading, set around `center_mm` with capitals `size_mm` tall.

    width_mm: the text is set smaller if a language needs more room than this; None for no limit.
    """

    text: str
    center_mm: Point
    size_mm: Size
    width_mm: Size | None = None


class Compass(Part, frozen=True):
    """A compass rose whose north is the sheet's upper edge."""

    center_mm: Point
    radius_mm: Size


class Ruler(Part, frozen=True):
    """A line of known length to check the print scale with; `start_mm` is its left end."""

    start_mm: Point
    length_mm: Size


class Blank(Part, frozen=True):
    """A place to write in.

    box_mm: x, y of its top left corner, width and height.
    kind: a line to write on, a box, or a box with a double frame. coat: the coat that a box counts,
    shown small in its corner.
    """

    label: str
    box_mm: Box
    kind: Literal["line", "box", "double"] = "line"
    coat: Coat | None = None


class Note(Part, frozen=True):
    """A line of small print; `at_mm` is the start, middle or end of its baseline.

    width_mm: the text is set smaller if a language needs more room than this; None for no limit.
    """

    text: str
    at_mm: Point
    align: Literal["left", "middle", "right"] = "left"
    width_mm: Size | None = None


class Example(Part, frozen=True):
    """One coat of the legend, drawn as players should draw it.

    center_mm: centre of the example's shield on the page.
    """

    coat: Coat
    center_mm: Point


class Legend(Part, frozen=True):
    """How each coat is drawn. `size_mm` is the height of the examples' shields."""

    size_mm: Size
    examples: tuple[Example, ...]


class Page(Part, frozen=True, kw_only=True):
    """What all pages have.

    name: in the JSON. page_mm: width and height. shield: outline of a shield; of the map's in mm
    from the centre of its cell. second_code: the same code once more, far from the first, so that
    one may be covered or cut off. The others are printed around what players mark, if present.
    """

    name: str
    page_mm: tuple[Size, Size]
    shield: Polygon
    circle_radius_mm: Size
    title: Title | None = None
    compass: Compass | None = None
    legend: Legend | None = None
    ruler: Ruler | None = None
    markers: Markers | None = None
    code: Code | None = None
    second_code: Code | None = None
    blanks: tuple[Blank, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def codes(self) -> tuple[Code, ...]:
        """The code and the second one, if it has them."""
        return tuple(filter(None, (self.code, self.second_code)))

    def texts(self) -> Iterator[str]:
        """Every text of the page, in English."""
        if self.title is not None:
            yield self.title.text
        yield from (blank.label for blank in self.blanks if blank.label)
        yield from (note.text for note in self.notes)

    def marked(self) -> Iterator[tuple[str, Corners]]:
        """What players mark, with the paper that it occupies."""
        raise NotImplementedError

    def problems(self) -> Iterator[LayoutError]:
        """What is wrong with what players mark."""
        raise NotImplementedError


class Layout(Page, frozen=True, kw_only=True):
    """One map side of 5 × 7 cells.

    grid_mm: x, y of the grid's top left corner on the page.
    cell_mm: width and height of one cell (the pitch of the lattice).
    circles: centres of the small circles in mm from the centre of their cell.
    lines: how the lines between cells are printed.
    castle: the castle in row 2, column 3.
    coordinates: whether column letters and row numbers are printed around it.
    """

    grid_mm: Point
    cell_mm: tuple[Size, Size]
    circles: Annotated[tuple[Point, ...], Meta(min_length=1, max_length=MAX_CROSSES)]
    lines: LineStyle
    castle: Castle
    coordinates: bool = False

    def marked(self) -> Iterator[tuple[str, Corners]]:
        x, y, w, h = self.grid_rect
        yield "grid", (x, y, x + w, y + h)

    def problems(self) -> Iterator[LayoutError]:
        radius, cell = self.circle_radius_mm, around((0, 0), *self.cell_mm)
        castle = self.castle
        boxes = [("shield", bounds(self.shield))]
        boxes += [("castle.roofs", bounds(roof)) for roof in castle.roofs]
        boxes += [("castle.keep", bounds(part)) for part in castle.keep]
        for i, center in enumerate(self.circles):
            boxes.append((f"circles[{i}]", around(center, 2 * radius)))
        for key, box in boxes:
            if not holds(cell, box):
                yield LayoutError("`{key}` reaches beyond its cell.", key=key)
        for (i, a), (k, b) in combinations(enumerate(self.circles), 2):
            if dist(a, b) < 2 * radius - SLACK_MM:
                yield LayoutError(
                    "`{key}` and `{other}` overlap.", key=f"circles[{i}]", other=f"circles[{k}]"
                )

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


AnyPage = TypeVar("AnyPage", bound=Page)

# Layouts as files

_FOLDER = Path(__file__).parent / "layouts"


def layouts() -> tuple[str, ...]:
    """Names of the built-in layouts, sorted."""
    return built_in(_FOLDER)


def load_layout(name_or_path: str | Path) -> Layout:
    """Load a built-in layout by its name, or any layout by the path of its TOML file.

    Raises LayoutError if there is none, or if it is broken; the message says where.
    """
    return load(Layout, _FOLDER, name_or_path)


@cache
def own_layouts() -> tuple[tuple[Layout, Markers], ...]:
    """Each built-in layout with its markers, in the order of their names."""
    own = map(load_layout, layouts())
    return tuple((layout, layout.markers) for layout in own if layout.markers is not None)


def is_read(layout: Layout) -> bool:
    """Whether codes on sheets of a layout are read: its markers, grid and a code lie as a built-in
    one's do."""
    return any(
        (layout.page_mm, layout.grid_mm, layout.cell_mm, layout.markers)
        == (own.page_mm, own.grid_mm, own.cell_mm, markers)
        and set(_places(layout)) & set(_places(own))
        for own, markers in own_layouts()
    )


def _places(layout: Layout) -> list[tuple[Point, float]]:
    return [(code.center_mm, code.size_mm) for code in layout.codes]


@cache
def built_in(folder: Path) -> tuple[str, ...]:
    """Names of the TOML files in a folder of the package, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def load(kind: type[AnyPage], folder: Path, name_or_path: str | Path) -> AnyPage:
    """Load a built-in page of `folder` by its name, or any by the path of its TOML file.

    Raises LayoutError if there is none, or for the first of its problems.
    """
    source = str(name_or_path)
    if source in built_in(folder):
        page: AnyPage = _built_in(kind, folder / f"{source}.toml")
        return page
    try:
        text = read_text(Path(name_or_path))
    except FileNotFoundError as error:
        raise LayoutError(
            "{path}: there is no layout of this name and no such file; built in: {known}.",
            path=source,
            known=", ".join(built_in(folder)),
        ) from error
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a name with a null byte
        raise LayoutError("{where}: {error}", where=source, error=read_error(error)) from error
    page = page_from_toml(kind, text, source)
    for problem in page_problems(page):
        raise LayoutError("{where}: {error}", where=source, error=problem)
    return page


@cache
def _built_in(kind: type[Any], path: Path) -> Any:
    """A page of the package, whose problems its tests look for."""
    return page_from_toml(kind, path.read_text(encoding="utf-8"), path.stem)


def page_from_toml(kind: type[AnyPage], text: str, source: str) -> AnyPage:
    """Read a page, checked by the types and limits of its fields; `source` names it in error
    messages.

    Raises LayoutError.
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, or too long a number
        raise LayoutError("{where}: not a TOML file: {error}", where=source, error=error) from error
    data.pop("cell_png", None)  # in layouts learned by older versions
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        raise LayoutError("{where}: {error}", where=source, error=error) from error


def layout_to_toml(layout: Layout) -> str:
    """Write a layout so that `page_from_toml` gives it back; defaults are left out."""
    plain, tables = [], list[str]()
    for key, value in msgspec.to_builtins(layout, enc_hook=float).items():
        if isinstance(value, dict):  # after all plain keys, as TOML requires
            tables += ["", f"[{key}]", *(f"{name} = {_value(v)}" for name, v in value.items())]
        else:
            plain.append(f"{key} = {_value(value)}")
    return "\n".join([*plain, *tables, ""])


def _value(value: Any) -> str:
    """A value in TOML; long lists take a line an item."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(v)}" for key, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        items = [*map(_value, value)]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= 88 else "[\n  " + ",\n  ".join(items) + ",\n]"
    # JSON's escapes are TOML's, except for DEL, which JSON leaves unescaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# What is wrong with a layout

_DICTIONARY = re.compile(r"DICT_([4-7])X\1_(50|100|250|1000)")
"""OpenCV's families of markers with 4 to 7 modules (cv2.aruco), and their sizes."""


def check_layout(layout: Layout) -> None:
    """Raise LayoutError, with a message that names the key, for the first thing wrong."""
    try:
        msgspec.convert(msgspec.to_builtins(layout, enc_hook=float), Layout)
    except msgspec.ValidationError as error:
        raise LayoutError("{where}: {error}", where=layout.name, error=error) from error
    for problem in page_problems(layout):
        raise problem


def page_problems(page: Page) -> Iterator[LayoutError]:
    """Everything that is wrong with a page, the most serious first."""
    if not page.name.strip():
        yield LayoutError("`name` is empty.")
    yield from page.problems()
    marked = dict(page.marked())
    boxes = marked | dict(_surroundings(page))
    for key, box in boxes.items():
        if not holds((0, 0, *page.page_mm), box):
            yield LayoutError("`{key}` reaches beyond the page.", key=key)
    for (key, box), (other, rival) in combinations(boxes.items(), 2):
        if (key in marked or "markers" in key + other) and overlap(box, rival):
            yield LayoutError("`{key}` and `{other}` overlap.", key=key, other=other)
    if page.markers is not None:
        yield from _marker_problems(page.markers)
    for text in (page.name, *page.texts()):
        for letter in unprintable(text):
            yield LayoutError(
                "`{key}` holds {letter!r}, which the sheets' font doesn't have.",
                key=text,
                letter=letter,
            )


def _surroundings(page: Page) -> Iterator[tuple[str, Corners]]:
    """Everything around what players mark, with the paper that it occupies; for texts, that of one
    letter."""
    if page.title is not None:
        yield "title", around(page.title.center_mm, page.title.size_mm)
    if page.compass is not None:
        yield "compass", around(page.compass.center_mm, 2 * page.compass.radius_mm)
    if page.ruler is not None:
        x, y = page.ruler.start_mm
        yield "ruler", (x, y - 1, x + page.ruler.length_mm, y + 1)
    for i, blank in enumerate(page.blanks):
        x, y, w, h = blank.box_mm
        yield f"blanks[{i}]", (x, y, x + w, y + h)
    for i, note in enumerate(page.notes):
        yield f"notes[{i}]", around(note.at_mm, 1)
    if page.legend is not None:
        for i, example in enumerate(page.legend.examples):
            yield f"legend.examples[{i}]", around(example.center_mm, page.legend.size_mm)
    for key, code in (("code", page.code), ("second_code", page.second_code)):
        if code is not None:
            yield key, around(code.center_mm, code.size_mm)
    if page.markers is not None:
        for i, marker in enumerate(page.markers.places):
            yield f"markers.places[{i}]", around(marker.center_mm, page.markers.size_mm)


def _marker_problems(markers: Markers) -> Iterator[LayoutError]:
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
