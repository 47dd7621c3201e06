"""A spellbook layout: the design of the side that both players share.

Like `kdscan.paper.layout` for maps: one TOML file prints the page and tells the reader where to
look. Its keys are the fields of `BookLayout`; all points in mm from the top left corner of the
page, x right, y down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import dist
from pathlib import Path
from typing import get_args

from kdscan.errors import LayoutError
from kdscan.paper.checks import marker_problems
from kdscan.paper.layout import built_in, load
from kdscan.paper.parts import (
    Blank,
    Box,
    CoatName,
    Code,
    Compass,
    Legend,
    Markers,
    Note,
    Point,
    Polygon,
    Ruler,
    Size,
    Title,
)
from kdscan.paper.text import unprintable
from kdscan.rules.duel.coats import Coat
from kdscan.rules.duel.spellbook import BookPlace

_FOLDER = Path(__file__).parent / "spellbooks"
_COATS: tuple[CoatName, ...] = get_args(CoatName)


@dataclass(frozen=True)
class BookLine:
    """One player's line of one coat.

    squares: their centres, in the order in which they are filled.
    used: centre of the circle to be crossed when the power is used.
    """

    coat: CoatName
    squares: tuple[Point, ...]
    used: Point


@dataclass(frozen=True)
class Choice:
    """The box to cross for the coat for which the filled coat's wizard is to pay."""

    coat: CoatName
    center_mm: Point


@dataclass(frozen=True)
class BookSide:
    """The places where one player writes."""

    lines: tuple[BookLine, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Spell:
    """The effect of a coat's wizard. box_mm: x, y, width, height of its plate."""

    coat: CoatName
    box_mm: Box
    text: str
    at_once: bool = False


@dataclass(frozen=True)
class BookLayout:
    """One spellbook side.

    name: in the JSON. page_mm: width and height of the page.
    square_mm: side of the squares to fill; circle_radius_mm: of the circles for used
    powers; choice_mm: side of the boxes for the chosen coat.
    shield: outline of the printed coats, at any size.
    players: the first player's side and the second's.
    frames: x, y, width, height of lines around parts of the page.
    The rest is as in `kdscan.paper.parts.Layout`.
    """

    name: str
    page_mm: tuple[Size, Size]
    square_mm: Size
    circle_radius_mm: Size
    choice_mm: Size
    shield: Polygon
    players: tuple[BookSide, BookSide]
    markers: Markers
    spells: tuple[Spell, ...] = ()
    frames: tuple[Box, ...] = ()
    title: Title | None = None
    compass: Compass | None = None
    legend: Legend | None = None
    ruler: Ruler | None = None
    code: Code | None = None
    blanks: tuple[Blank, ...] = ()
    notes: tuple[Note, ...] = ()


def books() -> tuple[str, ...]:
    """Names of the built-in spellbook layouts, sorted."""
    return built_in(_FOLDER)


def load_book(name_or_path: str | Path) -> BookLayout:
    """Load a built-in spellbook layout by its name, or any by the path of its TOML file.

    Raises LayoutError if there is none, or if it is broken; the message says where.
    """
    return load(BookLayout, _FOLDER, _problems, name_or_path)


def texts(layout: BookLayout) -> Iterator[str]:
    """Every text of the page, in English."""
    if layout.title is not None:
        yield layout.title.text
    yield from (spell.text for spell in layout.spells)
    yield from (blank.label for blank in layout.blanks if blank.label)
    yield from (note.text for note in layout.notes)


def _problems(layout: BookLayout) -> Iterator[LayoutError]:
    for i, side in enumerate(layout.players):
        for key, coats in (
            (f"players[{i}].lines", [line.coat for line in side.lines]),
            (f"players[{i}].choices", [choice.coat for choice in side.choices]),
        ):
            if sorted(coats) != sorted(_COATS):
                yield LayoutError(
                    "`{key}` must hold each of the six coats once: {known}.",
                    key=key,
                    known=", ".join(_COATS),
                )
        for line in side.lines:
            if not line.squares:
                yield LayoutError(
                    "`players[{i}].lines`: the line of {coat} has no squares.", i=i, coat=line.coat
                )
    for text in texts(layout):
        if unprintable(text):
            yield LayoutError(
                "`{key}` holds {letter!r}, which the sheets' font doesn't have.",
                key=text,
                letter=unprintable(text),
            )
    yield from _collisions(layout)
    yield from marker_problems(layout.markers)


def _collisions(layout: BookLayout) -> Iterator[LayoutError]:
    """Errors for places marked by hand that overlap."""
    width, height = layout.page_mm
    places = [(str(place), at, reach) for place, at, reach in marked_places(layout)]
    for name, (x, y), reach in places:
        if not (reach <= x <= width - reach and reach <= y <= height - reach):
            yield LayoutError("`{key}` reaches beyond the page.", key=name)
    for (name, at, reach), (other, there, far) in combinations(places, 2):
        if max(abs(at[0] - there[0]), abs(at[1] - there[1])) < reach + far - 0.01:
            yield LayoutError("`{key}` and `{other}` overlap.", key=name, other=other)
    for name, at, reach in places:
        for marker in layout.markers.places:
            if dist(at, marker.center_mm) < reach + layout.markers.size_mm / 2:
                yield LayoutError("`{name}` lies on the marker {id}.", name=name, id=marker.id)


def marked_places(layout: BookLayout) -> Iterator[tuple[BookPlace, Point, float]]:
    """Everything that players may mark, except strokes through lines: the place, its centre, half
    its side; mm."""
    for i, side in enumerate(layout.players):
        for line in side.lines:
            coat = Coat(line.coat)
            for k, square in enumerate(line.squares):
                yield BookPlace(i, coat, "square", k), square, layout.square_mm / 2
            yield BookPlace(i, coat, "used"), line.used, layout.circle_radius_mm
        for choice in side.choices:
            place = BookPlace(i, Coat(choice.coat), "choice")
            yield place, choice.center_mm, layout.choice_mm / 2
