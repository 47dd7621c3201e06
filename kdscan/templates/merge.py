"""Merges registered sheets of one print into a picture of the print without ink.

A median would not do: every coat covers the centre of its shield, so that most sheets have ink
there. Ink that a network segments is left out. Missed ink darkens, so the lighter colours of a
pixel are taken for the print's. Before that all sheets are brought to a common illumination.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from kdscan.imaging.picture import Bgr, Plane
from kdscan.templates.divide import apply_light, colour_distance, log_light
from kdscan.templates.known import KNOWN_STEP

SAME_COLOR = 7.0
"""CIELAB units: distance within which two colours are the same. Paper, noise and residual light
differ by less, pencil by 15 and more."""
MIN_AGREEING = 3.0
"""Number of agreeing sheets at which a pixel is fully known."""
LIGHT_SHARE = 0.7
"""Quantile of a pixel's lightness without ink that initialises the print, because the lightest is
often glare. On six sheets of five pads 0.3% of pixels are then wrong by 13 CIELAB units, with the
lightest 0.4%."""

_ROUNDS = 3
_INK = 9.0  # CIELAB units beyond the print's colour that count as drawn
_MIN_WEIGHT = 0.02  # least weight, where ink covers a place on all sheets
_INK_FACTOR = 1.5  # ink is an estimate: it is left out from a probability of two thirds


def merge(sheets: Sequence[Bgr], ink: Sequence[Plane]) -> tuple[Bgr, Plane]:
    """The common print of registered sheets, and how well each part of it is known.

    sheets: (H, W, 3) uint8 BGR, each under its own light. ink: (H, W) 0..1, probability of ink on
    each sheet.
    Returns (H, W, 3) uint8 and (H / 8, W / 8) float32, 0..1.
    """
    clear = np.clip(1 - _INK_FACTOR * np.stack(ink), _MIN_WEIGHT, 1).astype(np.float32)
    lit = equalize_light(sheets, list(clear))
    stack = np.stack(lit).astype(np.float32)
    weight = clear * _light(stack, clear)
    mean = _mean(stack, weight)
    for _ in range(_ROUNDS):
        bare = np.clip(mean, 0, 255).astype(np.uint8)
        off = np.stack([cv2.GaussianBlur(colour_distance(s, bare), (0, 0), 1.5) for s in lit])
        weight = (clear / (1 + (off / _INK) ** 4)).astype(np.float32)
        mean = _mean(stack, weight)
    return np.clip(mean, 0, 255).astype(np.uint8), _known(weight)


def equalize_light(sheets: Sequence[Bgr], clear: Sequence[Plane]) -> list[Bgr]:
    """The sheets under their common illumination.

    clear: (H, W), 0..1, probability of no ink at each pixel.
    """
    middle = np.median(np.stack([sheet.astype(np.float32) for sheet in sheets]), axis=0)
    common = np.clip(middle, 0, 255).astype(np.uint8)
    return [apply_light(s, -log_light(s, common, c)) for s, c in zip(sheets, clear, strict=True)]


def _mean(stack: Plane, weight: Plane) -> Plane:
    total = weight.sum(0) + 1e-6
    return np.asarray((stack * weight[..., None]).sum(0) / total[..., None], np.float32)


def _light(stack: Plane, clear: Plane) -> Plane:
    """(n, H, W) weights: how similar each sheet's colour is to a reference colour at that pixel,
    that of the sheet at the quantile `LIGHT_SHARE` of lightness, weighted by `clear`."""
    lab = np.stack(
        [cv2.cvtColor(cv2.GaussianBlur(s, (0, 0), 1.2) / 255, cv2.COLOR_BGR2LAB) for s in stack]
    )
    order = np.argsort(lab[..., 0], axis=0)
    passed = np.cumsum(np.take_along_axis(clear, order, 0), 0) / clear.sum(0)
    at = np.minimum((passed < LIGHT_SHARE - 1e-4).sum(0), len(stack) - 1)
    chosen = np.take_along_axis(order, at[None], 0)
    best = np.take_along_axis(lab, chosen[..., None], axis=0)
    off = np.linalg.norm(lab - best, axis=-1)
    return np.asarray(np.exp(-((off / SAME_COLOR) ** 2)) + 1e-4, np.float32)


def _known(weight: Plane) -> Plane:
    """How well each place is known: by the number of sheets that agree there."""
    total = weight.sum(0)
    small = cv2.resize(
        total, None, fx=1 / KNOWN_STEP, fy=1 / KNOWN_STEP, interpolation=cv2.INTER_AREA
    )
    return np.asarray(np.clip(small / min(MIN_AGREEING, len(weight)), 0, 1), np.float32)
