"""The doubtful shields of a map and their alternatives."""

from __future__ import annotations

from dataclasses import replace

from kdscan.marks.decode import corrected
from kdscan.marks.posterior import alternatives, joint
from kdscan.records import CELLS, CellReading, MapReading
from kdscan.records.arrays import Floats
from kdscan.sheets.common.doubt import MAX_OTHERS, MIN_OTHER, Doubt


def doubts(sheet: MapReading) -> list[Doubt[CellReading]]:
    """The shields that need review, except those that the picture cuts off."""
    unsure = [c for c in sheet.reading.cells if c.review and c.at not in sheet.clipped]
    if not unsure:
        return []
    both = joint(corrected(sheet.evidence.probs, sheet.evidence.corrections.cells))
    return [Doubt(cell, _others(cell, both[CELLS.index(cell.at)])) for cell in unsure]


def _others(cell: CellReading, both: Floats) -> tuple[CellReading, ...]:
    """What else a shield may hold; both: (7, 5), its probabilities."""
    others = [
        replace(cell, coat=coat, crosses=crosses, confidence=p, covered=False)
        for (coat, crosses), p in alternatives(both, MAX_OTHERS + 1)
        if (coat, crosses) != cell.marks and p >= MIN_OTHER
    ]
    return tuple(others[:MAX_OTHERS])
