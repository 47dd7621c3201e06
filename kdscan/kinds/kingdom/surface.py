"""Stage: what looks like the table around a kingdom is table.

One square says little of whether it is a tile: a yellow table is a field of wheat. But a
table looks much the same all over, and tiles look different from it. Each place is compared
with those of the same lattice that are surely table.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_MARGIN
from kdscan.kinds.kingdom.classify import SIDE_PX
from kdscan.kinds.kingdom.squares import EMPTY
from kdscan.records import RectifiedSheet
from kdscan.records.arrays import Floats

SURELY_TABLE = 0.9
"""A place that the locating network saw no square at is table with more than this probability."""
ALIKE = 2
"""A place is compared with the so many most similar ones that are surely table."""
BLOCKS = 8
"""A place is looked at in so many blocks along each side; the outer ones are left out."""
SPREADS = np.array([20.0, 8, 8, 12, 6, 6])
"""By so much means of L, a and b, and their deviations among blocks, differ from tile to tile."""
FAR, LEAST = 4.0, 0.05
"""A place that differs so much from all table is a tile no more or less probably than its
picture alone says. For others the odds fall with the square of the difference, the least of
which is added. So the fit on 4,263 places of synthetic photos has it: left out in turn, a
fifth of the photos at a time, 8 places were judged wrongly rather than 41 by pictures alone."""


def with_table(probs: Floats, flat: RectifiedSheet, unseen: NDArray[np.bool_]) -> Floats:
    """(R, C, K): what pictures and the table around say together.

    probs: (R, C, K), what pictures alone say. unseen: (R, C), where the photo shows a place at
    which the locating network saw no square. With hardly any such table pictures alone decide.
    """
    looks = _looks(flat.bgr, *unseen.shape)
    table = (probs[..., EMPTY] > SURELY_TABLE) & unseen
    away = np.linalg.norm(looks[:, :, None] - looks[table], axis=-1)
    away[table, np.arange(away.shape[-1])] = np.inf  # nothing is compared with itself
    if away.shape[-1] <= ALIKE:
        return probs
    unlike = np.sort(away, axis=-1)[..., :ALIKE].mean(-1) + LEAST
    adjusted = probs.copy()
    adjusted[..., EMPTY] *= (FAR / unlike) ** 2
    return np.asarray(adjusted / adjusted.sum(-1, keepdims=True))


def _looks(flat_bgr: NDArray[np.uint8], rows: int, cols: int) -> Floats:
    """(R, C, 6): colour and pattern of each place, in `SPREADS`."""
    rim = round(FLAT_MARGIN * SIDE_PX)
    inner = flat_bgr[rim : rim + rows * SIDE_PX, rim : rim + cols * SIDE_PX]
    size = (cols * BLOCKS, rows * BLOCKS)
    small = cv2.cvtColor(
        cv2.resize(inner, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2LAB
    ).astype(np.float64)
    blocks = small.reshape(rows, BLOCKS, cols, BLOCKS, 3)[:, 1:-1, :, 1:-1]
    looks: Floats = np.concatenate([blocks.mean((1, 3)), blocks.std((1, 3))], -1) / SPREADS
    return looks
