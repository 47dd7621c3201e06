"""What falls on the sensor: desk, shadows, sheet and solids, in perspective and in light.

Smooth things (maps, light) are worked out on a coarse raster of one node for each 8 × 8
pixels, shadows on one for 4 × 4, and brought to full size by linear interpolation.
"""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.synth.clutter import cast, paint_solid
from kdscan.synth.desk import Desk
from kdscan.synth.fields import F32, F64, LUMA, U8, Rng
from kdscan.synth.lens import Camera, PageMap
from kdscan.synth.light import blur, fill, outdoors, thrown_shadow, to_display
from kdscan.synth.scenery import Print, Scenery

STEP = 8
_HALF_SHIFT = 6.5  # a node k of the finer raster lies at photo pixel 4 k - 6.5


class Coarse:
    """The coarse raster of a photo, one node beyond each side.

    Node (i, j) lies at photo pixel (8 j - 4.5, 8 i - 4.5).
    """

    def __init__(self, size_wh: tuple[int, int]) -> None:
        self.w, self.h = size_wh
        self.cols, self.rows = -(-self.w // STEP) + 2, -(-self.h // STEP) + 2
        x, y = np.arange(self.cols) * 8.0 - 4.5, np.arange(self.rows) * 8.0 - 4.5
        self.xy = np.stack(np.meshgrid(x, y), -1)

    def finer(self, field: F32) -> F32:
        """From 8 × 8 to 4 × 4."""
        h, w = field.shape[:2]
        return cv2.resize(field, (2 * w, 2 * h)).astype(np.float32, copy=False)

    def full(self, field: F32) -> F32:
        """A coarse or finer raster to all pixels of the photo (or of a block of nodes)."""
        scale = STEP if field.shape[0] in (self.rows,) else STEP // 2
        return _grow(field, scale)[:self.h, :self.w]


def _grow(field: F32, scale: int) -> F32:
    h, w = field.shape[:2]
    big = cv2.resize(field, (w * scale, h * scale), interpolation=cv2.INTER_LINEAR)
    return np.asarray(big[8:-8, 8:-8])


def expose(rng: Rng, page_bgr: U8, page: PageMap, camera: Camera, scenery: Scenery, trouble: float) -> U8:
    """The picture before the phone's processing; (H, W, 3) uint8."""
    coarse = Coarse(camera.size_wh)
    light = scenery.light
    fine_shape = (2 * coarse.rows, 2 * coarse.cols)
    desk_xyz = camera.desk_at(coarse.xy)
    shade = _shade(rng, camera, scenery, fine_shape, trouble)
    room = outdoors(rng, (coarse.rows, coarse.cols), trouble)
    room *= _vignette(rng, camera, coarse.xy, trouble)
    room = coarse.finer(room)
    sheet_shadow, contact = _sheet_shadow(rng, camera, page, scenery, fine_shape)

    block = _Block(page, coarse)
    page_light, page_shine = _on_sheet(page, camera, scenery, block)
    page_light = _lit(page_light, 1 - block.fine(shade), scenery) * block.fine(room)[..., None]
    gain = scenery.exposure / max(float(np.median(page_light @ LUMA)), 1e-3)

    up = np.broadcast_to(np.array([0, 0, 1.0]), desk_xyz.shape)
    direct, to_light = light.reaches(desk_xyz, up)
    sun = (1 - shade) * (1 - sheet_shadow)
    both = np.dstack([np.ones_like(sun) * (1 - contact), coarse.finer(direct)])
    desk_light = _lit(both, sun, scenery) * room[..., None] * np.float32(gain)
    image = _desk_picture(rng, camera, scenery.desk, desk_xyz, coarse)
    for thing in scenery.prints:
        _lay(image, camera, thing)
    albedo = image[::16, ::16].mean() / 255
    image = cv2.multiply(image, coarse.full(to_display(desk_light)), dtype=cv2.CV_8U).astype(np.uint8)
    shine = light.gloss * scenery.desk.gloss
    if shine > 0.02:
        mirror = light.mirrored(desk_xyz, up, to_light, camera.eye, light.sharpness)
        glare = np.float32(shine * gain) * coarse.finer(mirror) * sun
        base = np.float32(albedo**2.2) * desk_light.mean(-1)
        extra = 255 * (to_display(base + glare) - to_display(base))
        tint = (light.direct_bgr / light.direct_bgr.max()).astype(np.float32)
        image = cv2.add(image, coarse.full(extra[..., None] * tint), dtype=cv2.CV_8U).astype(np.uint8)

    _paste(image, page_bgr, page, block, to_display(page_light * np.float32(gain)),
           255 * to_display(page_shine * np.float32(gain)))
    for solid in scenery.solids:
        at = camera.project(solid.faces[0].mean(0)[None])[0]
        j, i = np.clip(np.round((at + _HALF_SHIFT) / 4).astype(int), 0, (fine_shape[1] - 1, fine_shape[0] - 1))
        here = float(room[i, j]) * gain * np.ones(3)
        paint_solid(image, solid, camera, light, here)
    return image


def _lit(both: F32, sun: F32, scenery: Scenery) -> F32:
    """Ambient and direct amounts (H, W, 2), the latter weighted by `sun`, to linear BGR."""
    ambient = scenery.light.ambient_bgr.astype(np.float32)
    direct = scenery.light.direct_bgr.astype(np.float32)
    return both[..., :1] * ambient + (both[..., 1] * sun)[..., None] * direct


def _vignette(rng: Rng, camera: Camera, xy: F64, trouble: float) -> F32:
    r2 = (((xy - camera.center) / camera.radius) ** 2).sum(-1)
    return (1 - rng.uniform(0, 0.1 + 0.4 * trouble) * r2).astype(np.float32)


def _shade(rng: Rng, camera: Camera, scenery: Scenery, shape: tuple[int, int], trouble: float) -> F32:
    """Shadows of things in and out of the picture on a raster of 4 × 4; 1 is full shadow."""
    shade = thrown_shadow(rng, shape, trouble)
    for solid in scenery.solids:
        mask = np.zeros(shape, np.uint8)
        cast(mask, solid, camera, scenery.light, 0.25, _HALF_SHIFT / 4)
        height = max(float(f[:, 2].max()) for f in solid.faces)
        sigma = _pixels_per_mm(camera) / 4 * (0.3 + 0.35 * height * scenery.light.softness)
        shade = np.maximum(shade, blur(mask.astype(np.float32) / 255, min(sigma, 60)))
    return shade


def _pixels_per_mm(camera: Camera) -> float:
    return camera.focal / float(np.linalg.norm(camera.eye))


def _sheet_shadow(rng: Rng, camera: Camera, page: PageMap, scenery: Scenery,
                  shape: tuple[int, int]) -> tuple[F32, F32]:
    """The sheet's shadow on the desk, and the dark line where it nearly touches."""
    outline = page.sheet.outline()
    thrown = camera.project(scenery.light.shadow_of(outline)) / 4 + _HALF_SHIFT / 4
    scale = _pixels_per_mm(camera) / 4
    lift = float(np.percentile(outline[:, 2], 75))
    shadow = blur(fill(shape, thrown).astype(np.float32) / 255, scale * (0.3 + 0.5 * lift * scenery.light.softness))
    under = camera.project(outline * (1, 1, 0)) / 4 + _HALF_SHIFT / 4
    contact = blur(fill(shape, under).astype(np.float32) / 255, scale * float(rng.uniform(0.7, 3) + 0.4 * lift))
    return shadow, contact * np.float32(rng.uniform(0.1, 0.7))


def _desk_picture(rng: Rng, camera: Camera, desk: Desk, xyz: F64, coarse: Coarse) -> U8:
    height, width = desk.tile.shape[:2]
    if width <= 8:
        return np.broadcast_to(desk.tile[0, 0], (coarse.h, coarse.w, 3)).copy()
    view_mm = camera.size_wh[0] / _pixels_per_mm(camera)
    scale = width / (desk.width * view_mm)
    c, s = np.cos(desk.angle) * scale, np.sin(desk.angle) * scale
    turned = xyz[..., :2] @ np.array([[c, s], [-s, c]]) + rng.uniform(0, 1, 2) * (width, height)
    mapping = coarse.full(turned.astype(np.float32))
    return cv2.remap(desk.tile, mapping, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT).astype(np.uint8)


def _lay(image: U8, camera: Camera, thing: Print) -> None:
    """Lay something flat on the desk's picture, in place."""
    target = camera.project(thing.corners)
    low = np.maximum(np.floor(target.min(0)).astype(int), 0)
    high = np.minimum(np.ceil(target.max(0)).astype(int) + 1, camera.size_wh)
    if (high - low < 4).any():
        return
    h, w = thing.bgr.shape[:2]
    source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(source, (target - low).astype(np.float32))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    picture = cv2.warpPerspective(thing.bgr, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    view = image[low[1]:high[1], low[0]:high[0]]
    mask = fill((size[1], size[0]), target - low)
    edge = cv2.GaussianBlur(mask, (0, 0), 5.0).astype(np.float32) / (255 * 2.5)
    edge = 1 - edge
    view[:] = cv2.multiply(view, cv2.merge([edge] * 3), dtype=cv2.CV_8U)
    _blend(view, picture.astype(np.uint8), mask)


def _blend(view: U8, picture: U8, mask: U8) -> None:
    weight = mask.astype(np.float32) / 255
    view[:] = cv2.blendLinear(picture, np.ascontiguousarray(view), weight, 1 - weight)


class _Block:
    """The part of the coarse raster that the sheet covers, and mesh indices on it."""

    def __init__(self, page: PageMap, coarse: Coarse) -> None:
        low = np.clip(np.floor(page.nodes_xy.min((0, 1)) / STEP), 0, (coarse.cols - 3, coarse.rows - 3)).astype(int)
        high = np.clip(np.ceil(page.nodes_xy.max((0, 1)) / STEP) + 1, low + 1, (coarse.cols - 2, coarse.rows - 2)).astype(int)
        (self.x0, self.y0), (self.x1, self.y1) = low, high
        xy = coarse.xy[self.y0:self.y1 + 2, self.x0:self.x1 + 2]
        self.shape = xy.shape[:2]
        self.ij = page.photo_to_nodes(xy.reshape(-1, 2)).reshape(xy.shape)

    def fine(self, field: F32) -> F32:
        """The block's part of a raster of 4 × 4 of the whole photo."""
        return field[2 * self.y0:2 * self.y1 + 4, 2 * self.x0:2 * self.x1 + 4]

    def finer(self, field: F32) -> F32:
        return cv2.resize(field, (2 * self.shape[1], 2 * self.shape[0])).astype(np.float32, copy=False)


def _on_sheet(page: PageMap, camera: Camera, scenery: Scenery, block: _Block) -> tuple[F32, F32]:
    """Ambient and direct light (h, w, 2) and highlights (h, w) on the block's 4 × 4 raster."""
    sheet, light = page.sheet, scenery.light
    direct, to_light = light.reaches(sheet.xyz, sheet.normals)
    ambient = (0.7 + 0.3 * sheet.normals[..., 2]).astype(np.float32)
    shine = np.zeros_like(direct)
    if light.sheen > 0.01:
        power = min(light.sharpness, 90.0)
        shine = np.float32(light.sheen) * light.mirrored(sheet.xyz, sheet.normals, to_light, camera.eye, power)
    fields = np.dstack([ambient, direct, shine])
    ij = block.finer(block.ij.astype(np.float32))
    seen = cv2.remap(fields, ij, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    return seen[..., :2], seen[..., 2]


def _paste(image: U8, page_bgr: U8, page: PageMap, block: _Block, light: F32, shine: F32) -> None:
    """Put the lit sheet onto the picture, in place."""
    picture, (sx, sy) = _sized(page_bgr, page)
    h, w = picture.shape[:2]
    m, n = page.nodes_xy.shape[:2]
    texel = (block.ij + 0.0) * (w / (n - 1), h / (m - 1)) - 0.5
    mapping = np.ascontiguousarray(_grow(texel.astype(np.float32), STEP))
    x0, y0 = STEP * block.x0, STEP * block.y0
    view = image[y0:y0 + mapping.shape[0], x0:x0 + mapping.shape[1]]
    mapping = mapping[:view.shape[0], :view.shape[1]]
    seen = cv2.remap(picture, mapping, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    vh, vw = view.shape[:2]
    seen = cv2.multiply(seen, _grow(light, 4)[:vh, :vw], dtype=cv2.CV_8U)
    if shine.max() > 1:
        glow = _grow(shine, 4)[:vh, :vw]
        seen = cv2.add(seen, cv2.merge([glow] * 3), dtype=cv2.CV_8U)
    edge = np.concatenate([page.nodes_xy[0, :-1], page.nodes_xy[:-1, -1],
                           page.nodes_xy[-1, :0:-1], page.nodes_xy[:0:-1, 0]])
    _blend(view, seen.astype(np.uint8), fill((vh, vw), edge - (x0, y0)))


def _sized(page_bgr: U8, page: PageMap) -> tuple[U8, tuple[float, float]]:
    """The page with about one pixel for each of the photo's, so that fine lines do not break up."""
    h, w = page_bgr.shape[:2]
    dy, dx = np.gradient(page.nodes_xy, axis=(0, 1))
    m, n = page.nodes_xy.shape[:2]
    sx = float(np.median(np.linalg.norm(dx, axis=-1))) * (n - 1) / w
    sy = float(np.median(np.linalg.norm(dy, axis=-1))) * (m - 1) / h
    scale = min(1.0, 1.15 * max(sx, sy))
    if scale > 0.9:
        return page_bgr, (1.0, 1.0)
    small = cv2.resize(page_bgr, (max(8, round(w * scale)), max(8, round(h * scale))), interpolation=cv2.INTER_AREA)
    return small.astype(np.uint8), (scale, scale)
