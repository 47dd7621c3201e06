"""Whether a grid has a castle: 34 cells of a map resemble one another, the middle one does not.

Other printed grids, such as score pads and bingo cards, have equal fields too, but there the middle
one is like the others.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats, median, quantile
from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX, RectifiedSheet
from kdscan.rules.duel.board import CASTLE, COLS, ROWS

CELL_PX = 32
"""Pixels per cell at which cells are compared."""
EDGE_PX = 3
"""Pixels along a cell's edges that are left out: players draw thick lines around domains there,
which would make the castle look like a shield."""
HIGH_PASS = 0.35
"""Sigma, in cells, of the high-pass filter that removes backgrounds and uneven light."""
MAX_CASTLE_RANK = 0.8
"""If the middle cell resembles the median cell more than this share of the shields do, it is no
castle. In 234 photos of maps (painted ones, blanks and thick lines around domains included) the
castle reached at most 0.53, on 500 flat sheets of random designs 0.44; two score pads reached 0.91
and 0.94."""


def correlation_with_median(flat_bgr: NDArray[np.uint8]) -> Floats:
    """(5, 7) float64, -1..1: correlation of each cell's inside with the median of all shields,
    after the logarithm and a high-pass filter.

    flat_bgr: (5 p, 7 p, 3) uint8, the grid without margin, p pixels per cell.
    """
    flat = cv2.resize(flat_bgr, (COLS * CELL_PX, ROWS * CELL_PX), interpolation=cv2.INTER_AREA)
    tone = np.log(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY).astype(np.float32) + 8)
    tone -= cv2.GaussianBlur(tone, (0, 0), HIGH_PASS * CELL_PX)
    dark, light = quantile(tone, 0.02, 0.98)
    tone = np.clip(tone, dark, light)
    whole = tone.reshape(ROWS, CELL_PX, COLS, CELL_PX).swapaxes(1, 2)
    cells = whole[:, :, EDGE_PX:-EDGE_PX, EDGE_PX:-EDGE_PX].reshape(ROWS * COLS, -1)
    cells = cells - cells.mean(axis=1, keepdims=True)
    common = median(np.delete(cells, CASTLE[0] * COLS + CASTLE[1], axis=0))
    common -= common.mean()
    norms = np.linalg.norm(cells, axis=1) * np.linalg.norm(common)
    return np.asarray(cells @ common / np.maximum(norms, 1e-6), np.float64).reshape(ROWS, COLS)


def has_castle(sheet: RectifiedSheet) -> bool:
    """Whether the middle cell differs from the shields around it, as on every map."""
    edge = round(FLAT_MARGIN * FLAT_PX)
    inner = sheet.bgr[edge : edge + ROWS * FLAT_PX, edge : edge + COLS * FLAT_PX]
    like = correlation_with_median(inner)
    others = np.delete(like.ravel(), CASTLE[0] * COLS + CASTLE[1])
    return float(np.mean(others < like[CASTLE])) < MAX_CASTLE_RANK
