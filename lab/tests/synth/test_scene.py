"""Whole synthetic photos: their truth is reliable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdscan.rules.duel.board import CELLS, Board, Coat, Shield
from lab.synth.fields import F64
from lab.synth.photo.camera import Level
from lab.synth.scene import draw_page, own_page, shoot
from tests.hands import careful

SMALL = (800, 600)


@pytest.mark.parametrize("level", ["flat", "hard"])
def test_truth_says_what_was_drawn_and_where(level: Level) -> None:
    """One shield alone is blackened: the photo differs there, and nowhere else, from that of the
    blank sheet."""
    rng, at = np.random.default_rng(2), (1, 5)
    hand = replace(careful(rng), borders=0.0, rims=0.0, swaps=0.0)
    played = (Board({at: Shield(Coat.FILLED, 3)}), True)
    drawn = draw_page(rng, page=own_page(60), played=played, messiness=0, hand=hand)
    filled, blank = (
        shoot(np.random.default_rng(4), page, level, size_wh=SMALL)
        for page in (drawn, replace(drawn, bgr=drawn.blank_bgr))
    )
    truth = filled.truth()
    assert truth["board"] == {"1,5": ["filled", 3]} and truth["castle_used"]
    xy = {tuple(map(int, cell.split(","))): np.array(v) for cell, v in truth["pixels"].items()}
    assert set(xy) == set(CELLS)
    ink = np.abs(filled.bgr.astype(float) - blank.bgr).mean(-1)
    pitch = float(np.linalg.norm(xy[0, 6] - xy[0, 0])) / 6
    r = round(pitch / 4)
    boxes = {cell: (round(x) - r, round(y) - r) for cell, (x, y) in xy.items()}
    inked = {cell: ink[y : y + 2 * r, x : x + 2 * r].mean() > 30 for cell, (x, y) in boxes.items()}
    assert inked == {cell: cell == at for cell in CELLS}
    scale, layout = drawn.px_per_mm, drawn.layout
    page = np.abs(drawn.bgr.astype(float) - drawn.blank_bgr).mean(-1)
    center, side = np.array(layout.center_mm(*at)) * scale - 0.5, layout.cell_mm[0] * scale
    right, down = (_middle_of_ink(page, center, side) - center) / side
    expected = xy[at] + right * (xy[1, 6] - xy[1, 4]) / 2 + down * (xy[2, 5] - xy[0, 5]) / 2
    assert np.linalg.norm(_middle_of_ink(ink, xy[at], pitch) - expected) < 0.04 * pitch


def _middle_of_ink(ink: F64, xy: F64, pitch: float) -> F64:
    """The middle of what is darkest in the cell about a point of a picture (H, W)."""
    grid = np.mgrid[: ink.shape[0], : ink.shape[1]][::-1]
    near = np.hypot(*(grid - xy[:, None, None])) < 0.6 * pitch
    weight = np.where(near & (ink > ink[near].max() / 2), ink, 0)
    return np.asarray((weight * grid).sum((1, 2)) / weight.sum())
