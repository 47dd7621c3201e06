"""Other things that get onto a sheet: writing, sums, stray marks, smudges, coffee.

Lengths in mm on the page.
"""

from __future__ import annotations

from math import pi

import cv2
import numpy as np

from lab.synth.canvas import fill
from lab.synth.fields import U8, Rng, f32, gaussian, toward, u8
from lab.synth.hands.bank import StrokeBank
from lab.synth.hands.habits import WRITERS
from lab.synth.hands.ink import Stroke, Strokes, box_on, multiply, noise_patch
from lab.synth.hands.strokes import Path, line, ring, rounded, turned


def number(text: str, at: Path, height: float, rng: Rng) -> Strokes:
    """Return the strokes of digits and signs; other characters are blank. at: top left corner."""
    strokes = []
    slant = rng.normal(0.1, 0.15)
    width = height * rng.uniform(0.5, 0.7)
    for i, sign in enumerate(text):
        for corners in WRITERS["digits"].get(sign, ()):
            path = np.array(corners) + rng.normal(0, 0.05, (len(corners), 2))
            path = rounded(rounded(path)) * (width, height)
            path[:, 0] += slant * (height - path[:, 1]) + i * width * 1.25
            strokes.append(Stroke(at + path))
    return strokes


def word(at: Path, height: float, letters: int, rng: Rng) -> Strokes:
    """Return meaningless joined-up writing: loops, humps, some high or low letters."""
    pen_lifts = 0.25 if rng.random() < 0.5 else 0.75
    slant = rng.normal(0.2, 0.25)
    x = 0.0
    paths: list[list[tuple[float, float]]] = [[]]
    for _ in range(letters):
        wide = rng.uniform(0.6, 1.1)
        top = -0.9 if rng.random() < 0.22 else 0.0
        low = 1.75 if rng.random() < 0.12 else 1.0
        k = int(rng.integers(2, 4))
        for j in range(k):
            y = (top if j % 2 == 0 else low) + rng.normal(0, 0.12)
            paths[-1].append((x + wide * (j + rng.uniform(-0.4, 0.4)) / k, y))
        if rng.random() < 0.4:
            paths[-1] += [(x + wide * 0.1, 0.5), (x + wide, 0.9)]
        x += wide
        if rng.random() < pen_lifts:
            paths.append([])
    strokes = []
    for points in paths:
        if len(points) > 1:
            path = rounded(rounded(np.array(points))) * height * 0.55
            path[:, 0] += slant * (height - path[:, 1])
            strokes.append(Stroke(at + path))
    return strokes


def total(rng: Rng) -> str:
    """Return a sum, as players jot it down."""
    terms = [str(int(rng.integers(1, 40))) for _ in range(rng.integers(1, 7))]
    if rng.random() < 0.3:
        terms = [f"{rng.integers(2, 9)}x{rng.integers(1, 6)}" for _ in terms[:4]]
    end = f"={rng.integers(20, 99)}" if rng.random() < 0.6 else ""
    return "+".join(terms) + end


def writing(at: Path, room: float, height: float, rng: Rng, bank: StrokeBank | None) -> Strokes:
    """Return one line of writing: words, a sum or real letters, at most `room` mm wide."""
    lot = rng.random()
    if lot < 0.35:
        text = total(rng)
        strokes = number(text[: max(1, int(room / (0.8 * height)))], at, height, rng)
    elif bank is not None and lot < 0.5:
        strokes, x, who = [], 0.0, rng.random()
        while x < min(room, 12 * height) - height and len(strokes) < 14:
            mark = bank.pick("glyph", who, rng)
            if mark is None:
                break
            strokes += [Stroke(at + (p + 1) * height / 2 + (x, 0)) for p in mark]
            x += height * rng.uniform(0.7, 1.1)
    else:
        most = max(2, int(room / (0.5 * height)))
        strokes = word(at, height, min(most, int(rng.integers(3, 14))), rng)
    tilt = rng.normal(0, 0.05)
    return [Stroke(at + turned(s.path - at, tilt), s.width, s.pressure) for s in strokes]


def stray(at: Path, size: float, rng: Rng) -> Strokes:
    """Return a meaningless mark: a speck, a slip or a small squiggle."""
    lot = rng.random()
    if lot < 0.5:
        return [Stroke(line(at, at + rng.normal(0, 0.1 * size, 2), rng))]
    if lot < 0.85:
        return [Stroke(line(at, at + rng.normal(0, size, 2), rng, bow=rng.normal(0, 0.15)))]
    return [Stroke(ring(at, 0.4 * size, rng, turns=rng.uniform(0.25, 0.65), wobble=0.3))]


