"""Coats that one hand draws differently on one sheet are doubted."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.imaging.picture import softmax
from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX, Ink, lattice_to_flat
from kdscan.rules.duel.board import CELLS, COLS, ROWS
from kdscan.rules.duel.coats import COATS, Coat
from kdscan.templates.coherence import doubt_coats, shield_ink, unlike_others

LINES, DOTS = COATS.index(Coat.DOUBLE_LINE), COATS.index(Coat.DOT)


def board(coat: int, shields: int) -> np.ndarray:
    return np.array([coat] * shields + [0] * (len(CELLS) - shields))


def test_a_fill_among_double_lines_is_doubted() -> None:
    ink = np.full(34, 0.05)
    ink[3] = 0.3
    assert np.flatnonzero(unlike_others(ink, board(LINES, 6))).tolist() == [3]


@pytest.mark.parametrize("ratio", [0.1, 1.0, 2.5])
def test_hands_vary(ratio: float) -> None:
    ink = np.full(34, 0.05)
    ink[3] *= ratio
    assert not unlike_others(ink, board(LINES, 6)).any()


def test_one_other_shield_is_no_measure_and_other_coats_are_none() -> None:
    ink = np.full(34, 0.05)
    ink[0] = 0.5
    assert not unlike_others(ink, board(LINES, 2)).any()
    coats = board(DOTS, 10)
    coats[0] = LINES
    assert not unlike_others(ink, coats).any()


@pytest.mark.parametrize("coat", [0, DOTS, COATS.index(Coat.FILLED)])
def test_only_lines_are_compared(coat: int) -> None:
    ink = np.full(34, 0.05)
    ink[3] = 0.5
    assert not unlike_others(ink, board(coat, 6)).any()


def test_a_doubted_coat_needs_review_and_stays_the_likeliest() -> None:
    coat = np.zeros((1, 34, 7), np.float32)
    coat[0, :, LINES] = 9
    unlike = np.arange(34) == 3
    after = softmax(doubt_coats(coat, unlike).astype(np.float64))[0]
    assert after.argmax(-1).tolist() == [LINES] * 34
    assert after[3].max() < 0.6 and after[4].max() > 0.99


def test_ink_is_measured_in_the_middle_of_each_cell() -> None:
    shape = (round((ROWS + 2 * FLAT_MARGIN) * FLAT_PX), round((COLS + 2 * FLAT_MARGIN) * FLAT_PX))
    drawn = np.zeros(shape, np.float32)
    for at, size in ((CELLS[5], 30), (CELLS[6], 15)):
        x, y = np.round(
            lattice_to_flat(np.array([at[1] + 0.5, at[0] + 0.5]) - 0.5, FLAT_PX, FLAT_MARGIN)
        ).astype(int)
        drawn[y - size : y + size, x - size : x + size] = 1
    ink = shield_ink(Ink(drawn, (0.2, 0.2, 0.2)))
    assert np.flatnonzero(ink).tolist() == [5, 6]
    assert ink[5] == pytest.approx(4 * ink[6])
