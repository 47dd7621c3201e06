"""Augmentation: random views of a stored example, rotated, shifted, lit and blurred."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from kdscan.detection.locate import LATTICE_SCALE, STRIDE, THUMB_PX
from kdscan.imaging.rectify import CENTERS, FLAT_MARGIN, FLAT_PX, lattice_to_flat, project
from kdscan.marks.crops import CROP_CELLS, crop_cell, full_size_crops
from kdscan.records import CELLS, COLS, ROWS, RectifiedSheet
from kdscan.synth.fields import F32, F64, U8, Rng, rotation
from kdscan.synth.sensor import compress
from kdscan.training.dataset import WIDE_MARGIN, Example, unpack

NODES = np.stack(
    np.meshgrid(np.arange(2 * COLS + 1) / 2 - 0.5, np.arange(2 * ROWS + 1) / 2 - 0.5), -1
)
"""(11, 15, 2): lattice points every half cell, from corner to corner of the grid."""


_NOISE = np.random.default_rng(0).normal(0, 32, (1024, 1024)).astype(np.int8)
"""Noise that is cropped at random; generating it for each picture would dominate the cost."""


def relight(rng: Rng, bgr: U8, strength: float = 1.0, blur: float = 1.6) -> U8:
    """Random changes of light, colour, sharpness (sigma at most `blur` pixels) and noise.

    bgr and result: (H, W, 3) uint8. strength: factor of the changes' probabilities.
    """
    out: Any = bgr
    curve = np.repeat(np.linspace(0, 1, 256)[:, None], 3, 1)
    if rng.random() < 0.5 * strength:
        curve = curve ** np.exp(rng.normal(0, 0.3))
    if rng.random() < 0.6 * strength:
        curve = curve * np.exp(rng.normal(0, 0.12, 3) + rng.normal(0, 0.2))
    out = cv2.LUT(out, np.clip(curve * 255 + 0.5, 0, 255).astype(np.uint8)[:, None])
    h, w = out.shape[:2]
    if rng.random() < 0.3 * strength:
        corner = np.clip(128 * np.exp(rng.normal(-0.1, 0.35, (2, 2))), 0, 255).astype(np.uint8)
        light = cv2.resize(corner, (w, h), interpolation=cv2.INTER_LINEAR)
        out = cv2.multiply(out, cv2.merge([light] * 3), scale=1 / 128)
    if rng.random() < 0.08:
        out = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.3 * strength:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.3, blur))
    if rng.random() < 0.4 * strength:
        y, x = rng.integers(0, 1024 - h), rng.integers(0, 1024 - w)
        grain = _NOISE[y : y + h, x : x + w].astype(np.float32)
        if rng.random() < 0.4:
            grain = np.asarray(2 * cv2.GaussianBlur(grain, (0, 0), 1.0), np.float32)
        amount = rng.uniform(0.005, 0.05) * 255 / 32
        out = cv2.add(out, cv2.merge([grain * np.float32(amount)] * 3), dtype=cv2.CV_8U)
    return np.asarray(out, np.uint8)


def random_view(rng: Rng, nodes: F64, side: int, clipped: bool) -> F64:
    """(3, 3) random homography from a stored thumbnail to a view of `side` pixels that contains the
    points `nodes` (..., 2); clipped: that cuts some of them off."""
    middle = nodes.reshape(-1, 2).mean(0)
    angle = rng.uniform(-np.pi, np.pi) if rng.random() < 0.7 else rng.choice(4) * np.pi / 2
    turn = rotation(angle)
    spread = (nodes.reshape(-1, 2) - middle) @ turn.T
    low, high = spread.min(0), spread.max(0)
    share = float(np.clip(np.exp(rng.uniform(np.log(0.2), np.log(1.05))), 0.2, 0.98))
    scale = share * side / max(high - low)
    scale = min(scale, 1.3)
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


def warp_view(rng: Rng, picture: U8, m: F64, side: int) -> U8:
    """A stored thumbnail warped by a matrix from `random_view`; its border is replicated or filled
    with a random colour. (side, side, 3) uint8."""
    border = cv2.BORDER_REPLICATE if rng.random() < 0.4 else cv2.BORDER_CONSTANT
    color = rng.uniform(0, 255, 3).tolist()
    shrink = np.sqrt(abs(np.linalg.det(m[:2, :2])))
    if shrink < 0.7:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.45 / shrink), np.uint8)
    view = cv2.warpPerspective(picture, m, (side, side), borderMode=border, borderValue=color)
    return np.asarray(view, np.uint8)


def locate_sample(rng: Rng, example: Example) -> tuple[U8, F32]:
    """A thumbnail and its votes.

    Returns (384, 384, 3) uint8 and (3, 48, 48) float32: on the grid 0/1, u, v.
    """
    side = THUMB_PX
    m = random_view(rng, example.thumb_nodes.astype(np.float64), side, clipped=rng.random() < 0.08)
    view = warp_view(rng, unpack(example.thumb), m, side)
    nodes = np.asarray(example.thumb_nodes, np.float64)
    target = _votes(project(m, nodes), side)
    return relight(rng, view), target


def _votes(nodes: F64, side: int) -> F32:
    n = side // STRIDE
    steps = (np.arange(n, dtype=np.float64) + 0.5) * STRIDE - 0.5
    at = np.stack(np.meshgrid(steps, steps), -1)
    h, _ = cv2.findHomography(nodes.reshape(-1, 2), NODES.reshape(-1, 2), 0)
    flat = np.asarray(h, np.float64)
    bend = (NODES - project(flat, nodes)).astype(np.float32)
    guess = project(flat, at)
    index = ((guess + 0.5) * 2).astype(np.float32)
    place: Any = guess + cv2.remap(
        bend, index[..., 0], index[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    front = (np.concatenate([at, np.ones((n, n, 1))], -1) @ flat[2]) * np.sign(
        np.append(nodes.reshape(-1, 2).mean(0), 1) @ flat[2]
    ) > 0
    uv = (place - np.array([3, 2])) / np.array(LATTICE_SCALE)
    on = (np.abs(uv).max(-1) <= 1) & front
    return np.concatenate([on[None], np.where(on, uv.transpose(2, 0, 1), 0)]).astype(np.float32)


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


SLIP_SHARE, SLIPS_PX = 0.25, (2.4, 10.0)
"""Share of grids that are displaced as a whole as on sheets without lines, and standard deviations
of the displacement, in rectified pixels, of the others and of these."""


def flat_sample(rng: Rng, example: Example) -> tuple[RectifiedSheet, U8, F32]:
    """A rectified sheet with cells slightly out of place, as after registration.

    Also returns (H, W) uint8 in the same frame: index + 1 of the shield whose cross lies there; and
    (5, 7, 2): each cell's offset, in cells, x before y.
    """
    map_x, map_y = jitter_map(rng)
    stored = unpack(example.flat)
    flat: Any = cv2.remap(stored, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    marked = _cross_mask(example, stored.shape[:2])
    spots = cv2.remap(marked, map_x, map_y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT)
    flat = degrade(rng, flat, 0.5 if example.photographed else 1.0)
    sheet = RectifiedSheet(flat, CENTERS, NODES[[0, 0, -1, -1], [0, -1, -1, 0]], FLAT_PX, 1.0)
    return sheet, np.asarray(spots, np.uint8), _offsets(map_x, map_y)


def jitter_map(rng: Rng) -> tuple[F32, F32]:
    """(672, 928) each: random maps x and y, for `cv2.remap`, into a stored rectified sheet so that
    its cells are slightly out of place."""
    w, h = round((COLS + 2 * FLAT_MARGIN) * FLAT_PX), round((ROWS + 2 * FLAT_MARGIN) * FLAT_PX)
    angle, zoom = rng.normal(0, 0.012), np.exp(rng.normal(0, 0.015, 2))
    x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    cx, cy = (w - 1) / 2, (h - 1) / 2
    u, v = (x - cx) * np.float32(zoom[0]), (y - cy) * np.float32(zoom[1])
    c, s = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    jitter = rng.normal(0, rng.choice([1.0, 3.0, 6.0]), (ROWS, COLS, 2)).astype(np.float32)
    slip = SLIPS_PX[int(rng.random() < SLIP_SHARE)]
    wobble = cv2.resize(jitter, (w, h), interpolation=cv2.INTER_LINEAR) + rng.normal(
        0, slip, 2
    ).astype(np.float32)
    pad = (WIDE_MARGIN - FLAT_MARGIN) * FLAT_PX
    map_x = c * u - s * v + np.float32(cx + pad) + wobble[..., 0]
    map_y = s * u + c * v + np.float32(cy + pad) + wobble[..., 1]
    return np.asarray(map_x, np.float32), np.asarray(map_y, np.float32)


def degrade(rng: Rng, flat: U8, worse: float) -> U8:
    """A rectified sheet (H, W, 3) with random degradation: coarser, in other light, compressed.

    worse: 1 for a rendered sheet, less for one that has been photographed.
    """
    h, w = flat.shape[:2]
    out: Any = flat
    if rng.random() < 0.3 * worse:
        k = rng.uniform(1 - 0.65 * worse, 0.95)
        out = cv2.resize(cv2.resize(out, None, fx=k, fy=k, interpolation=cv2.INTER_AREA), (w, h))
    out = relight(rng, np.asarray(out, np.uint8), 0.8 * worse, blur=1.8 * worse)
    if rng.random() < 0.2 * worse:
        out = compress(out, int(rng.integers(45, 90)))
    return np.asarray(out, np.uint8)


def _offsets(map_x: F32, map_y: F32) -> F32:
    """(5, 7, 2): the cells' offsets, in cells, that maps of `jitter_map` produce."""
    middles = lattice_to_flat(CENTERS, FLAT_PX, FLAT_MARGIN)
    stored = lattice_to_flat(CENTERS, FLAT_PX, WIDE_MARGIN)
    at = middles.copy()
    for _ in range(3):  # fixed-point iteration inverts the maps
        x, y = at[..., 0].astype(np.float32), at[..., 1].astype(np.float32)
        source = [cv2.remap(one, x, y, cv2.INTER_LINEAR) for one in (map_x, map_y)]
        at += stored - np.stack(source, -1)
    return np.asarray((at - middles) / FLAT_PX, np.float32)