def smudge(page: U8, at: Path, size: float, rng: Rng, px_per_mm: float) -> None:
    """Rub a soft grey patch about `size` mm wide onto the page, in place."""
    half = size * rng.uniform(0.4, 1.0, 2)
    turn = rng.uniform(0, pi)
    box = _box(page, at, float(half.max()) * 1.6, px_per_mm)
    if box is None:
        return
    x0, y0, x1, y1 = box
    yy, xx = f32(np.mgrid[y0:y1, x0:x1])
    local = np.stack((xx / px_per_mm - at[0], yy / px_per_mm - at[1]), -1).reshape(-1, 2)
    local = turned(local.astype(np.float64), -turn) / half
    fall = f32(np.exp(-1.5 * (local**2).sum(1)).reshape(xx.shape))
    cloud = noise_patch((y1 - y0, x1 - x0), 12.0, rng)
    alpha = fall * (0.3 + 0.7 * cloud) * rng.uniform(0.03, 0.16)
    multiply(page, (x0, y0), alpha, (0.3, 0.3, 0.3))


def smear(page: U8, blank: U8, at: Path, reach: float, rng: Rng, px_per_mm: float) -> None:
    """Smear the ink within about `reach` mm of a point, in place; the print is not affected.

    blank: the page before anybody drew on it.
    """
    box = _box(page, at, 2 * reach, px_per_mm)
    if box is None:
        return
    x0, y0, x1, y1 = box
    paper = f32(np.maximum(blank[y0:y1, x0:x1], 1))
    through = page[y0:y1, x0:x1] / paper
    long = max(3, round(reach * rng.uniform(0.2, 0.7) * px_per_mm)) | 1
    kernel = np.zeros((long, long), np.float32)
    end = toward(rng.uniform(0, pi)) * (long // 2)
    ends = [tuple(round(float(long // 2 + way * v)) for v in end) for way in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], 1.0, 1)
    drawn = f32(cv2.filter2D(through, -1, kernel / kernel.sum()))
    yy, xx = np.mgrid[y0:y1, x0:x1] / px_per_mm
    away = ((xx - at[0]) ** 2 + (yy - at[1]) ** 2) / reach**2
    weight = f32(np.exp(-(away**2)) * rng.uniform(0.25, 0.75))[..., None]
    mixed = through * (1 - weight) + drawn * weight
    page[y0:y1, x0:x1] = u8(np.clip(mixed * paper + 0.5, 0, 255))


def coffee_ring(page: U8, at: Path, radius: float, rng: Rng, px_per_mm: float) -> None:
    """Leave the ring of a cup on the page, in place: thin and brown, dark at its rim."""
    box = _box(page, at, radius * 1.15, px_per_mm)
    if box is None:
        return
    x0, y0, x1, y1 = box
    alpha = np.zeros((y1 - y0, x1 - x0), np.float32)
    middle = (round(at[0] * px_per_mm - x0), round(at[1] * px_per_mm - y0))
    start = rng.uniform(0, 360)
    sweep = rng.uniform(150, 360)
    for share, strength in ((1.0, 0.8), (0.97, 0.5)):
        axes = (int(radius * share * px_per_mm), int(radius * share * px_per_mm * 0.98))
        thick = max(1, int(rng.uniform(0.4, 1.8) * px_per_mm))
        cv2.ellipse(alpha, middle, axes, 0, start, start + sweep, strength, thick, cv2.LINE_AA)
    soft = gaussian(alpha, 0.3 * px_per_mm)
    cloud = noise_patch((y1 - y0, x1 - x0), 12.0, rng)
    soft *= (0.2 + 0.8 * cloud) * rng.uniform(0.15, 0.5)
    multiply(page, (x0, y0), soft, (0.25, 0.42, 0.6))


def fluid(page: U8, outline: Path, rng: Rng, px_per_mm: float) -> None:
    """Paint correction fluid over an outline (mm), in place: nearly opaque, not quite white."""
    low, high = outline.min(0) * px_per_mm - 2, outline.max(0) * px_per_mm + 2
    box = box_on(page, low, high)
    if box is None:
        return
    x0, y0, x1, y1 = box
    alpha = fill((y1 - y0, x1 - x0), outline * px_per_mm - (x0, y0) - 0.5)
    cloud = noise_patch((y1 - y0, x1 - x0), 12.0, rng)
    cover = f32(alpha) / 255 * (rng.uniform(0.9, 0.97) + 0.03 * cloud)
    white = rng.uniform(225, 252) + rng.normal(0, 2, 3)
    patch = page[y0:y1, x0:x1]
    for channel in range(3):
        mixed = patch[..., channel] * (1 - cover) + np.float32(white[channel]) * cover
        patch[..., channel] = u8(np.clip(mixed + 0.5, 0, 255))


def _box(page: U8, at: Path, reach: float, px_per_mm: float) -> tuple[int, int, int, int] | None:
    """Return x0, y0, x1, y1 in pixels of a square about a point, or None off the page."""
    return box_on(page, (at - reach) * px_per_mm, (at + reach) * px_per_mm, 4)
