"""How blurred a rectified sheet is: by focus, by motion, or because it is small in its photo."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_PX

BLURRED = 0.047
"""Cells: width of the sharpest edges from which a sheet counts as blurred. 50 photos of generated
sheets, painted, pale and our own, have 0.038 at most. Blurred by a disc with a radius of 0.055
cells, 19 in 20 have more, and 64% instead of 78% of their boards are read right. Blurred by a
motion of 0.16 cells, three in four have more, and 18% are read right."""

_PX = 64  # pixels per cell at which edges are measured
_REACH = 13  # pixels, a fifth of a cell: neighbourhood whose range is the height of an edge
_CONTRAST = 30  # grey levels: lower edges are texture or noise
_SHARPEST = 0.02  # quantile of the widths; edges that were drawn softly are wider
_FEW = 200  # edge pixels; fewer mean nothing


def edge_width(bgr: NDArray[np.uint8]) -> float:
    """Width in cells of the sharpest edges, along the most blurred of four directions; 0 if there
    are too few edges.

    The width of an edge is its height over its slope: the range of grey nearby over the change
    within two pixels. bgr: (H, W, 3), `FLAT_PX` pixels per cell.
    """
    scale = _PX / FLAT_PX
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
    return max(_width(grey, far, near) for far, near in zip(_lines(_REACH), _lines(3), strict=True))


def _width(grey: NDArray[np.uint8], far: NDArray[np.uint8], near: NDArray[np.uint8]) -> float:
    height = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, far)
    slope = cv2.morphologyEx(grey, cv2.MORPH_GRADIENT, near)
    edges = (height > _CONTRAST) & (slope > 1)
    if np.count_nonzero(edges) < _FEW:
        return 0.0
    widths = height[edges] / slope[edges].astype(np.float32)
    sharpest = int(_SHARPEST * widths.size)  # np.quantile would load np.ma
    return float(np.partition(widths, sharpest)[sharpest]) * 2 / _PX


def _lines(length: int) -> tuple[NDArray[np.uint8], ...]:
    """Structuring elements `length` pixels long: horizontal, vertical, and both diagonals."""
    level = np.ones((1, length), np.uint8)
    diagonal = np.eye(round(length / 2**0.5) | 1, dtype=np.uint8)
    return level, level.T, diagonal, np.ascontiguousarray(diagonal[::-1])
