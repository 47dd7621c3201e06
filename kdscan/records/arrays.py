"""Types of arrays, and functions on them, that all packages use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Bgr = NDArray[np.uint8]
"""A picture: (H, W, 3), blue, green and red."""

Plane = NDArray[np.float32]
"""A value for each pixel: (H, W)."""

Network = Callable[..., tuple[NDArray[np.float32], ...]]
"""A model: takes one float32 batch for each input, returns one array for each output."""


def sigmoid(logits: Any) -> NDArray[Any]:
    """The probabilities for logits (log odds), elementwise."""
    return np.asarray(1 / (1 + np.exp(-logits)))


def softmax(logits: Floats) -> Floats:
    """Probabilities along the last axis."""
    e = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def median(values: NDArray[Any]) -> NDArray[Any]:
    """The median of finite numbers along the first axis.

    Like `quantile` faster than numpy's own, whose first use imports masked arrays.
    """
    low, high = (len(values) - 1) // 2, len(values) // 2
    ordered = np.sort(values, axis=0)  # twice as fast as a partition
    return np.asarray(np.mean(ordered[low : high + 1], axis=0))


def quantile(values: NDArray[Any], *shares: float) -> list[float]:
    """Quantiles (shares 0..1) of finite numbers, flattened, interpolated linearly."""
    at = [share * (values.size - 1) for share in shares]
    low = [int(place) for place in at]
    high = [min(place + 1, values.size - 1) for place in low]
    parted = np.partition(values.ravel(), [*low, *high])
    return [
        float(parted[i] + (place - i) * (parted[k] - parted[i]))
        for place, i, k in zip(at, low, high, strict=True)
    ]
