"""What the refining network learns from: views of a grid from wrong guesses of where its cells lie.

A guess is plane while the grid settles, and bent once the paper is followed. Bent guesses that
look right and are not, a row taken for its neighbour where a fold hides the gap, are what a
network comes to rest on that has seen plane ones alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kdscan.detection.register import VIEW_MARGIN, VIEW_PX, turned
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
from kdscan.records import COLS, ROWS, Photo
from kdscan.synth.fields import F32, F64, U8, Rng, rotation
from kdscan.training.augment import relight
from kdscan.training.dataset import COARSE_MARGIN, COARSE_PX, Example, unpack

BENT = 0.5
"""Share of guesses that follow the paper, or what was taken for it."""
LOST = 0.08
"""Share of guesses that have nothing to do with where the grid lies."""
FAR, NOWHERE = 1.4, 1.5
"""A cell that is off by more cells is not there; farther off than this is as far."""

OFTENER = (0.05, 0.1, 0.2, 0.3, 0.45)
"""A sheet is shown once more for each of these, in cells, by which one of its cells leaves the
plane of all: half of the photos show paper that lies nearly flat, one in a hundred a fold."""

ROUNDS, EXACT = 20, 0.01
"""Where a true place lies in a bent lattice is looked for so often, until it is known to so many
cells."""


def bent_oftener(examples: Sequence[Example]) -> list[Example]:
    """The examples, those of bent paper up to six times each, see `OFTENER`."""
    return [e for e in examples for _ in range(1 + int(np.searchsorted(OFTENER, _bend(e))))]


def _bend(example: Example) -> float:
    """By how many cells the cell that does so most leaves the plane of all."""
    true = example.coarse_centers.astype(np.float64)
    return float(np.linalg.norm(true - _plane(true), axis=-1).max()) / COARSE_PX


def _plane(true_xy: F64) -> F64:
    """The cells (5, 7, 2) where the plane of all of them has them."""
    return project(fit_homography(true_xy), CENTERS)


def refine_sample(rng: Rng, example: Example) -> tuple[U8, F32, bool]:
    """A coarse view from a wrong guess.

    Returns (224, 288, 3) uint8, (3, 5, 7) float32 (offset x, y in cells, there 0/1),
    and whether the view is upright.
    """
    true = example.coarse_centers.astype(np.float64)
    lost = rng.random() < LOST
    offset = None
    if not lost and rng.random() < BENT:
        guess = _bent(rng, true)
        offset = offsets(guess, true)
    if offset is None:
        guess = project(lattice_to_photo_homography(_corners(rng, lost)), CENTERS)
        offset = project(inverse(fit_homography(guess)), true) - CENTERS
    upright = rng.random() < 0.5
    if not upright:
        guess, offset = turned(guess), -turned(offset)
    view = flatten(Photo(unpack(example.coarse)), guess, VIEW_PX, VIEW_MARGIN)
    there = (np.abs(offset).max(-1) < FAR) & (not lost)
    out = np.concatenate([np.clip(offset, -NOWHERE, NOWHERE).transpose(2, 0, 1), there[None]])
    return relight(rng, view), out.astype(np.float32), upright


def offsets(guess_xy: F64, true_xy: F64) -> F64 | None:
    """How far, in cells, each cell lies from where it is guessed: what `shift_cells` takes a guess
    (5, 7, 2) with to the true places (5, 7, 2); None where a guess is too bent to tell."""
    flat = inverse(fit_homography(guess_xy))
    at = CENTERS.copy()
    for _ in range(ROUNDS):
        far = project(flat, true_xy) - project(flat, lattice_to_photo(guess_xy, at))
        if not np.isfinite(far).all():
            return None
        if np.abs(far).max() < EXACT:
            return at - CENTERS
        at = at + 0.8 * far
    return None


def _corners(rng: Rng, lost: bool) -> F64:
    """(4, 2): corners of a plane guess in the coarse view, where the true plane lies upright."""
    corners = lattice_to_flat(GRID_CORNERS, COARSE_PX, COARSE_MARGIN)
    if lost:
        spin = rng.choice([np.pi / 2, -np.pi / 2, np.pi / 4, rng.uniform(0.4, 2.7)])
        middle = corners.mean(0) + rng.normal(0, 3, 2) * COARSE_PX
        grown = np.exp(rng.normal(0, 0.5))
        return np.asarray((corners - corners.mean(0)) @ rotation(spin).T * grown + middle)
    sigma = float(rng.choice([0.03, 0.12, 0.3], p=[0.3, 0.45, 0.25])) * COARSE_PX
    shift = rng.normal(0, sigma, 2) + rng.choice([0, 1, -1], 2, p=[0.9, 0.05, 0.05]) * COARSE_PX
    return np.asarray(corners + rng.normal(0, sigma * 0.8, (4, 2)) + shift)


def _bent(rng: Rng, true_xy: F64) -> F64:
    """(5, 7, 2): a guess that follows the paper more or less, and slips on it here and there."""
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
    """(5, 7, 2): cells on one side of a line across the grid, or in one of its corners, lie as
    many cells off; near the line fewer."""

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
    way = np.array([np.cos(angle), np.sin(angle)])
    return np.asarray((rows[:, None] * cols[None])[..., None] * much * way)
