"""Names for the arrays and functions that travel through all rooms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Network = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], ...]]
"""A model: a float32 batch in, one array an output out."""


def median(values: NDArray[Any]) -> NDArray[Any]:
    """The median along the first axis, of numbers all finite: `np.median` imports masked arrays."""
    low, high = (len(values) - 1) // 2, len(values) // 2
    parted = np.partition(values, (low, high), axis=0)
    return np.asarray(np.mean(parted[low : high + 1], axis=0))
