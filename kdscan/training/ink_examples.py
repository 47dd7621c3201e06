"""Flat sheets of which every pixel of ink is known, for the network that tells ink from print."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from kdscan.imaging.rectify import FLAT_PX
from kdscan.synth.fields import F32, U8, Rng
from kdscan.synth.inked import inked_page
from kdscan.synth.raster import lit
from kdscan.synth.scene import Marks
from kdscan.training.augment import flat_map, worn
from kdscan.training.dataset import WIDE_MARGIN, any_own_page, jpeg, strokes_at_hand, unpack

FAINT, CLEAR = 0.03, 0.12
"""Shares of light that ink takes: less than the first is none, more than the second is ink."""

OWN_SHARE, CLEAN_SHARE = 0.08, 0.1
"""Share of sheets that are our own, and of those that show hardly any ink."""


@dataclass(frozen=True, eq=False)
class InkExample:
    """A flat sheet, `FLAT_PX` a cell and `WIDE_MARGIN` around it.

    filled: JPEG. ink: PNG, grey, 0 for none and 255 for ink.
    """

    seed: int
    filled: bytes
    ink: bytes


def ink_example(first: int, number: int) -> InkExample:
    """The sheet of seed `first` + `number`; call `dataset.begin` first."""
    seed = first + number
    rng = np.random.default_rng([seed, 6])
    page = any_own_page(rng) if rng.random() < OWN_SHARE else None
    clean: tuple[Marks, bool] | None = ({}, False) if rng.random() < CLEAN_SHARE else None
    sheet = inked_page(
        rng, page=page, wild=rng.random() < 0.5, played=clean, strokes=strokes_at_hand()
    )
    filled = sheet.flat(sheet.page.bgr, FLAT_PX, WIDE_MARGIN)
    ink = np.clip((sheet.flat(sheet.ink, FLAT_PX, WIDE_MARGIN) - FAINT) / (CLEAR - FAINT), 0, 1)
    mask = np.round(ink * 255).astype(np.uint8)
    return InkExample(seed, jpeg(filled), cv2.imencode(".png", mask)[1].tobytes())


def ink_sample(rng: Rng, example: InkExample) -> tuple[U8, F32]:
    """The sheet as a camera might show it, a little out of place, mirrored by lot, and its ink.

    Returns (672, 928, 3) uint8 and (672, 928) float32, 0..1.
    """
    map_x, map_y = flat_map(rng)
    filled = unpack(example.filled)
    ink = np.asarray(cv2.imdecode(np.frombuffer(example.ink, np.uint8), cv2.IMREAD_GRAYSCALE))
    seen = cv2.remap(filled, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    mask = cv2.remap(ink, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    flat = worn(rng, shaded(rng, np.asarray(seen, np.uint8)), 1.0)
    down, across = (int(rng.choice((1, -1))) for _ in range(2))
    where = np.asarray(mask, np.float32)[::down, ::across] / np.float32(255)
    return np.ascontiguousarray(flat[::down, ::across]), np.ascontiguousarray(where)


def shaded(rng: Rng, flat: U8) -> U8:
    """Half of the time darker, and now and then with a shadow's edge across."""
    if rng.random() < 0.5:
        return flat
    h, w = flat.shape[:2]
    light = np.full((h, w), rng.uniform(0.45, 1.0), np.float32)
    if rng.random() < 0.5:
        angle, soft = rng.uniform(0, 2 * np.pi), rng.uniform(0.005, 0.05) * w
        x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
        far = (x - w / 2) * np.cos(angle) + (y - h / 2) * np.sin(angle)
        edge = np.clip((far - rng.uniform(-0.3, 0.3) * w) / soft, -20, 20)
        light = np.asarray(light * (1 - rng.uniform(0.1, 0.4) / (1 + np.exp(-edge))), np.float32)
    return lit(flat, light)
