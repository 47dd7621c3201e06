"""A print under a photo's light, with its tones, and with the cells that players coloured in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdscan.templates.divide import match_tint, match_tone, relight

SHAPE = 672, 928
"""Of a rectified sheet: 5 × 7 cells of 128 pixels, and 16 around them."""


def made(seed: int, pixels: int = 16) -> NDArray[np.uint8]:
    """A print of coloured squares that many pixels wide."""
    rng = np.random.default_rng(seed)
    squares = rng.integers(40, 220, (SHAPE[0] // pixels, SHAPE[1] // pixels, 3))
    return squares.repeat(pixels, 0).repeat(pixels, 1).astype(np.uint8)


def test_the_light_is_that_of_the_photo_whatever_is_drawn() -> None:
    known = made(1).astype(np.float64)
    light = np.linspace(0.6, 1.1, SHAPE[1])[None, :, None] * (1.0, 0.95, 0.9)
    lit = (known + 8) * light - 8
    photo = lit.copy()
    photo[::64] = photo[1::64] = photo[2::64] = 30  # lines
    found = relight(photo.clip(0, 255).astype(np.uint8), known.astype(np.uint8))
    away = np.abs(found - lit.clip(0, 255))[48:-48, 48:-48]
    assert away.max() < 5 and away.mean() < 1.5


def test_tones_are_those_of_the_photo_whatever_is_drawn() -> None:
    bare = made(2, 4)
    curve = 255 * (np.arange(256) / 255) ** 0.8
    photo = curve[bare].round().astype(np.uint8)
    photo[:, ::12] = 30  # on every fourth of the pixels that are looked at
    assert np.abs(match_tone(photo, bare) - curve[bare]).max() < 4


def test_a_tone_lies_a_little_above_the_median() -> None:
    bare, photo = np.full((*SHAPE, 3), 102, np.uint8), np.full((*SHAPE, 3), 100, np.uint8)
    looked_at = photo[::3, ::3]
    brighter = looked_at.reshape(-1, 3).copy()
    brighter[int(0.65 * (len(brighter) - 1)) + 1 :] = 200
    photo[::3, ::3] = brighter.reshape(looked_at.shape)
    wanted = round(float(np.quantile(brighter[:, 0], 0.65)))
    assert 100 < wanted < 200
    assert (match_tone(photo, bare) == wanted).all()
    white = np.full_like(bare, 255)
    assert (match_tone(photo, white) == white).all(), "too little is known of it"


def test_a_cell_that_is_coloured_in_is_tinted_and_one_with_a_coat_is_not() -> None:
    bare = made(3)
    photo, wanted = bare.copy(), bare.copy()
    tint = ((bare + 8.0) * (0.6, 0.9, 0.7) - 8).clip(0, 255).astype(np.uint8)
    coloured = np.s_[16 + 128 : 16 + 256, 16 + 512 : 16 + 640]
    photo[coloured] = wanted[coloured] = tint[coloured]
    photo[440:500, 180:260] = 30  # a coat
    found = match_tint(photo, bare).astype(int)
    assert np.abs(found[coloured] - wanted[coloured]).max() < 6
    found[coloured] = wanted[coloured]
    assert np.array_equal(found, wanted)
