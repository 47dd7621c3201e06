"""Ink on an unknown print: segmentation of drawn ink by a network, pixel by pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdscan.ink.divide import pen_of
from kdscan.records import Ink, RectifiedSheet
from kdscan.records.arrays import Network


def separate(sheet: RectifiedSheet, network: Network) -> Ink:
    """The ink that a network segments on a rectified sheet; `Ink.known` is 0 everywhere.

    network: see `drawn_on`.
    """
    probability = drawn_on(sheet.bgr, network)
    bare = np.full_like(sheet.bgr, np.median(sheet.bgr, axis=(0, 1)).astype(np.uint8))
    unknown = np.zeros((1, 1), np.float32)
    return Ink(probability, pen_of(sheet.bgr, bare, probability), unknown)


def drawn_on(bgr: NDArray[np.uint8], network: Network) -> NDArray[np.float32]:
    """(H, W) float32, 0..1: probability of ink at each pixel of a rectified sheet.

    bgr: (H, W, 3), see `RectifiedSheet.bgr`. network: (1, 3, H, W) BGR 0..1 → logits (1, 1, H, W).
    """
    batch = bgr.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255)
    logits = network(np.ascontiguousarray(batch))[0][0, 0]
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)
