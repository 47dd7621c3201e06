"""One print out of several sheets that lie over one another, whatever was drawn on them.

A median of filled sheets is no print: every coat covers the middle of its shield, so that most
sheets have ink there. Ink darkens, so of the colours that a place has on different sheets the
lightest one is the print's; where it is known beforehand where ink lies
(`ink_of`), that is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.ink.divide import colour_distance, relit
from kdscan.prints.known import KNOWN_STEP

SAME = 7.0
"""CIELAB units within which two sheets show the same colour: paper, noise and light that is left
over stay below, pencil comes to 15 and more."""
ENOUGH = 3.0
"""Sheets that agree on a place make it known for certain."""

_ROUNDS = 3
_INK = 9.0  # CIELAB units beyond what a print explains that count as drawn

Bgr = NDArray[np.uint8]
Plane = NDArray[np.float32]


def merge(sheets: Sequence[Bgr], ink: Sequence[Plane] | None = None) -> tuple[Bgr, Plane]:
    """The print that sheets share, and how well each place of it is known.

    sheets: (H, W, 3) uint8 in the same place, under the first one's light. ink: (H, W) 0..1, where
    a network sees ink on each.
    Returns (H, W, 3) uint8 and (H / 8, W / 8) float32, 0..1.
    """
    stack = np.stack(sheets).astype(np.float32)
    weight = _lightest(stack) if len(sheets) > 1 else np.ones(stack.shape[:3], np.float32)
    if ink is not None:
        weight = weight * np.stack([np.clip(1 - 1.5 * i, 0.02, 1) for i in ink])
    mean = _mean(stack, weight)
    for _ in range(_ROUNDS if len(sheets) > 1 else 0):
        bare = np.clip(mean, 0, 255).astype(np.uint8)
        off = np.stack([cv2.GaussianBlur(colour_distance(s, bare), (0, 0), 1.5) for s in sheets])
        weight = (1 / (1 + (off / _INK) ** 4)).astype(np.float32)
        if ink is not None:
            weight *= np.stack([np.clip(1 - 1.5 * i, 0.02, 1) for i in ink])
        mean = _mean(stack, weight)
    return np.clip(mean, 0, 255).astype(np.uint8), _known(weight, len(sheets))


def _mean(stack: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    total = weight.sum(0) + 1e-6
    return np.asarray((stack * weight[..., None]).sum(0) / total[..., None], np.float32)


def _lightest(stack: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, H, W) weights: how near each sheet comes to the lightest colour of all."""
    lab = np.stack(
        [cv2.cvtColor(cv2.GaussianBlur(s, (0, 0), 1.2) / 255, cv2.COLOR_BGR2LAB) for s in stack]
    )
    best = np.take_along_axis(lab, lab[..., 0].argmax(0)[None, ..., None], axis=0)
    off = np.linalg.norm(lab - best, axis=-1)
    return np.asarray(np.exp(-((off / SAME) ** 2)), np.float32)


def _known(weight: NDArray[np.float32], sheets: int) -> Plane:
    """How well each place is known: by how many sheets show the same there."""
    total = weight.sum(0)
    small = cv2.resize(
        total, None, fx=1 / KNOWN_STEP, fy=1 / KNOWN_STEP, interpolation=cv2.INTER_AREA
    )
    return np.asarray(np.clip(small / min(ENOUGH, sheets), 0, 1), np.float32)


def under_light_of(sheet: Bgr, reference: Bgr) -> Bgr:
    """A sheet as the reference's light would show it; both (H, W, 3) uint8 in the same place."""
    # what the reference would look like under the sheet's light, the other way round
    return relit(reference, sheet)
