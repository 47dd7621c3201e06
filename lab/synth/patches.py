"""Random occlusions of rectified sheets, on which the occlusion network is trained.

Shapes, colours, shadows and glare are random, and none looks like a finger or a die: detection of
real objects is measured with those of `lab/benchmarks/coverings.py`, which are never trained on.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, tau

import cv2
import numpy as np

from kdscan.imaging.picture import FLAT_MARGIN
from lab.synth.fields import (
    F32,
    F64,
    U8,
    Rng,
    Size,
    any_of,
    f32,
    gaussian,
    log_uniform,
    paint,
    rotation,
    smooth_noise,
    toward,
    u8,
)

GONE = 70.0
"""Grey levels of added light above which ink is hidden."""

OPEN = 0.3
"""Share of sheets without a patch."""

Hidden = tuple[F32, F32]
"""A picture (H, W, 3), 0..255, and how much of each pixel is hidden, (H, W), 0..1."""


def with_things(rng: Rng, flat: U8, other: U8, cell_px: float) -> tuple[U8, F32]:
    """A rectified sheet with no, one or a few things on it, in a light of its own.

    flat, other: (H, W, 3) uint8; some things take their texture from `other`.
    Returns the picture, and (H, W) float32, 0..1: how much of each pixel is hidden.
    """
    seen, hidden = f32(flat), np.zeros(flat.shape[:2], np.float32)
    for _ in range(0 if rng.random() < OPEN else int(rng.integers(1, 6))):
        if rng.random() < 0.2:
            # a lamp reflected by the paper
            h, w = flat.shape[:2]
            at, turn = rng.uniform(0, 1, 2) * (w, h), rng.uniform(0, pi)
            axes = cell_px * rng.uniform(0.3, 2.0), cell_px * rng.uniform(0.25, 0.7)
            lamp = mirrored_lamp((h, w), at, turn, axes, rng.choice((1.0, 3.0)))
            extra = f32(rng.uniform(60, 420) * lamp)
            lit = np.minimum(seen + extra[..., None] * f32(1 - 0.15 * rng.random(3)), 255)
            seen, hidden = f32(lit), np.maximum(hidden, f32(extra > GONE))
        else:
            seen, hidden = _thing(rng, seen, hidden, f32(other), cell_px)
    if rng.random() < 0.35:
        # (H, W): a shadow's edge across the sheet; it hides nothing
        h, w = flat.shape[:2]
        y, x = f32(np.mgrid[0:h, 0:w])
        turn = rng.uniform(0, tau)
        far = (x - rng.uniform(0, w)) * np.cos(turn) + (y - rng.uniform(0, h)) * np.sin(turn)
        soft = np.clip(far / rng.uniform(2, 60), -20, 20)
        seen = seen * f32(1 - rng.uniform(0.1, 0.55) / (1 + np.exp(-soft)))[..., None]
    return u8(np.clip(seen, 0, 255)), hidden


def _thing(rng: Rng, seen: F32, hidden: F32, other: F32, cell_px: float) -> Hidden:
    """A thing that hides what is below it, and its shadow."""
    h, w = hidden.shape
    size = cell_px * log_uniform(rng, 0.2, 1.2)
    at = rng.uniform(-0.1, 1.1, 2) * (w, h)
    if rng.random() < 0.6:  # in the middle of a cell, or nearly so
        at = (np.floor(at / cell_px) + 0.5 + FLAT_MARGIN + rng.normal(0, 0.2, 2)) * cell_px
    shape = any_of(rng, SHAPES)(rng, at, size)
    mask = _filled(shape, (h, w))
    if rng.random() < 0.75:
        slip = np.array([[1, 0, 0.0], [0, 1, 0]], np.float64)
        slip[:, 2] = rng.normal(0, 0.1, 2) * cell_px
        shadow = gaussian(cv2.warpAffine(mask, slip, (w, h)), rng.uniform(1, 8))
        seen = seen * f32(1 - rng.uniform(0.1, 0.6) * shadow)[..., None]
    body = _body(rng, seen, other, at, size)
    if rng.random() < 0.35:  # a side of it in another light
        side = _filled(shape + rng.normal(0, 0.5, 2) * size, (h, w))
        body = body * (1 + side * rng.uniform(-0.5, 0.6))[..., None]
    for _ in range(rng.integers(1, 7) if rng.random() < 0.3 else 0):  # spots, pips, letters
        spot = np.zeros((h, w), np.uint8)
        middle = at + rng.normal(0, 0.3, 2) * size
        radius = max(1, round(rng.uniform(0.02, 0.1) * cell_px))
        cv2.circle(spot, (int(middle[0]), int(middle[1])), radius, 255, -1, cv2.LINE_AA)
        body = paint(body, f32(spot / 255), _color(rng, seen))
    soft = gaussian(mask, rng.uniform(0.4, 1.6))
    return paint(seen, f32(soft), f32(np.clip(body, 0, 255))), np.maximum(hidden, mask)


def _color(rng: Rng, seen: F32) -> F32:
    """(3,): like paper, grey, or any colour."""
    which = rng.random()
    if which < 0.3:
        paper = np.percentile(seen[::8, ::8].reshape(-1, 3), 75, axis=0)
        return f32(np.clip(paper * rng.uniform(0.7, 1.12) + rng.normal(0, 6, 3), 0, 255))
    if which < 0.5:
        return f32(np.clip(rng.uniform(10, 250) + rng.normal(0, 8, 3), 0, 255))
    hue = (rng.integers(180), rng.integers(40, 256), rng.integers(20, 256))
    return f32(cv2.cvtColor(np.array([[hue]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0])


def _body(rng: Rng, seen: F32, other: F32, at: F64, size: float) -> F32:
    """(H, W, 3): the texture of a thing, as if it covered the whole picture."""
    h, w = seen.shape[:2]
    if rng.random() < 0.15:  # another piece of paper with something on it
        way = cv2.getRotationMatrix2D((w / 2, h / 2), rng.uniform(0, 360), 1.0)
        turn: F64 = np.array(way, np.float64)
        turn[:, 2] += rng.uniform(-0.3, 0.3, 2) * (w, h)
        return f32(cv2.warpAffine(other, turn, (w, h), borderMode=cv2.BORDER_REFLECT))
    shade = f32(1 + rng.uniform(0, 0.4) * smooth_noise(rng, (h, w), rng.uniform(3, 10)))
    if rng.random() < 0.4:
        shade = f32(shade + rng.uniform(0, 0.12) * smooth_noise(rng, (h, w), rng.uniform(40, 150)))
    if rng.random() < 0.4:  # round: brighter towards the light
        y, x = np.mgrid[0:h, 0:w]
        light = at + rng.normal(0, 0.5, 2) * size
        far = ((x - light[0]) ** 2 + (y - light[1]) ** 2) / (2 * size * size)
        shade = f32(shade * (0.6 + rng.uniform(0.3, 0.9) * np.exp(-far)))
    return f32(_color(rng, seen) * np.clip(shade, 0.2, 2)[..., None])


def mirrored_lamp(
    shape_hw: Size, at: F64, turn: float, axes: tuple[float, float], power: float
) -> F64:
    """(H, W), 0..1: an oval glare; power: 1 for a soft lamp, 3 for one with a rim."""
    y, x = f32(np.mgrid[0 : shape_hw[0], 0 : shape_hw[1]])
    u = ((x - at[0]) * np.cos(turn) + (y - at[1]) * np.sin(turn)) / axes[0]
    v = ((y - at[1]) * np.cos(turn) - (x - at[0]) * np.sin(turn)) / axes[1]
    return np.asarray(np.exp(-((u * u + v * v) ** power)))


def _filled(shape: F64, shape_hw: Size) -> F32:
    """(H, W), 0..1: coverage of each pixel by a polygon (N, 2)."""
    mask = np.zeros(shape_hw, np.uint8)
    cv2.fillPoly(mask, [np.round(shape * 8).astype(np.int32)], 255, cv2.LINE_AA, 3)
    return f32(mask / 255)


def _convex(rng: Rng, at: F64, size: float) -> F64:
    turn = np.sort(rng.uniform(0, tau, int(rng.integers(3, 10))))
    around = toward(turn) * rng.uniform(0.5, 1.2, (len(turn), 1))
    return np.asarray(cv2.convexHull(f32(at + size * around))[:, 0], np.float64)


def _rectangle(rng: Rng, at: F64, size: float) -> F64:
    sides = size * rng.uniform(0.6, 3), size * rng.uniform(0.5, 2)
    place = (at[0], at[1]), sides, rng.uniform(0, 180)
    return np.asarray(cv2.boxPoints(place), np.float64)


def _oval(rng: Rng, at: F64, size: float) -> F64:
    turn, angle = np.linspace(0, tau, 48), rng.uniform(0, pi)
    around = np.stack([np.cos(turn), rng.uniform(0.4, 1) * np.sin(turn)], 1) * size
    return np.asarray(at + around @ rotation(angle).T)


def _rod(rng: Rng, at: F64, size: float) -> F64:
    """Something long with a round end that reaches in from outside."""
    turn = np.linspace(pi / 2, 3 * pi / 2, 24)
    wide = size * rng.uniform(0.3, 0.9)
    tip = toward(turn) * wide
    around = np.concatenate([tip, [(2000, -wide), (2000, wide)]])
    return np.asarray(at + around @ rotation(rng.uniform(0, tau)).T)


def _edge(rng: Rng, at: F64, size: float) -> F64:
    """Everything beyond a line."""
    around = np.array([(0, -2000), (2000, -2000), (2000, 2000), (0, 2000)])
    return np.asarray(at + size + around @ rotation(rng.uniform(0, tau)).T)


def _box(rng: Rng, at: F64, size: float) -> F64:
    """The outline of a block seen askew."""
    place = (at[0], at[1]), (size * 0.8, size * 0.8), rng.uniform(0, 180)
    base = cv2.boxPoints(place)
    lifted = base + rng.normal(0, size * 0.25, 2)
    return np.asarray(cv2.convexHull(f32(np.vstack([base, lifted])))[:, 0], np.float64)


SHAPES: tuple[Callable[[Rng, F64, float], F64], ...] = (
    *(_convex, _rectangle, _oval, _rod, _box, _box),
    *(_convex, _oval, _rod, _edge),
)
"""Functions that return the outline (N, 2) of a thing of a given size at a place."""