SPOT_PX = 8
"""Radius in rectified pixels of a cross's centre in the auxiliary target."""
SPOT_STRIDE = 8
"""Crop pixels a pixel of the auxiliary target of crosses."""


def _cross_mask(example: Example, shape: tuple[int, int]) -> U8:
    """(H, W) uint8 in the stored rectified sheet's frame: index + 1 of the shield at its
    crosses."""
    out = np.zeros(shape, np.uint8)
    for index, x, y in () if example.crossed is None else example.crossed:
        at = lattice_to_flat(np.array([x, y]), FLAT_PX, WIDE_MARGIN)
        center = (round(float(at[0])), round(float(at[1])))
        cv2.circle(out, center, SPOT_PX, int(index) + 1, -1)
    return out


POSITIONS = np.array([(c - COLS // 2, r - ROWS // 2) for r, c in CELLS], np.float32)
"""(34, 2): columns and rows of the shields, from the castle."""


def marks_sample(rng: Rng, example: Example) -> tuple[F32, F32, F32, F32]:
    """The crops of one sheet, randomly mirrored and rotated by 90°: marks have no upside.

    Returns the crops (35, C, 160, 160), the castle last; (34, 20, 20): 1 where a cross lies, else
    0, or -1 everywhere if that is unknown; (34, 2): column and row of each shield after the
    rotation, relative to the castle; and (35, 2): each cell's offset from its crop's centre, in
    cells.
    """
    sheet, marked, off = flat_sample(rng, example)
    cells = full_size_crops(sheet)
    own = [crop_cell(marked, r, c) == i + 1 for i, (r, c) in enumerate(CELLS)]
    n = cells.shape[-1] // SPOT_STRIDE
    spots = np.stack(own).reshape(len(CELLS), n, SPOT_STRIDE, n, SPOT_STRIDE).mean((2, 4)) > 0.4
    places, offsets = POSITIONS, np.stack([off[at] for at in CROP_CELLS])
    k, mirror = int(rng.integers(0, 4)), rng.random() < 0.5
    cells, spots = np.rot90(cells, k, (2, 3)), np.rot90(spots, k, (1, 2))
    for _ in range(k):
        places, offsets = _rotate_90(places), _rotate_90(offsets)
    if mirror:
        cells, spots = cells[..., ::-1], spots[..., ::-1]
        places, offsets = places * (-1, 1), offsets * (-1, 1)
    where = np.ascontiguousarray(spots, np.float32)
    where = where - 1 if example.crossed is None else where
    return (
        np.ascontiguousarray(cells),
        where,
        np.asarray(places, np.float32),
        np.asarray(offsets, np.float32),
    )


def _rotate_90(xy: F32) -> F32:
    """Vectors (N, 2), x before y, rotated as `np.rot90` rotates a picture."""
    return np.stack([xy[:, 1], -xy[:, 0]], 1)
