"""What was read of a map of Kingdomino Duel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kdscan.game.duel.board import CASTLE, COLS, ROWS
from kdscan.game.duel.coats import Coat, shown
from kdscan.game.duel.scoring import WIZARD_POINTS, Score
from kdscan.game.grid import Cell
from kdscan.game.problem import Problem
from kdscan.records.ink import Ink
from kdscan.records.kinds import Marks
from kdscan.records.short import short, table
from kdscan.records.stages import MarkProbs, RectifiedSheet
from kdscan.records.totals import IMPROBABLE, Totals, range_of


@dataclass(frozen=True)
class CellReading:
    """One shield as read. `confidence`: probability that coat and crosses are both right."""

    row: int
    col: int
    coat: Coat | None
    crosses: int
    confidence: float
    review: bool
    seen: Marks | None = None
    """What the pixels alone said, when the rules or a person overruled them."""
    covered: bool = False
    """Whether something seems to lie over it."""


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


@dataclass(frozen=True)
class WizardEvidence:
    """What a spellbook on the same table says of a map.

    coat: the coat that its player's wizard pays for. confidence: probability that the wizard's
    points are right. coats: for which coats, None for none, he may pay, with probabilities; () if
    sure. review: whether the spellbook gives a reason to look. problems: what it says against
    the map.
    """

    coat: Coat | None = None
    confidence: float = 1.0
    coats: tuple[tuple[Coat | None, float], ...] = ()
    review: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class MapCorrections:
    """What a person says of a map; it stands.

    cells: what some shields hold. castle: whether its roof is coloured. wizard: (coat,), or (None,)
    for nobody, where a person says whom the wizard pays for. confirmed: all of it is right.
    """

    cells: Mapping[Cell, Marks] = field(default_factory=dict)
    castle: bool | None = None
    wizard: tuple[Coat | None] | None = None
    confirmed: bool = False

    def merge(self, later: MapCorrections) -> MapCorrections:
        """These, and what was said later, which counts where both speak."""
        return MapCorrections(
            {**self.cells, **later.cells},
            self.castle if later.castle is None else later.castle,
            later.wizard or self.wizard,
            self.confirmed or later.confirmed,
        )


@dataclass(frozen=True, eq=False)
class MapEvidence:
    """All that is known of a map before any rule has its say; `kinds.duel_map.interpret` makes a
    reading of it.

    layout: name of the layout that was recognised, or "unknown".
    sheet_id: what the sheet's printed code says (`kdscan.sheet.ids`), None without one.
    clipped: shields that the picture's edge cuts off. mirrored: the picture swaps left and right.
    beside: the picture's sides beyond which another map reaches that was not read.
    covered: how probably something lies over a shield, 0..1, for those that look like it.
    wizard: what a spellbook beside it says. corrections: what a person says.
    ink: what was drawn, told from a known print; None where the print is unknown.
    """

    rectified: RectifiedSheet
    probs: MarkProbs
    layout: str = "unknown"
    sheet_id: str | None = None
    clipped: tuple[Cell, ...] = ()
    mirrored: bool = False
    beside: tuple[str, ...] = ()
    wizard: WizardEvidence = WizardEvidence()
    corrections: MapCorrections = MapCorrections()
    ink: Ink | None = None
    covered: Mapping[Cell, float] = field(default_factory=dict)

    @property
    def hidden(self) -> dict[Cell, float]:
        """What of `covered` a person has not spoken of."""
        said = self.corrections.cells
        return {cell: p for cell, p in self.covered.items() if cell not in said}

    @property
    def unseen(self) -> tuple[Cell, ...]:
        """The shields that neither the picture shows nor a person has spoken of."""
        return tuple(cell for cell in self.clipped if cell not in self.corrections.cells)


@dataclass(frozen=True, eq=False)
class SheetReading:
    """What a map's evidence comes to: board, score, how sure, and what is wrong with it."""

    evidence: MapEvidence
    reading: Reading
    score: Score
    problems: tuple[Problem, ...] = ()

    def __repr__(self) -> str:
        return short(self, f"{self.score.total} points")

    def _repr_html_(self) -> str:
        """The board as notebooks show it."""
        cells = {(c.row, c.col): (shown(c.coat, c.crosses), c.review) for c in self.reading.cells}
        cells[CASTLE] = ("♜", False)
        return table(self, [[cells[row, col] for col in range(COLS)] for row in range(ROWS)])

    @property
    def kind(self) -> Literal["duel_map"]:
        return "duel_map"

    @property
    def rectified(self) -> RectifiedSheet:
        return self.evidence.rectified

    @property
    def probs(self) -> MarkProbs:
        return self.evidence.probs

    @property
    def outline_xy(self) -> NDArray[np.float64]:
        return self.evidence.rectified.outline_xy

    @property
    def layout(self) -> str:
        return self.evidence.layout

    @property
    def sheet_id(self) -> str | None:
        return self.evidence.sheet_id

    @property
    def ink(self) -> Ink | None:
        return self.evidence.ink

    @property
    def confidence(self) -> float:
        return self.reading.confidence * self.evidence.wizard.confidence

    @property
    def review(self) -> bool:
        asked = self.reading.review or self.evidence.wizard.review
        return asked and not self.evidence.corrections.confirmed

    @property
    def clipped(self) -> tuple[Cell, ...]:
        """The shields that the picture's edge cuts off, so that nobody can tell the total."""
        return () if self.evidence.corrections.confirmed else self.evidence.unseen

    @property
    def wizard_coat(self) -> Coat | None:
        """The coat that the map's wizard pays for, as a person says, or else a spellbook."""
        given = self.evidence.corrections.wizard
        return self.evidence.wizard.coat if given is None else given[0]

    @property
    def wizard_range(self) -> tuple[int, int]:
        """What the wizard may pay on this board, from and to."""
        corrections = self.evidence.corrections
        open_ones = (
            () if corrections.wizard or corrections.confirmed else self.evidence.wizard.coats
        )
        coats = [coat for coat, p in open_ones if p >= IMPROBABLE]
        pays = [WIZARD_POINTS * sum(d.coat is coat for d in self.score.domains) for coat in coats]
        return min([*pays, self.score.wizard]), max([*pays, self.score.wizard])

    @property
    def total_range(self) -> tuple[int, int]:
        """What the map may be worth with its wizard, from and to."""
        if self.evidence.corrections.confirmed:
            return self.score.total, self.score.total
        (low, high), (least, most) = self.reading.total_range, self.wizard_range
        return low + least, high + most
