"""Stage: crops → probabilities of what was drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from kdscan.records import CellCrops, MarkProbs
from kdscan.records.arrays import Floats, Network, sigmoid, softmax

Logits = tuple[NDArray[np.float32], ...]
"""The marks network's outputs for one view: coats, crosses, castle, offsets; see `predict`."""


TURNS = (0, 180)
"""Degrees by which the sheet is rotated in the views of test-time augmentation; marks mean the same
upside down. Of 229 boards (marks 19) 180 are right with the first view alone, 188 if doubtful
sheets get the second, and 187 with two mirrored views in addition; with a mirrored view instead of
the second, 185 and 183 (left to right, top to bottom)."""


def predict(crops: CellCrops, network: Network, turns: Sequence[int] = TURNS) -> Iterator[Logits]:
    """Run the marks network on the whole sheet, lazily for each of `turns`.

    network: ink (35, 1, 128, 128) and coarse planes (35, C, 64, 64), the castle last → coat logits
        (1, 34, 7), crosses logits (1, 34, 5), castle logit (1, 1), and the offset of each cell from
        its crop's centre (1, 35, 2), in cells, x before y.
    Yields the logits of each view, mapped back to the upright sheet.
    """
    for turn in turns:
        seen = (crops.ink, crops.coarse)
        if not turn:
            yield network(*seen)
            continue
        coat, crosses, castle, offset = network(*(upside_down(part) for part in seen))
        offset = np.concatenate([offset[:, -2::-1], offset[:, -1:]], 1)
        yield coat[:, ::-1], crosses[:, ::-1], castle, -offset


def upside_down(crops: NDArray[np.float32]) -> NDArray[np.float32]:
    """Crops (35, C, S, S) of the sheet turned by 180°, in the order of its cells: the shields in
    reverse, the castle last."""
    order = [*range(len(crops) - 2, -1, -1), -1]
    return np.ascontiguousarray(crops[order][..., ::-1, ::-1])


def average(logits: Sequence[Logits], placed: float, calibration: Floats) -> MarkProbs:
    """Probabilities from the mean logits of several views.

    placed: probability that the crops are where the cells are.
    calibration: see `MarkProbs`.
    """
    coat, crosses, castle = (
        np.asarray(np.mean([one[part][0] for one in logits], axis=0), np.float64)
        for part in range(3)
    )
    return MarkProbs(
        coat=softmax(coat),
        crosses=softmax(crosses),
        castle_used=float(sigmoid(castle[0])),
        placed=placed,
        calibration=calibration,
    )
