"""Ink on an unknown print: segmentation of drawn ink by a network, pixel by pixel."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.arrays import sigmoid
from kdscan.imaging.picture import Ink, Network, RectifiedSheet
from kdscan.marks.crops import CROP_CELLS, CROP_PX, crop_cell, segment
from kdscan.templates.ink_by_subtraction import pen_of

AROUND_PX = 16.0
"""Standard deviation, in pixels (128 per cell), of the neighbourhood from which a pixel's
background is estimated: wider than a line, narrower than a shield."""


def ink_by_network(sheet: RectifiedSheet, network: Network) -> Ink:
    """The ink that a network segments on a rectified sheet; network: see `drawn_on`."""
    probability = drawn_on(sheet.bgr, network)
    clear = 1 - probability
    sums = cv2.GaussianBlur(sheet.bgr * clear[..., None], (0, 0), AROUND_PX)
    bare = sums / (cv2.GaussianBlur(clear, (0, 0), AROUND_PX)[..., None] + 1e-3)
    return Ink(probability, pen_of(sheet.bgr, np.asarray(bare, np.uint8), probability))


def drawn_on(bgr: NDArray[np.uint8], network: Network) -> NDArray[np.float32]:
    """(672, 928) float32, 0..1: probability of ink at each pixel of a rectified sheet.

    bgr: (672, 928, 3), see `RectifiedSheet.bgr`. network: ink (1, 35, 1, 128, 128) and coarse
    planes (1, 35, 3, 64, 64) of `CellCrops` → logits (1, 35, 128, 128). Where crops overlap, the
    mean of their probabilities is taken.
    """
    crops = segment(bgr)
    (logits,) = network(crops.ink[None], crops.coarse[None])
    drawn = sigmoid(logits[0])
    sums, counts = np.zeros((2, *bgr.shape[:2]), np.float32)
    for at, crop in zip(CROP_CELLS, drawn, strict=True):
        crop_cell(sums, *at)[:] += cv2.resize(crop, (CROP_PX, CROP_PX))
        crop_cell(counts, *at)[:] += 1
    return np.asarray(sums / counts, np.float32)
