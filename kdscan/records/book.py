"""What was read of a spellbook."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kdscan.records.arrays import Floats
from kdscan.records.coats import COATS
from kdscan.records.photo import FrozenArrays
from kdscan.records.short import Shown, short, table
from kdscan.rules.duel.book_place import BookPlace
from kdscan.rules.duel.coats import GLYPHS, Coat
from kdscan.rules.duel.dice import SQUARES
from kdscan.rules.duel.spellbook import Spellbook, SpellbookLine
from kdscan.rules.problem import Problem


@dataclass(frozen=True)
class StruckBy:
    """Logistic regression from the logits of strokes through a line's squares to a struck line.

    largest, second, mean: weights of these statistics of the squares' logits; bias: intercept.
    """

    largest: float = 1.0
    second: float = 0.0
    mean: float = 0.0
    bias: float = 0.0

    def logit(self, passing: Floats) -> float:
        """Logit of a struck line from the (K,) logits of its squares."""
        ascending = np.sort(passing)
        second = ascending[-2] if len(passing) > 1 else ascending[-1]
        total = self.largest * ascending[-1] + self.second * second
        return float(total + self.mean * passing.mean() + self.bias)

    @classmethod
    def from_json(cls, text: str) -> StruckBy:
        return cls(**json.loads(text))


@dataclass(frozen=True)
class BookMark:
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
class SpellbookCorrections:
    """A person's corrections of a spellbook, which override the evidence.

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

    def merge(self, later: SpellbookCorrections) -> SpellbookCorrections:
        """These corrections updated by later ones."""
        return SpellbookCorrections(
            {**self.lines, **later.lines},
            {**self.choices, **later.choices},
            self.confirmed or later.confirmed,
        )


@dataclass(frozen=True, eq=False)
class SpellbookEvidence(FrozenArrays):
    """All that is known of a spellbook before any rule is applied; `kinds.spellbook.interpret`
    turns it into a reading.

    page_xy: (4, 2) float64, photo frame: the page's corners, from its reader's top left.
    marks: every place as recognised, in the order of the layout.
    sheet_id: text of its printed code (`kdscan.paper.ids`), None without one.
    table: numbers of spellbooks and maps on its table, None if unknown.
    beside: sides of the picture beyond which a map extends that was not read.
    corrections: a person's.
    """

    layout: str
    page_xy: NDArray[np.float64]
    marks: tuple[BookMark, ...]
    sheet_id: str | None = None
    table: tuple[int, int] | None = None
    beside: tuple[str, ...] = ()
    corrections: SpellbookCorrections = SpellbookCorrections()


@dataclass(frozen=True, eq=False)
class SpellbookReading:
    """A spellbook's evidence, interpreted.

    marks: every place, corrections applied. book: the same as the game's own type.
    chosen: the coat that each player's side names. confidence: probability that all is right.
    """

    evidence: SpellbookEvidence
    marks: tuple[BookMark, ...]
    book: Spellbook
    chosen: tuple[Coat | None, Coat | None]
    confidence: float
    review: bool
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        return short(self, self.layout)

    def _repr_html_(self) -> str:
        """Both sides' lines for notebooks, and the places that need review."""
        rows = [[(GLYPHS[coat], False), *self._lines(coat)] for coat in Coat]
        return table(self, [*rows, *([(str(m.place), True)] for m in self.marks if m.review)])

    def _lines(self, coat: Coat) -> Iterator[Shown]:
        for line in (side[coat] for side in self.book.lines):
            text = "■" * line.filled + "□" * (SQUARES[coat] - line.filled)
            yield text + " struck" * line.struck + " used" * line.used, False

    @property
    def kind(self) -> Literal["duel_spellbook"]:
        return "duel_spellbook"

    @property
    def layout(self) -> str:
        return self.evidence.layout

    @property
    def sheet_id(self) -> str | None:
        return self.evidence.sheet_id

    @property
    def outline_xy(self) -> NDArray[np.float64]:
        return self.evidence.page_xy
