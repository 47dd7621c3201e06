"""What was drawn on a sheet, as a layer of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdscan.records.photo import frozen


@dataclass(frozen=True, eq=False)
class Ink:
    """The ink of a flat sheet.

    probability: (H, W) float32, 0..1, in the frame of `RectifiedSheet.bgr`: that something was
        drawn there.
    pen_bgr: what the pen leaves of blue, green and red light, 0..1.
    known: (H, W) float32, 0..1, coarser by a whole factor: how well the print is known there; all
        0 where the print was unknown.
    """

    probability: NDArray[np.float32]
    pen_bgr: tuple[float, float, float]
    known: NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.probability.ndim != 2 or self.probability.dtype != np.float32:
            raise ValueError(f"ink is (H, W) float32, not {self.probability.shape}")
        for name in ("probability", "known"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
