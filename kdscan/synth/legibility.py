"""Legibility of drawn marks: ground that is pale enough where players draw, and pens that show on
it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from kdscan.records import CELLS
from kdscan.sheet.parts import Layout
from kdscan.synth.canvas import Canvas
from kdscan.synth.fields import F32, U8, Rng, chance, f32
from kdscan.synth.ink import BODY, inked
from kdscan.synth.pens import Pen

MIN_GROUND = 95.0
"""Least brightness (0..255) of the ground under shields and circles, as its 5% quantile: the sea of
the publisher's box has 97. Pencil on darker ground cannot be distinguished from it."""

THIN = 0.07
"""Cells: thinner dark lines are drawings of hills and woods rather than areas."""

PALER, BOLD = (0.5, 0.95), 0.15
"""Range of the share by which such lines are faded under shields and circles; and share of sheets
on which they may be faded less."""

MIN_CONTRAST = 30.0
"""Least contrast (0..255, root mean square over the channels) of a pen's line with nine tenths of
its ground, below which people cannot see what they draw. Estimated by eye."""


def lighten_ground(page: U8, layout: Layout, px_per_mm: float, rng: Rng) -> U8:
    """The page (H, W, 3) uint8 BGR, lightened until a careful person can read pencil on it.

    Thin dark lines are faded under shields and circles; if the ground there is still too dark, the
    whole page is lightened.
    """
    places = drawing_mask(layout, page.shape[:2], px_per_mm)
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
    if dark >= MIN_GROUND:
        return calm
    paler = (255 - MIN_GROUND) / (255 - dark)
    return np.asarray(cv2.convertScaleAbs(calm, None, paler, 255 * (1 - paler)), np.uint8)


def visible_pen(pen: Pen, ground: U8) -> Pen:
    """The pen, made darker and more opaque until it is visible; ground: (N, 3) uint8 BGR
    samples."""
    for _ in range(12):
        if float(np.quantile(_contrast_with(pen, ground), 0.1)) >= MIN_CONTRAST:
            break
        b, g, r = (0.8 * c for c in pen.bgr)
        pen = replace(pen, bgr=(b, g, r), opacity=min(1.15 * pen.opacity, 0.97))
    return pen


def _contrast_with(pen: Pen, ground: U8) -> F32:
    """(N,): contrast of a pen's line with each sample of its ground."""
    covered = pen.opacity * (1 - 0.4 * pen.grain) * (1 - 0.5 * pen.skip)
    alpha = np.full(len(ground), covered, np.float32)
    body = BODY.get(pen.kind, 0.0)
    lines = [inked(paper, alpha, c, body) for paper, c in zip(ground.T, pen.bgr, strict=True)]
    return f32(np.sqrt(np.square(np.stack(lines, 1) - ground).mean(1)))


def drawing_mask(layout: Layout, shape: tuple[int, int], px_per_mm: float) -> U8:
    """(H, W) uint8: 255 on shields and circles, where players draw."""
    canvas = Canvas(np.zeros(shape, np.uint8), px_per_mm)
    white = (255.0, 255.0, 255.0)
    for at in CELLS:
        x, y = layout.center_mm(*at)
        canvas.fill([(x + u, y + v) for u, v in layout.shield], white)
        for u, v in layout.circles:
            canvas.circle((x + u, y + v), 1.3 * layout.circle_radius_mm, white, None)
    return canvas.page
