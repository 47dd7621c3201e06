"""Stage: correct probabilities by how similar each place is to the table around the kingdom.

A single crop can be ambiguous: a yellow table looks like a wheat field. But a table looks much the
same everywhere, and tiles differ from it. Each place is compared with those of the same lattice
that are certainly table. A place that is not a tile and does not look like the table either is
covered by an object, which may hide a tile.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats, median
from kdscan.imaging.rectify import FLAT_MARGIN, RectifiedSheet
from kdscan.rules.kingdomino.tiles import EMPTY
from kdscan.sheets.kingdom.classify import SIDE_PX

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


def adjust_for_table(probs: Floats, flat: RectifiedSheet, undetected: NDArray[np.bool_]) -> Floats:
    """(R, C, K): probabilities adjusted for similarity to the table; unchanged with too little
    table.

    probs: (R, C, K), from each crop alone. undetected: (R, C), visible places where the locating
    network found no square.
    """
    descriptors = _descriptors(flat.bgr, *undetected.shape)
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
    parts = _parts(flat.bgr, *bare.shape)
    here = np.argwhere(bare)
    table = np.argwhere((probs[..., EMPTY] > TABLE_PROBABILITY) & undetected)
    apart = np.abs(here[:, None] - table).max(-1, initial=0) > 1
    unlike = np.zeros(bare.shape)
    too_few = apart.sum(1) < MIN_PLACES
    if too_few.all():
        return unlike
    mine, others = (parts[at[:, 0], at[:, 1]] for at in (here, table))
    away = _distances(mine, others)
    away[~apart] = np.inf
    unlike[bare] = np.where(too_few, 0, median(away.min(1).T))
    return unlike


def _distances(some: Floats, others: Floats) -> Floats:
    """(N, M, P): from each part of a place, (N, P, F), to the most similar one of another place,
    (M, P, F)."""
    n, p, size = some.shape
    one, other = some.reshape(-1, size), others.reshape(-1, size)
    squares = (one**2).sum(1)[:, None] + (other**2).sum(1) - 2 * one @ other.T
    nearest = squares.reshape(n, p, len(others), p).min(-1)
    return np.asarray(np.sqrt(np.maximum(nearest, 0)).swapaxes(1, 2))


def _parts(flat_bgr: NDArray[np.uint8], rows: int, cols: int) -> Floats:
    """(R, C, PARTS², 6): colour and grain of each place's parts, in units of `PART_SPREADS`."""
    lab = _lab(flat_bgr, rows, cols, PARTS * SAMPLES)
    blocks = lab.reshape(rows, PARTS, SAMPLES, cols, PARTS, SAMPLES, 3)
    stats = np.concatenate([blocks.mean((2, 5)), blocks.std((2, 5))], -1) / PART_SPREADS
    return np.asarray(stats.swapaxes(1, 2).reshape(rows, cols, PARTS**2, -1))


def _descriptors(flat_bgr: NDArray[np.uint8], rows: int, cols: int) -> Floats:
    """(R, C, 6): colour and texture of each place, in units of `SPREADS`."""
    small = _lab(flat_bgr, rows, cols, BLOCKS)
    blocks = small.reshape(rows, BLOCKS, cols, BLOCKS, 3)[:, 1:-1, :, 1:-1]
    stats: Floats = np.concatenate([blocks.mean((1, 3)), blocks.std((1, 3))], -1) / SPREADS
    return stats


def _lab(flat_bgr: NDArray[np.uint8], rows: int, cols: int, side: int) -> Floats:
    """(R * side, C * side, 3): a lattice's places in CIELAB, `side` pixels each."""
    margin = round(FLAT_MARGIN * SIDE_PX)
    inner = flat_bgr[margin : margin + rows * SIDE_PX, margin : margin + cols * SIDE_PX]
    small = cv2.resize(inner, (cols * side, rows * side), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.float64)
