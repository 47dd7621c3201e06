"""Stage: rectified sheet → cell crops, light and pen taken out.

A shield is judged against its own sheet: the crop's ink stands beside a picture of
what all shields of this sheet have in common, which is the print. So a design that
nobody described brings its own description along.
"""

from __future__ import annotations

from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.records import CASTLE, CELLS, CellCrops, RectifiedSheet
from kdscan.vision.rectify import FLAT_MARGIN, FLAT_PX

CROP_PX = round((1 + 2 * FLAT_MARGIN) * FLAT_PX)
"""Side of a crop: 80 pixels for 1.25 cells."""

CHANNELS = ("ink", "print", "color")
"""What the planes of a crop hold; see `planes` and `segment`."""

Plane = NDArray[np.float32]
Pixel = TypeVar("Pixel", bound=np.generic)


def planes(flat_bgr: NDArray[np.uint8]) -> tuple[Plane, Plane]:
    """Ink and colour of a rectified sheet, whatever light fell on it.

    ink: (H, W) float32, 0 for bare paper, about 1 for the darkest marks of the sheet.
    color: (H, W) float32, how far the hue leaves that of the paper nearby, 0..1.
    """
    bgr = flat_bgr.astype(np.float32) + 1
    paper = cv2.dilate(flat_bgr, np.ones((9, 9), np.uint8))
    small = cv2.resize(paper, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    light = cv2.GaussianBlur(small, (0, 0), FLAT_PX / 8).astype(np.float32) + 1
    relative = bgr / cv2.resize(light, flat_bgr.shape[1::-1])
    grey = relative @ np.array([0.114, 0.587, 0.299], np.float32)
    dark = np.clip(1 - grey, 0, 1)
    gain = 0.8 / max(float(np.percentile(dark[::3, ::3], 99)), 0.25)
    b, g, r = cv2.split(relative)
    spread = cv2.max(cv2.max(b, g), r) - cv2.min(cv2.min(b, g), r)
    color = np.clip(spread * gain, 0, 1)
    return np.asarray(dark * gain, np.float32), np.asarray(color, np.float32)


def cut(plane: NDArray[Pixel], row: int, col: int) -> NDArray[Pixel]:
    """The crop of one cell: (80, 80), 1.25 cells wide around its centre."""
    y, x = row * FLAT_PX, col * FLAT_PX
    return plane[y : y + CROP_PX, x : x + CROP_PX]


def segment(sheet: RectifiedSheet) -> CellCrops:
    """Cut the sheet into 34 shields and the castle, each with the planes of `CHANNELS`.

    The print plane is, pixel by pixel, the ink that three quarters of the shields
    exceed: what is there in nearly all of them, hence not drawn by hand.
    """
    ink, color = planes(sheet.bgr)
    inks = np.stack([cut(ink, r, c) for r, c in CELLS])
    common = np.partition(inks, len(CELLS) // 4, axis=0)[len(CELLS) // 4]
    crops = np.stack(
        [np.stack([i, common, cut(color, r, c)]) for i, (r, c) in zip(inks, CELLS, strict=True)]
    )
    castle = np.stack([cut(ink, *CASTLE), common, cut(color, *CASTLE)])
    return CellCrops(cells=crops, castle=castle)
