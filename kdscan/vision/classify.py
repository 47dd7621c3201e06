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
    crops: CellCrops,
    network: Network,
    placed: float = 1.0,
    habit: Floats | None = None,
    trust: Floats | None = None,
    *,
    views: int = 1,
) -> MarkProbs:
    """Look at the whole sheet at once: each shield beside the others of the same hand.

    network: (1, 35, C, 80, 80), the castle last → coat logits (1, 34, 7), crosses logits
        (1, 34, 5), castle logit (1, 1).
    placed: how sure it is that the crops are where the cells are.
    habit, trust: see `MarkProbs`.
    views: 1 to 4; more than one looks at every crop mirrored and upside down as well, and
        averages the logits: marks have no upside.
    """
    sheet = np.concatenate([crops.cells, crops.castle[None]])[None]
    turned = (sheet, sheet[..., ::-1], sheet[..., ::-1, :], sheet[..., ::-1, ::-1])
    said = [network(np.ascontiguousarray(view)) for view in turned[:views]]
    coat, crosses, castle = (
        np.asarray(np.mean(out, axis=0)[0], np.float64) for out in list(zip(*said, strict=True))[:3]
    )
    return MarkProbs(
        coat=softmax(coat),
        crosses=softmax(crosses),
        castle_used=float(1 / (1 + np.exp(-castle[0]))),
        placed=placed,
        **({} if habit is None else {"habit": habit}),
        **({} if trust is None else {"trust": trust}),
    )
