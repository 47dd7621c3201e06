"""Renders the light on the sensor: desk, shadows, sheet and solids in perspective."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from lab.synth.fields import (
    F32,
    F64,
    FINE,
    LUMA,
    STEP,
    U8,
    Coarse,
    Rng,
    Size,
    added,
    blend_into,
    blur,
    f32,
    fill,
    finer,
    grow,
    lit,
    looked_up,
    shrunk,
    to_fine,
    u8,
    unit,
)
from lab.synth.photo.clutter import cast, paint_solid
from lab.synth.photo.lens import Camera, PageMap
from lab.synth.photo.light import GAMMA, Light, reflections, thrown_shadow, to_display, uneven
from lab.synth.photo.scenery import Desk, Print, Scenery


class Block:
    """The part of the coarse raster that the sheet covers. ij: (rows, cols, 2) float64, fractional
    indices (column, row) of the sheet's mesh at the block's nodes."""

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
        shine = light.sheen * mirror
    fields = f32(np.dstack([ambient, direct, shine]))
    ij = finer(f32(block.ij))
    ambient_seen, direct_seen, shine_seen = np.moveaxis(looked_up(fields, ij), -1, 0)
    return ambient_seen, direct_seen, shine_seen


def paste(
    rng: Rng, image: U8, page_bgr: U8, page: PageMap, block: Block, factor: F32, shine: F32
) -> None:
    """Paste the sheet into the picture, in place. factor: (h, w, 3) display factors, shine: (h, w)
    linear, on the block's finer raster."""
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
    # the paper's edge in page mm, (K, 2): straight, with round corners, or torn on a side
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
    edge = page.page_to_photo(np.concatenate(parts))
    blend_into(view, seen, unit(fill((vh, vw), edge - (x0, y0))))


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
    return shrunk(page_bgr, size)


def expose(
    rng: Rng,
    page_bgr: U8,
    page: PageMap,
    camera: Camera,
    scenery: Scenery,
    severity: float,
    below: Sequence[tuple[U8, PageMap]] = (),
    table: bool = True,
) -> U8:
    """The picture before the phone's processing; (H, W, 3) uint8.

    below: other sheets on the table, from the lowest up; `page` lies over them. table: whether it
        is rendered, in half of the time, or left in one grey.
    """
    coarse = Coarse(camera.size_wh)
    light = scenery.light
    # shadows of objects inside and outside the picture, on the finer raster; 1 is full shadow
    shade = thrown_shadow(rng, coarse.fine_shape, severity)
    for solid in scenery.solids:
        mask = np.zeros(coarse.fine_shape, np.uint8)
        cast(mask, solid, camera, scenery.light)
        height = max(float(f[:, 2].max()) for f in solid.faces)
        sigma = camera.scale / FINE * (0.3 + 0.35 * height * scenery.light.softness)
        shade = np.maximum(shade, blur(unit(mask), min(sigma, 60)))
    room = uneven(rng, (coarse.rows, coarse.cols), severity)
    r2 = (((coarse.xy - camera.center) / camera.radius) ** 2).sum(-1)
    room = finer(room * f32(1 - rng.uniform(0, 0.1 + 0.4 * severity) * r2))

    def lit_sheet(sheet: PageMap, room: F32) -> tuple[Block, F32, F32]:
        """Its block, the linear light on it, (h, w, 3), and its highlights, (h, w)."""
        block = Block(sheet, coarse)
        ambient, direct, shine = light_on_sheet(sheet, camera, light, block)
        mixed = light.mixed(ambient, direct * (1 - block.fine(shade)))
        return block, mixed * block.fine(room)[..., None], shine

    block, sheet_light, shine = lit_sheet(page, room)
    gain = np.float32(scenery.exposure / max(float(np.median(sheet_light @ LUMA)), 1e-3))
    room = room * gain

    if table:
        image = _table(rng, camera, page, scenery, coarse, shade, room, below)
    else:
        image = np.full((*camera.size_wh[::-1], 3), rng.integers(30, 230), np.uint8)
    for other_bgr, other in below:
        part, light_there, shine_there = lit_sheet(other, room)
        paste(rng, image, other_bgr, other, part, to_display(light_there), shine_there * gain)
    paste(rng, image, page_bgr, page, block, to_display(sheet_light * gain), shine * gain)
    for solid in scenery.solids:
        at = to_fine(camera.project(solid.faces[0].mean(0)[None])[0]).round().astype(int)
        j, i = np.clip(at, 0, (room.shape[1] - 1, room.shape[0] - 1))
        paint_solid(image, solid, camera, light, np.full(3, float(room[i, j])))
    return image


