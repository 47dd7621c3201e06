"""Feedback on a camera's live preview, fast enough for several frames a second.

A single pass of the locating network says where the grid lies; simple image statistics say what
should be improved before the photo is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from kdscan.detection.locate import cut_sides, locate
from kdscan.imaging.picture import Floats, Network, Photo
from kdscan.imaging.quality import DARK

Hint = Literal["none", "dark", "cut_off", "far", "blurred", "good"]

LIKELY = 0.5
"""Outlines below this confidence are not shown."""

FAR = 0.4
"""Share of the picture's longer side; a grid that fills less leaves too few pixels for its
marks."""

BLURRED = 25.0
"""Variance of the Laplacian inside the grid, at `SIDE` pixels, below which the picture counts as
blurred; sharp previews of our sheet have several hundred."""

SIDE = 640
"""Pixels: longer side of the picture in which blur is measured."""


@dataclass(frozen=True, eq=False)
class CameraHint:
    """hint: the first thing to improve. outline_xy: (4, 2) float64, photo frame, the grid's
    corners; None if no grid was found."""

    hint: Hint
    confidence: float = 0.0
    outline_xy: Floats | None = None


def camera_hint(photo: Photo, locating: Network) -> CameraHint:
    """Locate the grid in a preview and give the first hint that applies."""
    grey = cv2.cvtColor(photo.bgr, cv2.COLOR_BGR2GRAY)
    found = max(locate(photo, locating).outlines, key=lambda one: one.confidence, default=None)
    if found is None or found.confidence < LIKELY:
        return CameraHint("dark" if float(grey.mean()) < DARK else "none")
    corners = found.corners_xy
    longer = float(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1).max())
    inside = np.zeros(grey.shape, np.uint8)
    cv2.fillConvexPoly(inside, corners.astype(np.int32), 255)
    hint: Hint = "good"
    if cut_sides(photo, found):
        hint = "cut_off"
    elif float(cv2.mean(grey, inside)[0]) < DARK:
        hint = "dark"
    elif longer < FAR * max(photo.width, photo.height):
        hint = "far"
    else:
        scale = min(1.0, SIDE / max(grey.shape))
        small = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        mask = cv2.resize(inside, small.shape[::-1], interpolation=cv2.INTER_NEAREST)
        edges = cv2.Laplacian(small, cv2.CV_64F)[mask > 0]
        if not edges.size or float(edges.var()) < BLURRED:
            hint = "blurred"
    return CameraHint(hint, float(found.confidence), corners)
