"""The ink that a path leaves on paper.

Ink absorbs light: the page is multiplied by the ink's transmittance, so that print, tint and
texture show through thin ink, and overlapping strokes are darker. Opaque pigment such as
graphite also reflects light of its own, whatever is underneath.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from kdscan.imaging.arrays import sigmoid
from lab.synth.fields import F32, SHIFT, U8, Rng, Size, f32, fixed, gaussian, shrunk, toward, u8
from lab.synth.hands.strokes import Path, Pen, drift

TEXTURE = 1024
"""Side of the cached noise textures, in pixels."""

BODY = {
    "pencil": 0.75,
    "coloured": 0.55,
    "gel": 0.4,
    "ball": 0.15,
    "marker": 0.1,
    "crayon": 0.7,
    "wipe": 0.4,
}
"""How much of a pen's brightness on white paper is its own reflection, by kind: graphite and wax
lie on the paper and look the same on any ground (on dark blue even lighter in red); dyes only
filter its light. Guesses based on the materials."""


@dataclass(frozen=True, eq=False)
class Stroke:
    """A path with its ink: path in mm on the page; width and pressure relative to the pen's own.
    solid: the path is a closed outline whose inside is inked too."""

    path: Path
    width: float = 1.0
    pressure: float = 1.0
    solid: bool = False


Strokes = list[Stroke]


@dataclass(frozen=True, eq=False)
class Spared:
    """Discs that stay free of ink because the hand avoids them: (K, 2) centres and radius in mm.
    grazed: share of a disc up to which ink on it is kept."""

    centers: Path
    radius: float
    grazed: float = 0.0


@lru_cache(maxsize=4)
def _noise(blur: float) -> F32:
    """Return (TEXTURE, TEXTURE) float32 periodic noise, uniformly distributed in 0..1."""
    white = np.random.default_rng(round(blur * 100)).standard_normal((TEXTURE, TEXTURE))
    pad = int(4 * blur) + 2
    wide = np.pad(f32(white), pad, mode="wrap")
    soft = gaussian(wide, blur)[pad:-pad, pad:-pad]
    return f32(sigmoid(1.7 * (soft - soft.mean()) / soft.std()))


def noise_patch(shape: Size, blur: float, rng: Rng) -> F32:
    """Return a random (H, W) float32 piece of smooth noise in 0..1; blur is its scale in px."""
    texture = _noise(blur)
    h, w = shape
    if h > TEXTURE or w > TEXTURE:
        texture = np.tile(texture, (-(-h // TEXTURE), -(-w // TEXTURE)))
    y = int(rng.integers(0, texture.shape[0] - h + 1))
    x = int(rng.integers(0, texture.shape[1] - w + 1))
    return texture[y : y + h, x : x + w]


def _draw(canvas: U8, points: Path, stroke: Stroke, pen: Pen, px: float, rng: Rng) -> None:
    """Draw one stroke on a supersampled canvas, points in its pixels; px: its pixels per mm."""
    path = fixed(points - 0.5)
    base = stroke.width * pen.width * px
    if stroke.solid:
        cv2.fillPoly(canvas, [path], 235 * min(stroke.pressure, 1.0), shift=SHIFT)
    n = len(points)
    steady = pen.press < 0.08 and not pen.nib
    pieces = 1 if steady else max(1, min(16, n - 1))
    cuts = np.linspace(0, n - 1, pieces + 1).astype(int)
    level = np.full(pieces, stroke.pressure)
    if not steady:
        swing = np.clip(0.35 * pen.press * drift(pieces, rng, 1 + pieces / 8), -0.5, 0.4)
        level = level * (1 + swing)
    wide = base * (1 + 0.5 * (level / stroke.pressure - 1))
    if pen.nib:
        run = points[cuts[1:]] - points[cuts[:-1]]
        lean = np.abs(np.sin(np.arctan2(run[:, 1], run[:, 0]) - pen.nib_angle))
        wide = wide * (1 - pen.nib * (1 - lean))
    ink = np.clip(level * 255, 25, 255)
    thick = np.maximum(np.round(wide), 1).astype(int)
    for i in range(pieces):
        part = path[cuts[i] : cuts[i + 1] + 1]
        cv2.polylines(canvas, [part], False, ink[i], int(thick[i]), cv2.LINE_8, SHIFT)
    if pen.pool:
        for end in (0, -1):
            if rng.random() < pen.pool:
                r = max(1.0, 0.5 * base * rng.uniform(1.0, 1.0 + 0.6 * pen.pool))
                x, y = (int(v) for v in path[end])
                cv2.circle(canvas, (x, y), int(r * (1 << SHIFT)), 255, -1, cv2.LINE_8, SHIFT)


def lay_ink(
    page: U8,
    strokes: Iterable[Stroke],
    pen: Pen,
    rng: Rng,
    *,
    px_per_mm: float,
    fade: float = 1.0,
    blur_mm: float = 0.0,
    spare: Spared | None = None,
) -> None:
    """Draw strokes on a page, in place.

    page: (H, W, 3) uint8 BGR; the page's top left corner is the origin of the strokes.
    fade: share of the ink that is left (erased marks). blur_mm: how far it is smudged.
    spare: discs that stay free of this ink.
    """
    todo = [s for s in strokes if len(s.path) > 1]
    if not todo:
        return
    every = np.concatenate([s.path for s in todo])
    pad = max(s.width for s in todo) * pen.width * px_per_mm + 3 * blur_mm * px_per_mm + 2
    low, high = every.min(0) * px_per_mm - pad, every.max(0) * px_per_mm + pad
    box = box_on(page, low, high)
    if box is None:
        return
    # layers (H, W) float32 of coverage, 0..1
    w, h = box[2] - box[0], box[3] - box[1]
    s = 4 if w * h < 40_000 else 3 if w * h < 120_000 else 2
    if pen.width * px_per_mm > 3.0:  # wide lines look as good on a coarser canvas
        s = min(s, 3)
    layers = range(2 if pen.overlap and len(todo) > 1 else 1)
    canvases = [np.zeros((h * s, w * s), np.uint8) for _ in layers]
    for i, stroke in enumerate(todo):
        points = (stroke.path * px_per_mm - box[:2]) * s
        _draw(canvases[i % len(canvases)], points, stroke, pen, px_per_mm * s, rng)
    light: F32 = np.ones((h, w), np.float32)
    for canvas in canvases:
        cover = f32(shrunk(canvas, (w, h))) * (1 / 255)
        # what the paper's tooth and the pen's skips leave of it
        shape = (h, w)
        if pen.grain:
            fine, coarse = noise_patch(shape, 0.6, rng), noise_patch(shape, 1.7, rng)
            tooth = 0.6 * fine + 0.4 * coarse
            caught = cover * (1 - pen.grain * (1.25 - cover) * (1.9 * tooth - 0.35))
            cover = f32(np.clip(caught, 0, 1))
        if pen.skip:
            gaps = noise_patch(shape, 1.6, rng)
            cover = cover * f32(np.clip((gaps - pen.skip) * 6 + 0.5, 0.35, 1))
        light *= 1 - pen.opacity * fade * cover
    alpha = 1 - light
    soft = (blur_mm + pen.bleed) * px_per_mm
    if soft > 0.25:
        alpha = gaussian(alpha, soft)
    if spare is not None and len(spare.centers):
        # take the ink off the discs, with a slightly soft and uneven edge, in place
        origin = box[:2]
        radius = max(1, round(spare.radius * px_per_mm))
        near = (spare.centers * px_per_mm - origin > -radius).all(1)
        near &= (spare.centers * px_per_mm - origin < np.array(alpha.shape[::-1]) + radius).all(
            axis=1
        )
        for x, y in spare.centers[near] * px_per_mm:
            at = (round(float(x) - origin[0] - 0.5), round(float(y) - origin[1] - 0.5))
            if spare.grazed and _inked(alpha, at, radius) <= spare.grazed:
                continue
            reach = radius * (1.06 + 0.06 * np.abs(drift(len(_AROUND), rng, 2.5)))
            edge = np.array(at) + _AROUND * reach[:, None]
            cv2.fillPoly(alpha, [fixed(edge)], 0.0, cv2.LINE_AA, SHIFT)
    multiply(page, box[:2], alpha, pen.bgr, BODY.get(pen.kind, 0.0))


def box_on(page: U8, low: Path, high: Path, least: int = 2) -> tuple[int, int, int, int] | None:
    """Return the box x0, y0, x1, y1 of a page's pixels between two points (px); None if it has
    fewer than `least` on a side."""
    x0, y0 = (int(v) for v in np.maximum(np.floor(low), 0))
    x1, y1 = (int(v) for v in np.minimum(np.ceil(high), page.shape[1::-1]))
    return (x0, y0, x1, y1) if min(x1 - x0, y1 - y0) >= least else None


_AROUND = toward(np.linspace(0, 2 * np.pi, 17)[:-1])


def _inked(alpha: F32, at: tuple[int, int], radius: int) -> float:
    """Return the share of a disc that is under ink with at least a fourth of the largest
    coverage."""
    disc = np.zeros(alpha.shape, np.uint8)
    cv2.circle(disc, at, radius, 1, -1)
    under = alpha[disc > 0] > 0.25 * alpha.max()
    return float(under.mean()) if under.size else 0.0


def multiply(
    page: U8,
    origin: tuple[int, int],
    alpha: F32,
    bgr: tuple[float, float, float],
    body: float = 0.0,
) -> None:
    """Filter a patch of the page through ink, in place. alpha: (H, W), 0..1; origin x, y px.

    bgr: brightness of full ink on white paper, 0..1 per channel. body: the share of it that
    the ink itself reflects; the paper under it reflects the rest.
    """
    x, y = origin
    h, w = alpha.shape
    patch = page[y : y + h, x : x + w]
    for channel, through in enumerate(bgr):
        patch[..., channel] = u8(inked(patch[..., channel], alpha, through, body) + 0.5)


def inked(paper: U8, alpha: F32, through: float, body: float) -> F32:
    """How bright paper is under ink, in one channel of `multiply`."""
    own = through * body
    lit = paper * (1 - alpha * (1 - through + own))
    if own:
        lit += alpha * (255 * own)
    return lit
