"""What a camera's live picture shows of a map, fast enough to be asked several times a second.

One look of the locating network: where the grid lies, and what one can still mend before the
photo is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.clipping import cut_sides
from kdscan.detection.locate import locate
from kdscan.records import Photo
from kdscan.records.arrays import Network

Hint = Literal["none", "dark", "cut_off", "far", "blurred", "good"]

LIKELY = 0.5
"""An outline less sure than this is nothing to point at."""

DARK = 60.0
"""Mean grey, of 255, below which marks drown in the sensor's noise."""

FAR = 0.4
"""A grid that fills less of the picture's longer side than this leaves its marks few pixels."""

BLURRED = 25.0
"""Variance of the Laplacian inside the grid, at 640 pixels, below which edges are smeared: sharp
previews of our sheet have some hundreds."""

SIDE = 640
"""Longer side, pixels, at which blur is judged."""


@dataclass(frozen=True, eq=False)
class Glimpse:
    """outline_xy: (4, 2) float64, pixels of the picture, None where no grid is seen."""

    hint: Hint
    confidence: float = 0.0
    outline_xy: NDArray[np.float64] | None = None


def glimpse(photo: Photo, locating: Network) -> Glimpse:
    """What the picture shows, and the first thing to mend."""
    grey = cv2.cvtColor(photo.bgr, cv2.COLOR_BGR2GRAY)
    found = max(locate(photo, locating), key=lambda one: one.confidence, default=None)
    if found is None or found.confidence < LIKELY:
        return Glimpse("dark" if float(grey.mean()) < DARK else "none")
    corners = found.corners_xy
    longer = float(np.linalg.norm(np.diff(np.vstack([corners, corners[:1]]), axis=0), axis=1).max())
    inside = np.zeros(grey.shape, np.uint8)
    cv2.fillConvexPoly(inside, corners.astype(np.int32), 255)
    hint: Hint = "good"
    if cut_sides(photo, found):
        hint = "cut_off"
    elif float(cv2.mean(grey, inside)[0]) < DARK:
        hint = "dark"
    elif longer < FAR * max(photo.width, photo.height):
        hint = "far"
    elif _sharpness(np.asarray(grey, np.uint8), inside) < BLURRED:
        hint = "blurred"
    return Glimpse(hint, float(found.confidence), corners)


def _sharpness(grey: NDArray[np.uint8], inside: NDArray[np.uint8]) -> float:
    scale = min(1.0, SIDE / max(grey.shape))
    small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    mask = cv2.resize(inside, (small.shape[1], small.shape[0]), interpolation=cv2.INTER_NEAREST)
    edges = cv2.Laplacian(small, cv2.CV_64F)[mask > 0]
    return float(edges.var()) if edges.size else 0.0
