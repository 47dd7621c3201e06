"""What training shows of a rendered example: turned, shifted, lit and blurred anew each time."""

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
"""Grain to cut from: drawing it anew for each picture would cost more than all the rest."""


def relight(rng: Rng, bgr: U8, strength: float = 1.0, blur: float = 1.6) -> U8:
    """Other light, colour, sharpness (`blur`: at most, pixels) and noise; (H, W, 3) uint8."""
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
    """(3, 3) matrix from stored thumbnail to a `side`-pixel view with its points `nodes` in it."""
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


def seen_through(rng: Rng, picture: U8, m: F64, side: int) -> U8:
    """A stored thumbnail through a matrix from `random_view`, its edge or any colour around it."""
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
    view = seen_through(rng, unpack(example.thumb), m, side)
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
    """Two photos side by side, so that a picture can hold more than one map."""
    n = THUMB_PX // STRIDE
    k = int(rng.integers(n // 3, 2 * n // 3))
    image, votes = a[0].copy(), a[1].copy()
    if rng.random() < 0.5:
        image[k * STRIDE :], votes[:, k:] = b[0][k * STRIDE :], b[1][:, k:]
    else:
        image[:, k * STRIDE :], votes[:, :, k:] = b[0][:, k * STRIDE :], b[1][:, :, k:]
    return image, votes


SLIPPED, SLIPS_PX = 0.25, (2.4, 10.0)
"""A grid lies off as a whole by the first, and such a share of them, as on sheets without lines, by
the second: standard deviations in pixels of a flattened sheet."""


def flat_sample(rng: Rng, example: Example) -> tuple[RectifiedSheet, U8, F32]:
    """The flattened sheet with cells a little out of place, as settling leaves them.

    With it (H, W) uint8, the same pixels: index + 1 of the shield whose cross lies there; and
    (5, 7, 2), how far from its place each cell lies, in cells, x before y.
    """
    map_x, map_y = flat_map(rng)
    stored = unpack(example.flat)
    flat: Any = cv2.remap(stored, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    marked = _crossed(example, stored.shape[:2])
    spots = cv2.remap(marked, map_x, map_y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT)
    flat = worn(rng, flat, 0.5 if example.photographed else 1.0)
    sheet = RectifiedSheet(flat, CENTERS, NODES[[0, 0, -1, -1], [0, -1, -1, 0]], FLAT_PX, 1.0)
    return sheet, np.asarray(spots, np.uint8), _offsets(map_x, map_y)


def flat_map(rng: Rng) -> tuple[F32, F32]:
    """(672, 928) each: the pixels x and y of a stored flat sheet that lie there when its cells are
    a little out of place."""
    w, h = round((COLS + 2 * FLAT_MARGIN) * FLAT_PX), round((ROWS + 2 * FLAT_MARGIN) * FLAT_PX)
    angle, zoom = rng.normal(0, 0.012), np.exp(rng.normal(0, 0.015, 2))
    x, y = np.meshgrid(np.arange(w, dtype=np.float32), np.arange(h, dtype=np.float32))
    cx, cy = (w - 1) / 2, (h - 1) / 2
    u, v = (x - cx) * np.float32(zoom[0]), (y - cy) * np.float32(zoom[1])
    c, s = np.float32(np.cos(angle)), np.float32(np.sin(angle))
    jitter = rng.normal(0, rng.choice([1.0, 3.0, 6.0]), (ROWS, COLS, 2)).astype(np.float32)
    slip = SLIPS_PX[int(rng.random() < SLIPPED)]
    wobble = cv2.resize(jitter, (w, h), interpolation=cv2.INTER_LINEAR) + rng.normal(
        0, slip, 2
    ).astype(np.float32)
    pad = (WIDE_MARGIN - FLAT_MARGIN) * FLAT_PX
    map_x = c * u - s * v + np.float32(cx + pad) + wobble[..., 0]
    map_y = s * u + c * v + np.float32(cy + pad) + wobble[..., 1]
    return np.asarray(map_x, np.float32), np.asarray(map_y, np.float32)


def worn(rng: Rng, flat: U8, worse: float) -> U8:
    """A flat sheet as a poorer camera would show it, by lot: coarser, in other light, packed.

    worse: 1 for a sheet that no camera has seen, less for one that has been photographed.
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
    """(5, 7, 2): how far cells of a flat sheet lie from where they should, in cells, whose pixels
    were taken from there in a stored one."""
    middles = lattice_to_flat(CENTERS, FLAT_PX, FLAT_MARGIN)
    stored = lattice_to_flat(CENTERS, FLAT_PX, WIDE_MARGIN)
    at = middles.copy()
    for _ in range(3):  # what is taken from too far left lies as far to the right
        x, y = at[..., 0].astype(np.float32), at[..., 1].astype(np.float32)
        taken = [cv2.remap(one, x, y, cv2.INTER_LINEAR) for one in (map_x, map_y)]
        at += stored - np.stack(taken, -1)
    return np.asarray((at - middles) / FLAT_PX, np.float32)


SPOT_PX = 8
"""Radius of what counts as the middle of a cross, in pixels of a flattened sheet."""
SPOT_STRIDE = 8
"""Pixels of a crop for one place where the marks' network looks for crosses."""


def _crossed(example: Example, shape: tuple[int, int]) -> U8:
    """(H, W) uint8 in the stored flat sheet's pixels: index + 1 of a shield at its crosses."""
    out = np.zeros(shape, np.uint8)
    for index, x, y in () if example.crossed is None else example.crossed:
        at = lattice_to_flat(np.array([x, y]), FLAT_PX, WIDE_MARGIN)
        center = (round(float(at[0])), round(float(at[1])))
        cv2.circle(out, center, SPOT_PX, int(index) + 1, -1)
    return out


PLACES = np.array([(c - COLS // 2, r - ROWS // 2) for r, c in CELLS], np.float32)
"""(34, 2): columns and rows of the shields, from the castle."""


def marks_sample(rng: Rng, example: Example) -> tuple[F32, F32, F32, F32]:
    """The crops of one sheet, mirrored and turned by lot: marks have no upside.

    Returns (35, C, 160, 160), the castle last, (34, 20, 20): 1 where a cross lies, else 0;
    -1 everywhere if nobody knows, (34, 2): the column and row in which each shield now lies,
    from the castle, and (35, 2): how far each cell lies from its crop's middle, in cells.
    """
    sheet, marked, off = flat_sample(rng, example)
    cells = full_size_crops(sheet)
    own = [crop_cell(marked, r, c) == i + 1 for i, (r, c) in enumerate(CELLS)]
    n = cells.shape[-1] // SPOT_STRIDE
    spots = np.stack(own).reshape(len(CELLS), n, SPOT_STRIDE, n, SPOT_STRIDE).mean((2, 4)) > 0.4
    places, offsets = PLACES, np.stack([off[at] for at in CROP_CELLS])
    k, mirror = int(rng.integers(0, 4)), rng.random() < 0.5
    cells, spots = np.rot90(cells, k, (2, 3)), np.rot90(spots, k, (1, 2))
    for _ in range(k):
        places, offsets = _quartered(places), _quartered(offsets)
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


def _quartered(xy: F32) -> F32:
    """(N, 2) as `np.rot90` of a picture, x before y, takes them once round its middle."""
    return np.stack([xy[:, 1], -xy[:, 0]], 1)
