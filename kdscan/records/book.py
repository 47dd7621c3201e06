"""What was read of a spellbook."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kdscan.game.duel.book_place import BookPlace
from kdscan.game.duel.coats import GLYPHS, Coat
from kdscan.game.duel.dice import SQUARES
from kdscan.game.duel.spellbook import Spellbook, SpellbookLine
from kdscan.game.problem import Problem
from kdscan.records.arrays import Floats
from kdscan.records.photo import frozen
from kdscan.records.short import Shown, short, table


@dataclass(frozen=True)
class StruckBy:
    """How the logits that strokes pass a line's squares tell of a struck line.

    largest, second, mean: weights of those logits; bias: added to them.
    """

    largest: float = 1.0
    second: float = 0.0
    mean: float = 0.0
    bias: float = 0.0

    def logit(self, passing: Floats) -> float:
        """passing: (K,) logits of one line's squares."""
        low_to_high = np.sort(passing)
        second = low_to_high[-2] if len(passing) > 1 else low_to_high[-1]
        total = self.largest * low_to_high[-1] + self.second * second
        return float(total + self.mean * passing.mean() + self.bias)

    @classmethod
    def from_json(cls, text: str) -> StruckBy:
        return cls(**json.loads(text))


@dataclass(frozen=True)
class BookMark:
    """One place of a spellbook that players may mark.

    at_xy: photo frame; the place's centre, of a struck line both its ends.
    reach_px: half the place's side. confidence: probability that `marked` is right.
    """

    place: BookPlace
    at_xy: tuple[tuple[float, float], ...]
    reach_px: float
    marked: bool
    confidence: float
    review: bool


@dataclass(frozen=True)
class SpellbookCorrections:
    """What a person says of a spellbook; it stands.

    lines: by side and coat. choices: the coat that a side names. confirmed: all of it is right.
    """

    lines: Mapping[tuple[int, Coat], SpellbookLine] = field(default_factory=dict)
    choices: Mapping[int, Coat | None] = field(default_factory=dict)
    confirmed: bool = False

    def merge(self, later: SpellbookCorrections) -> SpellbookCorrections:
        """These, and what was said later, which counts where both speak."""
        return SpellbookCorrections(
            {**self.lines, **later.lines},
            {**self.choices, **later.choices},
            self.confirmed or later.confirmed,
        )


@dataclass(frozen=True, eq=False)
class SpellbookEvidence:
    """All that is known of a spellbook before any rule has its say; `kinds.spellbook.interpret`
    makes a reading of it.

    page_xy: (4, 2) float64, photo frame: the page's corners as its reader sees it.
    marks: every place as it was seen, in the order of the layout.
    sheet_id: what its printed code says (`kdscan.sheet.ids`), None without one.
    table: how many spellbooks and maps lie on its table, None where nobody looked.
    corrections: what a person says.
    """

    layout: str
    page_xy: NDArray[np.float64]
    marks: tuple[BookMark, ...]
    sheet_id: str | None = None
    table: tuple[int, int] | None = None
    corrections: SpellbookCorrections = SpellbookCorrections()

    def __post_init__(self) -> None:
        object.__setattr__(self, "page_xy", frozen(self.page_xy))


@dataclass(frozen=True, eq=False)
class SpellbookReading:
    """What a spellbook's evidence comes to.

    marks: every place, with what a person says of it. book: the same as the game knows it.
    chosen: the coat that each player's side names. confidence: that all of it is right.
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
        """Both sides' lines as notebooks show them; what asks for a look, by its place."""
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
