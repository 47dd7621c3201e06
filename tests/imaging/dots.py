"""A sheet with a dot in the middle of each cell, on bulging paper."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import CENTERS, Floats, lattice_to_photo_homography, project

CORNERS = np.array([(300.0, 200.0), (1210.0, 260.0), (1160.0, 900.0), (260.0, 820.0)])


def bent_centers(bulge_px: float = 12) -> Floats:
    """(5, 7, 2): centres of a sheet in perspective whose paper bulges by so much."""
    flat = project(lattice_to_photo_homography(CORNERS), CENTERS)
    flat[..., 1] += bulge_px * np.sin(CENTERS[..., 0] / 6 * np.pi)
    return flat


def photo_with_dots(centers: Floats) -> NDArray[np.uint8]:
    """(1100, 1500, 3): dark dots at these centres."""
    bgr = np.full((1100, 1500, 3), 235, np.uint8)
    for x, y in centers.reshape(-1, 2):
        cv2.circle(bgr, (round(x * 16), round(y * 16)), 10 * 16, (20, 20, 20), -1, cv2.LINE_AA, 4)
    return bgr
