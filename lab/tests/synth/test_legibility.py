"""A careful person can read what is drawn on a ground."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from kdscan.rules.duel.board import CELLS
from lab.synth.fields import LUMA, as_bgr
from lab.synth.hands.pens import Pen, random_pen
from lab.synth.hands.sketch import visible_pen
from lab.synth.sheets.designs import random_layout
from lab.synth.sheets.legibility import MIN_CONTRAST, MIN_GROUND, drawing_mask, lighten_ground
from lab.synth.sheets.page import print_page
from lab.synth.sheets.styles import random_style


@pytest.mark.parametrize("shade", [(90, 40, 10), (20, 60, 20), (60, 50, 45)])
def test_a_dark_print_is_made_paler_where_players_draw(shade: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(1)
    layout = random_layout(rng)
    w, h = (round(3 * mm) for mm in layout.page_mm)
    page = np.full((h, w, 3), shade, np.uint8)
    page[:, : w // 2] = 200
    ground = lighten_ground(page, layout, 3.0, rng)[drawing_mask(layout, (h, w), 3.0) > 127]
    assert np.quantile(ground @ LUMA, 0.05) > MIN_GROUND - 3
    hues = ground.astype(float).min(0).argsort()
    assert np.array_equal(hues, np.argsort(shade, kind="stable"))  # paler, and no other colour


def test_woods_fade_under_shields_alone() -> None:
    rng = np.random.default_rng(2)
    layout = random_layout(rng)
    w, h = (round(4 * mm) for mm in layout.page_mm)
    page = np.full((h, w, 3), 220, np.uint8)
    for x in range(0, w, 12):
        cv2.line(page, (x, 0), (x + 40, h), (40, 40, 40), 2)
    drawn = drawing_mask(layout, (h, w), 4.0)
    lines = page[..., 0] < 60
    left = []
    for seed in range(20):
        faded = lighten_ground(page, layout, 4.0, np.random.default_rng(seed))[..., 0]
        away = lines & (cv2.dilate(drawn, np.ones((15, 15), np.uint8)) == 0)
        assert np.median(faded[away]) < 60
        left.append((220 - np.median(faded[lines & (drawn > 127)])) / 180)
    assert np.median(left) < 0.4 and max(left) > 0.5  # not on each sheet


@pytest.mark.parametrize("tone", [60, 200])
def test_a_printed_page_can_be_drawn_on(tone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """On an even ground, with outlines in its own colour asked for, and lines that fill a cell."""
    rng = np.random.default_rng(3)
    layout, grey = random_layout(rng), as_bgr([tone] * 3)
    w, h = (round(6 * mm) for mm in layout.page_mm)
    ground = np.full((h, w, 3), tone, np.uint8)
    monkeypatch.setattr("lab.synth.sheets.page.draw_ground", lambda *_: ground.copy())
    style = replace(
        random_style(rng, "painted", "full"),
        shield_color=grey,
        shield_fill=None,
        shield_light=None,
        shield_mm=9.0,
        shield_inner=False,
        emboss=0.0,
        circle_color=grey,
        circle_fill=None,
        circle_mm=9.0,
        cell_fill="none",
    )
    page = print_page(layout, style, 6.0) @ LUMA
    free = float(np.median(page[drawing_mask(layout, (h, w), 6.0) > 127]))
    assert free > MIN_GROUND - 5
    for places in (layout.shield, layout.circles):
        at = np.array([layout.center_mm(*cell) for cell in CELLS])[:, None] + np.array(places)
        if places is layout.circles:
            at = at + (layout.circle_radius_mm, 0.0)
        x, y = np.clip(at.reshape(-1, 2) * 6, 0, (w - 1, h - 1)).astype(int).T
        assert np.median(np.abs(page[y, x] - free)) > 0.8 * MIN_CONTRAST


def test_pens_show_on_any_ground_that_is_printed() -> None:
    """Graphite on saturated blue is pressed harder; on white paper every pen stays as it is."""
    sea = np.array([[176, 122, 18]], np.uint8)
    white = np.full((1, 3), 250, np.uint8)
    hard = Pen("pencil", (0.33, 0.33, 0.33), 0.4, 0.45, grain=0.4)
    darker = visible_pen(hard, sea)
    assert darker.opacity > hard.opacity and darker.bgr < hard.bgr
    alpha = darker.opacity * (1 - 0.4 * darker.grain)
    through = darker.bgr[0]
    line = sea[0] * (1 - alpha * (1 - 0.25 * through)) + alpha * 0.75 * 255 * through
    assert np.sqrt(np.mean((sea[0] - line) ** 2)) >= MIN_CONTRAST - 1
    rng = np.random.default_rng(3)
    pens = [random_pen(rng) for _ in range(60)]
    assert [visible_pen(pen, white) for pen in pens] == pens
