"""Stage: crops → probabilities of what was drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from kdscan.records import CellCrops, MarkProbs
from kdscan.vision.rectify import Floats, Network

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
    trust: Floats | None = None,
    *,
    views: int = 1,
) -> MarkProbs:
    """Probabilities from so many `views`, 1 to 4; the rest is as in `weigh`."""
    said = list(islice(look(crops, network), views))
    return weigh(said, placed, trust)


def look(crops: CellCrops, network: Network) -> Iterator[Logits]:
    """Look at the whole sheet at once: each shield beside the others of the same hand.

    network: (1, 35, C, 160, 160), the castle last → coat logits (1, 34, 7), crosses logits
        (1, 34, 5), castle logit (1, 1).
    Four looks, each when it is asked for: every crop as it is, mirrored, upside down, both;
    marks have no upside.
    """
    sheet = np.concatenate([crops.cells, crops.castle[None]])[None]
    for view in (sheet, sheet[..., ::-1], sheet[..., ::-1, :], sheet[..., ::-1, ::-1]):
        yield network(np.ascontiguousarray(view))


def weigh(
    said: Sequence[Logits],
    placed: float = 1.0,
    trust: Floats | None = None,
) -> MarkProbs:
    """Probabilities from the mean of what the looks at a sheet said.

    placed: how sure it is that the crops are where the cells are.
    trust: see `MarkProbs`.
    """
    coat, crosses, castle = (
        np.asarray(np.mean(out, axis=0)[0], np.float64) for out in list(zip(*said, strict=True))[:3]
    )
    return MarkProbs(
        coat=softmax(coat),
        crosses=softmax(crosses),
        castle_used=float(1 / (1 + np.exp(-castle[0]))),
        placed=placed,
        **({} if trust is None else {"trust": trust}),
    )
