"""What all kinds of sheets share: options, doubts, JSON values, names of fields, short forms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec

from kdscan.files import Json
from kdscan.imaging.picture import Floats, RectifiedSheet
from kdscan.marks.boards import DEFAULT_RISK, CellReading, Totals, check_risk, range_of
from kdscan.rules import GAMES, Cell, DomainScore, GameName, Problem, cell_name, neighbours
from kdscan.rules.duel.board import Coat
from kdscan.rules.kingdomino.kingdom import PLAIN, Variants
from kdscan.templates.template import Template


@dataclass(frozen=True)
class ReadOptions:
    """How a photo is read; raises ValueError for a risk below 0 and for an unknown game.

    risk: accepted probability that a total which is not marked for review is wrong.
    game: the one to look for; None to detect it. variants: extra rules of Kingdomino.
    prints: known prints; sheets of these are read from their ink.
    """

    risk: float = DEFAULT_RISK
    game: GameName | None = None
    variants: Variants = PLAIN
    prints: Sequence[Template] = ()

    def __post_init__(self) -> None:
        check_risk(self.risk)
        if self.game not in (None, *GAMES):
            raise ValueError(f"a game is {' or '.join(GAMES)}, or None; not {self.game!r}")


@dataclass(frozen=True, eq=False, repr=False)
class SheetReading:
    """What every kind's reading has: its evidence, interpreted.

    kind: its name in the JSON. confidence: calibrated probability that the score is right. review:
    whether a person should check it. problems: impossible or suspicious findings. outline_xy:
    (4, 2) float64, photo frame, corners from its reader's top left. sheet_id: text of its code.
    summary, text: what it is worth, and all of it, in text form.
    """

    kind: ClassVar[str]

    evidence: Any
    confidence: float
    review: bool
    problems: tuple[Problem, ...]

    @property
    def outline_xy(self) -> Floats:
        raise NotImplementedError

    @property
    def sheet_id(self) -> str | None:
        code: str | None = self.evidence.sheet_id
        return code

    @property
    def summary(self) -> str:
        raise NotImplementedError

    @property
    def text(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        check = ", please check" if self.review else ""
        return f"<{self.kind}: {self.summary}, {percent(self.confidence)} sure{check}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: its `repr` with its doubtful cells, and its text form."""
        cells: Sequence[CellReading[Any]] = vars(self).get("cells", ())
        names = ", ".join(cell_name(cell.at) for cell in cells if cell.review)
        texts = repr(self)[1:-1], self.text
        line, drawn = (text.replace("&", "&amp;").replace("<", "&lt;") for text in texts)
        marked = f": <mark>{names}</mark>" if names else ""
        return f"<p>{line}{marked}</p><pre>{drawn}</pre>"


@dataclass(frozen=True, eq=False, repr=False)
class BoardReading(SheetReading):
    """What readings of maps and kingdoms have.

    cells: row by row. totals: possible totals with probabilities, the most probable first.
    """

    cells: tuple[CellReading[Any], ...]
    score: DomainScore[Any]
    totals: Totals

    @property
    def rectified(self) -> RectifiedSheet:
        sheet: RectifiedSheet = self.evidence.rectified
        return sheet

    @property
    def outline_xy(self) -> Floats:
        return self.rectified.outline_xy

    @property
    def summary(self) -> str:
        return f"{self.score.total} points"

    @property
    def total_range(self) -> tuple[int, int]:
        """Least and greatest likely total."""
        return range_of(self.totals)


class Doubt(NamedTuple):
    """A cell that a person should look at, as it was read.

    options: what it may hold, each with its probability and the total if the other cells are as
    read: what was read, then what else, the most probable first; of a question the likeliest by all
    that is known first. answered: whether a person said it.
    """

    cell: CellReading[Any]
    options: tuple[tuple[Any, float, int], ...]
    answered: bool = False


MAX_OTHERS, MIN_OTHER = 2, 0.02
"""Most alternatives that are shown for a doubtful place, and their least probability."""


class DoubtfulPlace(NamedTuple):
    """A place that needs review, for people.

    name: of the place. choices: what was read, then its alternatives, each with its probability.
    quad_xy: (4, 2) float64, photo frame: its corners, clockwise from the sheet's upper left.
    """

    name: str
    choices: tuple[tuple[str, float], ...]
    quad_xy: Floats


# Short forms


def percent(p: float) -> str:
    """Whole percent, rounded down and at most 99: no reading is entirely certain."""
    return f"{min(99, int(100 * p + 1e-9))}%"


MAX_NAMED = 8
"""A problem that names more cells concerns the map as a whole; its cells are not marked."""


def flagged_cells(reading: SheetReading) -> set[Cell]:
    """The cells that problems name."""
    named = (problem.cells for problem in reading.problems)
    return {cell for cells in named if len(cells) <= MAX_NAMED for cell in cells}


