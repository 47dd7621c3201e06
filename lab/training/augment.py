"""Augmentation: random views of a stored example, rotated, shifted, lit and blurred."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import cv2
import numpy as np

from kdscan.detection.find import VIEW_MARGIN, VIEW_PX, turned
from kdscan.detection.locate import LATTICE_SCALE, STRIDE, THUMB_PX
from kdscan.imaging.picture import (
    CENTERS,
    GRID_CORNERS,
    Photo,
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
from lab.synth.fields import (
    F32,
    F64,
    U8,
    Rng,
    f32,
    gaussian,
    log_uniform,
    rotation,
    stretched,
    toward,
    u8,
)
from lab.synth.hands.sketch import NODES
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
    """A coarse view from a wrong guess. Returns (224, 288, 3) uint8, (3, 5, 7) float32 (offset x, y
    in cells, there 0/1), and whether the view is upright."""
    true = example.coarse_centers.astype(np.float64)
    lost = rng.random() < LOST_SHARE
    offset = None
    if not lost and rng.random() < BENT_SHARE:
        # (5, 7, 2): a bent guess: the true centres with local and global slips
        slip = rng.normal(0, rng.choice([0.015, 0.04, 0.1]), CENTERS.shape)
        if rng.random() < 0.12:  # the whole grid is a row or column off
            slip = slip + rng.permutation([float(rng.choice([-1, 1])), 0.0])
        for _ in range(int(rng.choice(3, p=[0.35, 0.45, 0.2]))):
            slip = slip + _slip(rng)
        guess = shift_cells(true, slip)
        if rng.random() < 0.3:  # and lies nearer to a plane than the paper
            guess = guess + rng.uniform(0, 0.7) * (_plane(true) - true)
        guess = np.asarray(guess)
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
    return relight(rng, view), f32(out), upright


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
        spin = float(rng.choice([pi / 2, -pi / 2, pi / 4, rng.uniform(0.4, 2.7)]))
        middle = corners.mean(0) + rng.normal(0, 3, 2) * COARSE_PX
        grown = np.exp(rng.normal(0, 0.5))
        return np.asarray((corners - corners.mean(0)) @ rotation(spin).T * grown + middle)
    sigma = float(rng.choice([0.03, 0.12, 0.3], p=[0.3, 0.45, 0.25])) * COARSE_PX
    shift = rng.normal(0, sigma, 2) + rng.choice([0, 1, -1], 2, p=[0.9, 0.05, 0.05]) * COARSE_PX
    return np.asarray(corners + rng.normal(0, sigma * 0.8, (4, 2)) + shift)


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
    angle = rng.choice(4) * pi / 2 + rng.normal(0, 0.15)
    return np.asarray((rows[:, None] * cols[None])[..., None] * much * toward(angle))


_NOISE = np.random.default_rng(0).normal(0, 32, (1024, 1024)).astype(np.int8)
"""Noise that is cropped at random; generating it for each picture would dominate the cost."""


def relight(rng: Rng, bgr: U8) -> U8:
    """Random changes of light, colour, sharpness and noise of a picture (H, W, 3) uint8."""
    out: Any = bgr
    curve = np.repeat(np.linspace(0, 1, 256)[:, None], 3, 1)
    if rng.random() < 0.5:
        curve = curve ** np.exp(rng.normal(0, 0.3))
    if rng.random() < 0.6:
        curve = curve * np.exp(rng.normal(0, 0.12, 3) + rng.normal(0, 0.2))
    out = cv2.LUT(out, u8(np.clip(curve * 255 + 0.5, 0, 255))[:, None])
    h, w = out.shape[:2]
    if rng.random() < 0.3:
        corner = u8(np.clip(128 * np.exp(rng.normal(-0.1, 0.35, (2, 2))), 0, 255))
        light = stretched(corner, (w, h))
        out = cv2.multiply(out, cv2.merge([light] * 3), scale=1 / 128)
    if rng.random() < 0.08:
        out = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.3:
        out = gaussian(out, rng.uniform(0.3, 1.6))
    if rng.random() < 0.4:
        y, x = rng.integers(0, 1024 - h), rng.integers(0, 1024 - w)
        grain = f32(_NOISE[y : y + h, x : x + w])
        if rng.random() < 0.4:
            grain = f32(2 * gaussian(grain, 1.0))
        amount = rng.uniform(0.005, 0.05) * 255 / 32
        out = cv2.add(out, cv2.merge([grain * amount] * 3), dtype=cv2.CV_8U)
    return u8(out)


def random_view(rng: Rng, nodes: F64, clipped: bool) -> F64:
    """(3, 3) random homography from a stored thumbnail to a view of `THUMB_PX` pixels that contains
    the points `nodes` (..., 2); clipped: the view cuts some of them off."""
    side = THUMB_PX
    middle = nodes.reshape(-1, 2).mean(0)
    angle = rng.uniform(-pi, pi) if rng.random() < 0.7 else rng.choice(4) * pi / 2
    turn = rotation(angle)
    spread = (nodes.reshape(-1, 2) - middle) @ turn.T
    low, high = spread.min(0), spread.max(0)
    share = min(max(log_uniform(rng, 0.2, 1.05), 0.2), 0.98)
    scale = min(share * side / max(high - low), 1.3)
    room = side - scale * (high - low)
    at = rng.uniform(0, 1, 2) * room - scale * low
    if clipped:
        at += rng.uniform(-0.7, 0.7, 2) * scale * (high - low)
    m = np.eye(3)
    m[:2, :2] = scale * turn
    m[:2, 2] = at - scale * turn @ middle
    bend = np.eye(3)
    bend[2, :2] = rng.normal(0, 0.12, 2) / side
    to_middle = np.array([[1, 0, -side / 2], [0, 1, -side / 2], [0, 0, 1.0]])
    return np.asarray(np.linalg.inv(to_middle) @ bend @ to_middle @ m)


def warp_view(rng: Rng, picture: U8, m: F64) -> U8:
    """A stored thumbnail warped by a matrix from `random_view`; its border is replicated or filled
    with a random colour. (THUMB_PX, THUMB_PX, 3) uint8."""
    border = cv2.BORDER_REPLICATE if rng.random() < 0.4 else cv2.BORDER_CONSTANT
    color = rng.uniform(0, 255, 3).tolist()
    shrink = np.sqrt(abs(np.linalg.det(m[:2, :2])))
    if shrink < 0.7:
        picture = gaussian(picture, 0.45 / shrink)
    size = (THUMB_PX, THUMB_PX)
    view = cv2.warpPerspective(picture, m, size, borderMode=border, borderValue=color)
    return u8(view)


def locate_sample(rng: Rng, example: Example) -> tuple[U8, F32]:
    """A thumbnail and its votes. Returns (384, 384, 3) uint8 and (3, 48, 48) float32: on the grid
    0/1, u, v."""
    nodes = example.thumb_nodes.astype(np.float64)
    m = random_view(rng, nodes, clipped=rng.random() < 0.08)
    view = warp_view(rng, unpack(example.thumb), m)
    return relight(rng, view), _votes(project(m, nodes))


def _votes(nodes: F64) -> F32:
    """The votes for a map with these nodes (11, 15, 2), in pixels of the thumbnail."""
    n = THUMB_PX // STRIDE
    steps = (np.arange(n, dtype=np.float64) + 0.5) * STRIDE - 0.5
    at = np.stack(np.meshgrid(steps, steps), -1)
    h, _ = cv2.findHomography(nodes.reshape(-1, 2), NODES.reshape(-1, 2), 0)
    flat = np.asarray(h, np.float64)
    bend = f32(NODES - project(flat, nodes))
    guess = project(flat, at)
    index = f32((guess + 0.5) * 2)
    place: Any = guess + cv2.remap(
        bend, index[..., 0], index[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    front = (np.concatenate([at, np.ones((n, n, 1))], -1) @ flat[2]) * np.sign(
        np.append(nodes.reshape(-1, 2).mean(0), 1) @ flat[2]
    ) > 0
    uv = (place - np.array([3, 2])) / np.array(LATTICE_SCALE)
    on = (np.abs(uv).max(-1) <= 1) & front
    return f32(np.concatenate([on[None], np.where(on, uv.transpose(2, 0, 1), 0)]))


def mosaic(rng: Rng, a: tuple[U8, F32], b: tuple[U8, F32]) -> tuple[U8, F32]:
    """Two samples of `locate_sample` joined side by side, so that a picture shows several maps."""
    n = THUMB_PX // STRIDE
    k = int(rng.integers(n // 3, 2 * n // 3))
    image, votes = a[0].copy(), a[1].copy()
    if rng.random() < 0.5:
        image[k * STRIDE :], votes[:, k:] = b[0][k * STRIDE :], b[1][:, k:]
    else:
        image[:, k * STRIDE :], votes[:, :, k:] = b[0][:, k * STRIDE :], b[1][:, :, k:]
    return image, votes
