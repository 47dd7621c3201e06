"""Augmentation: random views of a stored example, rotated, shifted, lit and blurred."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from kdscan.detection.locate import LATTICE_SCALE, STRIDE, THUMB_PX
from kdscan.imaging.rectify import project
from lab.synth.fields import F32, F64, U8, Rng, log_uniform, rotation
from lab.synth.scene import NODES
from lab.training.dataset import Example, unpack

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
    out = cv2.LUT(out, np.clip(curve * 255 + 0.5, 0, 255).astype(np.uint8)[:, None])
    h, w = out.shape[:2]
    if rng.random() < 0.3:
        corner = np.clip(128 * np.exp(rng.normal(-0.1, 0.35, (2, 2))), 0, 255).astype(np.uint8)
        light = cv2.resize(corner, (w, h), interpolation=cv2.INTER_LINEAR)
        out = cv2.multiply(out, cv2.merge([light] * 3), scale=1 / 128)
    if rng.random() < 0.08:
        out = cv2.cvtColor(cv2.cvtColor(out, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.3:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.3, 1.6))
    if rng.random() < 0.4:
        y, x = rng.integers(0, 1024 - h), rng.integers(0, 1024 - w)
        grain = _NOISE[y : y + h, x : x + w].astype(np.float32)
        if rng.random() < 0.4:
            grain = np.asarray(2 * cv2.GaussianBlur(grain, (0, 0), 1.0), np.float32)
        amount = rng.uniform(0.005, 0.05) * 255 / 32
        out = cv2.add(out, cv2.merge([grain * np.float32(amount)] * 3), dtype=cv2.CV_8U)
    return np.asarray(out, np.uint8)


def random_view(rng: Rng, nodes: F64, clipped: bool) -> F64:
    """(3, 3) random homography from a stored thumbnail to a view of `THUMB_PX` pixels that contains
    the points `nodes` (..., 2); clipped: the view cuts some of them off."""
    side = THUMB_PX
    middle = nodes.reshape(-1, 2).mean(0)
    angle = rng.uniform(-np.pi, np.pi) if rng.random() < 0.7 else rng.choice(4) * np.pi / 2
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
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.45 / shrink), np.uint8)
    size = (THUMB_PX, THUMB_PX)
    view = cv2.warpPerspective(picture, m, size, borderMode=border, borderValue=color)
    return np.asarray(view, np.uint8)


def locate_sample(rng: Rng, example: Example) -> tuple[U8, F32]:
    """A thumbnail and its votes.

    Returns (384, 384, 3) uint8 and (3, 48, 48) float32: on the grid 0/1, u, v.
    """
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
