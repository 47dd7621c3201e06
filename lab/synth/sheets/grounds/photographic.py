"""Photographic grounds: old paper, cloth, stone, wood."""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.paper.parts import Layout
from lab.synth.canvas import Canvas
from lab.synth.fields import F32, U8, Rng, any_of, f32, fractal, noise, to_u8, toward
from lab.synth.sheets.grounds.palette import INK_LEFT, Palette
from lab.synth.sheets.grounds.populate import populate, random_terrain
from lab.synth.sheets.grounds.signs import painter
from lab.synth.textures import TEXTURES


def _shape(layout: Layout, scale: float) -> tuple[int, int]:
    w, h = layout.page_mm
    return round(h * scale), round(w * scale)


def _fibres(rng: Rng, shape: tuple[int, int], count: int) -> F32:
    """Short curved threads, lighter and darker than the paper; (H, W) about -1..1."""
    canvas = np.full(shape, 128, np.uint8)
    h, w = shape
    for _ in range(count):
        at = rng.uniform(0, 1, 2) * (w, h)
        angle = rng.uniform(0, np.pi) + np.cumsum(rng.normal(0, 0.35, 6))
        path = at + np.cumsum(toward(angle) * w / 160, axis=0)
        tone = int(128 + rng.normal(0, 45))
        cv2.polylines(canvas, [np.round(path).astype(np.int32)], False, tone, 1, cv2.LINE_AA)
    return f32((f32(canvas) - 128) / 90)


def parchment(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Old paper: clouds, fibres, stains, creases, burnt edges, sometimes a few signs."""
    shape = _shape(layout, scale)
    tone = f32(rng.uniform(0.02, 0.12)) * fractal(rng, shape, rng.uniform(1.5, 8), 5)
    tone += f32(rng.uniform(0, 0.05)) * fractal(rng, shape, rng.uniform(40, 200), 3)
    tone += f32(rng.uniform(0, 0.12)) * _fibres(rng, shape, int(rng.integers(0, 220)))
    for _ in range(int(rng.poisson(2))):  # creases
        a, along = rng.uniform(0, np.pi), rng.uniform(0.1, 0.9, 2) * shape[::-1]
        far = toward(a) * 3 * max(shape)
        crease = np.zeros(shape, np.float32)
        ends = [tuple(int(v) for v in along + s * far) for s in (-1, 1)]
        cv2.line(crease, ends[0], ends[1], rng.uniform(-0.15, 0.15), 2, cv2.LINE_AA)
        tone += crease
    base = f32(palette.paper)
    stain = np.clip(fractal(rng, shape, rng.uniform(2, 6), 4) - 0.7, 0, 1)
    page = base * (1 + tone[..., None]) - stain[..., None] * f32([60, 38, 18]) * np.float32(
        rng.choice([0, rng.uniform(0.1, 1.0)])
    )
    out = to_u8(f32(page))
    if rng.random() < 0.6:
        terrain = random_terrain(rng, layout, scale)
        cell = min(layout.cell_mm)
        artist = painter(
            Canvas(out, scale), rng, palette.ink, 0.012 * cell, palette.sand, palette.accent
        )
        populate(artist, terrain, layout, palette, rng.uniform(0.1, 0.7))
    return out


def surface(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """A picture of wood, cloth, stone or the like, pale enough to be drawn on."""
    names = [name for name in TEXTURES if name not in ("dark", "checked", "pattern", "tiles")]
    kind, _ = TEXTURES[any_of(rng, names)]
    h, w = _shape(layout, scale)
    side = max(h, w)
    tile = cv2.resize(np.clip(kind(rng), 0, 255), (side, side), interpolation=cv2.INTER_AREA)[
        :h, :w
    ]
    mean = float(tile.mean())
    calm = rng.uniform(0.15, 0.6)
    light = rng.uniform(max(130.0, INK_LEFT), 225)
    tinted = mean + (tile - mean) * calm + (light - mean)
    if rng.random() < 0.5:
        tinted = tinted * (f32(palette.sand) / max(palette.sand))
    return to_u8(f32(tinted + noise(rng, (h, w), 300)[..., None] * 1.5))
