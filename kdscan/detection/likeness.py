"""What cells have in common: 34 of a map's resemble one another, the castle's resembles none.

Other printed things have rows of like fields too: score pads, bingo cards. On those the middle
field is as the others are.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.records import CASTLE, COLS, ROWS, RectifiedSheet
from kdscan.records.arrays import Floats, median, quantile

CELL_PX = 32
"""Pixels a cell that is compared."""
RIM_PX = 3
"""Pixels along a cell's edges that are not compared: players draw thick lines there, around
domains, and then the castle is as like a shield as shields are."""
AROUND = 0.35
"""Grounds and light that change over so many cells are taken off before."""
NO_CASTLE = 0.8
"""A middle cell more like the common one than such a share of the shields is a shield itself. Of
234 photos of maps, painted ones, blanks and such with thick lines around domains among them, the
castle came to 0.53 at most, of 500 sheets of random designs seen flat to 0.44; two score pads came
to 0.91 and 0.94."""


def likeness(flat_bgr: NDArray[np.uint8]) -> Floats:
    """(5, 7) float64, -1..1: how much each cell's print resembles what shields have in common.

    flat_bgr: (5 p, 7 p, 3) uint8, the grid with no margin, p pixels a cell. The measure is the
    correlation of a cell's inside with the median of all shields, after the logarithm and a
    high-pass.
    """
    flat = cv2.resize(flat_bgr, (COLS * CELL_PX, ROWS * CELL_PX), interpolation=cv2.INTER_AREA)
    tone = np.log(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32) + 8)
    tone -= cv2.GaussianBlur(tone, (0, 0), AROUND * CELL_PX)
    dark, light = quantile(tone, 0.02, 0.98)
    tone = np.clip(tone, dark, light)
    whole = tone.reshape(ROWS, CELL_PX, COLS, CELL_PX).swapaxes(1, 2)
    cells = whole[:, :, RIM_PX:-RIM_PX, RIM_PX:-RIM_PX].reshape(ROWS * COLS, -1)
    cells = cells - cells.mean(axis=1, keepdims=True)
    common = median(np.delete(cells, CASTLE[0] * COLS + CASTLE[1], axis=0))
    common -= common.mean()
    norms = np.linalg.norm(cells, axis=1) * np.linalg.norm(common)
    return np.asarray(cells @ common / np.maximum(norms, 1e-6), np.float64).reshape(ROWS, COLS)


def has_castle(sheet: RectifiedSheet) -> bool:
    """Whether the middle cell differs from the shields around it, as on every map."""
    edge = round(FLAT_MARGIN * FLAT_PX)
    inner = sheet.bgr[edge : edge + ROWS * FLAT_PX, edge : edge + COLS * FLAT_PX]
    like = likeness(inner)
    others = np.delete(like.ravel(), CASTLE[0] * COLS + CASTLE[1])
    return float(np.mean(others < like[CASTLE])) < NO_CASTLE
