"""The colours of a map: full colour as on the box, sepia, pale, or any an artist might choose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from lab.synth.fields import LUMA, WHITE, Color, Rng, shade, weighted

INK_LEFT = 78.0
"""Least brightness (0..255) of a palette's darkest ground: marks would not show on darker paper."""


@dataclass(frozen=True)
class Palette:
    """Colours of grounds by height, and of everything drawn on them; BGR 0..255. ink: of outlines
    and signs. paper: of unprinted paper. accent: of roofs and roses."""

    deep: Color
    sea: Color
    foam: Color
    sand: Color
    meadow: Color
    wood: Color
    hill: Color
    peak: Color
    ink: Color
    paper: Color
    accent: Color

    @property
    def grounds(self) -> tuple[Color, ...]:
        """The colours that areas have."""
        return (self.deep, self.sea, self.sand, self.meadow, self.wood, self.hill, self.peak)


def luma(color: Color) -> float:
    """Brightness of a colour, 0..255."""
    return float(np.dot(LUMA, color))


def mixed(a: Color, b: Color, share: float) -> Color:
    """`a` with a share (0..1) of `b`."""
    x, y, z = (p + (q - p) * share for p, q in zip(a, b, strict=True))
    return x, y, z


def random_palette(rng: Rng, kind: str | None = None) -> Palette:
    """A palette of a kind ("full", "sepia", "soft", "wild"), or of a random one."""
    if kind is None:
        kind = weighted(rng, {"full": 0.52, "sepia": 0.26, "soft": 0.16, "wild": 0.06})
    made = {"full": _full, "sepia": _sepia, "soft": _soft, "wild": _wild}[kind](rng)
    return _each(made, _visible)


def _full(rng: Rng) -> Palette:
    """Blue seas, yellow shores, green meadows and woods, all equally strong."""
    strong = rng.uniform(0.65, 1.1)
    light = rng.uniform(0.8, 1.08)

    def ours(hue: tuple[float, float], s: tuple[float, float], v: tuple[float, float]) -> Color:
        low, high = (min(x * strong, 1.0) for x in s)
        dim, bright = (min(x * light, 1.0) for x in v)
        return shade(rng, (low, high), (dim, bright), hue)

    sea = ours((185, 225), (0.45, 0.95), (0.45, 0.85))
    return Palette(
        deep=mixed(sea, (40, 20, 0), rng.uniform(0.0, 0.45)),
        sea=sea,
        foam=mixed(sea, (255, 255, 250), rng.uniform(0.25, 0.85)),
        sand=ours((34, 52), (0.25, 0.62), (0.72, 0.98)),
        meadow=ours((62, 125), (0.35, 0.75), (0.5, 0.85)),
        wood=ours((85, 160), (0.4, 0.8), (0.28, 0.6)),
        hill=ours((22, 60), (0.2, 0.55), (0.5, 0.8)),
        peak=ours((0, 360), (0.0, 0.15), (0.65, 1.0)),
        ink=_dark_ink(rng),
        paper=shade(rng, (0.0, 0.25), (0.85, 1.0), (30, 55)),
        accent=shade(rng, (0.6, 0.95), (0.55, 0.9), (350, 375)),
    )


def _sepia(rng: Rng) -> Palette:
    """One brown in several strengths; the sea may be lighter or darker than the land."""
    hue = rng.uniform(18, 48)
    strong = rng.uniform(0.15, 0.6)
    spread = rng.uniform(0.08, 0.3)
    top = rng.uniform(0.72, 0.98)

    def ours(depth: float) -> Color:
        value = float(np.clip(top - spread * depth + rng.normal(0, 0.02), 0.3, 1))
        full = float(np.clip(strong * (0.7 + 0.35 * depth) + rng.normal(0, 0.03), 0.02, 0.8))
        at = hue + rng.normal(0, 5)
        return shade(rng, (full, full), (value, value), (at, at))

    order = [float(v) for v in rng.permutation(np.linspace(0, 1.6, 7))]
    washed = rng.random() < 0.3  # in blue or green
    sea = shade(rng, (0.05, 0.3), (0.55, 0.85), (90, 210)) if washed else ours(order[0])
    return Palette(
        deep=mixed(sea, ours(1.8), rng.uniform(0, 0.6)),
        sea=sea,
        foam=ours(0.0),
        sand=ours(order[1] * 0.5),
        meadow=ours(order[2]),
        wood=ours(order[3] * 1.2),
        hill=ours(order[4]),
        peak=ours(order[5] * 0.4),
        ink=shade(rng, (0.35, 0.8), (0.16, 0.42), (hue - 8, hue + 8)),
        paper=ours(-0.1),
        accent=shade(rng, (0.4, 0.8), (0.35, 0.7), (0, 30)),
    )


def _soft(rng: Rng) -> Palette:
    """Full colours mixed with much white: pastel."""
    share = rng.uniform(0.35, 0.75)
    full = _full(rng)
    white = shade(rng, (0.0, 0.15), (0.92, 1.0), (20, 60))
    return _each(full, lambda c: c if c in (full.ink, full.accent) else mixed(c, white, share))


def _wild(rng: Rng) -> Palette:
    """Any colours: violet seas, red land, black and white."""
    a, b, c, d, e, f, g, h = (shade(rng, (0.0, 0.75), (0.4, 1.0), (0, 360)) for _ in range(8))
    paper = shade(rng, (0.0, 0.3), (0.75, 1.0), (0, 360))
    accent = shade(rng, (0.5, 1), (0.4, 0.9), (0, 360))
    return Palette(a, b, c, d, e, f, g, h, _dark_ink(rng), paper, accent)


def _dark_ink(rng: Rng) -> Color:
    """Mostly brown or black, sometimes blue, green or red."""
    if rng.random() < 0.75:
        return shade(rng, (0.0, 0.7), (0.1, 0.42), (12, 40))
    return shade(rng, (0.2, 0.9), (0.15, 0.5), (0, 360))


def _visible(color: Color) -> Color:
    """The colour, light enough to be drawn on."""
    short = INK_LEFT - luma(color)
    return color if short <= 0 else mixed(color, WHITE, short / (255 - luma(color)))


def _each(palette: Palette, change: Callable[[Color], Color]) -> Palette:
    """The palette with all its grounds changed; ink and accent stay the same."""
    new = {f.name: change(getattr(palette, f.name)) for f in fields(palette)}
    return Palette(**(new | {"ink": palette.ink, "accent": palette.accent}))
