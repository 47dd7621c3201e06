"""A spellbook layout: the design of the side that both players share.

Like `kdscan.paper.layout` for maps: one TOML file prints the page and tells the reader where to
look. Its keys are the fields of `BookLayout`; all points in mm from the top left corner of the
page, x right, y down.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from kdscan.errors import LayoutError
from kdscan.paper.layout import (
    Box,
    Corners,
    Markers,
    Page,
    Part,
    Point,
    Size,
    around,
    built_in,
    load,
)
from kdscan.rules.duel.board import Coat
from kdscan.rules.duel.spellbook import BookPlace

_FOLDER = Path(__file__).parent / "spellbooks"


class BookLine(Part, frozen=True):
    """One player's line of one coat.

    squares: their centres, in the order in which they are filled.
    used: centre of the circle to be crossed when the power is used.
    """

    coat: Coat
    squares: Annotated[tuple[Point, ...], Meta(min_length=1)]
    used: Point


class Choice(Part, frozen=True):
    """The box to cross for the coat for which the filled coat's wizard is to pay."""

    coat: Coat
    center_mm: Point


class BookSide(Part, frozen=True):
    """The places where one player writes."""

    lines: tuple[BookLine, ...]
    choices: tuple[Choice, ...]


class Spell(Part, frozen=True):
    """The effect of a coat's wizard. box_mm: x, y, width, height of its plate."""

    coat: Coat
    box_mm: Box
    text: str
    at_once: bool = False


class BookLayout(Page, frozen=True, kw_only=True):
    """One spellbook side.

    square_mm: side of the squares to fill; circle_radius_mm: of the circles for used
    powers; choice_mm: side of the boxes for the chosen coat.
    players: the first player's side and the second's.
    frames: x, y, width, height of lines around parts of the page.
    """

    square_mm: Size
    choice_mm: Size
    players: tuple[BookSide, BookSide]
    markers: Markers
    spells: tuple[Spell, ...] = ()
    frames: tuple[Box, ...] = ()

    def texts(self) -> Iterator[str]:
        yield from super().texts()
        yield from (spell.text for spell in self.spells)

    def marked(self) -> Iterator[tuple[str, Corners]]:
        for place, center, reach in marked_places(self):
            yield str(place), around(center, 2 * reach)

    def problems(self) -> Iterator[LayoutError]:
        for i, side in enumerate(self.players):
            for key, marks in (("lines", side.lines), ("choices", side.choices)):
                if sorted(mark.coat for mark in marks) != sorted(Coat):
                    yield LayoutError(
                        "`{key}` must hold each of the six coats once: {known}.",
                        key=f"players[{i}].{key}",
                        known=", ".join(Coat),
                    )


def books() -> tuple[str, ...]:
    """Names of the built-in spellbook layouts, sorted."""
    return built_in(_FOLDER)


def load_book(name_or_path: str | Path) -> BookLayout:
    """Load a built-in spellbook layout by its name, or any by the path of its TOML file.

    Raises LayoutError if there is none, or if it is broken; the message says where.
    """
    return load(BookLayout, _FOLDER, name_or_path)


def marked_places(layout: BookLayout) -> Iterator[tuple[BookPlace, Point, float]]:
    """Everything that players may mark, except strokes through lines: the place, its centre, half
    its side; mm."""
    for i, side in enumerate(layout.players):
        for line in side.lines:
            for k, square in enumerate(line.squares):
                yield BookPlace(i, line.coat, "square", k), square, layout.square_mm / 2
            yield BookPlace(i, line.coat, "used"), line.used, layout.circle_radius_mm
        for choice in side.choices:
            yield BookPlace(i, choice.coat, "choice"), choice.center_mm, layout.choice_mm / 2
