"""Renders the sheet into the picture: the shading of its folds, and its texture via its mesh."""

from __future__ import annotations

import cv2
import numpy as np

from lab.synth.fields import F32, F64, U8, Rng, f32, u8
from lab.synth.photo.lens import Camera, PageMap
from lab.synth.photo.light import GAMMA, Light, to_display
from lab.synth.raster import (
    FINE,
    STEP,
    Coarse,
    added,
    blend_into,
    fill,
    finer,
    grow,
    lit,
    looked_up,
    unit,
)


class Block:
    """The part of the coarse raster that the sheet covers.

    ij: (rows, cols, 2) float64, fractional indices (column, row) of the sheet's mesh at
        the block's nodes.
    """

    def __init__(self, page: PageMap, coarse: Coarse) -> None:
        most = np.array([coarse.cols - 2, coarse.rows - 2])
        low = np.clip(np.floor(page.nodes_xy.min((0, 1)) / STEP), 0, most - 1).astype(int)
        high = np.clip(np.ceil(page.nodes_xy.max((0, 1)) / STEP) + 1, low + 1, most).astype(int)
        (self.x0, self.y0), (self.x1, self.y1) = low, high
        xy = coarse.xy[self.y0 : self.y1 + 2, self.x0 : self.x1 + 2]
        self.ij = page.photo_to_nodes(xy.reshape(-1, 2)).reshape(xy.shape)

    def fine(self, field: F32) -> F32:
        """The part of a field on the finer raster of the whole photo that belongs to this block."""
        return field[2 * self.y0 : 2 * self.y1 + 4, 2 * self.x0 : 2 * self.x1 + 4]


def light_on_sheet(
    page: PageMap, camera: Camera, light: Light, block: Block
) -> tuple[F32, F32, F32]:
    """Ambient and direct light and highlights, each (h, w) on the block's finer raster."""
    sheet = page.sheet
    direct, to_light = light.reaches(sheet.xyz, sheet.normals)
    ambient = 0.7 + 0.3 * sheet.normals[..., 2]
    shine = np.zeros_like(direct)
    if light.sheen > 0.01:
        power = min(light.sharpness, 90.0)
        mirror = light.mirrored(sheet.xyz, sheet.normals, to_light, camera.eye, power)
        shine = np.float32(light.sheen) * mirror
    fields = f32(np.dstack([ambient, direct, shine]))
    ij = finer(f32(block.ij))
    ambient_seen, direct_seen, shine_seen = np.moveaxis(looked_up(fields, ij), -1, 0)
    return ambient_seen, direct_seen, shine_seen


def paste(
    rng: Rng, image: U8, page_bgr: U8, page: PageMap, block: Block, factor: F32, shine: F32
) -> None:
    """Paste the sheet into the picture, in place.

    factor: (h, w, 3) display factors, shine: (h, w) linear, on the block's finer raster.
    """
    picture = _sized(page_bgr, page)
    h, w = picture.shape[:2]
    m, n = page.nodes_xy.shape[:2]
    texel = block.ij * (w / (n - 1), h / (m - 1)) - 0.5
    x0, y0 = STEP * block.x0, STEP * block.y0
    mapping = grow(f32(texel), STEP)
    view = image[y0 : y0 + mapping.shape[0], x0 : x0 + mapping.shape[1]]
    vh, vw = view.shape[:2]
    seen = looked_up(picture, mapping[:vh, :vw])
    seen = lit(seen, grow(factor, FINE)[:vh, :vw])
    if shine.max() > 1e-3:
        # highlights add to linear light; white paper stands for what they fall on
        base = factor.mean(-1) ** GAMMA
        seen = added(
            seen, grow(255 * (to_display(base + shine) - to_display(base)), FINE)[:vh, :vw]
        )
    edge = page.page_to_photo(_cut(rng, page))
    blend_into(view, seen, unit(fill((vh, vw), edge - (x0, y0))))


def _cut(rng: Rng, page: PageMap) -> F64:
    """The paper's edge in page mm, (K, 2): straight, with round corners, or torn on a side."""
    w, h = float(page.sheet.x_mm[-1]), float(page.sheet.y_mm[-1])
    r = rng.uniform(1, 7) if rng.random() < 0.12 else 0.0
    turn = np.linspace(0, np.pi / 2, 7)
    arc = r * np.stack([1 - np.cos(turn), 1 - np.sin(turn)], 1)
    corners = [arc, (w, 0) + arc[::-1] * (-1, 1), (w, h) - arc, (0, h) + arc[::-1] * (1, -1)]
    torn = int(rng.integers(0, 4)) if rng.random() < 0.06 else -1
    parts = []
    for k in range(4):
        a, b = corners[k][-1], corners[(k + 1) % 4][0]
        t = np.linspace(0, 1, 120)[:, None]
        side = a + t * (b - a)
        if k == torn:
            rough = np.cumsum(rng.normal(0, 0.12, 120))
            rough = np.abs(rough - np.linspace(0, rough[-1], 120)) + rng.uniform(0, 0.25, 120)
            inwards = np.array([w / 2, h / 2]) - side.mean(0)
            side = side + rough[:, None] * inwards / np.linalg.norm(inwards)
        parts += [corners[k], side]
    return np.concatenate(parts)


def _sized(page_bgr: U8, page: PageMap) -> U8:
    """The page resized to about the photo's resolution, so that fine lines are not broken."""
    h, w = page_bgr.shape[:2]
    dy, dx = np.gradient(page.nodes_xy, axis=(0, 1))
    m, n = page.nodes_xy.shape[:2]
    along_x = float(np.median(np.linalg.norm(dx, axis=-1))) * (n - 1) / w
    along_y = float(np.median(np.linalg.norm(dy, axis=-1))) * (m - 1) / h
    scale = 1.15 * max(along_x, along_y)
    if scale > 0.9:
        return page_bgr
    size = (max(8, round(w * scale)), max(8, round(h * scale)))
    return u8(cv2.resize(page_bgr, size, interpolation=cv2.INTER_AREA))
