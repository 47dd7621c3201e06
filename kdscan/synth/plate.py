"""A printed page that is drawn on in millimetres, and the unevenness of paper."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.sheet.layout import Point
from kdscan.synth.designs import Color

_SHIFT = 4  # cv2 draws with 1/16 pixel precision


class Plate:
    """A page that is drawn on in mm."""

    def __init__(self, page: NDArray[np.uint8], px_per_mm: float) -> None:
        self.page, self.scale = page, px_per_mm

    def px(self, points: Iterable[Point]) -> NDArray[np.int32]:
        return np.round((np.array(list(points)) * self.scale - 0.5) * (1 << _SHIFT)).astype(
            np.int32
        )

    def width(self, mm: float) -> int:
        return max(1, round(mm * self.scale))

    def fill(self, points: Iterable[Point], color: Color) -> None:
        cv2.fillPoly(self.page, [self.px(points)], color, cv2.LINE_AA, _SHIFT)

    def stroke(self, points: Iterable[Point], color: Color, mm: float, closed: bool = True) -> None:
        cv2.polylines(
            self.page, [self.px(points)], closed, color, self.width(mm), cv2.LINE_AA, _SHIFT
        )

    def circle(self, at: Point, radius: float, color: Color, mm: float | None) -> None:
        center = self.px([at])[0]
        r = round(radius * self.scale * (1 << _SHIFT))
        thick = -1 if mm is None else self.width(mm)
        cv2.circle(
            self.page, (int(center[0]), int(center[1])), r, color, thick, cv2.LINE_AA, _SHIFT
        )

    def text(
        self, at: Point, text: str, size_mm: float, color: Color, rng: np.random.Generator
    ) -> None:
        faces = [cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SIMPLEX]
        if rng.random() < 0.3:
            faces = [cv2.FONT_HERSHEY_SCRIPT_COMPLEX]
        face = faces[int(rng.integers(0, len(faces)))]
        scale = size_mm * self.scale / 22
        (w, h), _ = cv2.getTextSize(text, face, scale, 1)
        x, y = at[0] * self.scale - w / 2, at[1] * self.scale + h / 2
        thick = max(1, round(scale * 1.3))
        cv2.putText(self.page, text, (int(x), int(y)), face, scale, color, thick, cv2.LINE_AA)


def smooth_noise(
    rng: np.random.Generator, shape: tuple[int, int], cells: float
) -> NDArray[np.float32]:
    """Noise of about unit variance, `cells` bumps across the longer side; (H, W) float32."""
    h, w = shape
    k = max(h, w) / max(cells, 1)
    small = rng.normal(0, 1, (max(2, round(h / k) + 2), max(2, round(w / k) + 2))).astype(
        np.float32
    )
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC), np.float32)
