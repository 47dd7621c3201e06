"""Grounds of maps: reproducible, light enough to be drawn on; held-out ones are never random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdscan.rules.duel.board import CELLS
from lab.synth.fields import LUMA
from lab.synth.sheets.designs import random_layout, random_style
from lab.synth.sheets.grounds.draw import (
    FAMILIES,
    HELD_OUT,
    PALE,
    PALE_SHARE,
    TRAINED,
    draw_ground,
    random_family,
)
from lab.synth.sheets.grounds.palette import luma
from lab.synth.sheets.page import MIN_CONTRAST, ensure_contrast


def test_held_out_families_are_a_fifth_and_never_drawn_by_lot() -> None:
    assert len(HELD_OUT) == (len(TRAINED) + len(HELD_OUT)) / 5
    assert not set(HELD_OUT) & set(TRAINED)
    assert {*TRAINED, *HELD_OUT} == set(FAMILIES)
    rng = np.random.default_rng(5)
    lots = [random_family(rng) for _ in range(3000)]
    assert set(lots) == {PALE, *TRAINED}
    assert abs(lots.count(PALE) / 3000 - PALE_SHARE) < 0.04
    assert {random_style(rng).family for _ in range(300)} <= {PALE, *TRAINED}


@pytest.mark.parametrize("family", ["painted", "mosaic", "woodcut", "surface", "engraved"])
def test_shields_and_circles_never_vanish(family: str) -> None:
    """White veils with white outlines, asked for on all kinds of grounds, white ones among them."""
    for seed in range(6):
        rng = np.random.default_rng([seed, 4])
        layout = random_layout(rng)
        white = (255.0, 255.0, 255.0)
        style = replace(
            random_style(rng, family, "soft"),
            shield_color=white,
            shield_fill=None,
            shield_light=None,
            emboss=0.0,
            circle_color=white,
            circle_fill=None,
        )
        assert style.palette is not None
        page = draw_ground(family, np.random.default_rng(seed), layout, 3.0, style.palette)
        better = ensure_contrast(page, layout, style, 3.0)
        grey = page @ LUMA
        for places, color in (
            (layout.shield, better.shield_color),
            (layout.circles, better.circle_color),
        ):
            at = np.array([layout.center_mm(*cell) for cell in CELLS])[:, None] + np.array(places)
            x, y = np.clip(at.reshape(-1, 2) * 3, 0, np.array(grey.shape[::-1]) - 1).astype(int).T
            assert np.median(np.abs(grey[y, x] - luma(color))) > 0.8 * MIN_CONTRAST
