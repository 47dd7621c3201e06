"""Stage: rectified sheet → how probably something lies over each shield.

A finger, a die, a scrap of paper or a glare hides what nobody can read then; that it hides
something anybody sees. A network does that knows none of these: it has learned what looks like
neither print nor ink nor paper from shapes of any colour. What is solid in a colour of its own
speaks for a thing too (`foreign`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdscan.game.grid import Cell
from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.marks.crops import COARSE, halved
from kdscan.marks.foreign import foreign
from kdscan.records import CELLS, COLS, ROWS, RectifiedSheet
from kdscan.records.arrays import Network, probability

COVER_PX = FLAT_PX // COARSE
"""Pixels a cell that the network sees."""

COVER_HW = round((ROWS + 2 * FLAT_MARGIN) * COVER_PX), round((COLS + 2 * FLAT_MARGIN) * COVER_PX)
"""Height and width of what it sees: 336 × 464 pixels."""

GLANCE = 0.2
"""Where no shield looks covered with such a probability, one look is enough."""

FOREIGN = 10.0
"""Evidence, in natural log odds, that a colour of its own is for a thing: so much for a distance of
1 beyond `OWN_PENS`, up to `MOST_FOREIGN`. A pen of which there is one coat is one too."""

OWN_PENS, MOST_FOREIGN = 0.05, 4.0


def covered(sheet: RectifiedSheet, network: Network) -> dict[Cell, float]:
    """How probably something hides each shield, 0..1.

    network: flat sheets (1, 3, 336, 464) BGR 0..1 → logits (1, 5, 7). What lies on a sheet lies in
    its mirror too, what is only taken for it less often: the mean of both counts.
    """
    bgr = halved(sheet.bgr)
    strange = np.zeros((ROWS, COLS))
    for at, apart in foreign(bgr).items():
        strange[at] = np.clip(FOREIGN * (apart - OWN_PENS), 0, MOST_FOREIGN)
    logits = _logits(bgr, network)
    if max(_probabilities(logits + strange).values()) >= GLANCE:
        logits = (logits + _logits(bgr[:, ::-1], network)[:, ::-1]) / 2
    return _probabilities(logits + strange)


def _logits(bgr: NDArray[np.uint8], network: Network) -> NDArray[np.float64]:
    """(5, 7) logits."""
    seen = bgr.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255)
    return np.asarray(network(np.ascontiguousarray(seen))[0][0], np.float64)


def _probabilities(logits: NDArray[np.float64]) -> dict[Cell, float]:
    return {at: probability(logits[at]) for at in CELLS}
