"""The frozen records that travel from stage to stage.

Frames of coordinates, used everywhere:

* **photo**: pixels of the upright photo (EXIF applied), origin at the top left
  corner of the picture, x right, y down; the centre of the first pixel lies at
  (0, 0). Arrays of points end in ``_xy``.
* **lattice**: the sheet's own grid as its reader sees it, in cells: x = column,
  y = row; the *centre* of the cell in row r and column c lies at (c, r), so the
  grid spans x from -0.5 to 6.5 and y from -0.5 to 4.5.
  A kingdom of tiles has a lattice of its own, of as many rows and columns as it may
  span.
* **sheet**: millimetres on the paper, origin at the top left corner of the page.

Arrays inside records cannot be written to: `frozen` marks them so.
"""

from kdscan.game.duel.board import CASTLE, CELLS, COLS, MAX_CROSSES, ROWS
from kdscan.game.problem import Problem
from kdscan.records.book import BookMark, SpellbookCorrections, SpellbookEvidence, SpellbookReading
from kdscan.records.found import AnyReading, Found, maps_of
from kdscan.records.ink import Ink
from kdscan.records.kinds import COATS, KINDS, Marks, SquareKind
from kdscan.records.kingdom import (
    KingdomCorrections,
    KingdomEvidence,
    KingdomReading,
    SquareReading,
)
from kdscan.records.photo import Photo, frozen
from kdscan.records.sheet import (
    CellReading,
    MapCorrections,
    MapEvidence,
    Reading,
    SheetReading,
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
    "MarkProbs",
    "Marks",
    "Photo",
    "Problem",
    "Reading",
    "RectifiedSheet",
    "SheetOutline",
    "SheetReading",
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
