"""Stage: flat kingdom → what lies on each square."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdscan.records import RectifiedSheet
from kdscan.vision.classify import softmax
from kdscan.vision.rectify import FLAT_MARGIN, FLAT_PX, Floats, Network

CROP_SQUARES = 1 + 2 * FLAT_MARGIN
"""Side of a crop in squares."""


def crops(flat_bgr: NDArray[np.uint8], rows: int, cols: int) -> NDArray[np.float32]:
    """(rows * cols, 3, 80, 80) float32, 0..1, BGR: each square with a margin, row-major."""
    side = round(CROP_SQUARES * FLAT_PX)
    planes = flat_bgr.transpose(2, 0, 1)
    cut = [
        planes[:, y : y + side, x : x + side]
        for y in range(0, rows * FLAT_PX, FLAT_PX)
        for x in range(0, cols * FLAT_PX, FLAT_PX)
    ]
    return np.stack(cut).astype(np.float32) / np.float32(255)


def classify_squares(flat: RectifiedSheet, network: Network, turns: int = 2) -> Floats:
    """(R, C, K) float64: probability of each of `KINDS` on each square.

    A tile has no upside: each square is looked at turned `turns` times by a quarter, and
    the logits are averaged.
    network: (B, 3, 80, 80) → logits (B, K).
    """
    rows, cols = flat.centers_xy.shape[:2]
    logits = looked_at(crops(flat.bgr, rows, cols), network, turns)
    return softmax(logits).reshape(rows, cols, -1)


def looked_at(batch: NDArray[np.float32], network: Network, turns: int = 2) -> Floats:
    """Logits (B, K), float64, of crops (B, 3, 80, 80): the mean over so many quarter turns."""
    views = [np.ascontiguousarray(np.rot90(batch, k, (2, 3))) for k in range(turns)]
    return np.asarray(np.mean([network(view)[0].astype(np.float64) for view in views], axis=0))
