"""The frozen records that travel from stage to stage.

Frames of coordinates, used everywhere:

* **photo**: pixels of the upright photo (EXIF applied), origin at the top left
  corner of the picture, x right, y down; the centre of the first pixel lies at
  (0, 0). Arrays of points end in ``_xy``.
* **lattice**: the sheet's own grid as its reader sees it, in cells: x = column,
  y = row; the *centre* of the cell in row r and column c lies at (c, r), so the
  grid spans x from -0.5 to 6.5 and y from -0.5 to 4.5.
  A kingdom of tiles has its own lattice, with as many rows and columns as it may span.
* **sheet**: millimetres on the paper, origin at the top left corner of the page.

Arrays inside records cannot be written to: `frozen` marks them so.

Each record is imported on first use, so that reading a map loads no kingdoms.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kdscan.game.duel.board import CASTLE, CELLS, COLS, MAX_CROSSES, ROWS
    from kdscan.game.problem import Problem
    from kdscan.records.book import (
        BookMark,
        SpellbookCorrections,
        SpellbookEvidence,
        SpellbookReading,
    )
    from kdscan.records.coats import COATS, Marks
    from kdscan.records.found import AnyReading, Found, maps_of
    from kdscan.records.ink import Ink
    from kdscan.records.kinds import KINDS, SquareKind
    from kdscan.records.kingdom import (
        KingdomCorrections,
        KingdomEvidence,
        KingdomReading,
        SquareReading,
    )
    from kdscan.records.photo import Photo, frozen
    from kdscan.records.sheet import (
        UNKNOWN_LAYOUT,
        CellReading,
        MapCorrections,
        MapEvidence,
        MapReading,
        Reading,
        WizardEvidence,
    )
    from kdscan.records.stages import CellCrops, MarkProbs, RectifiedSheet, SheetOutline
    from kdscan.records.totals import Totals, calibrated, range_of

__all__ = [
    "CASTLE",
    "CELLS",
    "COATS",
    "COLS",
    "KINDS",
    "MAX_CROSSES",
    "ROWS",
    "UNKNOWN_LAYOUT",
    "AnyReading",
    "BookMark",
    "CellCrops",
    "CellReading",
    "Found",
    "Ink",
    "KingdomCorrections",
    "KingdomEvidence",
    "KingdomReading",
    "MapCorrections",
    "MapEvidence",
    "MapReading",
    "MarkProbs",
    "Marks",
    "Photo",
    "Problem",
    "Reading",
    "RectifiedSheet",
    "SheetOutline",
    "SpellbookCorrections",
    "SpellbookEvidence",
    "SpellbookReading",
    "SquareKind",
    "SquareReading",
    "Totals",
    "WizardEvidence",
    "calibrated",
    "frozen",
    "maps_of",
    "range_of",
]

_HOMES = {
    "kdscan.game.duel.board": "CASTLE CELLS COLS MAX_CROSSES ROWS",
    "kdscan.game.problem": "Problem",
    "kdscan.records.book": "BookMark SpellbookCorrections SpellbookEvidence SpellbookReading",
    "kdscan.records.coats": "COATS Marks",
    "kdscan.records.found": "AnyReading Found maps_of",
    "kdscan.records.ink": "Ink",
    "kdscan.records.kinds": "KINDS SquareKind",
    "kdscan.records.kingdom": "KingdomCorrections KingdomEvidence KingdomReading SquareReading",
    "kdscan.records.photo": "Photo frozen",
    "kdscan.records.sheet": "CellReading MapCorrections MapEvidence MapReading "
    "Reading UNKNOWN_LAYOUT WizardEvidence",
    "kdscan.records.stages": "CellCrops MarkProbs RectifiedSheet SheetOutline",
    "kdscan.records.totals": "Totals calibrated range_of",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> Any:
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(_HOME_OF[name]), name)
