"""One print out of several sheets that lie over one another, whatever was drawn on them.

A median of filled sheets is no print: every coat covers the middle of its shield, so that most
sheets have ink there. Where a network says beforehand where ink lies, that is left out; what it
misses darkens, so the lighter ones of the colours that a place has on different sheets are the
print's. Each sheet's light is made the one that they have in common.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.ink.divide import apply_light, colour_distance, log_light
from kdscan.prints.known import KNOWN_STEP

SAME = 7.0
"""CIELAB units within which two sheets show the same colour: paper, noise and light that is left
over stay below, pencil comes to 15 and more."""
ENOUGH = 3.0
"""Sheets that agree on a place make it known for certain."""
LIGHT_SHARE = 0.7
"""Of what is no ink, this share is darker than the print at first: the lightest is often glare. On
six sheets of five pads 0.3% of places are then wrong by 13 CIELAB units, with the lightest 0.4%."""

_ROUNDS = 3
_INK = 9.0  # CIELAB units beyond what a print explains that count as drawn
_HARDLY = 0.02  # what ink weighs where it covers a place on all sheets
_SURER = 1.5  # ink is a guess: two thirds sure is left out

Bgr = NDArray[np.uint8]
Plane = NDArray[np.float32]


def merge(sheets: Sequence[Bgr], ink: Sequence[Plane] | None = None) -> tuple[Bgr, Plane]:
    """The print that sheets share, and how well each place of it is known.

    sheets: (H, W, 3) uint8 in the same place, each under its own light. ink: (H, W) 0..1, where a
    network sees ink on each.
    Returns (H, W, 3) uint8 and (H / 8, W / 8) float32, 0..1.
    """
    if len(sheets) == 1:
        return sheets[0], _known(np.ones((1, *sheets[0].shape[:2]), np.float32), 1)
    clear = np.ones((len(sheets), *sheets[0].shape[:2]), np.float32)
    if ink is not None:
        clear = np.clip(1 - _SURER * np.stack(ink), _HARDLY, 1).astype(np.float32)
    lit = evenly_lit(sheets, list(clear))
    stack = np.stack(lit).astype(np.float32)
    weight = clear * _light(stack, clear, 1.0 if ink is None else LIGHT_SHARE)
    mean = _mean(stack, weight)
    for _ in range(_ROUNDS):
        bare = np.clip(mean, 0, 255).astype(np.uint8)
        off = np.stack([cv2.GaussianBlur(colour_distance(s, bare), (0, 0), 1.5) for s in lit])
        weight = (clear / (1 + (off / _INK) ** 4)).astype(np.float32)
        mean = _mean(stack, weight)
    return np.clip(mean, 0, 255).astype(np.uint8), _known(weight, len(sheets))


def evenly_lit(sheets: Sequence[Bgr], clear: Sequence[Plane]) -> list[Bgr]:
    """Sheets as the light that they have in common would show them.

    clear: (H, W), 0..1, how surely each place is no ink.
    """
    middle = np.median(np.stack([sheet.astype(np.float32) for sheet in sheets]), axis=0)
    common = np.clip(middle, 0, 255).astype(np.uint8)
    return [apply_light(s, -log_light(s, common, c)) for s, c in zip(sheets, clear, strict=True)]


def _mean(stack: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    total = weight.sum(0) + 1e-6
    return np.asarray((stack * weight[..., None]).sum(0) / total[..., None], np.float32)


def _light(stack: NDArray[np.float32], clear: NDArray[np.float32], share: float) -> Plane:
    """(n, H, W) weights: how near each sheet comes to a light colour of all, that which `share` of
    what is clear does not exceed."""
    lab = np.stack(
        [cv2.cvtColor(cv2.GaussianBlur(s, (0, 0), 1.2) / 255, cv2.COLOR_BGR2LAB) for s in stack]
    )
    order = np.argsort(lab[..., 0], axis=0)
    passed = np.cumsum(np.take_along_axis(clear, order, 0), 0) / clear.sum(0)
    at = np.minimum((passed < share - 1e-4).sum(0), len(stack) - 1)
    chosen = np.take_along_axis(order, at[None], 0)
    best = np.take_along_axis(lab, chosen[..., None], axis=0)
    off = np.linalg.norm(lab - best, axis=-1)
    return np.asarray(np.exp(-((off / SAME) ** 2)) + 1e-4, np.float32)


def _known(weight: NDArray[np.float32], sheets: int) -> Plane:
    """How well each place is known: by how many sheets show the same there."""
    total = weight.sum(0)
    small = cv2.resize(
        total, None, fx=1 / KNOWN_STEP, fy=1 / KNOWN_STEP, interpolation=cv2.INTER_AREA
    )
    return np.asarray(np.clip(small / min(ENOUGH, sheets), 0, 1), np.float32)
