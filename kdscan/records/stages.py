"""The intermediate records from locating a map to classifying its marks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kdscan.records.coats import COATS
from kdscan.records.photo import FrozenArrays
from kdscan.rules.duel.board import CELLS, MAX_CROSSES


@dataclass(frozen=True, eq=False)
class SheetOutline(FrozenArrays):
    """Where the map's grid lies in the photo, by a homography alone.

    corners_xy: (4, 2) float64, photo frame: top left, top right, bottom right,
        bottom left corner of the grid (lattice (-.5, -.5), (6.5, -.5), (6.5, 4.5),
        (-.5, 4.5)) as the reader of the sheet sees it.
    confidence: 0..1, probability that a map lies there.
    """

    corners_xy: NDArray[np.float64]
    confidence: float

    def __post_init__(self) -> None:
        if self.corners_xy.shape != (4, 2):
            raise ValueError(f"an outline has 4 corners, not {self.corners_xy.shape}")
        super().__post_init__()


@dataclass(frozen=True, eq=False)
class RectifiedSheet(FrozenArrays):
    """The grid rectified and upright, at a fixed number of pixels per cell.

    bgr: (H, W, 3) uint8; see `kdscan.imaging.rectify` for pixels per cell and margin.
    centers_xy: (R, C, 2) float64, photo frame: centre of each cell (the castle's
        too), after curl and folds were followed; (5, 7, 2) for a map.
    outline_xy: (4, 2) float64, photo frame: corners of the grid, as in SheetOutline.
    px_per_cell: resolution of the photo there, in photo pixels per cell.
    confidence: 0..1, probability that every cell is in place.
    """

    bgr: NDArray[np.uint8]
    centers_xy: NDArray[np.float64]
    outline_xy: NDArray[np.float64]
    px_per_cell: float
    confidence: float

    def __post_init__(self) -> None:
        if self.centers_xy.ndim != 3 or self.centers_xy.shape[2] != 2:
            raise ValueError(f"centres are (R, C, 2), not {self.centers_xy.shape}")
        if self.outline_xy.shape != (4, 2):
            raise ValueError(f"an outline has 4 corners, not {self.outline_xy.shape}")
        super().__post_init__()


@dataclass(frozen=True, eq=False)
class CellCrops(FrozenArrays):
    """Input of the marks network: one crop per shield in the order of `CELLS`, then the castle's.

    ink: (35, 1, S, S) float32, in full detail.
    coarse: (35, C, S / 2, S / 2) float32: ink again, print and colour, which carry no detail.
    """

    ink: NDArray[np.float32]
    coarse: NDArray[np.float32]

    def __post_init__(self) -> None:
        for crops in (self.ink, self.coarse):
            if len(crops) != len(CELLS) + 1 or crops.dtype != np.float32:
                raise ValueError(f"35 float32 crops are needed, not {crops.shape}")
        super().__post_init__()


@dataclass(frozen=True, eq=False)
class MarkProbs(FrozenArrays):
    """The marks network's probabilities for each shield, before any rule is applied.

    coat: (34, 7) float64, probabilities in the order of `COATS`, rows sum to 1.
    crosses: (34, 5) float64, probabilities of 0..4 crosses, rows sum to 1.
    castle_used: probability that the castle's roof is coloured.
    placed: probability that every cell is where it should be.
    calibration: (2,) float64, slope and offset that calibrate the log odds of a total (Platt
        scaling); fitted on held-out photos.
    """

    coat: NDArray[np.float64]
    crosses: NDArray[np.float64]
    castle_used: float
    placed: float
    calibration: NDArray[np.float64] = field(default_factory=lambda: np.array([1.0, 0.0]))

    def __post_init__(self) -> None:
        if self.coat.shape != (len(CELLS), len(COATS)):
            raise ValueError(f"coat probabilities have shape {self.coat.shape}")
        if self.crosses.shape != (len(CELLS), MAX_CROSSES + 1):
            raise ValueError(f"cross probabilities have shape {self.crosses.shape}")
        super().__post_init__()
