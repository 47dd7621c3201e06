"""Pads: one print with many sheets, each filled in by a hand of its own."""

from __future__ import annotations

import numpy as np
from msgspec import structs

from kdscan.rules.duel.board import Board
from lab.synth.fields import Size
from lab.synth.hands.preferences import StrokeBank
from lab.synth.photo.camera import Level
from lab.synth.scene import DrawnPage, Page, SynthPhoto, draw_page, random_page, shoot

_PRINT, _BLANK, _SHEET = 11, 12, 13
"""Keep the random numbers of a pad's print, its blank and its sheets independent."""


def pad_print(seed: int, ground: str | None = None, name: str = "pad") -> Page:
    """The print of a pad; ground: see `random_page`."""
    rng = np.random.default_rng([seed, _PRINT])
    layout, bgr, px_per_mm = random_page(rng, ground)
    return structs.replace(layout, name=name), bgr, px_per_mm


def pad_blank(seed: int, page: Page, level: Level, size_wh: Size) -> SynthPhoto:
    """A photo of an empty sheet of a pad."""
    layout, bgr, px_per_mm = page
    empty = DrawnPage(layout, bgr, bgr, px_per_mm, Board(), False)
    return shoot(np.random.default_rng([seed, _BLANK]), empty, level, size_wh=size_wh)


def pad_sheet(
    seed: int,
    number: int,
    page: Page,
    level: Level,
    size_wh: Size,
    messiness: float | None = None,
    strokes: StrokeBank | None = None,
    dice: bool | None = None,
) -> SynthPhoto:
    """A photo of the filled sheet of a pad with this number: its own hand, desk, light and camera.
    dice: whether the hand copies the coats of the dice; at random if None."""
    rng = np.random.default_rng([seed, _SHEET, number])
    size = size_wh[::-1] if rng.random() < 0.4 else size_wh
    drawn = draw_page(rng, page=page, messiness=messiness, strokes=strokes, dice=dice)
    return shoot(rng, drawn, level, size_wh=size)
