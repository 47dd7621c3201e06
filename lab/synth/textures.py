"""Procedural table tops: wood, cloth, stone, tiles, prints; (SIDE, SIDE, 3) float32 BGR, 0..255."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import cv2
import numpy as np

from lab.synth import fields
from lab.synth.fields import F32, Rng, any_of, color, f32, paint, shade

SIDE = 896
"""Pixels along a side of a tile."""


def _noise(rng: Rng, bumps: float, stretch: float = 1.0) -> F32:
    return fields.noise(rng, (SIDE, SIDE), bumps, stretch)


def _fractal(rng: Rng, bumps: float, octaves: int, stretch: float = 1.0, gain: float = 0.55) -> F32:
    return fields.fractal(rng, (SIDE, SIDE), bumps, octaves, stretch, gain)


def _axes() -> tuple[F32, F32]:
    line = np.linspace(0, 1, SIDE, endpoint=False, dtype=np.float32)
    return line[None, :], line[:, None]


def _wood_color(rng: Rng) -> F32:
    kind = rng.integers(0, 5)
    if kind == 0:
        return color(rng, (0.0, 0.15), (0.3, 0.85))  # greyed or limed
    if kind == 1:
        return color(rng, (0.3, 0.6), (0.15, 0.35), (10, 30))  # dark
    if kind == 2:
        return color(rng, (0.1, 0.7), (0.3, 0.8))  # painted
    return color(rng, (0.25, 0.65), (0.45, 0.85), (15, 40))


def _grain(rng: Rng, base: F32, contrast: float, warp: float, rings: float) -> F32:
    _, y = _axes()
    bend = _noise(rng, rng.uniform(2, 5), 2.0) * warp
    waves = np.sin((y * rings + bend) * (2 * np.pi))
    fine = _noise(rng, 400, 40.0)
    coarse = _fractal(rng, 14, 3, 12.0)
    tone = contrast * (0.35 * waves + 0.35 * coarse + 0.3 * fine)
    dark = base * rng.uniform(0.3, 0.7)
    return paint(base, np.clip(0.4 + tone, 0, 1.3), f32(dark))


def _planks(rng: Rng) -> F32:
    base = _wood_color(rng)
    contrast, rings = rng.uniform(0.15, 1.0), rng.uniform(4, 30)
    sheet = _grain(rng, base, contrast, rng.uniform(0.2, 2.5), rings)
    count = int(rng.integers(1, 9))
    if count == 1:
        return sheet
    edges = np.linspace(0, SIDE, count + 1).astype(int)
    gap = int(rng.integers(0, 5))
    spread = rng.uniform(0, 0.22)
    for top, bottom in pairwise(edges):
        plank = sheet[top:bottom]
        plank[:] = np.roll(plank, int(rng.integers(0, SIDE)), 1)
        plank *= rng.normal(1, spread)
        plank[:gap] *= 0.35
        if rng.random() < 0.7:
            x = int(rng.integers(0, SIDE))
            plank[:, x:] *= rng.normal(1, spread)
            plank[:, x : x + gap] *= 0.4
    return sheet


def _parquet(rng: Rng) -> F32:
    base = _wood_color(rng)
    sheet = _grain(rng, base, rng.uniform(0.2, 0.8), 0.6, rng.uniform(8, 30))
    turned = np.ascontiguousarray(sheet.transpose(1, 0, 2))
    n = int(rng.integers(3, 8))
    step = SIDE // n
    for i in range(n):
        for j in range(n):
            box = np.s_[i * step : (i + 1) * step, j * step : (j + 1) * step]
            if (i + j) % 2:
                sheet[box] = turned[box]
            sheet[box] *= rng.normal(1, 0.12)
            sheet[i * step : (i + 1) * step, j * step : j * step + 2] *= 0.5
            sheet[i * step : i * step + 2, j * step : (j + 1) * step] *= 0.5
    return sheet


def _plain(rng: Rng) -> F32:
    base = color(rng, (0, 0.75), (0.1, 0.95))
    tone = rng.uniform(0, 5) * _noise(rng, 500)
    tone += rng.uniform(0, 8) * _fractal(rng, 4, 3, float(rng.choice([1, 1, 6])))
    return base + tone[..., None]


def _white(rng: Rng) -> F32:
    base = color(rng, (0, 0.08), (0.8, 1.0))
    return base + rng.uniform(0.5, 4) * _fractal(rng, 30, 4)[..., None]


def _dark(rng: Rng) -> F32:
    base = color(rng, (0, 0.5), (0.02, 0.14))
    tone = rng.uniform(0.5, 6) * _fractal(rng, 20, 4, float(rng.choice([1, 1, 10])))
    return base + tone[..., None]


def _weave(rng: Rng) -> F32:
    x, y = _axes()
    threads = rng.uniform(60, 220)
    px, py = np.sin(x * threads * 6.283), np.sin(y * threads * 6.283)
    over = px * py if rng.random() < 0.5 else np.sin((x + y) * threads * 4.4)
    tone = 0.6 * over + 0.5 * _noise(rng, threads * 2) + 0.3 * _noise(rng, 12)
    tone += 0.4 * _noise(rng, 300, 60.0)
    first = color(rng, (0, 0.8), (0.15, 0.9))
    other = (
        first * rng.uniform(0.45, 0.85) if rng.random() < 0.6 else color(rng, (0, 0.7), (0.1, 0.9))
    )
    return paint(first, np.clip(0.5 + 0.4 * tone, 0, 1), f32(other))


def _checked(rng: Rng) -> F32:
    x, y = _axes()
    n = float(rng.integers(2, 14))
    duty = rng.uniform(0.25, 0.6)
    a, b = f32(x * n % 1 < duty), f32(y * n % 1 < duty)
    if rng.random() < 0.4:  # a second, thin stripe
        a += 0.6 * (np.abs(x * n % 1 - 0.8) < 0.04)
        b += 0.6 * (np.abs(y * n % 1 - 0.8) < 0.04)
    mix = (a + b) / 2 if rng.random() < 0.7 else np.abs(a - b)
    mix = np.clip(mix + 0.07 * _noise(rng, 300), 0, 1)
    return paint(color(rng, (0, 0.25), (0.7, 1)), f32(mix), color(rng, (0.2, 0.9), (0.1, 0.8)))


def _marble(rng: Rng) -> F32:
    x, y = _axes()
    warp = _fractal(rng, 3, 5, gain=0.6)
    vein = np.abs(np.sin((x * rng.uniform(0.5, 3) + y * rng.uniform(0.5, 3) + 0.35 * warp) * 6.283))
    tone = np.exp(-vein * rng.uniform(2, 14)) * rng.uniform(0.3, 1)
    tone += 0.12 * _fractal(rng, 6, 4)
    return paint(
        color(rng, (0, 0.2), (0.05, 1)), np.clip(tone, 0, 1), color(rng, (0, 0.3), (0.1, 0.9))
    )


def _terrazzo(rng: Rng) -> F32:
    tile = np.empty((SIDE, SIDE, 3), np.uint8)
    tile[:] = np.round(color(rng, (0, 0.25), (0.3, 0.95)))
    palette = [shade(rng, (0, 0.5), (0.1, 1)) for _ in range(5)]
    size = rng.uniform(3, 22)
    for _ in range(int(min(900, 90000 / size**2))):
        t = np.sort(rng.uniform(0, 6.283, 6))
        r = size * rng.uniform(0.3, 1.5) * rng.uniform(0.5, 1, 6)
        points = rng.uniform(0, SIDE, 2) + np.stack([r * np.cos(t), r * np.sin(t)], 1)
        ink = any_of(rng, palette)
        cv2.fillPoly(tile, [np.round(points).astype(np.int32)], ink, cv2.LINE_AA)
    return f32(tile)


def _speckled(rng: Rng) -> F32:
    bumps = float(10 ** rng.uniform(1.2, 2.5))
    tone = _fractal(rng, bumps, 3, gain=0.8)
    out = paint(
        color(rng, (0, 0.35), (0.15, 0.85)),
        np.clip(0.5 + 0.35 * tone, 0, 1),
        color(rng, (0, 0.4), (0.1, 0.9)),
    )
    if rng.random() < 0.6:
        spots = np.clip((_noise(rng, bumps * 0.8) - 1.2) * 3, 0, 1)
        out += spots[..., None] * (color(rng, (0, 0.4), (0, 1)) - out)
    return out


def _weathered(rng: Rng) -> F32:
    """Old boards: deep, sharp streaks of several tones."""
    base = _wood_color(rng)
    field = _fractal(rng, rng.uniform(10, 30), 5, rng.uniform(5, 14), 0.7)
    bright = np.clip(0.5 + 0.45 * field, 0, 1) ** rng.uniform(0.7, 2)
    out = paint(f32(base * rng.uniform(0.15, 0.5)), bright, f32(np.minimum(base * 1.5, 245)))
    edges = np.linspace(0, SIDE, int(rng.integers(2, 7))).astype(int)
    for top, bottom in pairwise(edges):
        board = out[top:bottom]
        board[:] = np.roll(board, int(rng.integers(0, SIDE)), 1)
        board *= f32(rng.normal(1, 0.12, 3))
        board[: rng.integers(0, 4)] *= 0.4
    return out


def _blotches(rng: Rng) -> F32:
    stretch = float(rng.choice([1, 1, 3]))
    out = np.empty((SIDE, SIDE, 3), np.float32)
    out[:] = color(rng, (0, 0.6), (0.1, 0.9))
    calm = rng.random() < 0.6
    for _ in range(3):
        field = _fractal(rng, float(10 ** rng.uniform(0.3, 1.5)), 5, stretch, 0.65)
        edge = np.clip((field - rng.uniform(-0.3, 0.8)) * rng.uniform(1, 8), 0, 1)
        other = color(rng, (0, 0.6), (0.05, 0.95))
        if calm:  # tones of one colour
            other = f32(out[0, 0] * rng.uniform(0.4, 1.5) + rng.normal(0, 8, 3))
        out += edge[..., None] * (other - out)
    return out


def _pebbles(rng: Rng) -> F32:
    """Rough ground lit from the side: the slope of a height field."""
    height = _fractal(rng, rng.uniform(12, 90), 4, gain=0.6)
    across, down = (cv2.Sobel(height, cv2.CV_32F, *way, ksize=3) for way in ((1, 0), (0, 1)))
    slope = across + down
    slope = slope / np.float32(slope.std())
    base = color(rng, (0, 0.55), (0.3, 0.8))
    tone = rng.uniform(12, 45) * slope + 15 * height
    return f32(base + tone[..., None] * (base / base.max()))


def _tiles(rng: Rng) -> F32:
    n = int(rng.integers(2, 9))
    m = n if rng.random() < 0.6 else n * 2
    palette = np.stack([color(rng, (0, 0.5), (0.15, 0.95)) for _ in range(rng.integers(1, 4))])
    cells = palette[rng.integers(0, len(palette), (m, n))] * rng.normal(1, 0.06, (m, n, 1))
    out = f32(cv2.resize(f32(cells), (SIDE, SIDE), interpolation=cv2.INTER_NEAREST))
    out += rng.uniform(1, 12) * _fractal(rng, 12, 4)[..., None]
    grout, width = color(rng, (0, 0.3), (0.1, 0.95)), int(rng.integers(2, 14))
    for i in range(m):
        out[i * SIDE // m : i * SIDE // m + width] = grout
    for j in range(n):
        out[:, j * SIDE // n : j * SIDE // n + width] = grout
    if rng.random() < 0.3:  # every other row shifted, as bricks
        for i in range(0, m, 2):
            rows = out[i * SIDE // m : (i + 1) * SIDE // m]
            rows[:] = np.roll(rows, SIDE // n // 2, 1)
    return out


def _pattern(rng: Rng) -> F32:
    """Printed cloth or oilcloth: one motif, repeated."""
    n = int(rng.integers(3, 16))
    step = SIDE // n
    motif = np.empty((step, step, 3), np.uint8)
    motif[:] = np.round(color(rng, (0, 0.6), (0.2, 1)))
    for _ in range(rng.integers(1, 5)):
        ink = shade(rng, (0, 0.9), (0.05, 1))
        at = [int(v) for v in rng.uniform(0, step, 2)]
        size = max(1, int(rng.uniform(0.08, 0.4) * step))
        kind = rng.integers(0, 4)
        thick = -1 if rng.random() < 0.5 else max(1, step // 25)
        if kind == 0:
            cv2.circle(motif, at, size, ink, thick, cv2.LINE_AA)
        elif kind == 1:
            cv2.rectangle(motif, at, (at[0] + size, at[1] + size), ink, thick)
        elif kind == 2:
            cv2.line(motif, (0, at[1]), (step, at[1]), ink, max(1, step // 12), cv2.LINE_AA)
        else:
            axes, lean = (size, max(1, size // 3)), rng.uniform(0, 180)
            cv2.ellipse(motif, at, axes, lean, 0, 360, ink, thick, cv2.LINE_AA)
    tile = f32(np.tile(motif, (n + 1, n + 1, 1))[:SIDE, :SIDE])
    return tile + rng.uniform(1, 8) * _noise(rng, 250)[..., None]


TEXTURES: dict[str, tuple[Callable[[Rng], F32], float]] = {
    "weathered": (_weathered, 1.5),
    "planks": (_planks, 4),
    "parquet": (_parquet, 1),
    "plain": (_plain, 3),
    "white": (_white, 1.2),
    "dark": (_dark, 1.8),
    "weave": (_weave, 2),
    "checked": (_checked, 1.5),
    "marble": (_marble, 1.5),
    "terrazzo": (_terrazzo, 1),
    "speckled": (_speckled, 1.5),
    "blotches": (_blotches, 1.5),
    "pebbles": (_pebbles, 1.2),
    "tiles": (_tiles, 1.5),
    "pattern": (_pattern, 1.2),
}
"""The function that makes each texture, and the weight with which it is chosen."""
