"""From the light on the sensor to the file: focus, motion, noise, tone, sharpening, JPEG."""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.imaging.formats import jpeg
from lab.synth.fields import F32, LUMA, U8, Rng, f32, noise, u8

_PATCH = 640  # noise is drawn once in this size and repeated with flips


def develop(rng: Rng, image: U8, severity: float, detail_px: float, colored: bool = False) -> U8:
    """The phone's processing of the picture `image` (H, W, 3) before it is stored.

    severity: 0..1. detail_px: size of the smallest thing to be read (a cell of the grid, in
    pixels), which limits the blur, because nobody keeps a photo in which nothing can be read.
    colored: the picture is never stored in grey.
    """
    image = _focus(rng, image, severity, detail_px)
    if rng.random() < 0.35 * severity:
        length = float(
            rng.uniform(1.5, max(2.0, min(0.06 * detail_px, 12))) * (0.4 + 0.6 * severity)
        )
        streak = _streak(length, rng.uniform(0, np.pi))
        image = u8(cv2.filter2D(image, -1, streak))
    image = u8(cv2.transform(image, _colors(rng, severity, colored)))
    image = u8(cv2.LUT(image, _tone(rng, severity)))
    if rng.random() < 0.85:
        image = _grainy(rng, image, severity)
    if rng.random() < 0.45:
        soft = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.7, 2))
        amount = rng.uniform(0.2, 1.0)
        image = u8(cv2.addWeighted(image, 1 + amount, soft, -amount, 0))
    quality = int(rng.integers(round(90 - 50 * severity), 96))
    if rng.random() < 0.06 and not colored:
        image = _whitened(rng, image, detail_px)
    return compress(image, quality)


def compress(image: U8, quality: int) -> U8:
    """Encode as JPEG and decode again."""
    data = np.frombuffer(jpeg(image, quality), np.uint8)
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _focus(rng: Rng, image: U8, severity: float, detail_px: float) -> U8:
    if rng.random() < 0.35:
        return image
    worst = min(0.05 * detail_px, 7.0)
    radius = float(rng.uniform(0.3, max(0.6, worst)) * rng.uniform(0.25, 0.4 + 0.6 * severity))
    if rng.random() >= 0.3 * severity:
        return _defocus(image, radius)
    h, w = image.shape[:2]
    far = _defocus(image, min(2 * radius + 0.5, worst + 1))
    angle = rng.uniform(0, 2 * np.pi)
    x = np.linspace(-1, 1, w, dtype=np.float32) * np.float32(np.cos(angle))
    y = np.linspace(-1, 1, h, dtype=np.float32)[:, None] * np.float32(np.sin(angle))
    weight = np.clip(0.5 + 0.6 * (x + y) + np.float32(rng.uniform(-0.4, 0.4)), 0, 1)
    return u8(cv2.blendLinear(image, far, 1 - weight, weight))


def _defocus(image: U8, radius: float) -> U8:
    """Blur by a disc of `radius` pixels; if that is small, by a Gaussian of the same variance."""
    if radius < 1.2:
        return u8(cv2.GaussianBlur(image, (0, 0), max(radius / 2, 0.2)))
    k = int(np.ceil(radius))
    d = np.hypot(*np.mgrid[-k : k + 1, -k : k + 1])
    disc = f32(np.clip(radius + 0.5 - d, 0, 1))
    return u8(cv2.filter2D(image, -1, disc / disc.sum()))


def _streak(length: float, angle: float) -> F32:
    k = int(np.ceil(length / 2)) + 1
    y, x = np.mgrid[-k : k + 1, -k : k + 1]
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    line = np.clip(length / 2 + 0.5 - np.abs(along), 0, 1) * np.clip(1 - np.abs(across), 0, 1)
    return f32(line / line.sum())


def _colors(rng: Rng, severity: float, colored: bool) -> F32:
    """White balance and saturation as a matrix (3, 4)."""
    balance = np.exp(rng.normal(0, 0.02 + 0.06 * severity, 3))
    saturation = rng.uniform(0.6, 1.4)
    if rng.random() < 0.04 and not colored:
        saturation = 0.0
    grey = np.tile(LUMA, (3, 1))
    mix = saturation * np.diag(balance) + (1 - saturation) * grey
    return f32(np.hstack([mix, np.zeros((3, 1))]))


def _tone(rng: Rng, severity: float) -> U8:
    x = np.linspace(0, 1, 256)
    x = x ** float(np.exp(rng.normal(0, 0.05 + 0.13 * severity)))
    bend = rng.uniform(-0.25, 0.7) * (0.3 + 0.7 * severity)
    x = x + bend * (x - 0.5) * x * (1 - x) * 2  # an S for positive bends
    black, white = rng.uniform(0, 0.07 * severity), rng.uniform(1 - 0.1 * severity, 1.04)
    return u8(np.round(np.clip(black + (white - black) * x, 0, 1) * 255))


def _whitened(rng: Rng, image: U8, detail_px: float) -> U8:
    """What an app for scanning makes of a photo: every ground white, what is darker than it
    stronger."""
    small = cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    wide = 2 * round(rng.uniform(0.03, 0.08) * detail_px) + 1  # strokes vanish, filled shields stay
    ground = cv2.medianBlur(cv2.dilate(small, np.ones((wide, wide))), min(4 * wide - 1, 255))
    even = cv2.divide(image, cv2.resize(ground, image.shape[1::-1]), scale=255)
    black, white = rng.uniform(0, 80), rng.uniform(200, 250)
    tone = np.clip((np.arange(256) - black) / (white - black), 0, 1) * 255
    return u8(cv2.LUT(even, u8(tone)))


def _grainy(rng: Rng, image: U8, severity: float) -> U8:
    """Shot and read noise, sometimes smoothed into blotches by the phone."""
    strength = float(rng.uniform(0.3, 2) + severity * rng.uniform(0, 1) ** 3 * 14)
    patch = rng.standard_normal((_PATCH, _PATCH, 3), dtype=np.float32)
    luma = patch[..., :1] * np.float32(rng.uniform(0.6, 1.3))
    patch = patch * np.float32(rng.uniform(0.1, 0.9)) + luma
    if rng.random() < 0.6:
        size = rng.uniform(0.5, 1.8)
        patch = cv2.GaussianBlur(patch, (0, 0), size) * np.float32(1 + size)
    if rng.random() < 0.3:
        blotch = cv2.resize(
            noise(rng, (80, 80), 80), (_PATCH, _PATCH), interpolation=cv2.INTER_CUBIC
        )
        tint = f32(rng.normal(0, 0.6, 3))
        patch += blotch[..., None] * tint
    if strength > 6 and rng.random() < 0.5:
        image = u8(cv2.medianBlur(image, 3))
    h, w = image.shape[:2]
    reflect = cv2.BORDER_REFLECT
    field = cv2.copyMakeBorder(patch, 0, max(h - _PATCH, 0), 0, max(w - _PATCH, 0), reflect)[:h, :w]
    level = np.linspace(0, 1, 256)
    gain = strength * np.sqrt(0.25 + level * rng.uniform(0.2, 1.2)) * (1 - 0.7 * level**4)
    weight = cv2.LUT(image, f32(gain))
    cv2.multiply(field, weight, dst=weight)
    return u8(cv2.add(image, weight, dtype=cv2.CV_8U))
