"""Medians and quantiles equal numpy's, and colours OpenCV's."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from kdscan.imaging.arrays import cielab, median, quantile


@pytest.mark.parametrize("shape", [(1,), (2,), (17,), (58,), (34, 5), (35, 5)])
def test_medians_are_numpys(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(3).random(shape).astype(np.float32)
    assert np.array_equal(median(values), np.median(values, axis=0))


@pytest.mark.parametrize("shape", [(1,), (2,), (40, 30), (331, 97)])
def test_quantiles_are_numpys(shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(4).random(shape).astype(np.float32)
    assert quantile(values, 0.02, 0.99, 1) == pytest.approx(
        np.quantile(values, [0.02, 0.99, 1]), rel=1e-6
    )


def test_cielab_is_opencvs_within_the_error_of_its_tables() -> None:
    bgr = np.random.default_rng(5).integers(0, 256, (64, 64, 3), np.uint8)
    theirs = cv2.cvtColor(bgr.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    assert np.abs(cielab(bgr) - theirs).max() < 0.5
