"""What can be written and read: ground that is pale enough where players draw, pens that show."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from kdscan.records import CELLS
from kdscan.sheet.layout import Layout
from kdscan.synth.fields import F32, U8, Rng, chance, f32
from kdscan.synth.ink import BODY, inked
from kdscan.synth.pens import Pen
from kdscan.synth.plate import Plate

DARKEST = 95.0
"""Brightness (0..255) below which a twentieth of the ground under shields and circles lies at most:
the sea of the publisher's box has 97. Pencil on less cannot be told from the ground."""

THIN = 0.07
"""Dark lines that are thinner, in cells, are drawings of hills and woods rather than land."""

PALER, BOLD = (0.5, 0.95), 0.15
"""Share of their darkness that such lines lose under shields and circles; and the share of sheets
on which they lose anything less."""

VISIBLE = 30.0
"""How far (0..255, root mean square of blue, green and red) a pen's line leaves at least nine
tenths of the ground it is drawn on: with less nobody sees what they draw. A guess from looking."""


def writable(page: U8, layout: Layout, px_per_mm: float, rng: Rng) -> U8:
    """A ground on which a careful person can read pencil: (H, W, 3) uint8 BGR, as `page`.

    Thin dark lines fade under shields and circles, and the whole is printed paler where these
    places are dark.
    """
    places = drawn_on(layout, page.shape[:2], px_per_mm)
    bold = chance(rng, BOLD)
    fade = float(rng.uniform(0, PALER[0]) if bold else rng.uniform(*PALER))
    side = 2 * round(THIN * min(layout.cell_mm) * px_per_mm / 2) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    closed = np.asarray(cv2.morphologyEx(page, cv2.MORPH_CLOSE, disc), np.uint8)
    edge = 0.04 * min(layout.cell_mm) * px_per_mm
    weight = f32(cv2.GaussianBlur(places, (0, 0), edge)) * np.float32(fade / 255)
    calm = np.asarray(cv2.blendLinear(closed, page, weight, 1 - weight), np.uint8)
    grey = np.asarray(cv2.cvtColor(closed, cv2.COLOR_BGR2GRAY), np.uint8)
    dark = float(np.quantile(grey[places > 127], 0.05))
    if dark >= DARKEST:
        return calm
    paler = (255 - DARKEST) / (255 - dark)
    return np.asarray(cv2.convertScaleAbs(calm, None, paler, 255 * (1 - paler)), np.uint8)


def shown(pen: Pen, ground: U8) -> Pen:
    """The pen, pressed harder and darker as far as it takes to see it; ground: (N, 3) BGR."""
    for _ in range(12):
        if float(np.quantile(_left(pen, ground), 0.1)) >= VISIBLE:
            break
        b, g, r = (0.8 * c for c in pen.bgr)
        pen = replace(pen, bgr=(b, g, r), opacity=min(1.15 * pen.opacity, 0.97))
    return pen


def _left(pen: Pen, ground: U8) -> F32:
    """(N,) how far a line leaves its ground."""
    covered = pen.opacity * (1 - 0.4 * pen.grain) * (1 - 0.5 * pen.skip)
    alpha = np.full(len(ground), covered, np.float32)
    body = BODY.get(pen.kind, 0.0)
    lines = [inked(paper, alpha, c, body) for paper, c in zip(ground.T, pen.bgr, strict=True)]
    return f32(np.sqrt(np.square(np.stack(lines, 1) - ground).mean(1)))


def drawn_on(layout: Layout, shape: tuple[int, int], px_per_mm: float) -> U8:
    """(H, W) uint8: 255 where shields and circles lie."""
    plate = Plate(np.zeros(shape, np.uint8), px_per_mm)
    white = (255.0, 255.0, 255.0)
    for at in CELLS:
        x, y = layout.center_mm(*at)
        plate.fill([(x + u, y + v) for u, v in layout.shield], white)
        for u, v in layout.circles:
            plate.circle((x + u, y + v), 1.3 * layout.circle_radius_mm, white, None)
    return plate.page
