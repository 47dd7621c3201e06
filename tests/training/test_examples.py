"""What the networks are shown agrees with what they are told."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import cv2
import numpy as np
import pytest

from kdscan.detection.locate import LATTICE_SCALE, STRIDE, THUMB_PX
from kdscan.imaging.rectify import CENTERS, FLAT_PX
from kdscan.marks.crops import CROP_PX
from kdscan.records import CELLS, COATS
from kdscan.sheet.layout import layouts
from kdscan.synth.scene import SynthPhoto, make_photo, random_page
from kdscan.training import augment
from kdscan.training.dataset import (
    COARSE_MARGIN,
    COARSE_PX,
    WIDE_MARGIN,
    Example,
    flat_example,
    jpeg,
    photo_settings,
    random_own_page,
    to_example,
    unpack,
)


@cache
def photo() -> SynthPhoto:
    return make_photo(
        3, "easy", page=random_page(np.random.default_rng(3)), size_wh=(1200, 900), mess=0.0
    )


@cache
def example() -> Example:
    return to_example(3, photo())


def test_an_example_keeps_what_was_drawn() -> None:
    for i, at in enumerate(CELLS):
        coat, crosses = photo().board.get(at, (None, 0))
        assert COATS[example().coat[i]] is coat
        assert example().crosses[i] == crosses


def test_coarse_centres_lie_near_their_ideal_places_on_flat_paper() -> None:
    ideal = (CENTERS + 0.5 + COARSE_MARGIN) * COARSE_PX - 0.5
    assert np.abs(example().coarse_centers - ideal).max() < COARSE_PX


@pytest.mark.parametrize("seed", range(6))
def test_votes_lie_where_the_grid_is(seed: int) -> None:
    """The votes' mask and places, against the nodes drawn as a polygon."""
    rng = np.random.default_rng(seed)
    view, votes = augment.locate_sample(rng, example())
    n = THUMB_PX // STRIDE
    assert view.shape == (THUMB_PX, THUMB_PX, 3)
    assert votes.shape == (3, n, n)
    on = votes[0] > 0
    uv = votes[1:, on]
    assert np.abs(uv).max(initial=0) <= 1
    if on.sum() < 30:
        return  # cut off by the edge
    rows, cols = np.nonzero(on)
    lattice = uv.T * np.array(LATTICE_SCALE)
    plane, _ = cv2.findHomography(np.stack([cols, rows], 1).astype(np.float64), lattice, 0)
    at = np.stack([cols, rows, np.ones_like(rows)], 1) @ np.asarray(plane, np.float64).T
    error = np.abs(at[:, :2] / at[:, 2:] - lattice)
    assert np.quantile(error, 0.95) < 0.2


def test_marks_samples_are_what_segment_makes() -> None:
    cells, spots, places, offsets = augment.marks_sample(np.random.default_rng(0), example())
    assert cells.shape == (35, 3, CROP_PX, CROP_PX)
    assert places.shape == (34, 2) and offsets.shape == (35, 2)
    assert spots.shape == (34, CROP_PX // augment.SPOT_STRIDE, CROP_PX // augment.SPOT_STRIDE)


@pytest.mark.parametrize("seed", range(4))
def test_spots_are_marked_in_the_shields_that_have_crosses(seed: int) -> None:
    """Each cross within the crop is a blob of its own or touches another."""
    _, spots, *_ = augment.marks_sample(np.random.default_rng(seed), example())
    for shield, crosses in zip(spots, example().crosses, strict=True):
        blobs = cv2.connectedComponents(shield.astype(np.uint8))[0] - 1
        assert (blobs > 0) == (crosses > 0)
        assert blobs <= crosses


@pytest.mark.parametrize("seed", range(8))
def test_neighbours_share_what_lies_between_them_however_a_sheet_is_turned(seed: int) -> None:
    cells, _, places, _ = augment.marks_sample(np.random.default_rng(seed), example())
    at = {(int(x), int(y)): i for i, (x, y) in enumerate(places)}
    assert len(at) == 34 and (0, 0) not in at
    band = CROP_PX // 5
    agree = [
        np.corrcoef(cells[i, 0, :, -band:].ravel(), cells[at[x + 1, y], 0, :, :band].ravel())[0, 1]
        for (x, y), i in at.items()
        if (x + 1, y) in at
    ]
    assert np.median(agree) > 0.9


@pytest.mark.parametrize("seed", range(8))
def test_crops_say_how_far_their_cells_lie_off_however_a_sheet_is_turned(seed: int) -> None:
    """Of a sheet with a dot in the middle of each cell."""
    stored = np.full_like(unpack(example().flat), 230)
    for x, y in ((CENTERS + 0.5 + WIDE_MARGIN) * FLAT_PX - 0.5).reshape(-1, 2):
        at = (round(16 * float(x)), round(16 * float(y)))
        cv2.circle(stored, at, 6 * 16, (20, 20, 20), -1, cv2.LINE_AA, 4)
    dotted = replace(example(), flat=jpeg(stored))
    cells, _, _, offsets = augment.marks_sample(np.random.default_rng(seed), dotted)
    ys, xs = np.mgrid[0:CROP_PX, 0:CROP_PX] - (CROP_PX - 1) / 2
    for crop, off in zip(cells[:, 0], offsets, strict=True):
        near = np.maximum(crop - 0.5, 0) * (np.hypot(xs, ys) < FLAT_PX / 2)
        middle = np.array([(xs * near).sum(), (ys * near).sum()]) / near.sum()
        assert middle / FLAT_PX == pytest.approx(off, abs=0.015)


def test_a_flat_example_is_labelled() -> None:
    a = flat_example(4_000_123, None)
    assert unpack(a.flat).shape == unpack(example().flat).shape
    assert set(np.unique(a.coat)) <= set(range(7))
    assert example().photographed and not a.photographed


def test_our_own_sheet_is_drawn_in_every_layout_we_print() -> None:
    drawn = {random_own_page(np.random.default_rng(seed))[0].name for seed in range(12)}
    assert drawn == set(layouts())


def test_plans_use_every_level() -> None:
    assert {photo_settings(seed)[0] for seed in range(80)} == {"flat", "easy", "normal", "hard"}
