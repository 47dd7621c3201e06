"""Stage: rectified kingdom → probabilities of each square's kind.

A single crop can be ambiguous: a yellow table looks like a wheat field. But a table looks much the
same everywhere, and tiles differ from it. So each place is compared with those of the same lattice
that are certainly table. A place that is not a tile and does not look like the table either is
covered by an object, which may hide a tile.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import FLAT_MARGIN, Floats, Network, RectifiedSheet, median, softmax
from kdscan.rules.kingdomino.kingdom import EMPTY, SQUARE_CLASSES

SIDE_PX = 64
"""Pixels per square of a rectified kingdom."""
CROP_SQUARES = 1 + 2 * FLAT_MARGIN
"""Side of a crop in squares."""
SINGLE_VIEW, ROTATIONS = 0.98, 4
"""A square is classified in a single view if its best kind has this probability, else in this many
rotations."""

TABLE_PROBABILITY = 0.9
"""Least probability of being empty at which an undetected place is surely table."""
NEIGHBOURS = 2
"""Number of most similar table places whose mean distance is used."""
BLOCKS = 8
"""Blocks along each side of a place for its descriptor; the outer ones are left out."""
SPREADS = np.array([20.0, 8, 8, 12, 6, 6])
"""Scale of each descriptor component: the spread between tiles of the means of CIELAB L, a, b (8
bit) and of their standard deviations among blocks."""
FULL_DISTANCE, MIN_DISTANCE = 4.0, 0.05
"""At the first distance from the table the probabilities are unchanged. The odds of being a tile
change with the square of the distance, to which the second is added. Fitted on 4,263 places of
synthetic photos; in fivefold cross-validation 8 places were wrong instead of 41 without it."""
PARTS, SAMPLES = 4, 4
"""Parts along each side of a place, and pixels along each side of a part. Parts are compared one by
one with those of other places, because a patterned table looks different in different places."""
PART_SPREADS = np.array([12.0, 6, 6, 8, 4, 4])
"""Scale of each part's means and standard deviations, as `SPREADS`: the spread of a plain table's
light and grain."""
MIN_PLACES = 5
"""Least number of table places with which a place is compared; a cut-out board shows hardly any."""


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
    visible: NDArray[np.bool_],
    adjusted: Callable[[Floats], Floats],
) -> Floats:
    """(R, C, K) float64: probability of each of `SQUARE_CLASSES` on each square.

    network: (B, 3, 80, 80) → logits (B, K). visible: (R, C), squares inside the photo; others are
    taken to be empty. adjusted: (R, C, K) → the same, corrected by further evidence.
    """
    probs = np.tile(np.eye(len(SQUARE_CLASSES))[EMPTY], (*visible.shape, 1))

    def adjusted_crops(batch: Floats) -> Floats:
        probs[visible] = batch
        return np.asarray(adjusted(probs)[visible])

    batch = crops(flat.bgr, *visible.shape)[visible.ravel()]
    probs[visible] = softmax(predict_squares(batch, network, adjusted_crops))
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
        rotated = [network(view)[0].astype(np.float64) for view in views]
        logits[doubtful] = (logits[doubtful] + sum(rotated)) / ROTATIONS
    return np.asarray(logits)


def adjust_for_table(probs: Floats, flat: RectifiedSheet, undetected: NDArray[np.bool_]) -> Floats:
    """(R, C, K): probabilities adjusted for similarity to the table; unchanged with too little
    table.

    probs: (R, C, K), from each crop alone. undetected: (R, C), visible places where the locating
    network found no square.
    """
    rows, cols = undetected.shape
    blocks = _lab(flat.bgr, rows, cols, BLOCKS).reshape(rows, BLOCKS, cols, BLOCKS, 3)
    inner = blocks[:, 1:-1, :, 1:-1]
    descriptors = np.concatenate([inner.mean((1, 3)), inner.std((1, 3))], -1) / SPREADS
    table = (probs[..., EMPTY] > TABLE_PROBABILITY) & undetected
    distances = np.linalg.norm(descriptors[:, :, None] - descriptors[table], axis=-1)
    distances[table, np.arange(distances.shape[-1])] = np.inf  # no place is compared with itself
    if distances.shape[-1] <= NEIGHBOURS:
        return probs
    distance = np.sort(distances, axis=-1)[..., :NEIGHBOURS].mean(-1) + MIN_DISTANCE
    adjusted = probs.copy()
    adjusted[..., EMPTY] *= (FULL_DISTANCE / distance) ** 2
    return np.asarray(adjusted / adjusted.sum(-1, keepdims=True))


def unlike_table(
    probs: Floats, flat: RectifiedSheet, undetected: NDArray[np.bool_], bare: NDArray[np.bool_]
) -> Floats:
    """(R, C): how unlike the table each bare place looks, in units of `PART_SPREADS`: the median,
    over its parts, of the distance to the most similar part of any certain table. Adjoining places
    are not compared, since an object may cover several. 0 for other places and with too little
    table.

    probs: (R, C, K). undetected: see `adjust_for_table`. bare: (R, C), visible places that are
    classified as table.
    """
    rows, cols = bare.shape
    lab = _lab(flat.bgr, rows, cols, PARTS * SAMPLES)
    blocks = lab.reshape(rows, PARTS, SAMPLES, cols, PARTS, SAMPLES, 3)
    stats = np.concatenate([blocks.mean((2, 5)), blocks.std((2, 5))], -1) / PART_SPREADS
    parts = stats.swapaxes(1, 2).reshape(rows, cols, PARTS**2, -1)

    places = np.argwhere(bare)
    table = np.argwhere((probs[..., EMPTY] > TABLE_PROBABILITY) & undetected)
    apart = np.abs(places[:, None] - table).max(-1, initial=0) > 1
    unlike = np.zeros(bare.shape)
    too_few = apart.sum(1) < MIN_PLACES
    if too_few.all():
        return unlike
    ours, theirs = parts[bare].reshape(-1, 6), parts[table[:, 0], table[:, 1]].reshape(-1, 6)
    squares = (ours**2).sum(1)[:, None] + (theirs**2).sum(1) - 2 * ours @ theirs.T
    nearest = squares.reshape(len(places), PARTS**2, len(table), PARTS**2).min(-1)
    away = np.sqrt(np.maximum(nearest, 0)).swapaxes(1, 2)  # (places, table, parts)
    away[~apart] = np.inf
    unlike[bare] = np.where(too_few, 0, median(away.min(1).T))
    return unlike


def _lab(flat_bgr: NDArray[np.uint8], rows: int, cols: int, side: int) -> Floats:
    """(R * side, C * side, 3): a lattice's places in CIELAB, `side` pixels each."""
    margin = round(FLAT_MARGIN * SIDE_PX)
    inner = flat_bgr[margin : margin + rows * SIDE_PX, margin : margin + cols * SIDE_PX]
    small = cv2.resize(inner, (cols * side, rows * side), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.float64)
