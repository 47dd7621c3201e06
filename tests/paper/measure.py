"""Measures a rendered page in millimetres of that page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DPI_300 = 300 / 25.4

MM_PER_POINT = 25.4 / 72
"""Points are the unit of a PDF."""


@dataclass(frozen=True)
class Measured:
    """A page as darkness, 0 for white to 1 for black, with its pixels a mm."""

    dark: NDArray[np.float64]
    px_per_mm: float

    @classmethod
    def of(cls, bgr: NDArray[np.uint8], px_per_mm: float) -> Measured:
        return cls(1 - bgr.mean(axis=2) / 255, px_per_mm)

    def window(
        self, x0: float, y0: float, x1: float, y1: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Darkness in a rectangle, and x and y in mm of the middle of each of its pixels."""
        left, top, right, bottom = (round(v * self.px_per_mm) for v in (x0, y0, x1, y1))
        cut = self.dark[top:bottom, left:right]
        x = (np.arange(left, left + cut.shape[1]) + 0.5) / self.px_per_mm
        y = (np.arange(top, top + cut.shape[0]) + 0.5) / self.px_per_mm
        return cut, *np.meshgrid(x, y)

    def upright_line(self, x: float, y0: float, y1: float, reach: float = 0.5) -> float:
        """Where the line near `x` really lies, between two heights."""
        dark, xs, _ = self.window(x - reach, y0, x + reach, y1)
        assert dark.max() > 0.15, f"no line at {x} mm"
        return float(np.average(xs, weights=dark))

    def level_line(self, y: float, x0: float, x1: float, reach: float = 0.5) -> float:
        """Where the line near `y` really lies, between two x."""
        dark, _, ys = self.window(x0, y - reach, x1, y + reach)
        assert dark.max() > 0.15, f"no line at {y} mm"
        return float(np.average(ys, weights=dark))

    def circle(self, x: float, y: float, radius: float) -> tuple[float, float, float]:
        """Centre and radius of the circle near (x, y)."""
        reach = radius + 0.45
        dark, xs, ys = self.window(x - reach, y - reach, x + reach, y + reach)
        assert dark.max() > 0.15, f"no circle at {x}, {y} mm"
        cx, cy = np.average(xs, weights=dark), np.average(ys, weights=dark)
        return float(cx), float(cy), float(np.average(np.hypot(xs - cx, ys - cy), weights=dark))

    def at(self, x: float, y: float) -> float:
        """Darkness at a point, averaged over 0.25 mm."""
        return float(self.window(x - 0.125, y - 0.125, x + 0.125, y + 0.125)[0].mean())
