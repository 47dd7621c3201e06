"""What all kinds of sheets share: options, doubts, JSON values, names of fields, short forms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import RectifiedSheet
from kdscan.marks.boards import DEFAULT_RISK, check_risk
from kdscan.rules.duel.coats import Coat
from kdscan.rules.grid import Cell, neighbours
from kdscan.rules.kingdomino.variants import PLAIN, Variants
from kdscan.rules.names import GAMES, GameName

if TYPE_CHECKING:
    from kdscan.files import Json
    from kdscan.marks.boards import CellReading
    from kdscan.sheets.base import AnyReading
    from kdscan.sheets.entries import JudgedJson, Point
    from kdscan.sheets.kingdom.model import SquareReading
    from kdscan.templates.known import KnownPrint


Observer = Callable[[str], AbstractContextManager[object]]
"""Takes a stage's name, returns a context manager around the stage: for timing, progress,
traces."""


@dataclass(frozen=True)
class ReadOptions:
    """How a photo is read; raises ValueError for a risk below 0 and for an unknown game.

    risk: accepted probability that a total which is not marked for review is wrong.
    game: the one to look for; None to detect it. variants: extra rules of Kingdomino.
    prints: known prints; sheets of these are read from their ink. observe: see `Observer`.
    """

    risk: float = DEFAULT_RISK
    game: GameName | None = None
    variants: Variants = PLAIN
    prints: Sequence[KnownPrint] = ()
    observe: Observer = nullcontext

    def __post_init__(self) -> None:
        check_risk(self.risk)
        if self.game not in (None, *GAMES):
            raise ValueError(f"a game is {' or '.join(GAMES)}, or None; not {self.game!r}")


Shown = tuple[str, bool]
"""A cell's text, and whether a person should check it."""


def percent(p: float) -> str:
    """Whole percent, rounded down and at most 99: no reading is entirely certain."""
    return f"{min(99, int(100 * p + 1e-9))}%"


def short(found: AnyReading, what: str) -> str:
    """A reading's kind, score and confidence on one line."""
    check = ", please check" if found.review else ""
    return f"<{found.kind}: {what}, {percent(found.confidence)} sure{check}>"


def table(found: object, rows: Iterable[Iterable[Shown]]) -> str:
    """An HTML table with the reading's `repr` as its caption; cells that need review are marked."""
    from html import escape  # it loads all named entities

    def place(shown: Shown) -> str:
        text, look = escape(shown[0]), shown[1]
        return f"<td>{f'<mark>{text} ?</mark>' if look else text}</td>"

    caption = escape(repr(found)[1:-1])
    body = "".join(f"<tr>{''.join(map(place, row))}</tr>" for row in rows)
    return f"<table><caption>{caption}</caption>{body}</table>"


C = TypeVar("C", bound="CellReading | SquareReading")
"""A shield or square as read."""

MAX_OTHERS, MIN_OTHER = 2, 0.02
"""Most alternatives that are shown for a doubtful place, and their least probability."""


@dataclass(frozen=True)
class Doubt(Generic[C]):
    """A doubtful cell as it was read, and its alternatives, the most probable first, with their
    probabilities as `confidence`."""

    cell: C
    others: tuple[C, ...]


@dataclass(frozen=True, eq=False)
class DoubtfulPlace:
    """A place that needs review, for people.

    name: of the place. choices: what was read, then its alternatives, each with its probability.
    quad_xy: (4, 2) float64, photo frame: its corners, clockwise from the sheet's upper left.
    """

    name: str
    choices: tuple[tuple[str, float], ...]
    quad_xy: NDArray[np.float64]


MAX_NAMED = 8
"""A problem that names more cells concerns the map as a whole; its cells are not marked."""


def flagged_cells(found: AnyReading) -> set[Cell]:
    """The cells that problems name."""
    named = (problem.cells for problem in found.problems if len(problem.cells) <= MAX_NAMED)
    return {cell for cells in named for cell in cells}


