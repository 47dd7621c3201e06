"""Stage: crops → probabilities of what was drawn."""

from __future__ import annotations

import numpy as np

from kdscan.records import CellCrops, MarkProbs
from kdscan.vision.rectify import Floats, Network


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def classify(
    crops: CellCrops, network: Network, placed: float = 1.0, habit: Floats | None = None
) -> MarkProbs:
    """Look at every shield upright, mirrored and upside down, and average the logits.

    network: (B, C, 80, 80) → coat logits (B, 7), crosses logits (B, 5), castle logit (B, 1).
    placed: how sure it is that the crops are where the cells are.
    habit: see `MarkProbs`.
    """
    batch = np.concatenate([crops.cells, crops.castle[None]])
    views = [batch, batch[:, :, :, ::-1], batch[:, :, ::-1]]
    coat, crosses, castle = (
        np.asarray(np.mean(out, axis=0), np.float64)
        for out in zip(*(network(np.ascontiguousarray(v)) for v in views), strict=True)
    )
    return MarkProbs(
        coat=softmax(coat[:-1]),
        crosses=softmax(crosses[:-1]),
        castle_used=float(1 / (1 + np.exp(-castle[-1, 0]))),
        placed=placed,
        **({} if habit is None else {"habit": habit}),
    )
