"""Flat printed objects found on tables that look a little like sheets with grids."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from lab.synth.canvas import lit
from lab.synth.fields import F32, U8, Color, Rng, any_of, color, fractal, shade

_LETTERS = np.array(list("aaabcdeeeeefghiiiklmnnooprrssttttuvwyz"))
_FACES = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
)


def random_print(rng: Rng) -> tuple[U8, tuple[float, float]]:
    """A picture (H, W, 3) uint8 BGR and its width and height in mm."""
    kind = any_of(rng, _KINDS)
    width = rng.uniform(60, 300)
    ratio = rng.uniform(0.65, 1.5)
    page = np.empty((round(420 * np.sqrt(ratio)), round(420 / np.sqrt(ratio)), 3), np.uint8)
    page[:] = np.round(_paper(rng))
    kind(rng, page)
    light = 1 + 0.04 * fractal(rng, page.shape[:2], 6, 3)
    return lit(page, light), (width, width * ratio)


def _paper(rng: Rng) -> F32:
    return (
        color(rng, (0, 0.12), (0.75, 1)) if rng.random() < 0.7 else color(rng, (0, 0.8), (0.1, 1))
    )


def _ink(rng: Rng, page: U8) -> Color:
    dark = page[0, 0].mean() > 110
    return shade(rng, (0, 0.7), (0, 0.4) if dark else (0.7, 1.0))


def _put(
    page: U8, text: str, at: tuple[int, int], face: int, size: float, ink: Color, thick: int = 1
) -> None:
    cv2.putText(page, text, at, face, size, ink, thick, cv2.LINE_AA)


def _word(rng: Rng, letters: int) -> str:
    word = "".join(rng.choice(_LETTERS, max(1, letters)))
    return word.capitalize() if rng.random() < 0.25 else word


def _blank(rng: Rng, page: U8) -> None:
    if rng.random() < 0.4:  # ruled or squared
        h, w = page.shape[:2]
        step, ink = int(rng.integers(9, 26)), _ink(rng, page)
        for y in range(step, h, step):
            cv2.line(page, (0, y), (w, y), ink, 1)
        for x in range(step, w, step if rng.random() < 0.5 else w):
            cv2.line(page, (x, 0), (x, h), ink, 1)


def _text(rng: Rng, page: U8) -> None:
    h, w = page.shape[:2]
    columns, ink = int(rng.integers(1, 4)), _ink(rng, page)
    face, size = any_of(rng, _FACES), rng.uniform(0.25, 0.6)
    top = int(rng.uniform(0.04, 0.2) * h)
    _put(page, _word(rng, 8), (w // 12, top), face, 3 * size, ink, 2)
    wide = w * 0.94 / columns
    for c in range(columns):
        x = round(w * 0.03 + c * wide)
        for y in range(top + int(34 * size), h - 6, max(6, int(32 * size))):
            line = " ".join(_word(rng, int(k)) for k in rng.integers(2, 9, 3))
            fits = max(1, int(wide * 0.92 / (19 * size)))
            _put(page, line[:fits], (x, y), face, size, ink)
    if rng.random() < 0.5:
        x, y = int(rng.uniform(0, 0.5) * w), int(rng.uniform(0.2, 0.6) * h)
        cv2.rectangle(page, (x, y), (x + w // 3, y + h // 4), shade(rng), -1)


def _table(rng: Rng, page: U8) -> None:
    """Calendars, score pads, puzzles: rows and columns with things in the cells."""
    h, w = page.shape[:2]
    rows, cols = (int(v) for v in rng.integers(3, 13, 2))
    x0, y0 = int(rng.uniform(0.03, 0.15) * w), int(rng.uniform(0.03, 0.25) * h)
    cw, ch = (w - 2 * x0) / cols, (h - y0 - 0.04 * h) / rows
    ink, thick = _ink(rng, page), int(rng.integers(1, 4))
    what = rng.integers(0, 5)
    open_cells, gap = rng.random() < 0.3, rng.uniform(0, 0.12)
    for i in range(rows):
        for j in range(cols):
            a = (round(x0 + (j + gap) * cw), round(y0 + (i + gap) * ch))
            b = (round(x0 + (j + 1 - gap) * cw), round(y0 + (i + 1 - gap) * ch))
            middle = ((a[0] + b[0]) // 2, (a[1] + b[1]) // 2)
            r = max(2, int(min(cw, ch) * 0.3))
            if not open_cells:
                cv2.rectangle(page, a, b, ink, thick)
            if what == 0:
                number, left = str(i * cols + j + 1), (a[0] + 3, middle[1])
                _put(page, number, left, _FACES[0], min(cw, ch) / 60, ink)
            elif what == 1 and rng.random() < 0.6:
                cv2.circle(page, middle, r, ink, int(rng.choice([-1, 1, 2])), cv2.LINE_AA)
            elif what == 2 and (i + j) % 2:
                cv2.rectangle(page, a, b, ink, -1)
            elif what == 3 and rng.random() < 0.5:
                cv2.line(page, a, b, ink, 1, cv2.LINE_AA)
                cv2.line(page, (a[0], b[1]), (b[0], a[1]), ink, 1, cv2.LINE_AA)


def _keys(rng: Rng, page: U8) -> None:
    """A keyboard, a remote control, a pill box."""
    h, w = page.shape[:2]
    rows, cols = int(rng.integers(4, 9)), int(rng.integers(4, 16))
    cap = shade(rng, (0, 0.4), (0.1, 1))
    ch, cw, inset = h / rows, w / cols, rng.uniform(0.05, 0.2)
    ink = (20.0, 20.0, 20.0) if sum(cap) > 330 else (235.0, 235.0, 235.0)
    for i in range(rows):
        x = 0.0
        while x < w - 2:
            wide = cw * float(rng.choice([1, 1, 1, 1, 1.5, 2]))
            a = (round(x + inset * cw), round((i + inset) * ch))
            b = (round(min(x + wide, w) - inset * cw), round((i + 1 - inset) * ch))
            cv2.rectangle(page, a, b, cap, -1)
            letter, left = _word(rng, 1).upper(), (a[0] + 3, b[1] - 5)
            _put(page, letter, left, _FACES[0], min(cw, ch) / 70, ink)
            x += wide


def _cover(rng: Rng, page: U8) -> None:
    """A book's cover or a magazine: big letters and shapes."""
    h, w = page.shape[:2]
    for _ in range(int(rng.integers(1, 7))):
        ink = shade(rng)
        a, b = (rng.uniform(0, 1, (2, 2)) * (w, h)).astype(int)
        if rng.random() < 0.5:
            cv2.rectangle(page, a, b, ink, -1)
        else:
            cv2.circle(page, a, int(rng.uniform(0.05, 0.4) * w), ink, -1, cv2.LINE_AA)
    for _ in range(int(rng.integers(1, 5))):
        at = (int(rng.uniform(0, 0.3) * w), int(rng.uniform(0.1, 0.95) * h))
        size, text, face = rng.uniform(0.7, 3.5), _word(rng, 9).upper(), any_of(rng, _FACES)
        _put(page, text, at, face, size, _ink(rng, page), max(1, int(2 * size)))


def _cards(rng: Rng, page: U8) -> None:
    """Cards, dominoes or tokens laid out in a grid."""
    h, w = page.shape[:2]
    n = int(rng.integers(2, 6))
    step = w / n
    for i in range(int(h / step)):
        for j in range(n):
            card = shade(rng, (0, 0.7), (0.2, 1))
            a = (round((j + 0.07) * step), round((i + 0.07) * step))
            b = (round((j + 0.93) * step), round((i + 0.93) * step))
            cv2.rectangle(page, a, b, card, -1)
            spot = (int(rng.integers(a[0], b[0])), int(rng.integers(a[1], b[1])))
            radius = max(2, int(step * rng.uniform(0.05, 0.3)))
            cv2.circle(page, spot, radius, shade(rng), -1, cv2.LINE_AA)


_KINDS: tuple[Callable[[Rng, U8], None], ...] = (
    _blank,
    _text,
    _text,
    _table,
    _table,
    _keys,
    _cover,
    _cards,
)
