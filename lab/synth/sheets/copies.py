"""Prints as offices and clubs make them: photocopied, screened, or from an empty cartridge."""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.imaging.picture import sigmoid
from lab.synth.fields import F32, U8, Rng, f32, noise, to_u8, u8, weighted

COPIED = 0.1
"""Share of prints that come from a copier or a poor printer."""


def reproduced(rng: Rng, page: U8, px_per_mm: float, painted: bool) -> U8:
    """A print (H, W, 3) as it left the press, or a copy of it.

    painted: its ground carries most of the picture, which a hard copy would turn black.
    """
    if rng.random() >= COPIED:
        return page
    kind = weighted(rng, {"photocopy": 0.4, "screen": 0.3, "toner": 0.3})
    if kind == "toner":
        return _faded(rng, page, px_per_mm)
    grey = f32(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY))
    copy = (_photocopied if kind == "photocopy" else _screened)(rng, grey, px_per_mm, painted)
    return u8(cv2.cvtColor(to_u8(copy), cv2.COLOR_GRAY2BGR))


def _photocopied(rng: Rng, grey: F32, px_per_mm: float, painted: bool) -> F32:
    """Hard contrast, uneven edges, specks of dust; what was pale fades or turns grey."""
    grey = f32(cv2.GaussianBlur(grey, (0, 0), rng.uniform(0.08, 0.2) * px_per_mm))
    grain = 6 * f32(rng.normal(size=grey.shape))
    limit, slope = rng.uniform(110, 200), rng.uniform(40, 80) if painted else rng.uniform(8, 40)
    copy = 255 * sigmoid((grey + grain - limit) / slope)
    dust = f32(rng.random(grey.shape) < rng.exponential(0.004) / px_per_mm**2)
    size = rng.uniform(0.05, 0.12) * px_per_mm
    specks = f32(cv2.GaussianBlur(dust, (0, 0), size)) * 2 * np.pi * size**2
    black = rng.uniform(10, 60)
    return f32(np.maximum(copy - rng.uniform(100, 250) * np.minimum(specks, 1), black))


def _screened(rng: Rng, grey: F32, px_per_mm: float, painted: bool) -> F32:
    """Greys as the dots of a laser printer, 2 to 4 per millimetre."""
    h, w = grey.shape
    y, x = f32(np.mgrid[:h, :w])
    turn = rng.uniform(0, np.pi / 2)
    pitch = 2 * np.pi * rng.uniform(2, 4) / px_per_mm
    across, along = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
    dots = 127 + 60 * (np.cos(across * pitch) + np.cos(along * pitch))
    black = rng.uniform(0, 60)
    copy = np.where((grey > dots) | (grey > 250), 255, black)
    copy = f32(cv2.GaussianBlur(f32(copy), (0, 0), max(0.4, 0.08 * px_per_mm)))
    share = rng.uniform(0.2, 0.6) if painted else rng.uniform(0.4, 1)
    return f32(share * copy + (1 - share) * grey)


def _faded(rng: Rng, page: U8, px_per_mm: float) -> U8:
    """Pale stripes down the page, where a cartridge is empty."""
    h, w = page.shape[:2]
    at = np.arange(w, dtype=np.float32)
    fade = np.zeros((h, w), np.float32)
    for _ in range(int(rng.integers(1, 5))):
        width = rng.uniform(0.5, 8) * px_per_mm
        stripe = rng.uniform(0.2, 0.9) * np.exp(-(((at - rng.uniform(0, w)) / width) ** 2))
        fade = np.maximum(fade, stripe * (1 + 0.3 * noise(rng, (h, 1), 12)))
    fade = np.clip(fade + rng.uniform(0, 0.35), 0, 0.8)[..., None]
    return to_u8(page + (255 - f32(page)) * fade)
