"""What surrounds the sheet: table top, printed things on it, solids, light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from lab.synth.canvas import fill, lit
from lab.synth.fields import (
    F32,
    F64,
    SQUARE,
    U8,
    Rng,
    any_of,
    color,
    f32,
    fractal,
    noise,
    rotation,
    to_u8,
    toward,
    u8,
    weighted,
)
from lab.synth.photo.clutter import Solid, finger, random_solid, skin_color
from lab.synth.photo.lens import Camera, PageMap, Rect, corners_of
from lab.synth.photo.light import Light, daylight, random_light
from lab.synth.photo.prints import random_print
from lab.synth.textures import SIDE, TEXTURES


@dataclass(frozen=True, eq=False)
class Desk:
    """A table top.

    tile: (H, W, 3) uint8, repeated by mirroring. width: of the tile, relative to the width of
    the view (1 fills it). angle: of the tile, radians.
    gloss: how strongly it reflects the light, a factor.
    """

    tile: U8
    width: float
    angle: float
    gloss: float


def load_surfaces(folder: Path | None) -> list[U8]:
    """Pictures of real table tops (H, W, 3) in a folder and those below it; none without one."""
    files = sorted(folder.rglob("*.*g")) if folder else []
    pictures = (cv2.imread(str(file)) for file in files)
    return [u8(bgr) for bgr in pictures if bgr is not None]


def plain_desk(bgr: F32) -> Desk:
    """One even colour, like a scanner's lid."""
    return Desk(np.full((8, 8, 3), np.round(bgr), np.uint8), 1.0, 0.0, 0.0)


def random_desk(rng: Rng, severity: float, paper_bgr: F32, surfaces: Sequence[U8] = ()) -> Desk:
    """A random table top: one of `surfaces` (BGR uint8) or a procedural one.

    paper_bgr: (3,) mean colour of the sheet; some tables have nearly the same colour.
    """
    angle = float(
        rng.choice([0.0, np.pi / 2]) + rng.normal(0, 0.3)
        if rng.random() < 0.6
        else rng.uniform(0, 2 * np.pi)
    )
    if surfaces and rng.random() < 0.5:
        # a piece of a real texture with its hue and brightness changed
        surface = any_of(rng, surfaces)
        h, w = surface.shape[:2]
        part = rng.uniform(0.4, 1, 2)
        ph, pw = max(8, int(h * part[0])), max(8, int(w * part[1]))
        y, x = int(rng.integers(0, h - ph + 1)), int(rng.integers(0, w - pw + 1))
        tile = surface[y : y + ph, x : x + pw]
        scale = SIDE / max(tile.shape[:2])
        if scale < 1:
            size = (max(2, round(pw * scale)), max(2, round(ph * scale)))
            tile = u8(cv2.resize(tile, size, interpolation=cv2.INTER_AREA))
        mix = np.eye(3) * rng.uniform(0.6, 1.2) + rng.normal(0, 0.08, (3, 3))
        if rng.random() < 0.15:
            mix = mix[rng.permutation(3)]
        mix = np.hstack([mix, rng.normal(0, 10, (3, 1))]).astype(np.float32)
        tile = u8(cv2.transform(tile, mix))
        return Desk(tile, float(10 ** rng.uniform(-0.6, 0.35)), angle, rng.uniform(0, 1))
    if rng.random() < 0.06 + 0.06 * severity:  # a table like paper
        like = np.clip(paper_bgr * rng.uniform(0.88, 1.08) + rng.normal(0, 4, 3), 0, 255)
        tile = to_u8(like.astype(np.float32) + 2 * noise(rng, (SIDE, SIDE), 200)[..., None])
        return Desk(tile, 1.0, angle, rng.uniform(0, 1))
    kind = weighted(rng, {name: weight for name, (_, weight) in TEXTURES.items()})
    tile = to_u8(TEXTURES[kind][0](rng))
    if rng.random() < 0.3:
        tile = _stained(rng, tile)
    glossy = 3.0 if kind == "dark" else rng.choice([0.1, 0.5, 1.5])
    return Desk(
        tile, float(10 ** rng.uniform(-0.35, 0.35)), angle, float(glossy * rng.uniform(0.5, 1.5))
    )


def _stained(rng: Rng, tile: U8) -> U8:
    h, w = tile.shape[:2]
    tone = 1 + np.float32(rng.uniform(0.03, 0.2)) * fractal(rng, (h, w), rng.uniform(1.5, 8), 3)
    return lit(tile, tone)


@dataclass(frozen=True, eq=False)
class Print:
    """A flat object on the table: its picture and its corners (4, 3) in world mm."""

    bgr: U8
    corners: F64


@dataclass(frozen=True, eq=False)
class Scenery:
    """Everything in a scene except the sheet and the camera.

    beyond: what is beyond the table's edge: a floor, the direction (radians) of the edge and
        its distance from the origin in mm; None if the table fills the view.
    exposure: linear brightness of the sheet in the photo.
    """

    desk: Desk
    beyond: tuple[Desk, float, float] | None
    light: Light
    prints: tuple[Print, ...]
    solids: tuple[Solid, ...]
    exposure: float