def _table(
    rng: Rng,
    camera: Camera,
    page: PageMap,
    scenery: Scenery,
    coarse: Coarse,
    shade: F32,
    room: F32,
    below: Sequence[tuple[U8, PageMap]],
) -> U8:
    """The lit table top with everything that lies flat on it."""
    light = scenery.light
    xyz = camera.desk_at(coarse.xy)
    up = np.broadcast_to(np.array([0, 0, 1.0]), xyz.shape)
    direct, to_light = light.reaches(xyz, up)
    shadow, contact = _sheet_shadow(rng, camera, page, light, coarse.fine_shape)
    for _, other in below:
        there, touching = _sheet_shadow(rng, camera, other, light, coarse.fine_shape)
        shadow, contact = np.maximum(shadow, there), np.maximum(contact, touching)
    sun = f32((1 - shade) * (1 - shadow))
    amount = light.mixed(1 - contact, finer(direct) * sun) * room[..., None]
    image = _desk_picture(rng, camera, scenery, xyz, coarse)
    for thing in scenery.prints:
        _lay(image, camera, thing)
    albedo = np.float32((image[::16, ::16].mean() / 255) ** GAMMA)
    image = lit(image, coarse.full(to_display(amount)))
    gloss = light.gloss * scenery.desk.gloss
    if gloss < 0.02:
        return image
    mirror = light.mirrored(xyz, up, to_light, camera.eye, light.sharpness)
    glare = gloss * finer(mirror) * sun
    if rng.random() < 0.5:
        glare += (0.3 * gloss) * reflections(rng, coarse.fine_shape)
    base = albedo * amount.mean(-1)
    extra = 255 * (to_display(base + glare * room) - to_display(base))
    tint = f32(light.direct_bgr / light.direct_bgr.max())
    return added(image, coarse.full(extra[..., None] * tint))


def _sheet_shadow(
    rng: Rng, camera: Camera, page: PageMap, light: Light, shape: Size
) -> tuple[F32, F32]:
    """The sheet's shadow on the desk, and the dark line where it nearly touches."""
    outline = page.sheet.outline()
    scale = camera.scale / FINE
    lift = float(np.percentile(outline[:, 2], 75))
    thrown = fill(shape, to_fine(camera.project(light.shadow_of(outline))))
    soft = scale * (0.3 + 0.5 * lift * light.softness)
    under = fill(shape, to_fine(camera.project(outline * (1, 1, 0))))
    near = blur(unit(under), scale * (rng.uniform(0.7, 3) + 0.4 * lift))
    near = near * np.float32(rng.uniform(0.1, 0.7) / (1 + 0.05 * lift))
    return blur(unit(thrown), min(soft, 80)), near


def _desk_picture(rng: Rng, camera: Camera, scenery: Scenery, xyz: F64, coarse: Coarse) -> U8:
    image = _tiled(rng, camera, scenery.desk, xyz, coarse)
    if scenery.beyond is None:
        return image
    desk, angle, distance = scenery.beyond
    far = xyz[..., 0] * np.cos(angle) + xyz[..., 1] * np.sin(angle) - distance
    floor = _tiled(rng, camera, desk, xyz, coarse)
    floor = u8(cv2.blur(floor, (9, 9)))
    weight = coarse.full(f32(far * camera.scale))
    weight = np.clip(weight * 0.5 + 0.5, 0, 1)
    blend_into(image, floor, weight)
    return image


def _tiled(rng: Rng, camera: Camera, desk: Desk, xyz: F64, coarse: Coarse) -> U8:
    """The desk's tile, rotated and repeated, as the camera sees the plane."""
    height, width = desk.tile.shape[:2]
    scale = width * camera.scale / (desk.width * camera.size_wh[0])
    c, s = np.cos(desk.angle) * scale, np.sin(desk.angle) * scale
    turned = xyz[..., :2] @ np.array([[c, s], [-s, c]]) + rng.uniform(0, 1, 2) * (width, height)
    reach = 60 * max(width, height)  # remap unfolds a mirror at a time: keep the horizon near
    near = f32(np.clip(turned, -reach, reach))
    return looked_up(desk.tile, coarse.full(near), cv2.BORDER_REFLECT)


def _lay(image: U8, camera: Camera, thing: Print) -> None:
    """Paint something flat into the desk's picture, in place."""
    target = camera.project(thing.corners)
    low = np.maximum(np.floor(target.min(0)).astype(int), 0)
    high = np.minimum(np.ceil(target.max(0)).astype(int) + 1, camera.size_wh)
    if (high - low < 4).any():
        return
    h, w = thing.bgr.shape[:2]
    source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(source, f32(target - low))
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    picture = cv2.warpPerspective(thing.bgr, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    view = image[low[1] : high[1], low[0] : high[0]]
    weight = unit(fill((size[1], size[0]), target - low))
    view[:] = lit(np.ascontiguousarray(view), 1 - 0.4 * blur(weight, 5.0))  # its own shadow
    blend_into(view, u8(picture), weight)
