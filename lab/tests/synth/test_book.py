from __future__ import annotations

import numpy as np
import pytest

from kdscan.paper.book import load_book, marked_places
from kdscan.paper.printing import render_page
from lab.synth.hands.book import draw_spellbook, played_book, wild_book

BOOK = load_book("kdscan-a5-spellbook")
PX = 4.0


def ink_in(page: np.ndarray, blank: np.ndarray, at: tuple[float, float], half: float) -> float:
    """How much darker a place has become, a mean over its inside."""
    x, y = (round(v * PX) for v in at)
    k = round(0.8 * half * PX)
    cut = np.s_[y - k : y + k, x - k : x + k]
    return float(blank[cut].mean() - page[cut].mean())


@pytest.mark.parametrize("seed", range(4))
def test_what_is_marked_bears_ink_and_what_is_not_does_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    blank = render_page(BOOK, PX)
    page, truth = draw_spellbook(blank, BOOK, played_book(rng), rng, px_per_mm=PX, messiness=0)
    for place, at, half in marked_places(BOOK):
        key = str(place)
        passed = truth.get(key.replace("squares", "passed"), False)
        if truth[key]:
            assert ink_in(page, blank, at, half) > 1, key
        elif not passed and not key.endswith(".used"):  # strokes may run into the circle
            assert ink_in(page, blank, at, half) < 1, key


def test_truth_counts_what_the_game_says() -> None:
    rng = np.random.default_rng(5)
    book = wild_book(rng)
    _, truth = draw_spellbook(render_page(BOOK, PX), BOOK, book, rng, px_per_mm=PX)
    for player, side in enumerate(book.lines):
        for coat, line in side.items():
            where = f"players[{player}].lines.{coat}"
            squares = [v for key, v in truth.items() if key.startswith(f"{where}.squares")]
            assert sum(squares) == line.filled
            assert truth[f"{where}.struck"] == line.struck
            assert truth[f"{where}.used"] == line.used
