"""Guarantees of the camera: one photo per seed, exact truth, the whole grid in view."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from lab.synth.photo.camera import LEVELS, Level, Shot, photograph

PAGE_MM = (210.0, 148.0)
GRID_MM = (17.0, 25.0, 175.0, 110.0)
PX_PER_MM = 8.0
ALL: list[Level] = list(LEVELS)


def dots() -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """A page with 35 dots in its grid, and their places in mm."""
    page = np.full((round(PAGE_MM[1] * PX_PER_MM), round(PAGE_MM[0] * PX_PER_MM), 3), 250, np.uint8)
    x, y, w, h = GRID_MM
    at = np.array(
        [(x + (c + 0.5) * w / 7, y + (r + 0.5) * h / 5) for r in range(5) for c in range(7)]
    )
    for px in np.round((at * PX_PER_MM - 0.5) * 16).astype(int):
        cv2.circle(page, px.tolist(), round(4 * PX_PER_MM * 16), (20, 20, 20), -1, cv2.LINE_AA, 4)
    return page, at


BARE = np.full((round(2 * PAGE_MM[1]), round(2 * PAGE_MM[0]), 3), 250, np.uint8)
"""For tests that ask only where things lie: small, so that it is photographed at once."""


def shoot(
    seed: int,
    level: Level,
    size_wh: tuple[int, int] = (1008, 756),
    page: NDArray[np.uint8] = BARE,
) -> Shot:
    return photograph(
        page, PAGE_MM, np.random.default_rng(seed), level=level, grid_mm=GRID_MM, size_wh=size_wh
    )


def found_near(
    grey: NDArray[np.uint8], xy: NDArray[np.float64], radius: int
) -> NDArray[np.float64] | None:
    """Centre of the dark dot around `xy`, weighted by darkness; None when it is not clear."""
    x0, y0 = np.round(xy).astype(int) - radius
    box = grey[y0 : y0 + 2 * radius + 1, x0 : x0 + 2 * radius + 1].astype(float)
    if box.shape != (2 * radius + 1, 2 * radius + 1) or x0 < 0 or y0 < 0:
        return None
    rim = np.concatenate([box[0], box[-1], box[:, 0], box[:, -1]])
    if rim.min() - box.min() < 60 or np.ptp(rim) > 25:  # shadow, glare, or too dark
        return None
    weight = np.clip(np.median(rim) - 10 - box, 0, None)
    i, j = np.mgrid[0 : box.shape[0], 0 : box.shape[1]]
    return np.asarray(np.array([(weight * j).sum(), (weight * i).sum()]) / weight.sum() + (x0, y0))


@pytest.mark.parametrize("level", ALL)
def test_truth_lies_where_the_picture_shows_it(level: Level) -> None:
    page, at = dots()
    misses = []
    for seed in range(6):
        shot = shoot(seed, level, page=page)
        grey = cv2.cvtColor(shot.bgr, cv2.COLOR_BGR2GRAY)
        for mm in at:
            # the middle of a dot's outline, so that perspective moves truth and picture alike
            t = np.linspace(0, 2 * np.pi, 48, endpoint=False)
            rim = shot.page_to_photo(mm + 4 * np.stack([np.cos(t), np.sin(t)], -1))
            area, cx, cy = (cv2.moments(rim.astype(np.float32))[k] for k in ("m00", "m10", "m01"))
            truth = np.array([cx, cy]) / area
            seen = found_near(np.asarray(grey), truth, int(np.abs(rim - truth).max() + 4))
            if seen is not None:
                misses.append(np.linalg.norm(seen - truth))
    assert len(misses) > 60
    assert np.median(misses) < 0.15
    assert np.percentile(misses, 95) < 0.45
