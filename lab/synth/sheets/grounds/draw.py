"""Families of grounds, how often each is chosen, and pages of them with vignette and frame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kdscan.errors import UsageError
from kdscan.paper.layout import Layout, rect
from kdscan.rules.duel.board import COLS, ROWS
from lab.synth.fields import U8, Canvas, Rng, any_of, f32, u8, wash, weighted
from lab.synth.sheets.grounds import line_art, painted
from lab.synth.sheets.grounds.palette import Palette

PALE = "paper"
"""Plain or faintly illustrated paper: the family that `page.bare_paper` draws."""

PALE_SHARE = 0.45
"""Share of random designs that are `PALE`; some of the others are pale as well."""

Families = dict[str, tuple[Callable[[Rng, Layout, float, Palette], U8], float]]

PAINTED: Families = {
    "painted": (painted.painted, 3.0),
    "cartoon": (painted.cartoon, 1.2),
    "watercolour": (painted.watercolour, 1.5),
    "relief": (painted.relief, 1.0),
    "provinces": (painted.provinces, 1.2),
    "patchwork": (painted.patchwork, 1.2),
}
ENGRAVED: Families = {
    "engraved": (line_art.engraved, 3.0),
    "etched": (line_art.etched, 1.5),
    "portolan": (line_art.portolan, 1.2),
    "charted": (line_art.charted, 1.2),
}
PHOTOGRAPHED: Families = {
    "parchment": (line_art.parchment, 1.0),
    "surface": (line_art.surface, 0.7),
}
"""Families by group: the function that draws each, and the weight with which it is chosen."""
HELD_OUT: Families = {
    "mosaic": (painted.mosaic, 0.0),
    "contours": (line_art.contours, 0.0),
    "woodcut": (line_art.woodcut, 0.0),
}
"""A fifth of the fifteen families: never drawn unless asked for by name, so that reading can be
measured on kinds of grounds that were never trained on."""

TRAINED = PAINTED | ENGRAVED | PHOTOGRAPHED
FAMILIES = TRAINED | HELD_OUT

GROUPS = {
    "pale": (PALE,),
    "painted": tuple(PAINTED),
    "sepia": tuple(PAINTED),
    "engraved": tuple(ENGRAVED),
    "photographed": tuple(PHOTOGRAPHED),
    "held-out": tuple(HELD_OUT),
}
"""Groups that can be asked for, and their families; sepia are painted ones in browns."""

_COLOURS = {"painted": "full", "sepia": "sepia"}
"""The kind of palette of a group that has one of its own."""


def asked_for(rng: Rng, ground: str | None) -> tuple[str | None, str | None]:
    """A family of a group, or the family of that name, and the kind of its palette; None: any.
    Raises UsageError if there is no such ground."""
    if ground in GROUPS:
        return any_of(rng, GROUPS[ground]), _COLOURS.get(ground)
    known = (*GROUPS, *FAMILIES)
    if ground is not None and ground not in known:
        raise UsageError(f"no ground {ground}; there are {', '.join(known)}")
    return ground, None


def random_family(rng: Rng) -> str:
    """A random family, never a held-out one."""
    weights = {name: weight for name, (_, weight) in TRAINED.items()}
    return PALE if rng.random() < PALE_SHARE else weighted(rng, weights)


def draw_ground(family: str, rng: Rng, layout: Layout, scale: float, palette: Palette) -> U8:
    """The page of a family with nothing but its ground: (H, W, 3) uint8 BGR. family: one of
    `FAMILIES`. scale: pixels per mm."""
    page = FAMILIES[family][0](rng, layout, scale, palette)
    if rng.random() < 0.25:
        # edges that darken, or fade into the paper, in place
        down, across = (np.abs(np.linspace(-1, 1, n, dtype=np.float32)) for n in page.shape[:2])
        power = rng.uniform(2, 8)
        edge = (across[None] ** power + down[:, None] ** power) ** (1 / power)
        start = rng.uniform(0.6, 0.95)
        weight = f32(np.clip((edge - start) / (1.1 - start), 0, 1) * rng.uniform(0.3, 1.0))
        pale = rng.random() < 0.5
        wash(page, np.array(palette.paper) if pale else np.array(palette.ink) * 0.5 + 60, weight)
    if rng.random() < 0.35:
        # a white or tinted margin, lines around the map, or a scale of degrees; in place
        (gx, gy), (cw, ch), (w, h) = layout.grid_mm, layout.cell_mm, layout.page_mm
        room = min(gx, gy, w - gx - COLS * cw, h - gy - ROWS * ch)
        m = rng.uniform(0.1, 0.8) * room
        plate = Canvas(page, scale)
        kind = rng.integers(0, 3)
        if kind == 0:
            px = max(1, round(m * scale))
            blank = u8(np.round(palette.paper if rng.random() < 0.5 else (252, 252, 252)))
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
        plate.outline(rect(m, m, w - m, h - m), palette.ink, rng.uniform(0.2, 1.0))
        if rng.random() < 0.4:
            d = rng.uniform(0.6, 1.6)
            plate.outline(
                rect(m + d, m + d, w - m - d, h - m - d), palette.ink, rng.uniform(0.15, 0.5)
            )
    return page
