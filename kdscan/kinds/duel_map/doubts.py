"""The shields of a map to look at, and what else they may hold."""

from __future__ import annotations

from dataclasses import dataclass

from kdscan.marks.decode import corrected
from kdscan.marks.posterior import alternatives
from kdscan.records import CellReading, Marks, SheetReading


@dataclass(frozen=True)
class Doubt:
    """A shield to look at, and what else it may be, the likeliest first, with probabilities."""

    cell: CellReading
    alternatives: tuple[tuple[Marks, float], ...]


def doubts(sheet: SheetReading, most: int = 2, least_probability: float = 0.02) -> list[Doubt]:
    """The shields to look at that the photo shows, each with up to `most` other readings."""
    probs = corrected(sheet.evidence.probs, sheet.evidence.corrections.cells)
    found = []
    for index, cell in enumerate(sheet.reading.cells):
        if cell.review and (cell.row, cell.col) not in sheet.clipped:
            others = [
                (marks, p)
                for marks, p in alternatives(probs, index, at_most=most + 1)
                if marks != (cell.coat, cell.crosses) and p >= least_probability
            ]
            found.append(Doubt(cell, tuple(others[:most])))
    return found
