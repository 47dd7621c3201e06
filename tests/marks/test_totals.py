"""Totals and their range, and how probabilities are calibrated."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kdscan.marks.boards import calibrated, range_of


def test_what_is_hardly_likely_is_left_out() -> None:
    assert range_of(((30, 0.7), (34, 0.2), (28, 0.004), (50, 0.003))) == (28, 34)


def test_a_doubt_that_is_settled_as_read_never_widens_the_range() -> None:
    """Only boards without it lose: what agrees with it becomes likelier with the total read."""
    before = ((30, 0.7), (34, 0.2), (28, 0.0036), (50, 0.0034))
    after = tuple((total, p / 0.72) for total, p in before if total != 34)
    assert range_of(before) == (28, 34)
    assert range_of(after) == (28, 30)


def test_calibration_moves_log_odds() -> None:
    assert calibrated(0.8, np.array([1.0, 0.0])) == pytest.approx(0.8)
    assert calibrated(0.8, np.array([2.0, 0.0])) == pytest.approx(16 / 17)
    assert calibrated(0.5, np.array([2.0, -1.0])) == pytest.approx(1 / (1 + math.e))
    assert 0 < calibrated(0.0, np.array([1.0, 0.0])) < 1e-8
    assert 1 - 1e-8 < calibrated(1.0, np.array([1.0, 0.0])) < 1
