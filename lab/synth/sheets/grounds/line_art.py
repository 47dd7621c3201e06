"""Families of grounds that are engraved, woven or photographed rather than painted."""

from __future__ import annotations

from math import pi, tau

import cv2
import numpy as np

from kdscan.paper.layout import Layout
from lab.synth.fields import (
    F32,
    U8,
    Canvas,
    Color,
    Rng,
    Size,
    any_of,
    f32,
    fractal,
    gaussian,
    log_uniform,
    noise,
    shrunk,
    stretched,
    to_u8,
    toward,
    wash,
)
from lab.synth.sheets.grounds.painted import coasts, full_size, textured
from lab.synth.sheets.grounds.palette import INK_LEFT, Palette, mixed
from lab.synth.sheets.grounds.signs import (
    Artist,
    Terrain,
    painter,
    populate,
    random_terrain,
    rose,
    tinted,
)
from lab.synth.textures import TEXTURES


def _shape(layout: Layout, scale: float) -> tuple[int, int]:
    w, h = layout.page_mm
    return round(h * scale), round(w * scale)


def _fibres(rng: Rng, shape: Size, count: int) -> F32:
    """Short curved threads, lighter and darker than the paper; (H, W) about -1..1."""
    canvas = np.full(shape, 128, np.uint8)
    h, w = shape
    for _ in range(count):
        at = rng.uniform(0, 1, 2) * (w, h)
        angle = rng.uniform(0, pi) + np.cumsum(rng.normal(0, 0.35, 6))
        path = at + np.cumsum(toward(angle) * w / 160, 0)
        tone = int(128 + rng.normal(0, 45))
        cv2.polylines(canvas, [np.round(path).astype(np.int32)], False, tone, 1, cv2.LINE_AA)
    return f32((f32(canvas) - 128) / 90)


