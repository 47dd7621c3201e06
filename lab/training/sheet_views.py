"""Random views of stored sheets, with the errors of registration and cameras, for the networks of
rectified sheets; and what the marks network sees of them, with its targets.

Stored sheets have a margin of `WIDE_MARGIN`, views one of `FLAT_MARGIN`. Both have `FLAT_PX` pixels
per cell, the origin in the middle of the first pixel, and x before y.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import FLAT_MARGIN, FLAT_PX
from kdscan.marks.crops import CROP_CELLS, CROP_PX, INPUT_PX, segment
from kdscan.rules.duel.board import CASTLE, CELLS, COLS, ROWS
from lab.synth.fields import (
    F32,
    F64,
    I64,
    U8,
    Rng,
    any_of,
    f32,
    looked_up,
    rotation,
    scaled,
    stretched,
)
from lab.synth.photo.camera import compress
from lab.training.augment import relight
from lab.training.dataset import WIDE_MARGIN, Example, unpack

VIEW_WH = (round((COLS + 2 * FLAT_MARGIN) * FLAT_PX), round((ROWS + 2 * FLAT_MARGIN) * FLAT_PX))
"""Width and height of a view: 928 and 672 pixels."""

PAD_PX = (WIDE_MARGIN - FLAT_MARGIN) * FLAT_PX
"""Pixels by which a stored sheet is larger on each side."""

SLIPS_PX = (2.4, 2.4, 2.4, 10.0)
"""Standard deviations in pixels of the displacement of whole grids, each for a fourth of the
sheets: those without lines are sometimes far off."""

JITTERS_PX = (1.0, 3.0, 6.0)
"""Standard deviations in pixels of single cells' displacement, each for a third of the sheets."""

PHOTO_SEVERITY = 0.5
"""Severity with which photographed sheets are degraded; for others it is 1."""

SPOT_PX, SPOT_STRIDE = 8, 8
"""Radius of a cross in the auxiliary target, in pixels of a view, and input pixels for each of the
target's."""


def random_map(rng: Rng) -> F32:
    """(672, 928, 2): for each pixel of a view its place on the stored sheet. Cells are slightly out
    of place: rotated, scaled and displaced, all together and each by itself."""
    middle = (np.array(VIEW_WH) - 1) / 2
    turn = rotation(0.012 * rng.normal()) @ np.diag(np.exp(0.015 * rng.normal(size=2)))
    own = stretched(f32(rng.normal(0, any_of(rng, JITTERS_PX), (ROWS, COLS, 2))), VIEW_WH)
    slip = rng.normal(0, any_of(rng, SLIPS_PX), 2)
    grid = np.stack(np.meshgrid(np.arange(VIEW_WH[0]), np.arange(VIEW_WH[1])), -1) - middle
    return f32(grid @ turn.T + own + (slip + middle + PAD_PX))


def degraded(rng: Rng, view: U8, severity: float) -> U8:
    """A view (H, W, 3), sometimes made coarser, relit or compressed. severity: 1 for a rendered
    sheet, less for one that has been photographed."""
    if rng.random() < 0.3 * severity:
        small = scaled(view, rng.uniform(1 - 0.65 * severity, 0.95))
        view = stretched(small, view.shape[1::-1])
    if rng.random() < 0.8 * severity:
        view = relight(rng, view)
    return compress(view, int(rng.integers(45, 91))) if rng.random() < 0.2 * severity else view


def random_view(rng: Rng, example: Example) -> tuple[U8, F32]:
    """A view (672, 928, 3) of an example's sheet, and its map."""
    at = random_map(rng)
    severity = PHOTO_SEVERITY if example.photographed else 1.0
    return degraded(rng, looked_up(unpack(example.flat), at), severity), at


def view_places(at: F32, stored_xy: F64) -> F64:
    """(N, 2): places in a view with the map `at` of places (N, 2) on the stored sheet, pixels."""
    places = stored_xy - PAD_PX
    for _ in range(4):  # fixed-point iteration: the map hardly differs from a displacement
        places = places + stored_xy - looked_up(at, f32(places[None]))[0]
    return places


class Sample(NamedTuple):
    """Input and targets of the marks network for one sheet.

    ink: (35, 1, 128, 128), coarse: (35, 3, 64, 64), as in `CellCrops`, but in half precision: 7
    rather than 14 MB between processes. places: (34, 2), column and row of each shield relative to
    the castle. coat, crosses: (34,). castle: (1,), -1 if unknown. spots: (34, 16, 16): 1 where a
    cross lies, else 0; -1 everywhere if that is unknown. offsets: (35, 2), each cell's offset from
    its crop's centre, in cells, x before y.
    """

    ink: NDArray[np.float16]
    coarse: NDArray[np.float16]
    places: F32
    coat: I64
    crosses: I64
    castle: F32
    spots: F32
    offsets: F32


def sample(rng: Rng, example: Example) -> Sample:
    """A random view of a sheet as the marks network sees it, mirrored and rotated by multiples of
    90°: marks have no upright orientation."""
    view, at = random_view(rng, example)
    crops, cells = segment(view), np.array(CROP_CELLS)[:, ::-1].astype(np.float64)
    offsets = (view_places(at, _stored(cells)) + 0.5) / FLAT_PX - (cells + 0.5 + FLAT_MARGIN)
    count = INPUT_PX // SPOT_STRIDE
    spots = np.full((len(CELLS), count, count), -1.0 if example.crossed is None else 0.0)
    if example.crossed is not None and len(example.crossed):
        # the parts of each shield's crop that its crosses cover
        middles = (np.arange(count) + 0.5) * CROP_PX / count - 0.5
        shields = example.crossed[:, 0].round().astype(int)
        for shield, xy in zip(
            shields, view_places(at, _stored(example.crossed[:, 1:])), strict=True
        ):
            x, y = (xy - cells[shield] * FLAT_PX)[:, None] - middles
            spots[shield][x**2 + y[:, None] ** 2 < SPOT_PX**2] = 1
    turns, mirrored = int(rng.integers(4)), rng.random() < 0.5
    # rows and columns of a picture turned by a quarter are those of its points as below
    way = np.linalg.matrix_power([[0, -1], [1, 0]], turns) * [-1 if mirrored else 1, 1]
    pictures = (np.rot90(part, turns, (-2, -1)) for part in (crops.ink, crops.coarse, spots))
    ink, coarse, spots = (part[..., ::-1] if mirrored else part for part in pictures)
    places, castle = (cells[:-1] - CASTLE[::-1]) @ way, example.castle
    return Sample(
        ink.astype(np.float16),
        coarse.astype(np.float16),
        f32(places),
        example.coat,
        example.crosses,
        f32([-1.0 if castle is None else castle]),
        f32(spots),
        f32(offsets @ way),
    )


def _stored(lattice_xy: F64 | F32) -> F64:
    """Pixels of stored sheets for points given in cells from the first cell's centre."""
    return np.asarray((lattice_xy + 0.5 + WIDE_MARGIN) * FLAT_PX - 0.5, np.float64)
