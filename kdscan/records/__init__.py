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

Arrays inside records cannot be written to: `FrozenArrays` marks them so.

Each record is imported on first use, so that reading a map loads no kingdoms.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kdscan.records.book import BookMark as BookMark
    from kdscan.records.book import SpellbookCorrections as SpellbookCorrections
    from kdscan.records.book import SpellbookEvidence as SpellbookEvidence
    from kdscan.records.book import SpellbookReading as SpellbookReading
    from kdscan.records.coats import COATS as COATS
    from kdscan.records.coats import Marks as Marks
    from kdscan.records.found import AnyReading as AnyReading
    from kdscan.records.found import maps_of as maps_of
    from kdscan.records.ink import Ink as Ink
    from kdscan.records.kinds import KINDS as KINDS
    from kdscan.records.kinds import SquareKind as SquareKind
    from kdscan.records.kingdom import KingdomCorrections as KingdomCorrections
    from kdscan.records.kingdom import KingdomEvidence as KingdomEvidence
    from kdscan.records.kingdom import KingdomReading as KingdomReading
    from kdscan.records.kingdom import SquareReading as SquareReading
    from kdscan.records.photo import FrozenArrays as FrozenArrays
    from kdscan.records.photo import Photo as Photo
    from kdscan.records.photo import frozen as frozen
    from kdscan.records.sheet import UNKNOWN_LAYOUT as UNKNOWN_LAYOUT
    from kdscan.records.sheet import CellReading as CellReading
    from kdscan.records.sheet import MapCorrections as MapCorrections
    from kdscan.records.sheet import MapEvidence as MapEvidence
    from kdscan.records.sheet import MapReading as MapReading
    from kdscan.records.sheet import Reading as Reading
    from kdscan.records.sheet import WizardEvidence as WizardEvidence
    from kdscan.records.stages import CellCrops as CellCrops
    from kdscan.records.stages import MarkProbs as MarkProbs
    from kdscan.records.stages import RectifiedSheet as RectifiedSheet
    from kdscan.records.stages import SheetOutline as SheetOutline
    from kdscan.records.totals import Totals as Totals
    from kdscan.records.totals import calibrated as calibrated
    from kdscan.records.totals import range_of as range_of
    from kdscan.rules.duel.board import CASTLE as CASTLE
    from kdscan.rules.duel.board import CELLS as CELLS
    from kdscan.rules.duel.board import COLS as COLS
    from kdscan.rules.duel.board import MAX_CROSSES as MAX_CROSSES
    from kdscan.rules.duel.board import ROWS as ROWS
    from kdscan.rules.problem import Problem as Problem

_HOMES = {
    "kdscan.rules.duel.board": "CASTLE CELLS COLS MAX_CROSSES ROWS",
    "kdscan.rules.problem": "Problem",
    "kdscan.records.book": "BookMark SpellbookCorrections SpellbookEvidence SpellbookReading",
    "kdscan.records.coats": "COATS Marks",
    "kdscan.records.found": "AnyReading maps_of",
    "kdscan.records.ink": "Ink",
    "kdscan.records.kinds": "KINDS SquareKind",
    "kdscan.records.kingdom": "KingdomCorrections KingdomEvidence KingdomReading SquareReading",
    "kdscan.records.photo": "FrozenArrays Photo frozen",
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
