"""The shields of a map to look at, and what else they may hold."""

from __future__ import annotations

from dataclasses import replace

from kdscan.kinds.common.doubt import LEAST_PROBABILITY, MOST_OTHERS, Doubt
from kdscan.marks.decode import corrected
from kdscan.marks.posterior import alternatives
from kdscan.records import CellReading, SheetReading


def doubts(sheet: SheetReading) -> list[Doubt[CellReading]]:
    """The shields to look at that the photo shows."""
    probs = corrected(sheet.evidence.probs, sheet.evidence.corrections.cells)
    found = []
    for index, cell in enumerate(sheet.reading.cells):
        if cell.review and (cell.row, cell.col) not in sheet.clipped:
            others = [
                replace(cell, coat=coat, crosses=crosses, confidence=p, covered=False)
                for (coat, crosses), p in alternatives(probs, index, at_most=MOST_OTHERS + 1)
                if (coat, crosses) != (cell.coat, cell.crosses) and p >= LEAST_PROBABILITY
            ]
            found.append(Doubt(cell, tuple(others[:MOST_OTHERS])))
    return found
