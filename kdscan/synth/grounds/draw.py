"""The ground of a page: a family's drawing, its vignette and its frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kdscan.sheet.parts import Layout, rect
from kdscan.synth.canvas import Canvas
from kdscan.synth.fields import U8, Rng, chance, f32
from kdscan.synth.grounds import line_art, painted, photographic
from kdscan.synth.grounds.palette import Palette
from kdscan.synth.raster import wash

FAMILIES: dict[str, Callable[[Rng, Layout, float, Palette], U8]] = {
    "painted": painted.painted,
    "cartoon": painted.cartoon,
    "watercolour": painted.watercolour,
    "relief": painted.relief,
    "provinces": painted.provinces,
    "patchwork": painted.patchwork,
    "mosaic": painted.mosaic,
    "engraved": line_art.engraved,
    "etched": line_art.etched,
    "portolan": line_art.portolan,
    "charted": line_art.charted,
    "contours": line_art.contours,
    "woodcut": line_art.woodcut,
    "parchment": photographic.parchment,
    "surface": photographic.surface,
}


def draw_ground(family: str, rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """The page of a family with nothing but its ground: (H, W, 3) uint8 BGR.

    family: one of `FAMILIES`. scale: pixels a mm.
    """
    page = FAMILIES[family](rng, layout, scale, palette)
    if chance(rng, 0.25):
        _vignette(page, rng, palette)
    if chance(rng, 0.35):
        _frame(page, rng, layout, scale, palette)
    return page


def _vignette(page: U8, rng: Rng, palette: Palette) -> None:
    """Edges that darken, or fade into the paper, in place."""
    h, w = page.shape[:2]
    x = np.abs(np.linspace(-1, 1, w, dtype=np.float32))[None]
    y = np.abs(np.linspace(-1, 1, h, dtype=np.float32))[:, None]
    power = rng.uniform(2, 8)
    edge = (x**power + y**power) ** np.float32(1 / power)
    start = rng.uniform(0.6, 0.95)
    weight = f32(np.clip((edge - start) / (1.1 - start), 0, 1) * rng.uniform(0.3, 1.0))
    shade = np.array(palette.paper) if chance(rng, 0.5) else np.array(palette.ink) * 0.5 + 60
    wash(page, shade, weight)


def _frame(page: U8, rng: Rng, layout: Layout, scale: float, palette: Palette) -> None:
    """A white or tinted margin, lines around the map, or a scale of degrees; in place."""
    (gx, gy), (cw, ch), (w, h) = layout.grid_mm, layout.cell_mm, layout.page_mm
    room = min(gx, gy, w - gx - layout.cols * cw, h - gy - layout.rows * ch)
    m = rng.uniform(0.1, 0.8) * room
    plate = Canvas(page, scale)
    kind = rng.integers(0, 3)
    if kind == 0:
        px = max(1, round(m * scale))
        blank = np.round(palette.paper if chance(rng, 0.5) else (252, 252, 252)).astype(np.uint8)
        for side in (page[:px], page[-px:], page[:, :px], page[:, -px:]):
            side[:] = blank
    elif kind == 1 and room > 2:
        step = rng.uniform(0.15, 0.6) * cw
        thick = rng.uniform(0.3, 0.8) * m
        for i, at in enumerate(np.arange(m, w - m, step).tolist()):
            shade = palette.ink if i % 2 else palette.paper
            end = min(at + step, w - m)
            for y in (m, h - m - thick):
                plate.fill(rect(at, y, end, y + thick), shade)
        for i, at in enumerate(np.arange(m, h - m, step).tolist()):
            shade = palette.ink if i % 2 else palette.paper
            end = min(at + step, h - m)
            for x in (m, w - m - thick):
                plate.fill(rect(x, at, x + thick, end), shade)
    plate.stroke(rect(m, m, w - m, h - m), palette.ink, rng.uniform(0.2, 1.0))
    if chance(rng, 0.4):
        d = rng.uniform(0.6, 1.6)
        plate.stroke(rect(m + d, m + d, w - m - d, h - m - d), palette.ink, rng.uniform(0.15, 0.5))
