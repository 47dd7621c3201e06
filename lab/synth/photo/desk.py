"""Table tops: procedural textures and real ones, as tiles that repeat by mirroring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from lab.synth.fields import F32, U8, Rng, any_of, fractal, noise, to_u8, u8, weighted
from lab.synth.raster import lit
from lab.synth.textures import SIDE, TEXTURES


@dataclass(frozen=True, eq=False)
class Desk:
    """A table top.

    tile: (H, W, 3) uint8, repeated by mirroring. width: of the tile, relative to the width of
    the view (1 fills it). angle: of the tile, radians.
    gloss: how strongly it reflects the light, a factor.
    """

    tile: U8
    width: float
    angle: float
    gloss: float


def load_surfaces(folder: Path | None) -> list[U8]:
    """Pictures of real table tops (H, W, 3) in a folder and those below it; none without one."""
    files = sorted(folder.rglob("*.*g")) if folder else []
    pictures = (cv2.imread(str(file)) for file in files)
    return [u8(bgr) for bgr in pictures if bgr is not None]


def plain_desk(bgr: F32) -> Desk:
    """One even colour, like a scanner's lid."""
    return Desk(np.full((8, 8, 3), np.round(bgr), np.uint8), 1.0, 0.0, 0.0)


def random_desk(rng: Rng, severity: float, paper_bgr: F32, surfaces: Sequence[U8] = ()) -> Desk:
    """A random table top: one of `surfaces` (BGR uint8) or a procedural one.

    paper_bgr: (3,) mean colour of the sheet; some tables have nearly the same colour.
    """
    angle = float(
        rng.choice([0.0, np.pi / 2]) + rng.normal(0, 0.3)
        if rng.random() < 0.6
        else rng.uniform(0, 2 * np.pi)
    )
    if surfaces and rng.random() < 0.5:
        tile = _borrowed(rng, any_of(rng, surfaces))
        return Desk(tile, float(10 ** rng.uniform(-0.6, 0.35)), angle, rng.uniform(0, 1))
    if rng.random() < 0.06 + 0.06 * severity:  # a table like paper
        like = np.clip(paper_bgr * rng.uniform(0.88, 1.08) + rng.normal(0, 4, 3), 0, 255)
        tile = to_u8(like.astype(np.float32) + 2 * noise(rng, (SIDE, SIDE), 200)[..., None])
        return Desk(tile, 1.0, angle, rng.uniform(0, 1))
    kind = weighted(rng, {name: weight for name, (_, weight) in TEXTURES.items()})
    tile = to_u8(TEXTURES[kind][0](rng))
    if rng.random() < 0.3:
        tile = _stained(rng, tile)
    glossy = 3.0 if kind == "dark" else rng.choice([0.1, 0.5, 1.5])
    return Desk(
        tile, float(10 ** rng.uniform(-0.35, 0.35)), angle, float(glossy * rng.uniform(0.5, 1.5))
    )


def _borrowed(rng: Rng, surface: U8) -> U8:
    """A piece of a real texture with its hue and brightness changed."""
    h, w = surface.shape[:2]
    part = rng.uniform(0.4, 1, 2)
    ph, pw = max(8, int(h * part[0])), max(8, int(w * part[1]))
    y, x = int(rng.integers(0, h - ph + 1)), int(rng.integers(0, w - pw + 1))
    tile = surface[y : y + ph, x : x + pw]
    scale = SIDE / max(tile.shape[:2])
    if scale < 1:
        size = (max(2, round(pw * scale)), max(2, round(ph * scale)))
        tile = u8(cv2.resize(tile, size, interpolation=cv2.INTER_AREA))
    mix = np.eye(3) * rng.uniform(0.6, 1.2) + rng.normal(0, 0.08, (3, 3))
    if rng.random() < 0.15:
        mix = mix[rng.permutation(3)]
    mix = np.hstack([mix, rng.normal(0, 10, (3, 1))]).astype(np.float32)
    return u8(cv2.transform(tile, mix))


def _stained(rng: Rng, tile: U8) -> U8:
    h, w = tile.shape[:2]
    tone = 1 + np.float32(rng.uniform(0.03, 0.2)) * fractal(rng, (h, w), rng.uniform(1.5, 8), 3)
    return lit(tile, tone)