def domain_colors(domains: Iterable[Collection[Cell]], colors: int) -> dict[Cell, int]:
    """A colour index below `colors` for each cell of these domains; neighbouring ones differ.

    Greedy graph colouring. domains: the cells of each that is worth something.
    """
    chosen: dict[Cell, int] = {}
    used = [0] * colors
    for cells in domains:
        beside = {chosen.get(near) for cell in cells for near in neighbours(cell)}
        free = [n for n in range(colors) if n not in beside]
        color = min(free or range(colors), key=lambda n: (used[n], n))
        used[color] += 1
        chosen.update(dict.fromkeys(cells, color))
    return chosen


# JSON values


def plain(record: Any) -> Json:
    """A record as plain values, ready for JSON."""
    values: Json = msgspec.json.decode(msgspec.json.encode(record))
    return values


def point(xy: Floats) -> tuple[float, float]:
    """Photo pixels, rounded to a tenth."""
    return round(float(xy[0]), 1), round(float(xy[1]), 1)


def probability(p: float) -> float:
    """A probability, rounded to four digits."""
    return round(float(p), 4)


def sheet_json(reading: SheetReading, **own: Any) -> Json:
    """The JSON of a sheet: what all kinds have, and what its own kind has beside it."""
    common = {
        "kind": reading.kind,
        "sheet_id": reading.sheet_id,
        "outline": [point(xy) for xy in reading.outline_xy],
        "problems": reading.problems,
        "confidence": probability(reading.confidence),
        "review": reading.review,
    }
    return plain(common | own)


def options_json(names: tuple[str, str], options: Iterable[tuple[Any, float, int]]) -> list[Json]:
    """What a cell may hold; see `Doubt`."""
    return [
        {**dict(zip(names, content, strict=True)), "probability": probability(p), "total": total}
        for content, p, total in options
    ]


def board_json(
    board: BoardReading, names: tuple[str, str], doubts: Iterable[Doubt], **own: Any
) -> Json:
    """The JSON of a map or kingdom. names: of the two parts of what a cell holds. A cell's `seen`
    is the pixels' own result if it was overruled."""
    others = {doubt.cell.at: options_json(names, doubt.options[1:]) for doubt in doubts}
    cells = [
        {
            "row": cell.at[0],
            "col": cell.at[1],
            **dict(zip(names, cell.content, strict=True)),
            "center": point(board.rectified.centers_xy[cell.at]),
            "confidence": probability(cell.confidence),
            "review": cell.review,
            "seen": cell.seen and dict(zip(names, cell.seen, strict=True)),
            "alternatives": others.get(cell.at, ()),
        }
        for cell in board.cells
    ]
    score = board.score
    return sheet_json(board, cells=cells, domains=score.domains, score=score.points, **own)


def coat_from(name: str | None) -> Coat | None:
    """A coat by its name, None for none; raises ValueError for an unknown name."""
    return Coat(name) if name else None


# Corrections

C = TypeVar("C", bound="Corrections")


class Corrections:
    """A person's corrections of a sheet, which override its evidence; what is as by default is not
    corrected."""

    def merge(self: C, later: C) -> C:
        """These corrections updated by later ones, which come last."""
        merged, unset = dict(vars(self)), vars(type(self)())
        for name, new in vars(later).items():
            if isinstance(new, Mapping):
                before = {at: old for at, old in merged[name].items() if at not in new}
                merged[name] = {**before, **new}
            elif new != unset[name]:
                merged[name] = new
        return type(self)(**merged)


# Names of correction fields in the store

WIZARD = "value:chosen_coat"
"""Field: the coat for which the filled coat's wizard pays."""

VARIANTS = "variants"
"""Field: the extra rules by which a kingdom is scored."""


def extras_json(variants: Variants) -> Json:
    """The rules for extra points, which change no square, as the JSON names them."""
    return {"middle_kingdom": variants.middle_kingdom, "harmony": variants.harmony}


PLACES: dict[str, tuple[Callable[[str], Any], ...]] = {
    "cell": (int, int),
    "line": (int, Coat),
    "choice": (int,),
}
"""Fields of places, and what names the place: row and column of a cell of a map or kingdom; a
spellbook's side, 0 for the left one, and the coat of a line; the side that names a coat."""


def field_of(name: str, *place: object) -> str:
    """The field of a place; see `PLACES`."""
    return f"{name}:{','.join(map(str, place))}"


def place_of(field: str) -> tuple[str, Any]:
    """The inverse of `field_of`: a name and a place; (field, ()) for other fields. Raises
    ValueError for a malformed place."""
    name, _, place = field.partition(":")
    if name not in PLACES:
        return field, ()
    parts = zip(PLACES[name], place.split(","), strict=True)
    return name, tuple(parse(part) for parse, part in parts)


def cell_values(fields: Mapping[str, Any]) -> dict[Cell, Any]:
    """Values of the fields that name a cell, by cell; ValueError for a malformed field."""
    places = ((*place_of(field), value) for field, value in fields.items())
    return {place: value for name, place, value in places if name == "cell"}
