"""What was read of a map of Kingdomino Duel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.scoring import WIZARD_POINTS, Score
from kdscan.game.grid import Cell
from kdscan.game.problem import Problem
from kdscan.records.ink import Ink
from kdscan.records.short import short
from kdscan.records.stages import MarkProbs, RectifiedSheet
from kdscan.records.totals import IMPROBABLE, Totals, range_of

CUT_OFF = "cut_off"
"""Code of the problem that names shields which the picture's edge cuts off."""


@dataclass(frozen=True)
class CellReading:
    """One shield as read. `confidence`: probability that coat and crosses are both right."""

    row: int
    col: int
    coat: Coat | None
    crosses: int
    confidence: float
    review: bool
    seen: tuple[Coat | None, int] | None = None
    """What the pixels alone said, when the rules or a person overruled them."""


@dataclass(frozen=True)
class Reading:
    """The most probable board, and how far to trust it.

    cells: 34 readings in the order of `CELLS`.
    confidence: probability that the total is right, calibrated.
    castle_used: True, False, or None when it can't be told.
    totals: what the domains may be worth, with probabilities, the most probable first.
    """

    cells: tuple[CellReading, ...]
    castle_used: bool | None
    confidence: float
    review: bool
    totals: Totals = ()

    @property
    def total_range(self) -> tuple[int, int]:
        """What the domains may be worth, from and to."""
        return range_of(self.totals)


@dataclass(frozen=True, eq=False)
class SheetReading:
    """All that is known of one map in a photo: where it lies, what was seen, what it is worth.

    layout: name of the layout that was recognised, or "unknown".
    sheet_id: what the sheet's printed code says (`kdscan.sheet.ids`), None without one.
    wizard_coat: the coat that its player's wizard pays for, as a spellbook beside it says.
    wizard_confidence: probability that the wizard's points in `score` are right.
    wizard_coats: for which coats, None for none, he may pay, with probabilities; () if sure.
    shared_review: whether a spellbook beside it gives a reason to look.
    ink: what was drawn, told from a known print; None where the print is unknown.
    """

    rectified: RectifiedSheet
    probs: MarkProbs
    reading: Reading
    score: Score
    layout: str = "unknown"
    problems: tuple[Problem, ...] = ()
    sheet_id: str | None = None
    wizard_coat: Coat | None = None
    wizard_confidence: float = 1.0
    wizard_coats: tuple[tuple[Coat | None, float], ...] = ()
    shared_review: bool = False
    ink: Ink | None = None

    def __repr__(self) -> str:
        return short(self, f"{self.score.total} points")

    @property
    def kind(self) -> str:
        return "duel_map"

    @property
    def outline_xy(self) -> NDArray[np.float64]:
        return self.rectified.outline_xy

    @property
    def confidence(self) -> float:
        return self.reading.confidence * self.wizard_confidence

    @property
    def review(self) -> bool:
        return self.reading.review or self.shared_review

    @property
    def hidden(self) -> tuple[Cell, ...]:
        """The shields that the picture's edge cuts off, so that nobody can tell the total."""
        return tuple(cell for one in self.problems if one.code == CUT_OFF for cell in one.cells)

    @property
    def wizard_range(self) -> tuple[int, int]:
        """What the wizard may pay on this board, from and to."""
        coats = [coat for coat, p in self.wizard_coats if p >= IMPROBABLE]
        pays = [WIZARD_POINTS * sum(d.coat is coat for d in self.score.domains) for coat in coats]
        return min([*pays, self.score.wizard]), max([*pays, self.score.wizard])

    @property
    def total_range(self) -> tuple[int, int]:
        """What the map may be worth with its wizard, from and to."""
        (low, high), (least, most) = self.reading.total_range, self.wizard_range
        return low + least, high + most
