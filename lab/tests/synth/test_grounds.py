"""Grounds of maps: reproducible, light enough to be drawn on; held-out ones are never random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdscan.rules.duel.board import CELLS
from lab.synth.fields import LUMA
from lab.synth.sheets.designs import random_layout
from lab.synth.sheets.grounds.draw import (
    FAMILIES,
    GROUPS,
    HELD_OUT,
    PAINTED,
    PALE,
    PALE_SHARE,
    TRAINED,
    asked_for,
    draw_ground,
    random_family,
)
from lab.synth.sheets.grounds.palette import INK_LEFT, luma, random_palette
from lab.synth.sheets.legibility import MIN_CONTRAST, ensure_contrast
from lab.synth.sheets.page import print_page
from lab.synth.sheets.styles import random_style


@pytest.mark.parametrize("family", ["painted", "cartoon", "relief", "provinces", "patchwork"])
def test_each_cell_of_a_painted_map_has_another_ground(family: str) -> None:
    """Of most seeds: open sea may fill a whole page."""
    spread = []
    for seed in range(8):
        rng = np.random.default_rng([seed, 2])
        layout = random_layout(rng)
        page = draw_ground(family, rng, layout, 2.0, random_palette(rng, "full"))
        middles = [layout.center_mm(r, c) for r in range(5) for c in range(7)]
        spread.append(np.std([page[int(2 * y), int(2 * x)] for x, y in middles], axis=0).max())
    assert np.median(spread) > 12


def test_held_out_families_are_a_fifth_and_never_drawn_by_lot() -> None:
    assert len(HELD_OUT) == (len(TRAINED) + len(HELD_OUT)) / 5
    assert not set(HELD_OUT) & set(TRAINED)
    assert {*TRAINED, *HELD_OUT} == set(FAMILIES)
    rng = np.random.default_rng(5)
    lots = [random_family(rng) for _ in range(3000)]
    assert set(lots) == {PALE, *TRAINED}
    assert abs(lots.count(PALE) / 3000 - PALE_SHARE) < 0.04
    assert {random_style(rng).family for _ in range(300)} <= {PALE, *TRAINED}


@pytest.mark.parametrize("family", HELD_OUT)
def test_held_out_families_are_drawn_when_asked_for(family: str) -> None:
    rng = np.random.default_rng(1)
    style = random_style(rng, family)
    assert style.family == family
    assert print_page(random_layout(rng), style, 2.0).std() > 1


def test_groups_name_families_that_there_are() -> None:
    assert {family for group in GROUPS.values() for family in group} == {*FAMILIES, PALE}
    family, colours = asked_for(np.random.default_rng(1), "sepia")
    assert family in PAINTED and colours == "sepia"
    assert asked_for(np.random.default_rng(1), "woodcut") == ("woodcut", None)


@pytest.mark.parametrize("kind", ["full", "sepia", "soft", "wild"])
def test_no_ground_is_too_dark_to_be_drawn_on(kind: str) -> None:
    for seed in range(40):
        palette = random_palette(np.random.default_rng(seed), kind)
        assert min(luma(shade) for shade in palette.grounds) > INK_LEFT - 1


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


def test_shields_of_a_map_may_let_the_ground_through() -> None:
    """Clear, veiled and solid ones occur, with light and dark lines between cells."""
    rng = np.random.default_rng(2)
    styles = [random_style(rng, "painted") for _ in range(60)]
    assert {style.shield_fill is None for style in styles} == {True, False}
    assert any(0 < style.shield_veil < 1 for style in styles)
    assert any(style.emboss for style in styles)
    lines = [luma(style.line_color) for style in styles]
    assert min(lines) < 90 and max(lines) > 220
    assert {style.circle_mm == 0 for style in styles} == {True, False}
