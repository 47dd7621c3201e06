"""Stage: photo → outlines of the maps in it, without markers.

A network looks at a thumbnail and says for every patch of 8 × 8 pixels whether it
lies on a map's grid, where in the lattice, and how uncertain that is. Hundreds of
such votes fix a homography; votes that curl or clutter bent are outliers.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.records import COLS, ROWS, Photo, SheetOutline
from kdscan.vision.rectify import Floats, Network, inverse, project

THUMB_PX = 384
"""Longer side of the thumbnail that the network sees."""
STRIDE = 8
"""Thumbnail pixels a vote."""
LATTICE_SCALE = (3.5, 2.5)
"""Half the grid in cells: the network's u, v run from -1 to 1 across the grid."""
_MIDDLE = np.array([(COLS - 1) / 2, (ROWS - 1) / 2])
_GRID = np.array([(-0.5, -0.5), (6.5, -0.5), (6.5, 4.5), (-0.5, 4.5)])

MIN_VOTES = 24
"""Fewer patches than this are no map: at a quarter of the frame there are above 100."""


def thumbnail(photo: Photo) -> tuple[NDArray[np.float32], float]:
    """The photo reduced to `THUMB_PX` on its longer side, padded to a whole number of strides.

    Returns (1, 3, h, w) float32, 0..1, BGR, h and w multiples of 32, and the scale
    (thumbnail pixels a photo pixel). Point p of the photo lies at (p + .5) * scale - .5.
    """
    scale = THUMB_PX / max(photo.width, photo.height)
    size = (max(1, round(photo.width * scale)), max(1, round(photo.height * scale)))
    bgr = photo.bgr
    halvings = int(np.log2(max(1.0, 0.25 / scale)))  # area averaging of all pixels is slow
    if halvings > 0:
        bgr = bgr[:: 2**halvings, :: 2**halvings]
    small = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    out = np.zeros((-(-size[1] // 32) * 32, -(-size[0] // 32) * 32, 3), np.uint8)
    out[: size[1], : size[0]] = small
    return np.ascontiguousarray(out.transpose(2, 0, 1)[None], np.float32) / np.float32(255), scale


OUTLIER = 0.35
"""A vote that is wrong by more cells than this does not count."""
MIN_AGREE = 0.4
"""Share of votes that must agree on one grid."""


def locate(photo: Photo, network: Network) -> tuple[SheetOutline, ...]:
    """Find the maps in a photo, the surest first.

    network: `thumbnail` → on-grid logit (1, 1, h, w), lattice place u, v (1, 2, h, w)
        from -1 to 1 across the grid, and the log of its expected error (1, 1, h, w).
    """
    thumb, scale = thumbnail(photo)
    on, place, doubt = network(thumb)
    sure = 1 / (1 + np.exp(-on[0, 0].astype(np.float64)))
    count, label = cv2.connectedComponents((sure > 0.5).astype(np.uint8), connectivity=4)
    found = []
    for i in range(1, count):
        rows, cols = np.nonzero(label == i)
        if len(rows) < MIN_VOTES:
            continue
        thumb_xy = (np.stack([cols, rows], -1).astype(np.float64) + 0.5) * STRIDE - 0.5
        photo_xy = (thumb_xy + 0.5) / scale - 0.5
        lattice_xy = place[0, :, rows, cols] * np.array(LATTICE_SCALE) + _MIDDLE
        outline = _fit(lattice_xy, photo_xy, -doubt[0, 0, rows, cols].astype(np.float64))
        if outline is not None:
            found.append(SheetOutline(outline, float(np.mean(sure[rows, cols]))))
    return tuple(sorted(found, key=lambda o: -_area(o.corners_xy)))


def _fit(lattice_xy: Floats, photo_xy: Floats, trust: Floats) -> Floats | None:
    """Corners (4, 2) in the photo of the grid on which the trusted votes agree, or None."""
    keep = np.argsort(-trust)[: max(MIN_VOTES, int(0.7 * len(trust)))]
    h: Any
    h, _ = cv2.findHomography(photo_xy[keep], lattice_xy[keep], cv2.RANSAC, OUTLIER)
    for _ in range(3):  # RANSAC's sample is rough: fit again to all that agree
        if h is None:
            return None
        error = np.linalg.norm(project(np.asarray(h, np.float64), photo_xy) - lattice_xy, axis=1)
        agree = error < OUTLIER
        if agree.mean() < MIN_AGREE:
            return None
        h, _ = cv2.findHomography(photo_xy[agree], lattice_xy[agree], 0)
    if h is None:
        return None
    to_lattice = np.asarray(h, np.float64)
    corners = project(inverse(to_lattice), _GRID)
    middle = project(to_lattice, np.asarray(photo_xy.mean(0), np.float64))
    inside = bool(np.all(np.abs(middle - _MIDDLE) < np.array([COLS, ROWS])))
    if not inside or not cv2.isContourConvex(corners.astype(np.float32)) or _area(corners) <= 0:
        return None
    return corners


def _area(corners_xy: Floats) -> float:
    """Signed area of a polygon; positive when the corners run clockwise as seen."""
    x, y = corners_xy.T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2)