def parchment(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Old paper: clouds, fibres, stains, creases, burnt edges, sometimes a few signs."""
    shape = _shape(layout, scale)
    tone = f32(rng.uniform(0.02, 0.12)) * fractal(rng, shape, rng.uniform(1.5, 8), 5)
    tone += f32(rng.uniform(0, 0.05)) * fractal(rng, shape, rng.uniform(40, 200), 3)
    tone += f32(rng.uniform(0, 0.12)) * _fibres(rng, shape, int(rng.integers(0, 220)))
    for _ in range(rng.poisson(2)):  # creases
        a, along = rng.uniform(0, pi), rng.uniform(0.1, 0.9, 2) * shape[::-1]
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
    tile = shrunk(np.clip(kind(rng), 0, 255), (side, side))[:h, :w]
    mean = float(tile.mean())
    calm = rng.uniform(0.15, 0.6)
    light = rng.uniform(max(130.0, INK_LEFT), 225)
    tinted = mean + (tile - mean) * calm + (light - mean)
    if rng.random() < 0.5:
        tinted = tinted * (f32(palette.sand) / max(palette.sand))
    return to_u8(f32(tinted + noise(rng, (h, w), 300)[..., None] * 1.5))


def _paper(rng: Rng, layout: Layout, scale: float, palette: Palette, terrain: Terrain) -> U8:
    """Bare paper, or a faint wash of land and sea."""
    wash = float(rng.choice([0.0, rng.uniform(0.1, 0.9)]))
    sea, land = (mixed(palette.paper, c, wash) for c in (palette.sea, palette.sand))
    wood = mixed(land, palette.meadow, wash * rng.uniform(0, 0.8))
    areas = tinted(terrain.height, [(-0.02, sea), (0.02, land), (0.6, land), (1.2, wood)])
    shape = areas.shape[:2]
    tone = rng.uniform(0.0, 0.06) * fractal(rng, shape, rng.uniform(3, 40), 4)
    page = full_size(textured(areas, tone), layout, scale)
    if rng.random() < 0.5:
        page = textured(page, f32(rng.uniform(0.005, 0.03)) * noise(rng, page.shape[:2], 350))
    return page


def _ink_color(rng: Rng, palette: Palette) -> Color:
    """The ink, sometimes diluted to a pale one."""
    return mixed(palette.ink, palette.paper, float(rng.choice([0.0, rng.uniform(0.1, 0.65)])))


def _line_mm(rng: Rng, layout: Layout) -> float:
    return log_uniform(rng, 0.006, 0.02) * min(layout.cell_mm)


def _screen(rng: Rng, page: U8, darkness: F32, pitch_px: float, angle: float, bend: float) -> F32:
    """Hatching (H, W) 0..1 whose lines widen where `darkness` (H, W), 0..1, grows."""
    h, w = page.shape[:2]
    x = np.arange(w, dtype=np.float32)[None] * np.float32(np.cos(angle) / pitch_px)
    y = np.arange(h, dtype=np.float32)[:, None] * np.float32(np.sin(angle) / pitch_px)
    phase = x + y
    if bend:
        phase = phase + f32(bend) * fractal(rng, (h, w), rng.uniform(3, 12), 2)
    ramp = np.abs(phase - np.round(phase)) * 2  # 0 in the middle of a line, 1 between lines
    return f32(np.clip((darkness - ramp) * (pitch_px * 0.5) + 0.5, 0, 1))


def engraved(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """A copperplate: coasts with water lines, hills, woods, waves, roads, ships, all in lines."""
    terrain = random_terrain(rng, layout, scale)
    page = _paper(rng, layout, scale, palette, terrain)
    plate, ink, mm = Canvas(page, scale), _ink_color(rng, palette), _line_mm(rng, layout)
    coasts(plate, terrain, ink, mm * 1.5)
    steps = int(rng.choice([0, 0, 2, 4, 7]))
    gap = rng.uniform(0.04, 0.15)
    for i in range(1, steps + 1):  # water lines along the coast
        for line in terrain.lines(-gap * i):
            plate.line(line, mixed(ink, palette.paper, 0.5 * i / steps), mm * 0.7)
    bare = rng.random() < 0.4
    fill = None if bare else mixed(palette.paper, palette.sand, rng.uniform(0, 0.7))
    artist = Artist(plate, rng, ink, mm, fill, fill, rng.uniform(0.01, 0.08))
    populate(artist, terrain, layout, palette, rng.uniform(0.4, 1.0))
    return page


def etched(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Light and shade by hatching everywhere: land, sea, hills."""
    terrain = random_terrain(rng, layout, scale)
    page = _paper(rng, layout, scale, palette, terrain)
    shade = terrain.height if rng.random() < 0.5 else -terrain.height
    dark = 0.25 + rng.uniform(0.05, 0.25) * shade + rng.uniform(0, 0.2) * terrain.wet
    where = str(rng.choice(["all", "sea", "land"]))
    if where != "all":
        keep = terrain.height < 0 if where == "sea" else terrain.height > 0
        dark = dark * keep
    h, w = page.shape[:2]
    most = rng.uniform(0.25, 0.6)
    tone = stretched(f32(np.clip(dark, 0, most)), (w, h))
    pitch = max(3.0, rng.uniform(0.03, 0.11) * min(layout.cell_mm) * scale)
    angle, ink = rng.uniform(0, pi), _ink_color(rng, palette)
    bend = float(rng.choice([0.0, rng.uniform(0.1, 2.0)]))
    cover = _screen(rng, page, tone, pitch, angle, bend)
    if rng.random() < 0.4:
        cross = _screen(rng, page, tone * 1.4 - 0.25, pitch, angle + 1.2, bend)
        cover = np.maximum(cover, cross)
    wash(page, ink, cover * rng.uniform(0.4, 1.0))
    plate, mm = Canvas(page, scale), _line_mm(rng, layout)
    coasts(plate, terrain, ink, mm * 1.4)
    artist = Artist(plate, rng, ink, mm, palette.paper, palette.paper)
    populate(artist, terrain, layout, palette, rng.uniform(0, 0.6))
    return page


def portolan(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """A nautical chart: lines from many compass roses across everything, coasts with names."""
    terrain = random_terrain(rng, layout, scale, sea=rng.uniform(0.3, 0.8))
    page = _paper(rng, layout, scale, palette, terrain)
    plate, mm = Canvas(page, scale), _line_mm(rng, layout)
    w, h = layout.page_mm
    inks = (_ink_color(rng, palette), palette.accent, palette.wood)
    rays = int(rng.choice([8, 16, 32]))
    centres = rng.uniform(-0.1, 1.1, (int(rng.integers(1, 5)), 2)) * (w, h)
    for cx, cy in centres.tolist():
        for i in range(rays):
            a = tau * i / rays
            far = (cx + 2 * (w + h) * np.cos(a), cy + 2 * (w + h) * np.sin(a))
            faint = mixed(inks[i % 3 if rays > 8 else 0], palette.paper, rng.uniform(0, 0.6))
            plate.line([(cx, cy), far], faint, mm * 0.6)
    ink = inks[0]
    for line in terrain.lines():
        plate.line(line, ink, mm * 2)
        for x, y in line[:: max(2, int(rng.integers(4, 12)))][:40]:
            if 0 < x < w and 0 < y < h and rng.random() < 0.3:
                name = "".join(rng.choice(list("aeiornstlmcd"), int(rng.integers(3, 8))))
                plate.text((x, y), name, 0.09 * min(layout.cell_mm), ink, rng)
    artist = Artist(plate, rng, ink, mm, palette.paper, palette.accent)
    for cx, cy in centres.tolist():
        rose(artist, (cx, cy), min(layout.cell_mm) * rng.uniform(0.5, 1.3))
    populate(artist, terrain, layout, palette, 0.4)
    return page


def charted(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """A surveyor's sheet: hachures along coasts, soundings, a net of meridians, spot symbols."""
    terrain = random_terrain(rng, layout, scale)
    page = _paper(rng, layout, scale, palette, terrain)
    plate, ink, mm = Canvas(page, scale), _ink_color(rng, palette), _line_mm(rng, layout)
    cell, (w, h) = min(layout.cell_mm), layout.page_mm
    for line in terrain.lines():
        plate.line(line, ink, mm * 1.5)
        long = rng.uniform(0.04, 0.14) * cell
        points = np.array(line)
        ahead = np.diff(points, axis=0)
        reach = np.linalg.norm(ahead, axis=1, keepdims=True) + 1e-9
        across = ahead[:, ::-1] / reach * (-1.0, 1.0) * long
        for p, d in list(zip(points[:-1].tolist(), across.tolist(), strict=True))[::2]:
            plate.line([(p[0], p[1]), (p[0] + d[0], p[1] + d[1])], ink, mm * 0.7)
    if rng.random() < 0.6:  # a net that is not the grid
        pitch = cell * float(rng.choice([0.37, 0.71, 1.43, 2.3]))
        faint = mixed(ink, palette.paper, rng.uniform(0.3, 0.8))
        lean = rng.normal(0, 0.15)
        for i in np.arange(-h * abs(lean) - pitch, w + h * abs(lean), pitch):
            plate.line([(float(i), 0.0), (float(i) + lean * h, h)], faint, mm * 0.6)
        for i in np.arange(0, h, pitch):
            plate.line([(0.0, float(i)), (w, float(i) - lean * h)], faint, mm * 0.6)
    for x, y in terrain.spots(rng, "sea", rng.uniform(0.25, 0.8) * cell, 160):
        plate.text((x, y), str(int(rng.integers(1, 99))), 0.08 * cell, ink, rng)
    for x, y in terrain.spots(rng, "meadow", rng.uniform(0.3, 1.0) * cell, 90):
        lot = rng.integers(0, 4)
        if lot == 0:
            plate.circle((x, y), 0.03 * cell, ink, None)
        elif lot == 1:
            plate.circle((x, y), 0.045 * cell, ink, mm)
        elif lot == 2:
            d = 0.04 * cell
            plate.line([(x - d, y - d), (x + d, y + d)], ink, mm)
            plate.line([(x + d, y - d), (x - d, y + d)], ink, mm)
    artist = Artist(plate, rng, ink, mm, None, None)
    populate(artist, terrain, layout, palette, 0.4)
    return page


def contours(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Lines of equal height, every fifth bolder, over a faint tint."""
    terrain = random_terrain(rng, layout, scale)
    page = _paper(rng, layout, scale, palette, terrain)
    h, w = page.shape[:2]
    height = f32(cv2.resize(terrain.height, (w, h), interpolation=cv2.INTER_CUBIC))
    height = gaussian(height, rng.uniform(4, 12))
    phase = height * rng.uniform(3, 9)
    steep = np.hypot(cv2.Sobel(phase, cv2.CV_32F, 1, 0), cv2.Sobel(phase, cv2.CV_32F, 0, 1)) / 8
    wide = np.float32(max(0.6, _line_mm(rng, layout) * scale * 0.5))
    near = np.abs(phase - np.round(phase)) / np.maximum(steep, 1e-4)
    bold = np.where(np.round(phase) % 5 == 0, 2 * wide, wide)
    wash(page, _ink_color(rng, palette), f32(np.clip(bold - near + 0.5, 0, 1)))
    return page


def woodcut(rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """Broad cuts that follow the land: black lines that swell and taper, hardly any halftone."""
    terrain = random_terrain(rng, layout, scale)
    page = _paper(rng, layout, scale, palette, terrain)
    h, w = page.shape[:2]
    height = f32(cv2.resize(terrain.height, (w, h), interpolation=cv2.INTER_CUBIC))
    grain = noise(rng, (h, w), rng.uniform(25, 60), rng.uniform(5, 12))
    cut = grain + rng.uniform(0.2, 0.8) * np.sin(height * 9)
    limit = f32(np.where(height < 0, rng.uniform(1.1, 1.7), rng.uniform(1.4, 2.2)))
    wash(page, _ink_color(rng, palette), f32(np.clip((cut - limit) * 6, 0, 1)))
    plate = Canvas(page, scale)
    coasts(plate, terrain, palette.ink, 0.03 * min(layout.cell_mm))
    artist = Artist(plate, rng, palette.ink, 2 * _line_mm(rng, layout), None, palette.ink)
    populate(artist, terrain, layout, palette, 0.5)
    return page
