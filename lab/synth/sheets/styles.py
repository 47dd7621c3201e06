"""The style in which a random layout is printed: paper or a map's ground, colours, outlines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from lab.synth.fields import WHITE, Color, Rng, any_of, as_bgr, weighted
from lab.synth.sheets.grounds.draw import ENGRAVED, PALE, random_family
from lab.synth.sheets.grounds.palette import Palette, luma, mixed, random_palette


@dataclass(frozen=True)
class PrintStyle:
    """How a layout is printed. Lengths in mm, colours BGR 0..255.

    seed: of everything random on the page (texture, ornaments).
    circle_mm: 0 for circles without an outline.
    family, palette: of the ground (`grounds`); no palette for `PALE` paper.
    line_veil, shield_veil, circle_veil: opacity of lines and of the fill of shields and
        circles, 0..1.
    shield_light: a second outline, inside the first.
    emboss: strength of light and shade at the shields' edges, as if embossed, 0..1.
    """

    seed: int
    paper: Color
    paper_grain: float
    illustration: float
    cell_fill: Literal["none", "tint", "checker", "boxes"]
    cell_tint: Color
    line_color: Color
    line_mm: float
    frame: Literal["none", "single", "double", "rounded"]
    shield_color: Color
    shield_mm: float
    shield_fill: Color | None
    shield_inner: bool
    circle_color: Color
    circle_mm: float
    circle_fill: Color | None
    castle_color: Color
    castle_fill: Color | None
    roof_fill: Color | None
    title: str
    ornaments: int
    legend: bool
    family: str = PALE
    palette: Palette | None = None
    line_veil: float = 1.0
    shield_veil: float = 1.0
    shield_light: Color | None = None
    emboss: float = 0.0
    circle_veil: float = 1.0


_TITLES = (
    "Terra",
    "Map of the realm",
    "Kingdom",
    "My kingdom",
    "Regnum",
    "DUEL",
    "Mapa",
    "Carte",
    "Score",
    "Royaume",
    "Player A",
    "The Seven Vales",
    "Domains",
    "Mapa krolestwa",
    "Shire",
    "Kingdom map no. 7",
    "",
)


def _dark(rng: Rng, low: float = 20, high: float = 150) -> Color:
    """A printing colour: mostly grey or brown, sometimes blue, green or red."""
    value = rng.uniform(low, high)
    tint = rng.normal(0, 1, 3) * rng.choice([0, 8, 25], p=[0.4, 0.35, 0.25])
    return as_bgr(np.clip(value + tint, 0, 215))


def _pale(rng: Rng, low: float, spread: float) -> Color:
    return as_bgr(np.clip(rng.uniform(low, 255) + rng.normal(0, spread, 3), 120, 255))


def random_style(rng: Rng, family: str | None = None, colours: str | None = None) -> PrintStyle:
    """A random style for a layout.

    family: of the ground; if None, a random one that is not held out.
    colours: the kind of palette of a map (`random_palette`), random if None.
    """
    style = _on_paper(rng)
    family = family or random_family(rng)
    return style if family == PALE else _on_map(rng, style, family, colours)


def _on_paper(rng: Rng) -> PrintStyle:
    """A style for plain or faintly illustrated paper."""

    def maybe(p: float, color: Color) -> Color | None:
        return color if rng.random() < p else None

    white = rng.random() < 0.3
    paper = _pale(rng, 238, 3) if white else _pale(rng, 190, 16)
    warm = rng.random() < 0.35
    if warm and not white:
        paper = (paper[0] * rng.uniform(0.7, 0.95), paper[1] * rng.uniform(0.9, 0.99), paper[2])
    tint = as_bgr([np.clip(c + rng.normal(0, 14), 110, 255) for c in paper])
    return PrintStyle(
        seed=int(rng.integers(0, 2**31)),
        paper=paper,
        paper_grain=float(rng.choice([0.0, 1.5, 4.0, 9.0]) * rng.uniform(0.5, 1.5)),
        illustration=float(rng.choice([0.0, rng.uniform(0.03, 0.18)], p=[0.6, 0.4])),
        cell_fill=weighted(rng, {"none": 0.6, "tint": 0.1, "checker": 0.1, "boxes": 0.2}),
        cell_tint=tint,
        line_color=_dark(rng, 40, 190),
        line_mm=rng.uniform(0.15, 0.7),
        frame=weighted(rng, {"none": 0.3, "single": 0.35, "double": 0.2, "rounded": 0.15}),
        shield_color=_dark(rng, 20, 175),
        shield_mm=rng.uniform(0.15, 0.8),
        shield_fill=maybe(0.5, _pale(rng, 215, 10)),
        shield_inner=rng.random() < 0.12,
        circle_color=_dark(rng, 20, 175),
        circle_mm=rng.uniform(0.12, 0.45),
        circle_fill=maybe(0.4, _pale(rng, 225, 8)),
        castle_color=_dark(rng),
        castle_fill=maybe(0.6, as_bgr(rng.uniform(60, 235, 3))),
        roof_fill=maybe(0.2, _pale(rng, 185, 22)),
        title=any_of(rng, _TITLES),
        ornaments=int(rng.choice([0, 1, 2, 4])),
        legend=rng.random() < 0.15,
    )


def _on_map(rng: Rng, style: PrintStyle, family: str, colours: str | None) -> PrintStyle:
    """The style with lines, shields, circles and castle as mapmakers print them on a ground."""
    palette = random_palette(rng, colours)
    fine = family in ENGRAVED
    ground = palette.paper if fine else palette.sea
    light = luma(ground) if fine else float(np.mean([luma(shade) for shade in palette.grounds]))
    dim = light < 165
    white = mixed(WHITE, palette.paper, rng.uniform(0, 1))
    dark = mixed(palette.ink, ground, float(rng.choice([0.0, rng.uniform(0.05, 0.4)])))
    line = white if rng.random() < (0.65 if dim else 0.3) else dark
    # fill, its opacity, outline, second outline and embossing of shields on a map
    look = weighted(rng, {"clear": 0.3, "veiled": 0.37, "solid": 0.18, "embossed": 0.15})
    veil = {"clear": 0.0, "solid": 1.0}.get(look, rng.uniform(0.2, 0.85))
    emboss = rng.uniform(0.35, 1.0) if look == "embossed" else 0.0
    edge = dark
    if look in ("clear", "veiled") and dim and rng.random() < 0.4:
        edge = white
    second = None
    if rng.random() < 0.2:
        second = white if edge is dark else dark
    if look == "embossed" and rng.random() < 0.5:
        veil = 0.0
    disc = rng.random() < 0.55
    ring = not disc or rng.random() < 0.5
    ring_color = white if dim and not disc and rng.random() < 0.4 else dark
    faint = mixed(ring_color, ground, float(rng.choice([0.0, rng.uniform(0.1, 0.45)])))
    return replace(
        style,
        family=family,
        palette=palette,
        cell_fill="none" if rng.random() < 0.92 else style.cell_fill,
        cell_tint=palette.sand,
        line_color=line,
        line_veil=float(rng.choice([1.0, rng.uniform(0.35, 0.95)])),
        frame="none" if rng.random() < 0.5 else style.frame,
        shield_color=edge,
        shield_fill=None if veil == 0 else white,
        shield_veil=veil,
        shield_light=second,
        emboss=emboss,
        shield_inner=rng.random() < 0.06,
        circle_color=faint,
        circle_mm=style.circle_mm if ring else 0.0,
        circle_fill=white if disc else None,
        circle_veil=float(rng.choice([1.0, rng.uniform(0.4, 0.95)])),
        castle_color=palette.ink,
        castle_fill=palette.sand if rng.random() < 0.8 else style.castle_fill,
        roof_fill=palette.accent if rng.random() < 0.6 else style.roof_fill,
    )
