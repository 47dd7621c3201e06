"""Painted grounds: maps in full colour and in browns, flat, washed, in relief.

Each function takes a generator, the layout, the page's pixels per mm and the palette, and returns
the page (H, W, 3) uint8 BGR. Areas are drawn at half the page's resolution, lines and signs at
full resolution.
"""

from __future__ import annotations

from math import pi, tau

import cv2
import numpy as np

from kdscan.paper.layout import Layout
from kdscan.rules.duel.board import COLS, ROWS
from lab.synth.fields import (
    F32,
    U8,
    Canvas,
    Color,
    Rng,
    blend_into,
    f32,
    fractal,
    gaussian,
    lit,
    log_uniform,
    noise,
    stretched,
    toward,
    u8,
    wash,
)
from lab.synth.sheets.grounds.palette import Palette, luma, mixed
from lab.synth.sheets.grounds.signs import (
    COARSE,
    HILL,
    SHORE,
    Terrain,
    painter,
    populate,
    random_terrain,
    tinted,
)


def full_size(areas: U8, layout: Layout, scale: float) -> U8:
    """Coarse areas at the page's resolution."""
    w, h = (round(v * scale) for v in layout.page_mm)
    return stretched(areas, (w, h))


def textured(page: U8, tone: F32) -> U8:
    """The page, lightened and darkened by a share `tone` (H, W)."""
    return lit(page, f32(1 + tone))


def _areas(rng: Rng, terrain: Terrain, palette: Palette, soft: float) -> U8:
    """Sea, shore, meadow, wood and hills in their colours; soft: how wide the blends between them
    are, in heights."""
    surf = float(rng.choice([0.0, rng.uniform(0.03, 0.2)]))
    beach = SHORE * rng.uniform(0.4, 2.2)
    e = 0.01 + 0.4 * soft * SHORE
    top = HILL + rng.uniform(0.2, 1.0)
    stops = [(-2.0, palette.deep), (-0.5 - surf, palette.sea)]
    if surf:
        stops += [(-surf - e, palette.sea), (-surf + e, palette.foam)]
    else:
        stops += [(-e, palette.sea)]
    stops += [(e, palette.sand), (beach, palette.sand), (beach + 2 * e, palette.meadow)]
    stops += [(HILL - 4 * e, palette.meadow), (HILL + e, palette.hill), (top, palette.peak)]
    page = tinted(terrain.height, stops)
    wood = terrain.where("wood")
    blurred = gaussian(f32(wood), 0.6 + 4 * soft)
    weight = f32(blurred * rng.uniform(0.4, 1.0))
    wash(page, palette.wood, weight)
    return page


def coasts(canvas: Canvas, terrain: Terrain, shade: Color, mm: float) -> None:
    """Coastlines drawn with a pen."""
    for line in terrain.lines():
        canvas.line(line, shade, mm)


def _outlined(canvas: Canvas, rng: Rng, terrain: Terrain, palette: Palette, mm: float) -> None:
    """Coastlines, light or dark."""
    coasts(canvas, terrain, palette.ink if rng.random() < 0.7 else palette.foam, mm)


def _signs(
    canvas: Canvas, rng: Rng, terrain: Terrain, layout: Layout, palette: Palette, rich: float
) -> None:
    cell = min(layout.cell_mm)
    mm = log_uniform(rng, 0.006, 0.022) * cell
    ink = mixed(palette.ink, palette.sand, float(rng.choice([0, 0, rng.uniform(0.2, 0.7)])))
    second = palette.accent if rng.random() < 0.4 else palette.peak
    artist = painter(canvas, rng, ink, mm, palette.hill, second)
    populate(artist, terrain, layout, palette, rich)


