"""A player draws all lines of a sheet alike, so a line with far more ink than the others is
doubted: a fill of loose strokes looks like two bends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import softmax
from kdscan.imaging.rectify import Ink
from kdscan.marks.crops import CROP_PX, crop_cell
from kdscan.rules.duel.board import CELLS
from kdscan.rules.duel.coats import COATS, Coat

COMPARED = tuple(COATS.index(coat) for coat in (Coat.LINE, Coat.DOUBLE_LINE))
"""Coats for which a loose fill is mistaken. (The ink of one player's dots varies tenfold.)"""

MIN_PEERS, INK_RATIO = 2, 3.0
"""A line is unlike the others of its coat, of which there are at least `MIN_PEERS`, if it has
`INK_RATIO` times the median of their ink. On 95 sheets of nine known pads this doubts 2 of 8 wrong
lines, one of which was read confidently, and 4 of 1,138 right ones, on sheets that need review
anyway."""

NO_INK = 0.005
"""Mean probability of ink that is added to all shields, so that tiny amounts of ink are not
compared."""


def shield_ink(ink: Ink) -> NDArray[np.float64]:
    """(34,) in the order of `CELLS`: the mean probability of ink in the middle of each cell, half a
    crop wide and high."""
    middle = np.s_[CROP_PX // 4 : -CROP_PX // 4, CROP_PX // 4 : -CROP_PX // 4]
    return np.array([crop_cell(ink.probability, *at)[middle].mean() for at in CELLS], np.float64)


def unlike_others(ink: NDArray[np.float64], coats: NDArray[np.int_]) -> NDArray[np.bool_]:
    """(34,): the shields with far more ink (34,) than the others of their coat (34,), an index of
    `COATS`; only lines are compared."""
    out = np.zeros(len(ink), bool)
    for i in np.flatnonzero(np.isin(coats, COMPARED)):
        peers = ink[(coats == coats[i]) & (np.arange(len(ink)) != i)]
        if len(peers) >= MIN_PEERS:
            out[i] = ink[i] + NO_INK > INK_RATIO * (np.median(peers) + NO_INK)
    return out


def doubt_coats(coat: NDArray[np.float32], unlike: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Coat logits (1, 34, K) in which a shield in `unlike` (34,) may with probability one half be
    any coat, so that it needs review."""
    any_coat = (softmax(coat.astype(np.float64)) + 1 / coat.shape[-1]) / 2
    return np.asarray(np.where(unlike[None, :, None], np.log(any_coat), coat), np.float32)
