"""Solid areas in a colour that nothing drawn elsewhere on their sheet has: things, hardly ever ink.

A die that lies within a shield looks like a coat that is filled in, and the network that sees what
lies on a sheet may take it for one. But whoever drew the sheet did so with a pen or two, and
nothing else on it looks like the die.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.game.grid import Cell
from kdscan.imaging.rectify import FLAT_MARGIN
from kdscan.marks.crops import cut, relative
from kdscan.records import CELLS
from kdscan.records.arrays import median, quantile

SOLID, STROKE = 9, 2
"""Pixels across, of 64 a cell, of what is solid, no stroke; and of what is surely ink, no rim."""

LEAST_AREA = 0.1
"""Share of a cell, a rim of half of `SOLID` taken off, from which something solid tells."""

DARK = 0.35
"""What differs so much from the paper around, in natural logarithms, is drawn, or lies there."""

MORE_THAN_PRINT = 0.15
"""So much more than three quarters of the shields do."""

BLACK = 0.08
"""Share of the paper's light below which colours are noise."""

ALIKE, ENOUGH = 0.02, 20
"""So many of the others' pixels are alike by chance; so many are a pen's colour."""


def foreign(bgr: NDArray[np.uint8]) -> dict[Cell, float]:
    """How far the colour of something solid in a shield lies from all that is drawn in others.

    bgr: a flat sheet, 64 pixels a cell (`crops.halved`). Returned are the shields with something
    solid; distances are natural logarithms, over the three channels.
    """
    tone = np.asarray(cv2.log(np.maximum(relative(bgr), np.float32(BLACK))), np.float32)
    tones = np.stack([_middle(tone, at) for at in CELLS])
    far = np.sqrt(np.einsum("nyxc,nyxc->nyx", tones, tones))
    printed = np.partition(far, len(CELLS) // 4, axis=0)[len(CELLS) // 4]
    there = ((far > DARK) & (far > printed + MORE_THAN_PRINT)).astype(np.uint8)
    solid = [_eroded(one, SOLID) for one in there]
    if not any(one.mean() >= LEAST_AREA for one in solid):
        return {}
    drawn = [t[_eroded(one, STROKE)][::2] for t, one in zip(tones, there, strict=True)]
    found = {}
    for i, at in enumerate(CELLS):
        if solid[i].mean() >= LEAST_AREA:
            others = np.concatenate(drawn[:i] + drawn[i + 1 :])
            own = median(tones[i][solid[i]])
            apart = np.linalg.norm(others - own, axis=1)
            found[at] = float(quantile(apart, ALIKE)[0]) if len(others) >= ENOUGH else 0.0
    return found


def _middle(plane: NDArray[np.float32], at: Cell) -> NDArray[np.float32]:
    """A cell without its margin."""
    crop = cut(plane, *at)
    rim = round(len(crop) * FLAT_MARGIN / (1 + 2 * FLAT_MARGIN))
    return crop[rim:-rim, rim:-rim]


def _eroded(there: NDArray[np.uint8], px: int) -> NDArray[np.bool_]:
    return np.asarray(cv2.erode(there, np.ones((px, px), np.uint8)) > 0)
