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

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kdscan.game.duel.board import CASTLE, CELLS, COLS, MAX_CROSSES, ROWS
from kdscan.game.duel.coats import Coat
from kdscan.game.duel.scoring import WIZARD_POINTS, Score
from kdscan.game.duel.spellbook import Spellbook
from kdscan.game.kingdomino.kingdom import Kingdom
from kdscan.game.kingdomino.scoring import Score as KingdomScore
from kdscan.game.kingdomino.tiles import SQUARES
from kdscan.game.kingdomino.variants import Variants
from kdscan.game.problem import Problem, Severity

__all__ = ["CASTLE", "CELLS", "COATS", "COLS", "MAX_CROSSES", "ROWS", "Problem", "Severity"]

COATS: tuple[Coat | None, ...] = (None, *Coat)
"""What a shield can hold, in the order of the coat probabilities: empty first."""

SquareKind = tuple[str, int]
"""What a square of a kingdom holds: a terrain, "castle" or "empty", and its crowns."""

KINDS: tuple[SquareKind, ...] = (
    ("empty", 0),
    ("castle", 0),
    *sorted((square.terrain.value, square.crowns) for square in SQUARES),
)
"""All kinds of squares that the box holds, in the order of their probabilities."""


def calibrated(p: float, trust: NDArray[np.float64]) -> float:
    """A probability with the slope and offset that its log odds need (Platt 1999)."""
    inside = min(max(p, 1e-9), 1 - 1e-9)
    z = float(trust[0]) * math.log(inside / (1 - inside)) + float(trust[1])
    return 1 / (1 + math.exp(-z))


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of `array` that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


class Photo:
    """A picture as people see it: EXIF rotation applied, alpha gone, 8 bit. It never changes.

    name: where it came from, for people.
    page: page of a PDF or TIFF, from 0.
    width, height: pixels.
    half: (H / 2, W / 2, 3) uint8 where the file gave that for less than the whole, or None.
    """

    def __init__(self, bgr: NDArray[np.uint8], name: str = "", page: int = 0) -> None:
        """bgr: (H, W, 3) uint8, channels in OpenCV's order."""
        self.name, self.page = name, page
        self.half: NDArray[np.uint8] | None = None
        self._whole: Callable[[], NDArray[np.uint8]] = partial(_picture, bgr)
        self.height, self.width = (int(n) for n in self.bgr.shape[:2])

    @classmethod
    def halved(
        cls,
        half: NDArray[np.uint8],
        size_wh: tuple[int, int],
        whole: Callable[[], NDArray[np.uint8]],
        name: str = "",
        page: int = 0,
    ) -> Photo:
        """A photo of which half the size is at hand; `whole` decodes the rest when it is needed."""
        photo = cls.__new__(cls)
        photo.name, photo.page = name, page
        photo.half, photo._whole = _picture(half), lambda: _picture(whole())
        photo.width, photo.height = size_wh
        return photo

    @cached_property
    def bgr(self) -> NDArray[np.uint8]:
        """(H, W, 3) uint8, channels in OpenCV's order."""
        return self._whole()