def painted(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """A painter's map: soft shores, brush strokes, ships and woods."""
    terrain = random_terrain(rng, layout, scale)
    areas = _areas(rng, terrain, palette, rng.uniform(0.05, 1.0))
    if rng.random() < 0.6:
        # brush strokes, each in the colour underneath it, in place
        count = int(rng.integers(150, 900))
        reach = rng.uniform(0.06, 0.4) * 60
        h, w = areas.shape[:2]
        lean, jitter = rng.uniform(0, pi), rng.uniform(0.1, 1.5)
        at = rng.uniform(0, 1, (count, 2)) * (w - 1, h - 1)
        angles = lean + rng.normal(0, jitter, count)
        half = reach * rng.uniform(0.3, 1.0, count)
        step = toward(angles) * half[:, None]
        lighter = 1 + rng.normal(0, 0.06, (count, 1)) + rng.normal(0, 0.02, (count, 3))
        shades = np.clip(areas[at[:, 1].astype(int), at[:, 0].astype(int)] * lighter, 0, 255)
        ends = np.round(np.concatenate([at - step, at + step], 1)).astype(int).tolist()
        wide = np.maximum(1, np.round(reach * rng.uniform(0.1, 0.4, count))).astype(int).tolist()
        for (x0, y0, x1, y1), shade, thick in zip(ends, shades.tolist(), wide, strict=True):
            cv2.line(areas, (x0, y0), (x1, y1), shade, thick, cv2.LINE_AA)
    shape = areas.shape[:2]
    tone = rng.uniform(0, 0.1) * fractal(
        rng, shape, rng.uniform(4, 60), 3, float(rng.choice([1, 1, 4, 10]))
    )
    page = full_size(textured(areas, tone), layout, scale)
    if rng.random() < 0.5:
        page = textured(page, f32(rng.uniform(0.01, 0.06)) * noise(rng, page.shape[:2], 400))
    canvas = Canvas(page, scale)
    if rng.random() < 0.35:
        _outlined(canvas, rng, terrain, palette, rng.uniform(0.1, 0.5))
    _signs(canvas, rng, terrain, layout, palette, rng.uniform(0, 0.8))
    return page


def cartoon(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Flat areas with sharp edges, shores in bands, outlines."""
    terrain = random_terrain(rng, layout, scale, coarse=0.75)
    areas = _areas(rng, terrain, palette, 0.0)
    if rng.random() < 0.5:  # a second tone: shallow water, or light and dark meadows
        bands = np.floor(terrain.height * rng.uniform(1.5, 5)).astype(np.int64) % 2
        areas = textured(areas, f32(bands * rng.uniform(-0.12, 0.12)))
    page = full_size(areas, layout, scale)
    canvas = Canvas(page, scale)
    if rng.random() < 0.75:
        _outlined(canvas, rng, terrain, palette, rng.uniform(0.15, 0.8))
    _signs(canvas, rng, terrain, layout, palette, rng.uniform(0.2, 1.0))
    return page


def watercolour(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Washes that pool at their edges on rough paper, with or without a pen drawing over them."""
    terrain = random_terrain(rng, layout, scale)
    areas = _areas(rng, terrain, palette, rng.uniform(0.2, 1.5))
    soft = rng.uniform(2, 8)
    lit = f32(cv2.cvtColor(areas, cv2.COLOR_BGR2GRAY))
    pooled = np.abs(lit - gaussian(lit, soft)) / 255
    shape = areas.shape[:2]
    thin = 0.5 + 0.25 * fractal(rng, shape, rng.uniform(2, 12), 4)
    strength = np.clip(thin * rng.uniform(0.5, 1.3) + pooled * rng.uniform(0, 6), 0.05, 1)
    paper = np.full_like(areas, np.round(palette.paper))
    blend_into(paper, areas, f32(strength))
    page = full_size(paper, layout, scale)
    grain = f32(rng.uniform(0.01, 0.05)) * noise(rng, page.shape[:2], rng.uniform(150, 500))
    page = textured(page, grain)
    canvas = Canvas(page, scale)
    if rng.random() < 0.5:
        _outlined(canvas, rng, terrain, palette, rng.uniform(0.08, 0.35))
    _signs(canvas, rng, terrain, layout, palette, rng.uniform(0, 0.8))
    return page


def relief(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Heights in colours, lit from one side."""
    terrain = random_terrain(rng, layout, scale)
    areas = _areas(rng, terrain, palette, rng.uniform(0.2, 3.0))
    height = np.maximum(terrain.height, -0.2 if rng.random() < 0.7 else -9)
    a = rng.uniform(0, tau)
    slope = np.cos(a) * cv2.Sobel(height, cv2.CV_32F, 1, 0) + np.sin(a) * cv2.Sobel(
        height, cv2.CV_32F, 0, 1
    )
    tone = np.clip(slope / (3 * slope.std() + 1e-6), -1, 1) * rng.uniform(0.1, 0.45)
    page = full_size(textured(areas, f32(tone)), layout, scale)
    _signs(Canvas(page, scale), rng, terrain, layout, palette, rng.uniform(0, 0.5))
    return page


def _regions(rng: Rng, shape: tuple[int, ...], count: int, warp: float) -> np.ndarray:
    """(H, W) int32: a Voronoi diagram, the numbers of about `count` regions."""
    h, w = shape
    seeds = np.full(shape, 255, np.uint8)
    ys, xs = rng.integers(0, h, count), rng.integers(0, w, count)
    seeds[ys, xs] = 0
    _, labels = cv2.distanceTransformWithLabels(
        seeds, cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    if not warp:
        return np.asarray(labels, np.int32)
    reach = warp * np.sqrt(h * w / count)
    maps = [fractal(rng, shape, rng.uniform(4, 14), 4) * np.float32(reach) for _ in range(2)]
    y, x = f32(np.mgrid[0:h, 0:w])
    near, at = f32(labels), (x + maps[0], y + maps[1])
    moved = cv2.remap(near, *at, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.int32)


def provinces(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Realms in their own colours with borders between them, surrounded by sea."""
    terrain = random_terrain(rng, layout, scale)
    labels = _regions(rng, terrain.height.shape, int(rng.integers(8, 45)), rng.uniform(0.05, 0.25))
    shades = np.array(palette.grounds[2:])
    table = shades[rng.integers(0, len(shades), labels.max() + 1)]
    table = table + rng.normal(0, rng.uniform(3, 18), table.shape)
    areas = u8(np.clip(table, 60, 255))[labels]
    sea = terrain.where("sea") | terrain.where("shore")
    water = tinted(terrain.height, [(-2.0, palette.deep), (0.0, palette.sea)])
    areas = u8(np.where(sea[..., None] > 0, water, areas))
    page = full_size(areas, layout, scale)
    canvas = Canvas(page, scale)
    edges = cv2.morphologyEx(f32(labels), cv2.MORPH_GRADIENT, np.ones((3, 3))) > 0
    border = full_size(u8(edges & (sea == 0)) * 255, layout, scale)
    shade = palette.ink if rng.random() < 0.7 else palette.foam
    wash(page, shade, f32(f32(border) / 255 * rng.uniform(0.3, 1.0)))
    _outlined(canvas, rng, terrain, palette, rng.uniform(0.1, 0.6))
    _signs(canvas, rng, terrain, layout, palette, rng.uniform(0, 0.7))
    return page


def patchwork(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """A different landscape in each cell, with sharp, wavy or no edges."""
    terrain = random_terrain(rng, layout, scale, sea=0.0)
    h, w = terrain.height.shape
    y, x = f32(np.mgrid[0:h, 0:w])
    wavy = float(rng.choice([0, rng.uniform(0.02, 0.12)])) * min(layout.cell_mm)
    step = scale * COARSE
    bend = wavy * fractal(rng, (h, w), 20, 3) if wavy else 0.0
    (gx, gy), (cw, ch) = layout.grid_mm, layout.cell_mm
    col = np.clip(np.floor((x / step + bend - gx) / cw), -1, COLS).astype(int) + 1
    row = np.clip(np.floor((y / step + bend - gy) / ch), -1, ROWS).astype(int) + 1
    shades = np.array(palette.grounds)
    pick = rng.integers(0, len(shades), (ROWS + 2, COLS + 2))
    if rng.random() < 0.5:  # neighbours often alike, as domains are
        pick = np.repeat(np.repeat(pick, 2, 0), 2, 1)[: ROWS + 2, : COLS + 2]
    rim = int(rng.integers(0, len(shades)))
    pick[[0, -1]] = rim
    pick[:, [0, -1]] = rim
    table = shades[pick] * (1 + rng.normal(0, 0.06, (*pick.shape, 1)))
    areas = u8(np.clip(table, 50, 255))[row, col]
    tone = f32(rng.uniform(0.01, 0.12)) * fractal(rng, (h, w), rng.uniform(8, 80), 4)
    page = full_size(textured(areas, tone), layout, scale)
    kinds = np.where(terrain.wet > terrain.wooded, 0.5, np.where(pick[row, col] < 2, -1.0, 0.5))
    kinds = np.where(pick[row, col] >= 5, 1.5, kinds)
    signed = Terrain(f32(kinds), terrain.wet, terrain.wooded, terrain.px_per_mm)
    _signs(Canvas(page, scale), rng, signed, layout, palette, rng.uniform(0, 1))
    return page


def mosaic(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Small stones of many colours with joints between them."""
    terrain = random_terrain(rng, layout, scale)
    areas = _areas(rng, terrain, palette, 0.2)
    labels = _regions(rng, terrain.height.shape, int(rng.integers(900, 3500)), 0.0)
    first = np.zeros((labels.max() + 1, 3), np.uint8)
    first[labels.ravel()] = areas.reshape(-1, 3)
    tone = 1 + rng.normal(0, 0.1, (len(first), 1))
    stones = u8(np.clip(first * tone, 0, 255))[labels]
    joint = palette.paper if luma(palette.sea) < 150 else palette.ink
    edges = cv2.morphologyEx(f32(labels), cv2.MORPH_GRADIENT, np.ones((2, 2))) > 0
    stones[edges] = np.round(mixed(joint, palette.sand, 0.4))
    return full_size(stones, layout, scale)
