"""A canvas in millimetres over a page's pixels, and smooth random noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.paper.parts import Point
from lab.synth.fields import F32, U8, Color, Rng, any_of, f32
from lab.synth.raster import SHIFT, fixed


class Canvas:
    """Draws on a page, (H, W, 3) or (H, W) uint8, at points in mm from its top left corner."""

    def __init__(self, page: U8, px_per_mm: float) -> None:
        self.page, self.scale = page, px_per_mm

    def px(self, points: Iterable[Point]) -> NDArray[np.int32]:
        return fixed(np.array(list(points)) * self.scale - 0.5)

    def width(self, mm: float) -> int:
        return max(1, round(mm * self.scale))

    def fill(self, points: Iterable[Point], color: Color, opacity: float = 1.0) -> None:
        outline = self.px(points)
        with self._through(outline, 0, opacity):
            cv2.fillPoly(self.page, [outline], color, cv2.LINE_AA, SHIFT)

    def outline(self, points: Iterable[Point], color: Color, mm: float) -> None:
        cv2.polylines(self.page, [self.px(points)], True, color, self.width(mm), cv2.LINE_AA, SHIFT)

    def line(self, points: Iterable[Point], color: Color, mm: float, opacity: float = 1.0) -> None:
        path, thick = self.px(points), self.width(mm)
        with self._through(path, thick, opacity):
            cv2.polylines(self.page, [path], False, color, thick, cv2.LINE_AA, SHIFT)

    def circle(
        self, at: Point, radius: float, color: Color, mm: float | None, opacity: float = 1.0
    ) -> None:
        center = self.px([at])
        x, y = (int(v) for v in center[0])
        r = round(radius * self.scale * (1 << SHIFT))
        thick = -1 if mm is None else self.width(mm)
        with self._through(center, (r >> SHIFT) + max(thick, 0), opacity):
            cv2.circle(self.page, (x, y), r, color, thick, cv2.LINE_AA, SHIFT)

    @contextmanager
    def _through(self, points: NDArray[np.int32], margin: int, opacity: float) -> Iterator[None]:
        """Let the page show through whatever is drawn within `margin` pixels of `points`."""
        if opacity >= 1:
            yield
            return
        low = np.maximum((points.min(axis=0) >> SHIFT) - margin - 2, 0)
        high = np.maximum((points.max(axis=0) >> SHIFT) + margin + 3, 0)
        patch = self.page[low[1] : high[1], low[0] : high[0]]
        before = patch.copy()
        yield
        if patch.size:
            patch[:] = cv2.addWeighted(patch, opacity, before, 1 - opacity, 0)

    def text(self, at: Point, text: str, size_mm: float, color: Color, rng: Rng) -> None:
        faces = [cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SIMPLEX]
        if rng.random() < 0.3:
            faces = [cv2.FONT_HERSHEY_SCRIPT_COMPLEX]
        face = any_of(rng, faces)
        scale = size_mm * self.scale / 22
        (w, h), _ = cv2.getTextSize(text, face, scale, 1)
        x, y = at[0] * self.scale - w / 2, at[1] * self.scale + h / 2
        thick = max(1, round(scale * 1.3))
        cv2.putText(self.page, text, (int(x), int(y)), face, scale, color, thick, cv2.LINE_AA)


def smooth_noise(rng: Rng, shape: tuple[int, int], cells: float) -> F32:
    """Noise of about unit variance, `cells` bumps across the longer side; (H, W) float32.

    As `lab.synth.fields.noise`, but it draws other numbers: seeds of trained sets depend on it.
    """
    h, w = shape
    k = max(h, w) / max(cells, 1)
    small = f32(rng.normal(0, 1, (max(2, round(h / k) + 2), max(2, round(w / k) + 2))))
    return f32(cv2.resize(small, (w, h), interpolation=cv2.INTER_CUBIC))