def domain_colors(domains: Iterable[Collection[Cell]], colors: int) -> dict[Cell, int]:
    """A colour index below `colors` for each cell of these domains; neighbouring ones differ.

    Greedy graph colouring. domains: the cells of each that is worth something.
    """
    chosen: dict[Cell, int] = {}
    used = [0] * colors
    for cells in domains:
        around = {near for cell in cells for near in neighbours(cell)}
        taken = {chosen[cell] for cell in around if cell in chosen}
        free = [n for n in range(colors) if n not in taken] or list(range(colors))
        color = min(free, key=lambda n: (used[n], n))
        used[color] += 1
        chosen.update(dict.fromkeys(cells, color))
    return chosen


def point_json(xy: Any) -> Point:
    """Photo pixels, rounded to a tenth."""
    return [round(float(xy[0]), 1), round(float(xy[1]), 1)]


def coat_json(coat: Coat | None) -> str | None:
    """A coat's name; None for none."""
    return coat.value if coat else None


def coat_from(name: str | None) -> Coat | None:
    """The inverse of `coat_json`; raises ValueError for an unknown name."""
    return Coat(name) if name else None


def probability_json(p: float) -> float:
    """A probability, rounded to four digits."""
    return round(float(p), 4)


def judged_json(center_xy: Any, confidence: float, review: bool) -> JudgedJson:
    """Position and confidence of a shield or square."""
    return {
        "center": point_json(center_xy),
        "confidence": probability_json(confidence),
        "review": review,
    }


DIGITS = 7
"""Significant digits of stored numbers, more than any probability's precision."""


def rounded(value: Any) -> Any:
    """Numbers, lists and arrays as JSON values."""
    if isinstance(value, np.ndarray):
        return [rounded(part) for part in value.tolist()]
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return float(f"{value:.{DIGITS}g}")


def present(**values: Any) -> Json:
    """The values that are not empty; empty ones are left out to save space."""
    return {name: value for name, value in values.items() if value}


def place_json(place: RectifiedSheet) -> Json:
    """A rectified sheet without its pixels."""
    return {
        "centers": rounded(place.centers_xy),
        "outline": rounded(place.outline_xy),
        "px_per_cell": rounded(place.px_per_cell),
        "confidence": rounded(place.confidence),
    }


def place_from(kept: Json) -> RectifiedSheet:
    """The inverse of `place_json`; a single black pixel replaces the pixels."""
    return RectifiedSheet(
        np.zeros((1, 1, 3), np.uint8),
        np.array(kept["centers"], np.float64),
        np.array(kept["outline"], np.float64),
        kept["px_per_cell"],
        kept["confidence"],
    )


WIZARD = "value:chosen_coat"
"""Field: the coat for which the filled coat's wizard pays."""

VARIANTS = "variants"
"""Field: the extra rules by which a kingdom is scored."""


@dataclass(frozen=True)
class CellField:
    """Field: the content of a cell of a map or a kingdom."""

    cell: Cell

    def __str__(self) -> str:
        return f"cell:{self.cell[0]},{self.cell[1]}"


@dataclass(frozen=True)
class LineField:
    """Field: a line of a spellbook; player: 0 for the left side, 1 for the right."""

    player: int
    coat: Coat

    def __str__(self) -> str:
        return f"line:{self.player},{self.coat}"


@dataclass(frozen=True)
class ChoiceField:
    """Field: the coat that a side of a spellbook names."""

    player: int

    def __str__(self) -> str:
        return f"choice:{self.player}"


PlaceField = CellField | LineField | ChoiceField


def parse_field(field: str) -> PlaceField | None:
    """The place that a field names, or None for other fields; ValueError for a malformed place."""
    name, _, where = field.partition(":")
    parts = where.split(",")
    match name, parts:
        case "cell", [row, col]:
            return CellField((int(row), int(col)))
        case "line", [player, coat]:
            return LineField(int(player), Coat(coat))
        case "choice", [player]:
            return ChoiceField(int(player))
        case "cell" | "line" | "choice", _:
            raise ValueError(f"no place of a sheet: {field!r}")
    return None


def cell_values(fields: Mapping[str, Any]) -> dict[Cell, Any]:
    """Values of the fields that name a cell, by cell; ValueError for a malformed field."""
    places = ((parse_field(field), value) for field, value in fields.items())
    return {at.cell: value for at, value in places if isinstance(at, CellField)}