def plain_scenery(rng: Rng) -> Scenery:
    """A scanner: even light, a lid of one colour."""
    lid = color(rng, (0, 0.03), (0.85, 1.0) if rng.random() < 0.7 else (0.02, 0.3))
    return Scenery(plain_desk(lid), None, daylight(), (), (), rng.uniform(0.85, 1.1))


def random_scenery(
    rng: Rng,
    camera: Camera,
    sheets: Sequence[tuple[PageMap, Rect]],
    severity: float,
    paper_bgr: F32,
    surfaces: Sequence[U8] = (),
) -> Scenery:
    """A random table; sheets: each with its grid, which stays free of solids, uppermost first."""
    page, _ = sheets[0]
    light = random_light(rng, severity)
    count = int(rng.choice([0, 1, 2, 3], p=[0.62, 0.2, 0.11, 0.07]))
    prints = tuple(_place_print(rng, camera) for _ in range(count))
    solids = random_solids(rng, camera, sheets, severity)
    exposure = float(rng.uniform(0.4, 1.0) if rng.random() < 0.5 else rng.uniform(0.65, 1.0))
    if rng.random() < 0.15 * severity:
        exposure = rng.uniform(0.06, 0.3)
    elif rng.random() < 0.12 * severity:
        exposure = rng.uniform(1.05, 1.6)
    desk = random_desk(rng, severity, paper_bgr, surfaces)
    beyond = None
    if rng.random() < 0.15:
        reach = float(np.hypot(*page.sheet.xyz[0, 0, :2])) * rng.uniform(0.8, 2)
        beyond = (random_desk(rng, severity, paper_bgr, surfaces), rng.uniform(0, 6.3), reach)
    return Scenery(desk, beyond, light, prints, solids, exposure)


def _place_print(rng: Rng, camera: Camera) -> Print:
    bgr, (w, h) = random_print(rng)
    at = camera.desk_at(np.array(camera.size_wh) * rng.uniform(-0.05, 1.05, 2))
    angle = rng.uniform(0, 2 * np.pi)
    along, across = np.pad(rotation(angle).T, ((0, 0), (0, 1)))
    return Print(bgr, np.stack([at + a * w / 2 * along + b * h / 2 * across for a, b in SQUARE]))


def random_solids(
    rng: Rng, camera: Camera, sheets: Sequence[tuple[PageMap, Rect]], severity: float
) -> tuple[Solid, ...]:
    """Solids in view that leave the grids free."""
    shape = (camera.size_wh[1] // 8 + 1, camera.size_wh[0] // 8 + 1)
    grid = np.zeros(shape, np.uint8)
    t = np.linspace(0, 1, 12)[:, None]
    for sheet, rect in sheets:
        corners = corners_of(rect)[[0, 1, 2, 3, 0]]
        rim = np.concatenate([a + t * (b - a) for a, b in pairwise(corners)])
        grid = np.maximum(grid, fill(shape, sheet.page_to_photo(rim) / 8))
    allowed = 0.004 * float(grid.sum()) if rng.random() < 0.15 * severity else 0.0
    out: list[Solid] = []
    for _ in range(int(rng.integers(0, 2 + round(3 * severity)))):
        for _ in range(4):
            at = camera.desk_at(np.array(camera.size_wh) * rng.uniform(-0.03, 1.03, 2))
            solid = random_solid(rng).lifted().moved(at)
            if _covers(solid, camera, grid) <= 0:
                out.append(solid)
                break
    if rng.random() < 0.05 + 0.2 * severity:
        skin = skin_color(rng)
        for _ in range(int(rng.integers(1, 4))):
            solid = _hold(rng, sheets[0][0], skin)
            if _covers(solid, camera, grid) <= allowed:
                out.append(solid)
    return tuple(sorted(out, key=lambda s: -float(np.linalg.norm(s.faces[0].mean(0) - camera.eye))))


def _covers(solid: Solid, camera: Camera, grid: U8) -> float:
    points = np.concatenate(solid.faces)
    if ((camera.eye - points) @ -camera.axes[2]).min() < 40:
        return np.inf  # too close to the lens
    hull = cv2.convexHull(f32(camera.project(points) / 8))[:, 0]
    return float(cv2.bitwise_and(grid, fill(grid.shape, hull.astype(float))).sum())


def _hold(rng: Rng, page: PageMap, skin: F64) -> Solid:
    """A finger at a random place on the paper's edge."""
    edge = page.sheet.outline()
    at = edge[int(rng.integers(0, len(edge)))]
    middle = page.sheet.xyz[page.sheet.xyz.shape[0] // 2, page.sheet.xyz.shape[1] // 2]
    outwards = at[:2] - middle[:2]
    angle = np.arctan2(outwards[1], outwards[0]) + rng.normal(0, 0.4)
    along = toward(angle)
    tip = at - np.array([*along, 0]) * rng.uniform(-4, 10)
    return finger(rng, skin, tip, along)
