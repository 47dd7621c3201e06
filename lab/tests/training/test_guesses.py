"""The refining network's inputs agree with its targets."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest

from kdscan.detection.find import VIEW_MARGIN, VIEW_PX
from kdscan.imaging.picture import CENTERS, Floats
from lab.training.augment import refine_sample
from lab.training.dataset import COARSE_MARGIN, COARSE_PX, Example, jpeg

TRUE = (CENTERS + 0.5 + COARSE_MARGIN) * COARSE_PX - 0.5
"""Where cells lie in the coarse view of a flat sheet."""


def folded() -> Floats:
    """Cells of a sheet with a fold right of its fourth column."""
    fold = np.maximum(CENTERS[..., :1] - 3.5, 0) * (-0.25, 0.1)
    return np.asarray(TRUE + fold * COARSE_PX)


@cache
def dotted() -> Example:
    """A folded sheet in the dark, with a light in the middle of each of its cells."""
    side = round(2 * COARSE_MARGIN * COARSE_PX)
    dark = np.zeros((5 * COARSE_PX + side, 7 * COARSE_PX + side, 3), np.uint8)
    for x, y in folded().reshape(-1, 2):
        cv2.circle(dark, (round(float(x)), round(float(y))), 6, (255, 255, 255), -1)
    return Example(
        coarse=jpeg(dark),
        coarse_centers=folded().astype(np.float32),
        flat=b"",
        coat=np.zeros(34, np.int64),
        crosses=np.zeros(34, np.int64),
        castle=False,
        crossed=None,
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_view_shows_each_cell_where_the_offsets_say(seed: int) -> None:
    view, target, _ = refine_sample(np.random.default_rng(seed), dotted())
    rows, cols = (round((n + 2 * VIEW_MARGIN) * VIEW_PX) for n in (5, 7))
    assert view.shape == (rows, cols, 3) and target.shape == (3, 5, 7)
    at = (CENTERS + target[:2].transpose(1, 2, 0) + 0.5 + VIEW_MARGIN) * VIEW_PX - 0.5
    off = np.abs(target[:2]).max(0)
    grey = view.mean(2)
    for (x, y), there in zip(at[off < 1], target[2][off < 1], strict=True):
        if there and 4 < x < cols - 5 and 4 < y < rows - 5:
            dot = grey[round(y) - 1 : round(y) + 2, round(x) - 1 : round(x) + 2]
            assert dot.mean() > np.median(grey) + 20
