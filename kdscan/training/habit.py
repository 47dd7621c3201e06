"""What players do against what training showed: how likely crosses are beside a coat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kdscan.game.duel.prior import Prior
from kdscan.records import COATS, MAX_CROSSES
from kdscan.training.dataset import Example

ANY = 0.1
"""Share of shields that may hold any number of crosses: other dice, other rules, mistakes."""


WEIGHT = 0.5
"""Exponent of the ratio. The network sees whole sheets and knows some of it by itself: with all
of the weight a third cross was overruled too often, without any more sheets asked for a look."""


def habit(prior: Prior, examples: Sequence[Example]) -> NDArray[np.float64]:
    """(7, 5) float64: root of the probability of crosses given the coat, played over trained.

    Dividing by what the network learned from takes its own prior out (Saerens, Latinne
    and Decaestecker, Neural Computation 14, 2002). Empty shields keep what they have.
    """
    trained = np.ones((len(COATS), MAX_CROSSES + 1))
    for example in examples:
        np.add.at(trained, (example.coat, example.crosses), 1)
    played = np.ones_like(trained)
    for i, coat in enumerate(COATS):
        if coat is not None:
            played[i] = [prior.probability((coat, n)) for n in range(MAX_CROSSES + 1)]
    trained /= trained.sum(1, keepdims=True)
    played /= played.sum(1, keepdims=True)
    ratio = (((1 - ANY) * played + ANY * trained) / trained) ** WEIGHT
    ratio[0] = 1
    return np.asarray(ratio)
