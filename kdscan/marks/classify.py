"""Stage: crops → probabilities of what was drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.records import CELLS, COLS, ROWS, CellCrops, MarkProbs
from kdscan.records.arrays import Floats, Network, probability

Logits = tuple[NDArray[np.float32], ...]
"""The marks network's outputs for one view: coats, crosses, castle, offsets; see `predict`."""


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def classify(
    crops: CellCrops,
    network: Network,
    placed: float = 1.0,
    calibration: Floats | None = None,
    *,
    views: int = 1,
) -> MarkProbs:
    """Probabilities averaged over the first `views` of `VIEWS` (test-time augmentation); other
    arguments as in `average`."""
    return average(list(predict(crops, network, VIEWS[:views])), placed, calibration)


@dataclass(frozen=True)
class View:
    """A flip of the sheet for test-time augmentation."""

    mirrored: bool = False
    upside_down: bool = False

    @property
    def sign(self) -> tuple[int, int]:
        """Along x and y: -1 if flipped, else 1."""
        return (-1 if self.mirrored else 1, -1 if self.upside_down else 1)


VIEWS = (View(), View(True, False), View(False, True), View(True, True))
"""Flips only: marks have no upside. With cells in place (`refine_crops`), scaled and shifted views
hurt: the log loss of crosses on 697 photos is 0.0093 with these, 0.0110 and 0.0105 with four and
eight scaled and shifted views."""


def predict(crops: CellCrops, network: Network, views: Sequence[View] = VIEWS) -> Iterator[Logits]:
    """Run the marks network on the whole sheet, lazily for each of `views`.

    network: ink (35, 1, 128, 128) and coarse planes (35, C, 64, 64), the castle last → coat logits
        (1, 34, 7), crosses logits (1, 34, 5), castle logit (1, 1), and the offset of each cell from
        its crop's centre (1, 35, 2), in cells, x before y.
    Yields the logits of each view, mapped back to the unflipped sheet.
    """
    for view in views:
        coat, crosses, castle, offset = network(
            apply_view(crops.ink, view), apply_view(crops.coarse, view)
        )
        order = crop_order(view)
        offset = offset[:, order] * np.array(view.sign, np.float32)
        yield coat[:, order[:-1]], crosses[:, order[:-1]], castle, offset


def crop_order(view: View) -> list[int]:
    """(35,): permutation of the crops when the whole sheet is flipped; its own inverse. The castle,
    the last, stays."""
    across, down = view.sign
    rows, cols = range(ROWS)[::down], range(COLS)[::across]
    return [*(CELLS.index((rows[r], cols[c])) for r, c in CELLS), len(CELLS)]


def apply_view(crops: NDArray[np.float32], view: View) -> NDArray[np.float32]:
    """Crops (35, C, S, S) of the flipped sheet, in the order of its cells."""
    if view == View():
        return crops
    how = {(-1, 1): 1, (1, -1): 0, (-1, -1): -1}[view.sign]
    out = np.empty_like(crops)
    for crop, own in zip(out, crop_order(view), strict=True):
        for plane, of in zip(crop, crops[own], strict=True):
            cv2.flip(of, how, dst=plane)
    return out


def average(
    logits: Sequence[Logits],
    placed: float = 1.0,
    calibration: Floats | None = None,
) -> MarkProbs:
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
        castle_used=probability(castle[0]),
        placed=placed,
        **({} if calibration is None else {"calibration": calibration}),
    )