def _picture(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if bgr.ndim != 3 or bgr.shape[2] != 3 or bgr.dtype != np.uint8:
        raise ValueError(f"a photo is (H, W, 3) uint8, not {bgr.shape} {bgr.dtype}")
    return frozen(bgr)


@dataclass(frozen=True, eq=False)
class SheetOutline:
    """Where the map's grid lies in the photo, by a homography alone.

    corners_xy: (4, 2) float64, photo frame: top left, top right, bottom right,
        bottom left corner of the grid (lattice (-.5, -.5), (6.5, -.5), (6.5, 4.5),
        (-.5, 4.5)) as the reader of the sheet sees it.
    confidence: 0..1, how sure it is that a map lies there.
    """

    corners_xy: NDArray[np.float64]
    confidence: float

    def __post_init__(self) -> None:
        if self.corners_xy.shape != (4, 2):
            raise ValueError(f"an outline has 4 corners, not {self.corners_xy.shape}")
        object.__setattr__(self, "corners_xy", frozen(self.corners_xy))


@dataclass(frozen=True, eq=False)
class RectifiedSheet:
    """The grid laid flat and upright, a fixed number of pixels a cell.

    bgr: (H, W, 3) uint8; see `kdscan.vision.rectify` for pixels a cell and margin.
    centers_xy: (R, C, 2) float64, photo frame: centre of each cell (the castle's
        too), after curl and folds were followed; (5, 7, 2) for a map.
    outline_xy: (4, 2) float64, photo frame: corners of the grid, as in SheetOutline.
    px_per_cell: resolution of the photo there, in photo pixels a cell.
    confidence: 0..1, how sure it is that every cell is in place.
    """

    bgr: NDArray[np.uint8]
    centers_xy: NDArray[np.float64]
    outline_xy: NDArray[np.float64]
    px_per_cell: float
    confidence: float

    def __post_init__(self) -> None:
        if self.centers_xy.ndim != 3 or self.centers_xy.shape[2] != 2:
            raise ValueError(f"centres are (R, C, 2), not {self.centers_xy.shape}")
        for name in ("bgr", "centers_xy", "outline_xy"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


@dataclass(frozen=True, eq=False)
class CellCrops:
    """What the cell model sees.

    cells: (34, C, S, S) float32, one crop a shield in the order of `CELLS`.
    castle: (C, S, S) float32, the castle's crop.
    """

    cells: NDArray[np.float32]
    castle: NDArray[np.float32]

    def __post_init__(self) -> None:
        if len(self.cells) != len(CELLS) or self.cells.dtype != np.float32:
            raise ValueError(f"34 float32 crops are needed, not {self.cells.shape}")
        object.__setattr__(self, "cells", frozen(self.cells))
        object.__setattr__(self, "castle", frozen(self.castle))


@dataclass(frozen=True, eq=False)
class MarkProbs:
    """What the model says of each shield, before any rule has its say.

    coat: (34, 7) float64, probabilities in the order of `COATS`, rows sum to 1.
    crosses: (34, 5) float64, probabilities of 0..4 crosses, rows sum to 1.
    castle_used: probability that the castle's roof is coloured.
    placed: probability that every cell is where it should be.
    trust: (2,) float64, slope and offset that turn the log odds of a total, as these
        probabilities give them, into calibrated ones; fitted on photos held back.
    """

    coat: NDArray[np.float64]
    crosses: NDArray[np.float64]
    castle_used: float
    placed: float
    trust: NDArray[np.float64] = field(default_factory=lambda: np.array([1.0, 0.0]))

    def __post_init__(self) -> None:
        if self.coat.shape != (len(CELLS), len(COATS)):
            raise ValueError(f"coat probabilities have shape {self.coat.shape}")
        if self.crosses.shape != (len(CELLS), MAX_CROSSES + 1):
            raise ValueError(f"cross probabilities have shape {self.crosses.shape}")
        object.__setattr__(self, "coat", frozen(self.coat))
        object.__setattr__(self, "crosses", frozen(self.crosses))
        object.__setattr__(self, "trust", frozen(self.trust))


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


IMPROBABLE = 0.005
"""A total less probable than this is left out of the range that is shown."""

Totals = tuple[tuple[int, float], ...]
"""What something may be worth, with probabilities, the most probable first."""


def range_of(totals: Totals) -> tuple[int, int]:
    """The least and the greatest total that is not all but impossible."""
    likely = [total for total, p in totals if p >= IMPROBABLE] or [totals[0][0]]
    return min(likely), max(likely)


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


class Found(Protocol):
    """What can be asked of everything that is found in a photo, whatever its kind.

    kind: as in the JSON. outline_xy: (4, 2) float64, photo frame, corners as its reader
    sees it. confidence: probability that what it is worth is right, calibrated.
    review: whether a person should look. problems: what cannot be, or need not be trusted.
    """

    @property
    def kind(self) -> str: ...
    @property
    def outline_xy(self) -> NDArray[np.float64]: ...
    @property
    def confidence(self) -> float: ...
    @property
    def review(self) -> bool: ...
    @property
    def problems(self) -> tuple[Problem, ...]: ...


@dataclass(frozen=True, eq=False)
class SheetReading:
    """All that is known of one map in a photo: where it lies, what was seen, what it is worth.

    layout: name of the layout that was recognised, or "unknown".
    sheet_id: what the sheet's printed code says (`kdscan.sheet.ids`), None without one.
    wizard_coat: the coat that its player's wizard pays for, as a spellbook beside it says.
    wizard_confidence: probability that the wizard's points in `score` are right.
    wizard_coats: for which coats, None for none, he may pay, with probabilities; () if sure.
    shared_review: whether a spellbook beside it gives a reason to look.
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


@dataclass(frozen=True)
class SquareReading:
    """One square as read. `confidence`: probability that terrain and crowns are both right.

    terrain: a terrain of the game, "castle" or "empty".
    seen: what the pixels alone said, when the rules or a person overruled them.
    """

    row: int
    col: int
    terrain: str
    crowns: int
    confidence: float
    review: bool
    seen: SquareKind | None = None


@dataclass(frozen=True, eq=False)
class KingdomReading:
    """All that is known of one kingdom of tiles: where it lies, what was seen, what it is worth.

    rectified: the square of `size` × `size` that the kingdom may span, empty rims included.
    probs: (size, size, K) float64, what the pixels say of each square, in the order of `KINDS`.
    squares: size * size readings, row-major. kingdom: the same as the game knows it.
    totals: what it may be worth, with probabilities, the most probable first.
    beyond: squares that hang together with it, but lie outside its limit.
    sheet_id: what the code on a card beside it says (`kdscan.sheet.ids`), None without one.
    """

    rectified: RectifiedSheet
    probs: NDArray[np.float64]
    squares: tuple[SquareReading, ...]
    kingdom: Kingdom
    score: KingdomScore
    variants: Variants
    confidence: float
    review: bool
    problems: tuple[Problem, ...] = ()
    totals: Totals = ()
    beyond: int = 0
    sheet_id: str | None = None

    def __post_init__(self) -> None:
        size = self.variants.size
        if self.probs.shape != (size, size, len(KINDS)) or len(self.squares) != size**2:
            raise ValueError(f"{size} x {size} squares are needed, not {self.probs.shape}")
        object.__setattr__(self, "probs", frozen(self.probs))

    @property
    def kind(self) -> str:
        return "kingdom"

    @property
    def outline_xy(self) -> NDArray[np.float64]:
        return self.rectified.outline_xy


@dataclass(frozen=True)
class BookMark:
    """One place of a spellbook that players may mark.

    key: `players[I].lines.COAT.squares[K]`, `.used` or `.struck`, `players[I].choices.COAT`.
    at_xy: photo frame; the place's centre, of a struck line both its ends.
    reach_px: half the place's side. confidence: probability that `marked` is right.
    """

    key: str
    at_xy: tuple[tuple[float, float], ...]
    reach_px: float
    marked: bool
    confidence: float
    review: bool


@dataclass(frozen=True, eq=False)
class SpellbookReading:
    """All that is known of a spellbook in a photo.

    page_xy: (4, 2) float64, photo frame: the page's corners as its reader sees it.
    marks: every place, in the order of the layout. book: the same as the game knows it.
    chosen: the coat that each player's side names. confidence: that all of it is right.
    sheet_id: what its printed code says (`kdscan.sheet.ids`), None without one.
    """

    layout: str
    page_xy: NDArray[np.float64]
    marks: tuple[BookMark, ...]
    book: Spellbook
    chosen: tuple[Coat | None, Coat | None]
    confidence: float
    review: bool
    problems: tuple[Problem, ...] = ()
    sheet_id: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "page_xy", frozen(self.page_xy))

    @property
    def kind(self) -> str:
        return "duel_spellbook"

    @property
    def outline_xy(self) -> NDArray[np.float64]:
        return self.page_xy


AnyReading = SheetReading | KingdomReading | SpellbookReading
"""Whatever `kdscan.pipeline.read_photo` finds; see `Found` for what they share."""


def maps_of(found: Iterable[AnyReading]) -> tuple[SheetReading, ...]:
    """The maps of Kingdomino Duel among what was found."""
    return tuple(one for one in found if isinstance(one, SheetReading))
