"""Training samples of the refining network: views of a grid from wrong guesses of its cells'
centres.

During registration guesses are planar at first and bent later. Training needs bent guesses too: a
network trained only on planar ones converges on bent grids that look right but are not, such as a
row mistaken for its neighbour where a fold hides the gap.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kdscan.detection.register import VIEW_MARGIN, VIEW_PX, turned
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import (
    CENTERS,
    GRID_CORNERS,
    fit_homography,
    flatten,
    inverse,
    lattice_to_flat,
    lattice_to_photo,
    lattice_to_photo_homography,
    project,
    shift_cells,
)
from kdscan.rules.duel.board import COLS, ROWS
from lab.synth.fields import F32, F64, U8, Rng, rotation, toward
from lab.training.augment import relight
from lab.training.dataset import COARSE_MARGIN, COARSE_PX, Example, unpack

BENT_SHARE = 0.5
"""Share of bent guesses."""
LOST_SHARE = 0.08
"""Share of guesses unrelated to the grid's place."""
MAX_OFFSET, OFFSET_CLIP = 1.4, 1.5
"""Cells: beyond the first offset a cell counts as absent; offsets are clipped to the second."""

OVERSAMPLE_AT = (0.05, 0.1, 0.2, 0.3, 0.45)
"""An example is repeated once for each of these deviations from a plane, in cells, that it exceeds:
half of the photos show nearly flat paper, one in a hundred a fold."""

ROUNDS, TOLERANCE = 20, 0.01
"""Maximum number of iterations, and tolerance in cells, for inverting a bent lattice."""


def oversample_bent(examples: Sequence[Example]) -> list[Example]:
    """The examples, with bent ones up to six times each, see `OVERSAMPLE_AT`."""
    return [e for e in examples for _ in range(1 + int(np.searchsorted(OVERSAMPLE_AT, _bend(e))))]


def _bend(example: Example) -> float:
    """Largest deviation of a cell from the common plane, in cells."""
    true = example.coarse_centers.astype(np.float64)
    return float(np.linalg.norm(true - _plane(true), axis=-1).max()) / COARSE_PX


def _plane(true_xy: F64) -> F64:
    """Centres (5, 7, 2) of the plane fitted to true centres (5, 7, 2)."""
    return project(fit_homography(true_xy), CENTERS)


def refine_sample(rng: Rng, example: Example) -> tuple[U8, F32, bool]:
    """A coarse view from a wrong guess.

    Returns (224, 288, 3) uint8, (3, 5, 7) float32 (offset x, y in cells, there 0/1),
    and whether the view is upright.
    """
    true = example.coarse_centers.astype(np.float64)
    lost = rng.random() < LOST_SHARE
    offset = None
    if not lost and rng.random() < BENT_SHARE:
        guess = _bent_guess(rng, true)
        offset = true_offsets(guess, true)
    if offset is None:
        guess = project(lattice_to_photo_homography(_corners(rng, lost)), CENTERS)
        offset = project(inverse(fit_homography(guess)), true) - CENTERS
    upright = rng.random() < 0.5
    if not upright:
        guess, offset = turned(guess), -turned(offset)
    view = flatten(Photo(unpack(example.coarse)), guess, VIEW_PX, VIEW_MARGIN)
    there = (np.abs(offset).max(-1) < MAX_OFFSET) & (not lost)
    out = np.concatenate(
        [np.clip(offset, -OFFSET_CLIP, OFFSET_CLIP).transpose(2, 0, 1), there[None]]
    )
    return relight(rng, view), out.astype(np.float32), upright


def true_offsets(guess_xy: F64, true_xy: F64) -> F64 | None:
    """Offsets (5, 7, 2) in cells with which `shift_cells` moves a guess to the true centres, both
    (5, 7, 2); None if the guess is too bent to invert."""
    flat = inverse(fit_homography(guess_xy))
    at = CENTERS.copy()
    for _ in range(ROUNDS):
        far = project(flat, true_xy) - project(flat, lattice_to_photo(guess_xy, at))
        if not np.isfinite(far).all():
            return None
        if np.abs(far).max() < TOLERANCE:
            return at - CENTERS
        at = at + 0.8 * far
    return None


def _corners(rng: Rng, lost: bool) -> F64:
    """(4, 2): corners of a planar guess in the coarse view, in which the true plane is upright."""
    corners = lattice_to_flat(GRID_CORNERS, COARSE_PX, COARSE_MARGIN)
    if lost:
        spin = float(rng.choice([np.pi / 2, -np.pi / 2, np.pi / 4, rng.uniform(0.4, 2.7)]))
        middle = corners.mean(0) + rng.normal(0, 3, 2) * COARSE_PX
        grown = np.exp(rng.normal(0, 0.5))
        return np.asarray((corners - corners.mean(0)) @ rotation(spin).T * grown + middle)
    sigma = float(rng.choice([0.03, 0.12, 0.3], p=[0.3, 0.45, 0.25])) * COARSE_PX
    shift = rng.normal(0, sigma, 2) + rng.choice([0, 1, -1], 2, p=[0.9, 0.05, 0.05]) * COARSE_PX
    return np.asarray(corners + rng.normal(0, sigma * 0.8, (4, 2)) + shift)


def _bent_guess(rng: Rng, true_xy: F64) -> F64:
    """(5, 7, 2): a bent guess: the true centres with local and global slips."""
    slip = rng.normal(0, rng.choice([0.015, 0.04, 0.1]), CENTERS.shape)
    if rng.random() < 0.12:  # the whole grid is a row or column off
        slip = slip + rng.permutation([float(rng.choice([-1, 1])), 0.0])
    for _ in range(int(rng.choice(3, p=[0.35, 0.45, 0.2]))):
        slip = slip + _slip(rng)
    guess = shift_cells(true_xy, slip)
    if rng.random() < 0.3:  # and lies nearer to a plane than the paper
        guess = guess + rng.uniform(0, 0.7) * (_plane(true_xy) - true_xy)
    return np.asarray(guess)


def _slip(rng: Rng) -> F64:
    """(5, 7, 2): a slip in cells, constant on one side of a line across the grid or in one of its
    corners, with a ramp near the line."""

    def side(count: int) -> F64:
        ramp = np.clip((np.arange(count) - rng.uniform(0, count)) / rng.uniform(0.5, 3), 0, 1)
        return np.asarray(ramp if rng.random() < 0.5 else ramp[::-1])

    rows, cols = side(ROWS), side(COLS)
    where = rng.random()
    if where < 0.4:
        cols = np.ones(COLS)
    elif where < 0.8:
        rows = np.ones(ROWS)
    much = float(rng.choice([-1, 1])) if rng.random() < 0.5 else rng.normal(0, 0.4)
    angle = rng.choice(4) * np.pi / 2 + rng.normal(0, 0.15)
    return np.asarray((rows[:, None] * cols[None])[..., None] * much * toward(angle))
