"""Stage: rectified kingdom → probabilities of each square's kind."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats, Network, softmax
from kdscan.imaging.rectify import FLAT_MARGIN, RectifiedSheet
from kdscan.rules.kingdomino.tiles import EMPTY, SQUARE_CLASSES

SIDE_PX = 64
"""Pixels per square of a rectified kingdom."""

SINGLE_VIEW, ROTATIONS = 0.98, 4
"""A square is classified in a single view if its best kind has this probability, else in this many
rotations."""

CROP_SQUARES = 1 + 2 * FLAT_MARGIN
"""Side of a crop in squares."""


def crops(flat_bgr: NDArray[np.uint8], rows: int, cols: int) -> NDArray[np.float32]:
    """(rows * cols, 3, 80, 80) float32, 0..1, BGR: each square with a margin, row-major."""
    side = round(CROP_SQUARES * SIDE_PX)
    planes = flat_bgr.transpose(2, 0, 1)
    cut = [
        planes[:, y : y + side, x : x + side]
        for y in range(0, rows * SIDE_PX, SIDE_PX)
        for x in range(0, cols * SIDE_PX, SIDE_PX)
    ]
    return np.stack(cut).astype(np.float32) / np.float32(255)


def classify_squares(
    flat: RectifiedSheet,
    network: Network,
    shown: NDArray[np.bool_],
    adjusted: Callable[[Floats], Floats],
) -> Floats:
    """(R, C, K) float64: probability of each of `SQUARE_CLASSES` on each square.

    network: (B, 3, 80, 80) → logits (B, K). shown: (R, C), squares inside the photo; others are
    taken to be empty. adjusted: (R, C, K) → the same, corrected by further evidence.
    """
    probs = np.tile(np.eye(len(SQUARE_CLASSES))[EMPTY], (*shown.shape, 1))

    def known(some: Floats) -> Floats:
        probs[shown] = some
        return np.asarray(adjusted(probs)[shown])

    batch = crops(flat.bgr, *shown.shape)[shown.ravel()]
    probs[shown] = softmax(predict_squares(batch, network, known))
    return adjusted(probs)


def predict_squares(
    batch: NDArray[np.float32], network: Network, adjusted: Callable[[Floats], Floats] = np.asarray
) -> Floats:
    """Logits (B, K), float64, of crops (B, 3, 80, 80).

    Tiles have no upright orientation: the logits of doubtful squares are averaged over four
    rotations by 90° (test-time augmentation). adjusted: probabilities (B, K) → the same, corrected
    by further evidence, which may resolve a doubt.
    """
    logits = network(batch)[0].astype(np.float64)
    doubtful = adjusted(softmax(logits)).max(1) < SINGLE_VIEW
    if doubtful.any():
        rest = batch[doubtful]
        views = [np.ascontiguousarray(np.rot90(rest, k, (2, 3))) for k in range(1, ROTATIONS)]
        turned = [network(view)[0].astype(np.float64) for view in views]
        logits[doubtful] = (logits[doubtful] + sum(turned)) / ROTATIONS
    return np.asarray(logits)
