"""Names for the arrays and functions that travel through all rooms."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Network = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], ...]]
"""A model: a float32 batch in, one array an output out."""
