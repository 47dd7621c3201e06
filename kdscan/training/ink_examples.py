"""Rectified sheets with masks of their ink, for the ink segmentation network."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import torch

from kdscan.imaging.rectify import FLAT_PX
from kdscan.synth.fields import F32, U8, Rng
from kdscan.synth.inked import inked_page
from kdscan.synth.raster import lit
from kdscan.synth.scene import Marks
from kdscan.training.dataset import WIDE_MARGIN, jpeg, random_own_page, unpack, worker_strokes
from kdscan.training.sheet_views import (
    as_batch,
    as_picture,
    degraded,
    dice_of,
    random_maps,
    warped,
)

MIN_INK, FULL_INK = 0.03, 0.12
"""Shares of light absorbed by ink that map to 0 and 1 in the target."""

OWN_SHARE, CLEAN_SHARE = 0.08, 0.1
"""Share of sheets with our own design, and of sheets with hardly any ink."""


@dataclass(frozen=True, eq=False)
class InkExample:
    """A rectified sheet, `FLAT_PX` pixels a cell, with margin `WIDE_MARGIN`.

    filled: JPEG. ink: PNG, grey, 0 for none and 255 for ink.
    """

    seed: int
    filled: bytes
    ink: bytes


def ink_example(first: int, number: int) -> InkExample:
    """The sheet of seed `first` + `number`; call `dataset.init_worker` first."""
    seed = first + number
    rng = np.random.default_rng([seed, 6])
    page = random_own_page(rng) if rng.random() < OWN_SHARE else None
    clean: tuple[Marks, bool] | None = ({}, False) if rng.random() < CLEAN_SHARE else None
    sheet = inked_page(
        rng, page=page, wild=rng.random() < 0.5, played=clean, strokes=worker_strokes()
    )
    filled = sheet.flat(sheet.page.bgr, FLAT_PX, WIDE_MARGIN)
    ink = np.clip(
        (sheet.flat(sheet.ink, FLAT_PX, WIDE_MARGIN) - MIN_INK) / (FULL_INK - MIN_INK), 0, 1
    )
    mask = np.round(ink * 255).astype(np.uint8)
    return InkExample(seed, jpeg(filled), cv2.imencode(".png", mask)[1].tobytes())


def ink_sample(rng: Rng, example: InkExample) -> tuple[U8, F32]:
    """A degraded sheet, slightly out of place and randomly mirrored, and its ink.

    Returns (672, 928, 3) uint8 and (672, 928) float32, 0..1.
    """
    dice = dice_of(rng)
    maps = random_maps(dice, 1)
    ink = np.asarray(cv2.imdecode(np.frombuffer(example.ink, np.uint8), cv2.IMREAD_GRAYSCALE))
    seen = as_picture(warped(as_batch(unpack(example.filled)), maps))
    mask = warped(as_batch(np.asarray(ink, np.uint8)[..., None]), maps)[0, 0].numpy()
    flat = as_picture(degraded(dice, as_batch(add_shadow(rng, seen)), torch.ones(1)))
    down, across = (int(rng.choice((1, -1))) for _ in range(2))
    where = mask[::down, ::across] / np.float32(255)
    return np.ascontiguousarray(flat[::down, ::across]), np.ascontiguousarray(where)


def add_shadow(rng: Rng, flat: U8) -> U8:
    """Darken half of the sheets, some of them with a shadow's edge across."""
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
