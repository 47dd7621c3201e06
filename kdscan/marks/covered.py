"""Stage: rectified sheet → how probably something lies over each shield.

A finger, a die, a scrap of paper or a glare hides what nobody can read then; that it hides
something anybody sees. A network does that knows none of these: it has learned what looks like
neither print nor ink nor paper from shapes of any colour.
"""

from __future__ import annotations

import numpy as np

from kdscan.game.grid import Cell
from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.marks.crops import COARSE, halved
from kdscan.records import CELLS, COLS, ROWS, RectifiedSheet
from kdscan.records.arrays import Network

COVER_PX = FLAT_PX // COARSE
"""Pixels a cell that the network sees."""

COVER_HW = round((ROWS + 2 * FLAT_MARGIN) * COVER_PX), round((COLS + 2 * FLAT_MARGIN) * COVER_PX)
"""Height and width of what it sees: 336 × 464 pixels."""


def covered(sheet: RectifiedSheet, network: Network) -> dict[Cell, float]:
    """How probably something hides each shield, 0..1.

    network: flat sheets (1, 3, 336, 464) BGR 0..1 → logits (1, 5, 7).
    """
    seen = halved(sheet.bgr).transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255)
    said = network(np.ascontiguousarray(seen))[0][0].astype(np.float64)
    return {at: float(1 / (1 + np.exp(-said[at]))) for at in CELLS}
