"""Scans follow the settings, and the truth stays with the marks."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.rules.duel.board import CELLS, Board
from lab.synth.scene import DrawnPage, draw_page, own_page
from lab.tests.scanner import PAPERS, Settings, scan


def drawn(seed: int = 1) -> DrawnPage:
    return draw_page(np.random.default_rng(seed), page=own_page(100), messiness=0)


def test_a_page_has_the_papers_size_at_the_resolution() -> None:
    assert scan(np.random.default_rng(1), [], Settings(dpi=75)).bgr.shape == (877, 620, 3)
    turned = Settings(dpi=75, quarter_turns=1)
    assert scan(np.random.default_rng(1), [], turned, PAPERS["a5"]).bgr.shape == (437, 620, 3)


@pytest.mark.parametrize("turns", range(4))
def test_marks_are_where_truth_says(turns: int) -> None:
    """With and without marks, the scans differ most around the cells that hold some."""
    sheet = drawn()
    blank = DrawnPage(
        sheet.layout, sheet.blank_bgr, sheet.blank_bgr, sheet.px_per_mm, Board(), False
    )
    settings = Settings(dpi=75, quarter_turns=turns, skew_deg=3, print_scale=0.95)
    with_marks, without = (scan(np.random.default_rng(1), [s], settings) for s in (sheet, blank))
    centers = with_marks.centers_xy[0]
    change = np.abs(with_marks.bgr.astype(int) - without.bgr).sum(-1)
    reach = round(np.linalg.norm(centers[0, 1] - centers[0, 0]) * 0.3)
    found = {
        (r, c): change[
            round(centers[r, c, 1]) - reach : round(centers[r, c, 1]) + reach,
            round(centers[r, c, 0]) - reach : round(centers[r, c, 0]) + reach,
        ].mean()
        for r, c in CELLS
    }
    marked = [found[at] for at in sheet.board]
    empty = [found[at] for at in CELLS if at not in sheet.board]
    assert np.median(marked) > 5 * np.median(empty)


def test_colors() -> None:
    sheets = [drawn()]
    grey = scan(np.random.default_rng(1), sheets, Settings(dpi=75, color="grey")).bgr
    assert (grey == grey[..., :1]).all()
    bilevel = Settings(dpi=75, color="bilevel", quality=None)
    assert set(np.unique(scan(np.random.default_rng(1), sheets, bilevel).bgr)) == {0, 255}
