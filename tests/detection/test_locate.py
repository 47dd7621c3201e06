"""From votes to outlines; the votes here come from an oracle, not from a network."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.detection.locate import (
    LATTICE_SCALE,
    STRIDE,
    THUMB_PX,
    TURNED_PX,
    locate,
    locate_turned,
)
from kdscan.imaging.picture import (
    Network,
    Photo,
    inverse,
    lattice_to_photo_homography,
    mapped,
    project,
)

ONE = np.array([(300.0, 200.0), (1210.0, 260.0), (1160.0, 900.0), (260.0, 820.0)])
LEFT = np.array([(60.0, 120.0), (640.0, 150.0), (600.0, 580.0), (70.0, 560.0)])
RIGHT = np.array([(1400.0, 1000.0), (850.0, 980.0), (870.0, 560.0), (1430.0, 600.0)])
"""Upside down: its top left corner lies at the bottom right."""


def blank(width: int = 1500, height: int = 1125) -> Photo:
    return Photo(np.full((height, width, 3), 128, np.uint8))


def oracle(
    photo: Photo, maps: list[NDArray[np.float64]], noise: float = 0.0, wrong: float = 0.0
) -> Network:
    """Votes of a network that knows the maps: with noise in cells, a share of them wild."""
    scale = THUMB_PX / max(photo.width, photo.height)
    rng = np.random.default_rng(1)

    def network(batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        rows, cols = batch.shape[2] // STRIDE, batch.shape[3] // STRIDE
        x, y = np.meshgrid(np.arange(cols), np.arange(rows))
        at = ((np.stack([x, y], -1).astype(np.float64) + 0.5) * STRIDE) / scale - 0.5
        on = np.full((1, 1, rows, cols), -8.0, np.float32)
        place = np.zeros((1, 2, rows, cols), np.float32)
        for corners in maps:
            lattice = project(inverse(lattice_to_photo_homography(corners)), at)
            uv = (lattice - np.array([3, 2])) / np.array(LATTICE_SCALE)
            inside = np.abs(uv).max(-1) < 1
            noisy = uv + rng.normal(0, noise, uv.shape) / np.array(LATTICE_SCALE)
            wild = rng.random(inside.shape) < wrong
            noisy[wild] = rng.uniform(-1, 1, (int(wild.sum()), 2))
            on[0, 0][inside] = 8
            place[0, :, inside] = noisy[inside]
        return on, place, np.zeros((1, 1, rows, cols), np.float32)

    return network


def test_one_map_is_found_where_the_votes_put_it() -> None:
    photo = blank()
    (outline,) = locate(photo, oracle(photo, [ONE])).outlines
    assert outline.corners_xy == pytest.approx(ONE, abs=1.0)
    assert outline.confidence > 0.99


def test_two_maps_in_one_photo_are_two_outlines_each_its_own_way_up() -> None:
    photo = blank()
    first, second = locate(photo, oracle(photo, [LEFT, RIGHT])).outlines
    assert first.corners_xy == pytest.approx(LEFT, abs=1.5)
    assert second.corners_xy == pytest.approx(RIGHT, abs=1.5)


def test_a_mirrored_map_is_no_map() -> None:
    """Paper cannot be seen from behind: votes that say so are a reflection or nonsense."""
    photo = blank()
    outlines, likely = locate(photo, oracle(photo, [ONE[[1, 0, 3, 2]]]))
    assert outlines == ()
    assert [at.tolist() for at in likely] == [pytest.approx(ONE.mean(0).tolist(), abs=8)]


@pytest.mark.parametrize("eighths", [1, 2, 3, 4, 6])
def test_looking_at_a_turned_photo_gives_outlines_in_its_own_frame(eighths: int) -> None:
    photo, turn = blank(), np.pi / 4 * eighths
    c, s = np.cos(turn), np.sin(turn)
    view, back = mapped(photo, np.array([[c, -s], [s, c]]), TURNED_PX)
    seen = oracle(view, [project(inverse(back), ONE)])
    (outline,) = locate_turned(photo, seen, turn)
    assert outline.corners_xy == pytest.approx(ONE, abs=1.5)
