"""The drawn ink of a sheet as a separate layer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdscan.records.photo import FrozenArrays


@dataclass(frozen=True, eq=False)
class Ink(FrozenArrays):
    """The ink of a rectified sheet.

    probability: (H, W) float32, 0..1, of ink at each pixel of `RectifiedSheet.bgr`.
    pen_bgr: the pen's transmittance for blue, green and red, 0..1.
    """

    probability: NDArray[np.float32]
    pen_bgr: tuple[float, float, float]

    def __post_init__(self) -> None:
        if self.probability.ndim != 2 or self.probability.dtype != np.float32:
            raise ValueError(f"ink is (H, W) float32, not {self.probability.shape}")
        super().__post_init__()
