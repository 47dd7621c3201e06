"""Stage: rectified sheet → probability that an object covers each shield (occlusion).

What a finger, a die, a scrap of paper or glare hides cannot be read, but the occlusion itself can
be detected. The network was trained on shapes of any colour, not on these objects; it detects what
is neither print nor ink nor paper. Colours found nowhere else on the sheet are further evidence
(`foreign`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX
from kdscan.marks.crops import COARSE, half_size
from kdscan.marks.foreign import foreign, unseen_colors
from kdscan.records import CELLS, COLS, ROWS, RectifiedSheet
from kdscan.records.arrays import Network, sigmoid
from kdscan.rules.grid import Cell

COVER_PX = FLAT_PX // COARSE
"""Pixels per cell of the network's input."""

COVER_HW = round((ROWS + 2 * FLAT_MARGIN) * COVER_PX), round((COLS + 2 * FLAT_MARGIN) * COVER_PX)
"""Height and width of the network's input: 336 × 464 pixels."""

MIRROR_FROM = 0.2
"""If some shield is covered with at least this probability, the mirrored sheet is evaluated too."""

FOREIGN_WEIGHT = 10.0
"""A solid area whose colour occurs nowhere else adds this to the natural log odds of an object for
each unit of `foreign` distance beyond `FOREIGN_OFFSET`, up to `MAX_FOREIGN`. The limit is low
because a pen used for a single coat has the same effect."""

FOREIGN_OFFSET, MAX_FOREIGN = 0.05, 4.0

UNSEEN_WEIGHT, UNSEEN_OFFSET, MAX_UNSEEN = 400.0, 0.05, 12.0
"""The same for the share of a cell in colours that no other cell shows (`unseen_colors`). The limit
outweighs the network, because ink hardly ever looks like this: of 286 photos without an object on
the sheet, painted ones among them, the largest share is 0.043, a red sail painted on the map."""


def covered(sheet: RectifiedSheet, network: Network) -> dict[Cell, float]:
    """Probability, 0..1, that an object covers each shield.

    network: rectified sheets (1, 3, 336, 464) BGR 0..1 → logits (1, 5, 7). Doubtful sheets are
    averaged with their mirror image, which repeats true detections more often than false ones.
    """
    bgr = half_size(sheet.bgr)
    foreign_logits = np.zeros((ROWS, COLS))
    for at, distance in foreign(bgr).items():
        foreign_logits[at] = np.clip(FOREIGN_WEIGHT * (distance - FOREIGN_OFFSET), 0, MAX_FOREIGN)
    for at, share in unseen_colors(bgr).items():
        foreign_logits[at] += np.clip(UNSEEN_WEIGHT * (share - UNSEEN_OFFSET), 0, MAX_UNSEEN)
    logits = _logits(bgr, network)
    if max(_probabilities(logits + foreign_logits).values()) >= MIRROR_FROM:
        logits = (logits + _logits(bgr[:, ::-1], network)[:, ::-1]) / 2
    return _probabilities(logits + foreign_logits)


def _logits(bgr: NDArray[np.uint8], network: Network) -> NDArray[np.float64]:
    """(5, 7) logits."""
    batch = bgr.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255)
    return np.asarray(network(np.ascontiguousarray(batch))[0][0], np.float64)


def _probabilities(logits: NDArray[np.float64]) -> dict[Cell, float]:
    return {at: float(sigmoid(logits[at])) for at in CELLS}
