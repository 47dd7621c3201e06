"""Training and held-out sets are identified by their seeds: a seed always draws the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import cv2
import numpy as np
import pytest

from kdscan.paper.book import load_book
from kdscan.paper.printing import render_page
from kdscan.rules.duel.board import Board
from lab.synth.fields import U8
from lab.synth.hands.book import draw_spellbook, played_book
from lab.synth.kingdoms.scene import make_kingdom_photo
from lab.synth.pads import pad_print
from lab.synth.photo.camera import Level
from lab.synth.scene import DrawnPage, draw_page, own_book, own_page, shoot
from lab.synth.sheets.designs import random_layout
from lab.synth.sheets.grounds.draw import FAMILIES, draw_ground
from lab.synth.sheets.grounds.palette import random_palette
from lab.synth.table import make_table
from lab.tests.synth.test_kingdoms import BANK
from lab.training.dataset import flat_example, init_worker, photo_example, unpack

SMALL = (640, 480)


def sheet(seed: int) -> U8:
    return unpack(flat_example(seed, None).flat)


def thumbnail(seed: int) -> U8:
    init_worker(None, None)
    example = photo_example(seed)
    assert example is not None
    return unpack(example.thumb)


PAGE = own_page(60)


def hand(seed: int) -> U8:
    return draw_page(np.random.default_rng(seed), page=PAGE, messiness=1.0).bgr


def photo(level: Level, seed: int) -> U8:
    empty = DrawnPage(PAGE[0], PAGE[1], PAGE[1], PAGE[2], Board(), False)
    return shoot(np.random.default_rng(seed), empty, level, size_wh=SMALL).bgr


def ground(family: str, seed: int) -> U8:
    rng = np.random.default_rng(seed)
    return draw_ground(family, rng, random_layout(rng), 2.0, random_palette(rng))


def printed(seed: int) -> U8:
    return pad_print(seed, "etched")[1]


def book(seed: int) -> U8:
    rng, layout = np.random.default_rng(seed), load_book("kdscan-a5-spellbook")
    blank = render_page(layout, 4.0)
    return draw_spellbook(blank, layout, played_book(rng), rng, px_per_mm=4.0)[0]


def table(seed: int) -> U8:
    return make_table(seed, "easy", book_page=own_book(4.0), size_wh=SMALL).bgr


def kingdom(level: Level | None, seed: int) -> U8:
    return make_kingdom_photo(seed, level, BANK, size_wh=SMALL).bgr


LEVELS: tuple[Level, ...] = ("flat", "easy", "normal", "hard")
DRAWN: dict[str, Callable[[int], U8]] = {
    **{f"photo {level}": partial(photo, level) for level in LEVELS},
    **{f"ground {family}": partial(ground, family) for family in sorted(FAMILIES)},
    **{"hand": hand, "book": book, "table": table, "kingdom": partial(kingdom, "easy")},
}


@pytest.mark.parametrize("what", DRAWN)
def test_a_seed_draws_the_same_again_and_another_seed_something_else(what: str) -> None:
    one, again, other = (DRAWN[what](seed) for seed in (3, 3, 4))
    assert np.array_equal(one, again)
    assert one.shape != other.shape or not np.array_equal(one, other)


GOLDEN: dict[str, tuple[Callable[[int], U8], str]] = {
    "sheet": (sheet, "145 143 135 129 139 130 124 136 134 139 136 151"),
    "thumbnail": (thumbnail, "86 86 86 84 110 101 98 75 82 90 88 54"),
    "kingdom": (partial(kingdom, None), "85 102 87 88 81 98 105 103 80 80 79 84"),
    "book": (book, "240 245 245 238 249 238 240 245 241 245 245 239"),
    "ground": (printed, "200 197 190 195 185 181 182 190 190 182 170 188"),
}
"""What draws seed 7, and the mean brightness of 4 × 3 parts of that picture."""


@pytest.mark.parametrize("what", GOLDEN)
def test_seeds_draw_what_they_drew_when_models_were_trained(what: str) -> None:
    """Where this fails by design, sets need new seeds, and models/CHANGELOG.md and the README of
    lab/training have to say so."""
    draw, means = GOLDEN[what]
    picture = cv2.cvtColor(draw(7), cv2.COLOR_BGR2GRAY).astype(np.float32)
    parts = cv2.resize(picture, (4, 3), interpolation=cv2.INTER_AREA)
    assert parts.ravel() == pytest.approx([int(mean) for mean in means.split()], abs=1.5)
