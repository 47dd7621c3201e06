"""What is known of a map of Kingdomino Duel, what a person says of it, and what it is read as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kdscan.detection.markers import UNKNOWN_LAYOUT
from kdscan.imaging.picture import Ink, RectifiedSheet
from kdscan.marks.boards import IMPROBABLE
from kdscan.marks.network import MarkProbs
from kdscan.rules import Cell, Problem
from kdscan.rules.duel.board import (
    CELLS,
    COATS,
    MAX_CROSSES,
    WIZARD_POINTS,
    Board,
    Coat,
    Marks,
    Score,
)
from kdscan.sheets.common import WIZARD, BoardReading, Corrections, cell_values, coat_from


@dataclass(frozen=True)
class WizardEvidence:
    """What a spellbook on the same table implies for a map.

    coat: the coat that its player's wizard pays for. confidence: probability that the wizard's
    points are right. coats: possible coats, None for none, with probabilities; () if certain.
    review: whether the spellbook is a reason for review. problems: contradictions with the map.
    """

    coat: Coat | None = None
    confidence: float = 1.0
    coats: tuple[tuple[Coat | None, float], ...] = ()
    review: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class MapCorrections(Corrections):
    """A person's corrections of a map.

    cells: the true marks of some shields. castle: whether its roof is coloured. wizard: (coat,)
    that the wizard pays for, or (None,) for none; None if not corrected. confirmed: everything is
    right. Raises ValueError for what no map can hold.
    """

    cells: Mapping[Cell, Marks] = field(default_factory=dict)
    castle: bool | None = None
    wizard: tuple[Coat | None] | None = None
    confirmed: bool = False

    def __post_init__(self) -> None:
        for at, (coat, crosses) in self.cells.items():
            if at not in CELLS:
                raise ValueError(f"a map has no shield at (row, column) {at}")
            most = 0 if coat is None else MAX_CROSSES
            if coat not in COATS or crosses not in range(most + 1):
                raise ValueError(f"no shield holds {coat!r} with {crosses!r} crosses")
        if self.wizard is not None:
            if self.wizard not in [(coat,) for coat in COATS]:
                raise ValueError(f"a wizard pays for (coat,) or (None,), not for {self.wizard!r}")
            (paid,) = self.wizard  # perhaps a coat's name, which is equal to it
            object.__setattr__(self, "wizard", (paid and Coat(paid),))


@dataclass(frozen=True, eq=False)
class MapEvidence:
    """All that is known of a map before any rule is applied; `interpret` turns it
    into a reading.

    layout: name of the recognised layout, or `UNKNOWN_LAYOUT`.
    sheet_id: text of the sheet's printed code (`kdscan.paper.ids`), None without one.
    clipped: shields that the picture's edge cuts off. mirrored: the picture swaps left and right.
    bilevel: the picture is black and white without greys, and so may have lost marks.
    blurred: edges are so wide that a sharper photo would leave fewer doubts. dark: marks drown in
    the sensor's noise.
    beside: sides of the picture beyond which another map extends that was not read.
    covered: probabilities, 0..1, of objects over shields, where not negligible.
    wizard: from a spellbook beside it. corrections: a person's.
    ink: what was drawn, if the print is known; else None.
    """

    rectified: RectifiedSheet
    probs: MarkProbs
    layout: str = UNKNOWN_LAYOUT
    sheet_id: str | None = None
    clipped: tuple[Cell, ...] = ()
    mirrored: bool = False
    bilevel: bool = False
    blurred: bool = False
    dark: bool = False
    beside: tuple[str, ...] = ()
    wizard: WizardEvidence = WizardEvidence()
    corrections: MapCorrections = MapCorrections()
    ink: Ink | None = None
    covered: Mapping[Cell, float] = field(default_factory=dict)

    @property
    def still_covered(self) -> dict[Cell, float]:
        """`covered` without the shields that a person has corrected."""
        corrected = self.corrections.cells
        return {cell: p for cell, p in self.covered.items() if cell not in corrected}

    @property
    def still_clipped(self) -> tuple[Cell, ...]:
        """`clipped` without the shields that a person has corrected."""
        return tuple(cell for cell in self.clipped if cell not in self.corrections.cells)

    @property
    def wizard_coat(self) -> Coat | None:
        """The coat that the map's wizard pays for, by correction or else by the spellbook."""
        correction = self.corrections.wizard
        return self.wizard.coat if correction is None else correction[0]


@dataclass(frozen=True, eq=False, repr=False)
class MapReading(BoardReading):
    """A map's evidence, interpreted.

    cells: 34 readings in the order of `CELLS`. totals: of the domains. board: the same cells as the
    game's own type. castle_used: whether the roof is coloured; None if uncertain. alone: the
    confidence without the spellbook's.
    """

    kind = "duel_map"

    evidence: MapEvidence
    score: Score
    board: Board
    castle_used: bool | None
    alone: float

    @property
    def text(self) -> str:
        return str(self.board)

    @property
    def layout(self) -> str:
        return self.evidence.layout

    @property
    def clipped(self) -> tuple[Cell, ...]:
        """The shields that the picture's edge cuts off, so that the total is unknown."""
        return () if self.evidence.corrections.confirmed else self.evidence.still_clipped

    @property
    def wizard_range(self) -> tuple[int, int]:
        """Least and greatest points that the wizard may pay on this board."""
        corrections = self.evidence.corrections
        possible = () if corrections.wizard or corrections.confirmed else self.evidence.wizard.coats
        coats, pays = [coat for coat, p in possible if p >= IMPROBABLE], [self.score.wizard]
        pays += [WIZARD_POINTS * sum(d.coat is coat for d in self.score.domains) for coat in coats]
        return min(pays), max(pays)

    @property
    def total_range(self) -> tuple[int, int]:
        """Least and greatest likely score of the map, its wizard included."""
        if self.evidence.corrections.confirmed:
            return self.score.total, self.score.total
        (low, high), (least, most) = super().total_range, self.wizard_range
        return low + least, high + most


def corrections_of(fields: Mapping[str, Any]) -> MapCorrections:
    """The corrections in the store's fields `cell:R,C`, `castle`, `value:chosen_coat` and
    `confirmed`; ValueError for what no map can hold."""
    return MapCorrections(
        cells={cell: marks_from(new) for cell, new in cell_values(fields).items()},
        castle=fields.get("castle"),
        wizard=(coat_from(fields[WIZARD]),) if WIZARD in fields else None,
        confirmed=fields.get("confirmed") is True,
    )


def marks_from(value: Mapping[str, Any]) -> Marks:
    """A shield's marks from their JSON values."""
    return coat_from(value["coat"]), int(value["crosses"])


def cells_of(sheet: Mapping[str, Any]) -> dict[Cell, Marks]:
    """The content of each shield of a map, from its JSON."""
    return {(cell["row"], cell["col"]): marks_from(cell) for cell in sheet["cells"]}
