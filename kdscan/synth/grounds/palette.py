"""The colours of a map: full colour as on a box, sepia, pale, or any an artist might think of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np

from kdscan.synth.fields import LUMA, Color, Rng, as_bgr, color, weighted

INK_LEFT = 78.0
"""Least brightness (0..255) of a palette's darkest ground: marks would not show on darker paper."""


@dataclass(frozen=True)
class Palette:
    """Colours of grounds by height, and of what is drawn on them; BGR 0..255.

    ink: of outlines and signs. paper: of unprinted paper. accent: of roofs and roses.
    """

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


def luma(shade: Color) -> float:
    """Brightness of a colour, 0..255."""
    return float(np.dot(LUMA, shade))


def mixed(a: Color, b: Color, share: float) -> Color:
    """`a` with a share (0..1) of `b`."""
    x, y, z = (p + (q - p) * share for p, q in zip(a, b, strict=True))
    return x, y, z


def random_palette(rng: Rng, kind: str | None = None) -> Palette:
    """A palette of a kind ("full", "sepia", "soft", "wild"), or of any."""
    if kind is None:
        kind = weighted(rng, {"full": 0.52, "sepia": 0.26, "soft": 0.16, "wild": 0.06})
    made = {"full": _full, "sepia": _sepia, "soft": _soft, "wild": _wild}[kind](rng)
    return _each(made, _visible)


def _shade(
    rng: Rng, hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]
) -> Color:
    return as_bgr(color(rng, saturation, value, hue))


def _full(rng: Rng) -> Palette:
    """Blue seas, yellow shores, green meadows and woods; how strong is one lot for all."""
    strong = rng.uniform(0.65, 1.1)
    light = rng.uniform(0.8, 1.08)

    def shade(hue: tuple[float, float], s: tuple[float, float], v: tuple[float, float]) -> Color:
        low, high = (min(x * strong, 1.0) for x in s)
        dim, bright = (min(x * light, 1.0) for x in v)
        return _shade(rng, hue, (low, high), (dim, bright))

    sea = shade((185, 225), (0.45, 0.95), (0.45, 0.85))
    return Palette(
        deep=mixed(sea, (40, 20, 0), rng.uniform(0.0, 0.45)),
        sea=sea,
        foam=mixed(sea, (255, 255, 250), rng.uniform(0.25, 0.85)),
        sand=shade((34, 52), (0.25, 0.62), (0.72, 0.98)),
        meadow=shade((62, 125), (0.35, 0.75), (0.5, 0.85)),
        wood=shade((85, 160), (0.4, 0.8), (0.28, 0.6)),
        hill=shade((22, 60), (0.2, 0.55), (0.5, 0.8)),
        peak=shade((0, 360), (0.0, 0.15), (0.65, 1.0)),
        ink=_dark_ink(rng),
        paper=_shade(rng, (30, 55), (0.0, 0.25), (0.85, 1.0)),
        accent=_shade(rng, (350, 375), (0.6, 0.95), (0.55, 0.9)),
    )


def _sepia(rng: Rng) -> Palette:
    """One brown in several strengths; the sea may be lighter or darker than the land."""
    hue = rng.uniform(18, 48)
    strong = rng.uniform(0.15, 0.6)
    spread = rng.uniform(0.08, 0.3)
    top = rng.uniform(0.72, 0.98)

    def shade(depth: float) -> Color:
        value = float(np.clip(top - spread * depth + rng.normal(0, 0.02), 0.3, 1))
        full = float(np.clip(strong * (0.7 + 0.35 * depth) + rng.normal(0, 0.03), 0.02, 0.8))
        at = hue + rng.normal(0, 5)
        return _shade(rng, (at, at), (full, full), (value, value))

    order = [float(v) for v in rng.permutation(np.linspace(0, 1.6, 7))]
    if rng.random() < 0.3:  # a bluish or greenish wash on the sea
        sea = _shade(rng, (90, 210), (0.05, 0.3), (0.55, 0.85))
    else:
        sea = shade(order[0])
    return Palette(
        deep=mixed(sea, shade(1.8), rng.uniform(0, 0.6)),
        sea=sea,
        foam=shade(0.0),
        sand=shade(order[1] * 0.5),
        meadow=shade(order[2]),
        wood=shade(order[3] * 1.2),
        hill=shade(order[4]),
        peak=shade(order[5] * 0.4),
        ink=_shade(rng, (hue - 8, hue + 8), (0.35, 0.8), (0.16, 0.42)),
        paper=shade(-0.1),
        accent=_shade(rng, (0, 30), (0.4, 0.8), (0.35, 0.7)),
    )


def _soft(rng: Rng) -> Palette:
    """Full colours under much white: pastel."""
    share = rng.uniform(0.35, 0.75)
    full = _full(rng)
    white = _shade(rng, (20, 60), (0.0, 0.15), (0.92, 1.0))
    return _each(full, lambda c: c if c in (full.ink, full.accent) else mixed(c, white, share))


def _wild(rng: Rng) -> Palette:
    """Any colours: violet seas, red land, black and white."""
    a, b, c, d, e, f, g, h = (_shade(rng, (0, 360), (0.0, 0.75), (0.4, 1.0)) for _ in range(8))
    paper = _shade(rng, (0, 360), (0.0, 0.3), (0.75, 1.0))
    accent = _shade(rng, (0, 360), (0.5, 1), (0.4, 0.9))
    return Palette(a, b, c, d, e, f, g, h, _dark_ink(rng), paper, accent)


def _dark_ink(rng: Rng) -> Color:
    """Mostly brown or black, at times blue, green or red."""
    if rng.random() < 0.75:
        return _shade(rng, (12, 40), (0.0, 0.7), (0.1, 0.42))
    return _shade(rng, (0, 360), (0.2, 0.9), (0.15, 0.5))


def _visible(shade: Color) -> Color:
    """The colour, light enough to be drawn on."""
    short = INK_LEFT - luma(shade)
    return shade if short <= 0 else mixed(shade, (255, 255, 255), short / (255 - luma(shade)))


def _each(palette: Palette, change: Callable[[Color], Color]) -> Palette:
    """All grounds of the palette changed; ink and accent as they are."""
    new = {f.name: change(getattr(palette, f.name)) for f in fields(palette)}
    return Palette(**(new | {"ink": palette.ink, "accent": palette.accent}))
