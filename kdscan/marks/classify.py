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
"""What the network says of one look."""


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
    """Probabilities from the first so many `views` of `VIEWS`; the rest is as in `weigh`."""
    return weigh(list(predict(crops, network, VIEWS[:views])), placed, calibration)


@dataclass(frozen=True)
class View:
    """How crops are shown to the network: mirrored, upside down."""

    mirrored: bool = False
    upside_down: bool = False

    @property
    def sign(self) -> tuple[int, int]:
        """-1 along x, along y, where it is the other way round, else 1."""
        return (-1 if self.mirrored else 1, -1 if self.upside_down else 1)


VIEWS = (View(), View(True, False), View(False, True), View(True, True))
"""Marks have no upside. Enlarged and shifted views told more once; since cells lie in their places
(`closer`), a shift by a fiftieth of a cell makes crosses less sure: the log loss of 697 photos'
crosses is 0.0093 with these, 0.0110 and 0.0105 with four and eight enlarged and shifted ones."""


def predict(crops: CellCrops, network: Network, views: Sequence[View] = VIEWS) -> Iterator[Logits]:
    """Look at the whole sheet at once: each shield beside the others of the same hand.

    network: ink (35, 1, 160, 160) and coarse planes (35, C, 80, 80), the castle last → coat logits
        (1, 34, 7), crosses logits (1, 34, 5), castle logit (1, 1), and in cells, x before y, how
        far each cell lies from its crop's middle (1, 35, 2).
    A look for each of `views`, when it is asked for, as if the sheet had been seen as it is.
    """
    for view in views:
        coat, crosses, castle, offset = network(seen(crops.ink, view), seen(crops.coarse, view))
        order = order_of(view)
        off = offset[:, order] * np.array(view.sign, np.float32)
        yield coat[:, order[:-1]], crosses[:, order[:-1]], castle, off


def order_of(view: View) -> list[int]:
    """(35,): which crop lies in each one's place when the whole sheet is mirrored or turned;
    applied twice, everything is where it was. The castle stays."""
    across, down = view.sign
    rows, cols = range(ROWS)[::down], range(COLS)[::across]
    return [*(CELLS.index((rows[r], cols[c])) for r, c in CELLS), len(CELLS)]


def seen(crops: NDArray[np.float32], view: View) -> NDArray[np.float32]:
    """(35, C, S, S) crops in that view, each in the place that it then has."""
    if view == View():
        return crops
    how = {(-1, 1): 1, (1, -1): 0, (-1, -1): -1}[view.sign]
    out = np.empty_like(crops)
    for crop, own in zip(out, order_of(view), strict=True):
        for plane, of in zip(crop, crops[own], strict=True):
            cv2.flip(of, how, dst=plane)
    return out


def weigh(
    logits: Sequence[Logits],
    placed: float = 1.0,
    calibration: Floats | None = None,
) -> MarkProbs:
    """Probabilities from the mean of what the looks at a sheet said.

    placed: how sure it is that the crops are where the cells are.
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
