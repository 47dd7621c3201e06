"""What is known of a spellbook, what a person says of it, and what it is read as.

A person corrects whole lines (number of filled squares, struck, power used) and the coat that a
side chose; the single marks are derived from that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple, TypeVar

from kdscan.imaging.picture import Floats, FrozenArrays
from kdscan.rules.duel.board import COATS, SQUARES, Coat
from kdscan.rules.duel.spellbook import BookPlace, Part, Spellbook, SpellbookLine, write_book
from kdscan.sheets.common import (
    MAX_OTHERS,
    MIN_OTHER,
    Corrections,
    SheetReading,
    coat_from,
    place_of,
)


class BookMark(NamedTuple):
    """One place of a spellbook that players may mark.

    at_xy: photo frame; the place's centre, or both ends of a struck line. reach_px: half the
    place's side. confidence: probability that `marked` is right.
    """

    place: BookPlace
    at_xy: tuple[tuple[float, float], ...]
    reach_px: float
    marked: bool
    confidence: float
    review: bool


@dataclass(frozen=True)
class SpellbookCorrections(Corrections):
    """A person's corrections of a spellbook.

    lines: by side and coat. choices: the coat that a side names. confirmed: everything is right.
    Raises ValueError for what no spellbook can hold.
    """

    lines: Mapping[tuple[int, Coat], SpellbookLine] = field(default_factory=dict)
    choices: Mapping[int, Coat | None] = field(default_factory=dict)
    confirmed: bool = False

    def __post_init__(self) -> None:
        for (side, coat), line in self.lines.items():
            if side not in (0, 1) or coat not in SQUARES or not 0 <= line.filled <= SQUARES[coat]:
                raise ValueError(f"a spellbook has no line {coat!r} of side {side!r} like {line}")
        for side, chosen in self.choices.items():
            if side not in (0, 1) or chosen not in COATS:
                raise ValueError(f"side {side!r} of a spellbook cannot choose {chosen!r}")


@dataclass(frozen=True, eq=False)
class SpellbookEvidence(FrozenArrays):
    """All that is known of a spellbook before any rule is applied; `interpret`
    turns it into a reading.

    page_xy: (4, 2) float64, photo frame: the page's corners, from its reader's top left.
    marks: every place as recognised, in the order of the layout.
    sheet_id: text of its printed code (`kdscan.paper.ids`), None without one.
    table: numbers of spellbooks and maps on its table, None if unknown.
    beside: sides of the picture beyond which a map extends that was not read.
    corrections: a person's.
    """

    layout: str
    page_xy: Floats
    marks: tuple[BookMark, ...]
    sheet_id: str | None = None
    table: tuple[int, int] | None = None
    beside: tuple[str, ...] = ()
    corrections: SpellbookCorrections = SpellbookCorrections()


@dataclass(frozen=True, eq=False, repr=False)
class SpellbookReading(SheetReading):
    """A spellbook's evidence, interpreted.

    marks: every place, corrections applied. book: the same as the game's own type.
    chosen: the coat that each player's side names.
    """

    kind = "duel_spellbook"

    evidence: SpellbookEvidence
    marks: tuple[BookMark, ...]
    book: Spellbook
    chosen: tuple[Coat | None, Coat | None]

    @property
    def text(self) -> str:
        return write_book(self.book, (None, None))

    @property
    def layout(self) -> str:
        return self.evidence.layout

    summary = layout

    @property
    def outline_xy(self) -> Floats:
        return self.evidence.page_xy


T = TypeVar("T")

MAX_FLIPPED = 5
"""Number of least confident marks that are flipped, in all combinations, for alternatives."""


def marks_at(
    marks: Iterable[BookMark], player: int, coat: Coat | None = None, part: Part | None = None
) -> tuple[BookMark, ...]:
    """The marks of one side's line of a coat, or only the parts of one kind; without a coat, the
    boxes in which the side names its coat. In the order of the layout."""
    return tuple(
        mark
        for mark in marks
        if mark.place.player == player
        and (mark.place.part == "choice") == (coat is None)
        and coat in (None, mark.place.coat)
        and part in (None, mark.place.part)
    )


def line_of(marks: Iterable[BookMark]) -> SpellbookLine:
    """The state of a line from its marks."""
    marked = [mark.place.part for mark in marks if mark.marked]
    return SpellbookLine(marked.count("square"), "struck" in marked, "used" in marked)


def choice_of(marks: Iterable[BookMark]) -> Coat | None:
    """The one coat that a side names; None when it names none, or several."""
    named = [mark.place.coat for mark in marks if mark.marked]
    return named[0] if len(named) == 1 else None


def alternatives(
    marks: Sequence[BookMark], state: Callable[[Iterable[BookMark]], T], read: T
) -> list[tuple[T, float]]:
    """What marks that need review may mean rather than what was read, the most probable first.
    state: what given marks mean, `line_of` or `choice_of`."""
    if not any(mark.review for mark in marks):
        return []
    shares: dict[T, float] = {}
    doubtful = sorted(marks, key=lambda mark: mark.confidence)[:MAX_FLIPPED]
    for flips in product((False, True), repeat=len(doubtful)):
        flipped = list(zip(doubtful, flips, strict=True))
        p = math.prod(1 - m.confidence if flip else m.confidence for m, flip in flipped)
        marked = {m.place: m.marked != flip for m, flip in flipped}
        meaning = state([m._replace(marked=marked.get(m.place, m.marked)) for m in marks])
        shares[meaning] = shares.get(meaning, 0.0) + p
    others = [(other, p) for other, p in shares.items() if other != read and p >= MIN_OTHER]
    return sorted(others, key=lambda other: -other[1])[:MAX_OTHERS]


def with_corrections(
    marks: Sequence[BookMark], corrections: SpellbookCorrections
) -> tuple[BookMark, ...]:
    """The marks with corrections of lines and choices; corrected marks are certain."""
    marked_as: dict[BookPlace, bool] = {}
    for (player, coat), line in corrections.lines.items():
        squares = marks_at(marks, player, coat, "square")
        as_seen = sum(mark.marked for mark in squares) == line.filled
        for k, mark in enumerate(squares):
            marked_as[mark.place] = mark.marked if as_seen else k < line.filled
        marked_as[BookPlace(player, coat, "struck")] = line.struck
        marked_as[BookPlace(player, coat, "used")] = line.used
    for player, chosen in corrections.choices.items():
        for mark in marks_at(marks, player):
            marked_as[mark.place] = mark.place.coat == chosen
    return tuple(
        mark._replace(marked=marked_as[mark.place], confidence=1.0, review=False)
        if mark.place in marked_as
        else mark
        for mark in marks
    )


def corrections_of(fields: Mapping[str, Any]) -> SpellbookCorrections:
    """The corrections in the store's fields `line:SIDE,COAT`, `choice:SIDE` and `confirmed`;
    ValueError for what no spellbook can hold."""
    lines: dict[tuple[int, Coat], SpellbookLine] = {}
    choices: dict[int, Coat | None] = {}
    for field_name, new in fields.items():
        match place_of(field_name):
            case "line", place:
                lines[place] = SpellbookLine(**new)
            case "choice", (player,):
                choices[player] = coat_from(new)
    return SpellbookCorrections(lines, choices, fields.get("confirmed") is True)
