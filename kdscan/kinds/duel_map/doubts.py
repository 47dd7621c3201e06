"""The doubtful shields of a map and their alternatives."""

from __future__ import annotations

from dataclasses import replace

from kdscan.kinds.common.doubt import MAX_OTHERS, MIN_OTHER, Doubt
from kdscan.marks.decode import corrected
from kdscan.marks.posterior import alternatives
from kdscan.records import CellReading, SheetReading


def doubts(sheet: SheetReading) -> list[Doubt[CellReading]]:
    """The shields that need review, except those that the picture cuts off."""
    probs = corrected(sheet.evidence.probs, sheet.evidence.corrections.cells)
    found = []
    for index, cell in enumerate(sheet.reading.cells):
        if cell.review and (cell.row, cell.col) not in sheet.clipped:
            others = [
                replace(cell, coat=coat, crosses=crosses, confidence=p, covered=False)
                for (coat, crosses), p in alternatives(probs, index, at_most=MAX_OTHERS + 1)
                if (coat, crosses) != (cell.coat, cell.crosses) and p >= MIN_OTHER
            ]
            found.append(Doubt(cell, tuple(others[:MAX_OTHERS])))
    return found
