"""A simulated camera: turns a flat picture of a printed and filled sheet into a photo of it.

The sheet is bent, laid on a table among other things, lit, and seen through a lens and a
phone's sensor. All steps draw from one generator, so a seed always gives the same photo, byte for
byte. `Shot.page_to_photo` uses the same mesh that the picture was rendered with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import pi, tau
from typing import Literal, Protocol

import cv2
import numpy as np

from kdscan.imaging.formats import jpeg
from kdscan.rules.duel.board import COLS
from lab.synth.fields import F64, LUMA, U8, Rng, Size, f32, gaussian, noise, scaled, stretched, u8
from lab.synth.photo.clutter import Solid
from lab.synth.photo.exposure import expose
from lab.synth.photo.lens import (
    Camera,
    PageMap,
    Rect,
    aim,
    bent_sheet,
    corners_of,
    flat_sheet,
    frame,
    middle,
    net,
)
from lab.synth.photo.scenery import plain_scenery, random_scenery

_PATCH = 640  # noise is drawn once in this size and repeated with flips


def develop(rng: Rng, image: U8, severity: float, detail_px: float, colored: bool = False) -> U8:
    """The phone's processing of the picture `image` (H, W, 3) before it is stored.

    severity: 0..1. detail_px: size of the smallest thing to be read (a cell of the grid, in
    pixels), which limits the blur, because nobody keeps a photo in which nothing can be read.
    colored: the picture is never stored in grey.
    """
    image = _focus(rng, image, severity, detail_px)
    if rng.random() < 0.35 * severity:
        length = rng.uniform(1.5, max(2.0, min(0.06 * detail_px, 12))) * (0.4 + 0.6 * severity)
        angle = rng.uniform(0, pi)
        k = int(np.ceil(length / 2)) + 1
        y, x = np.mgrid[-k : k + 1, -k : k + 1]
        along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        line = np.clip(length / 2 + 0.5 - np.abs(along), 0, 1) * np.clip(1 - np.abs(across), 0, 1)
        streak = f32(line / line.sum())
        image = u8(cv2.filter2D(image, -1, streak))
    # white balance and saturation as a matrix (3, 4)
    balance = np.exp(rng.normal(0, 0.02 + 0.06 * severity, 3))
    saturation = rng.uniform(0.6, 1.4)
    if rng.random() < 0.04 and not colored:
        saturation = 0.0
    grey = np.tile(LUMA, (3, 1))
    mix = saturation * np.diag(balance) + (1 - saturation) * grey
    image = u8(cv2.transform(image, f32(np.hstack([mix, np.zeros((3, 1))]))))
    x = np.linspace(0, 1, 256)
    x = x ** float(np.exp(rng.normal(0, 0.05 + 0.13 * severity)))
    bend = rng.uniform(-0.25, 0.7) * (0.3 + 0.7 * severity)
    x = x + bend * (x - 0.5) * x * (1 - x) * 2  # an S for positive bends
    black, white = rng.uniform(0, 0.07 * severity), rng.uniform(1 - 0.1 * severity, 1.04)
    image = u8(cv2.LUT(image, u8(np.round(np.clip(black + (white - black) * x, 0, 1) * 255))))
    if rng.random() < 0.85:
        image = _grainy(rng, image, severity)
    if rng.random() < 0.45:
        soft = gaussian(image, rng.uniform(0.7, 2))
        amount = rng.uniform(0.2, 1.0)
        image = u8(cv2.addWeighted(image, 1 + amount, soft, -amount, 0))
    quality = int(rng.integers(round(90 - 50 * severity), 96))
    if rng.random() < 0.06 and not colored:
        # what an app for scanning makes of a photo: every ground white, what is darker than it
        # stronger
        small = scaled(image, 0.25)
        wide = (
            2 * round(rng.uniform(0.03, 0.08) * detail_px) + 1
        )  # strokes vanish, filled shields stay
        ground = cv2.medianBlur(cv2.dilate(small, np.ones((wide, wide))), min(4 * wide - 1, 255))
        even = cv2.divide(image, stretched(ground, image.shape[1::-1]), scale=255)
        black, white = rng.uniform(0, 80), rng.uniform(200, 250)
        tone = np.clip((np.arange(256) - black) / (white - black), 0, 1) * 255
        image = u8(cv2.LUT(even, u8(tone)))
    return compress(image, quality)


def compress(image: U8, quality: int) -> U8:
    """Encode as JPEG and decode again."""
    data = np.frombuffer(jpeg(image, quality), np.uint8)
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def _focus(rng: Rng, image: U8, severity: float, detail_px: float) -> U8:
    if rng.random() < 0.35:
        return image
    worst = min(0.05 * detail_px, 7.0)
    radius = rng.uniform(0.3, max(0.6, worst)) * rng.uniform(0.25, 0.4 + 0.6 * severity)
    if rng.random() >= 0.3 * severity:
        return _defocus(image, radius)
    h, w = image.shape[:2]
    far = _defocus(image, min(2 * radius + 0.5, worst + 1))
    angle = rng.uniform(0, tau)
    x = np.linspace(-1, 1, w, dtype=np.float32) * np.float32(np.cos(angle))
    y = np.linspace(-1, 1, h, dtype=np.float32)[:, None] * np.float32(np.sin(angle))
    weight = np.clip(0.5 + 0.6 * (x + y) + rng.uniform(-0.4, 0.4), 0, 1)
    return u8(cv2.blendLinear(image, far, 1 - weight, weight))


def _defocus(image: U8, radius: float) -> U8:
    """Blur by a disc of `radius` pixels; if that is small, by a Gaussian of the same variance."""
    if radius < 1.2:
        return gaussian(image, max(radius / 2, 0.2))
    k = int(np.ceil(radius))
    d = np.hypot(*np.mgrid[-k : k + 1, -k : k + 1])
    disc = f32(np.clip(radius + 0.5 - d, 0, 1))
    return u8(cv2.filter2D(image, -1, disc / disc.sum()))


def _grainy(rng: Rng, image: U8, severity: float) -> U8:
    """Shot and read noise, sometimes smoothed into blotches by the phone."""
    strength = rng.uniform(0.3, 2) + severity * rng.uniform(0, 1) ** 3 * 14
    patch = rng.standard_normal((_PATCH, _PATCH, 3), dtype=np.float32)
    luma = patch[..., :1] * rng.uniform(0.6, 1.3)
    patch = patch * rng.uniform(0.1, 0.9) + luma
    if rng.random() < 0.6:
        size = rng.uniform(0.5, 1.8)
        patch = gaussian(patch, size) * (1 + size)
    if rng.random() < 0.3:
        blotch = cv2.resize(
            noise(rng, (80, 80), 80), (_PATCH, _PATCH), interpolation=cv2.INTER_CUBIC
        )
        tint = f32(rng.normal(0, 0.6, 3))
        patch += blotch[..., None] * tint
    if strength > 6 and rng.random() < 0.5:
        image = u8(cv2.medianBlur(image, 3))
    h, w = image.shape[:2]
    reflect = cv2.BORDER_REFLECT
    field = cv2.copyMakeBorder(patch, 0, max(h - _PATCH, 0), 0, max(w - _PATCH, 0), reflect)[:h, :w]
    level = np.linspace(0, 1, 256)
    gain = strength * np.sqrt(0.25 + level * rng.uniform(0.2, 1.2)) * (1 - 0.7 * level**4)
    weight = cv2.LUT(image, f32(gain))
    cv2.multiply(field, weight, dst=weight)
    return u8(cv2.add(image, weight, dtype=cv2.CV_8U))


Level = Literal["flat", "easy", "normal", "hard"]


@dataclass(frozen=True, eq=False)
class Shot:
    """A photo and where the page lies in it.

    bgr: (H, W, 3) uint8.
    page_to_photo: (..., 2) float64 mm on the page to (..., 2) float64 pixels of the photo,
        through bends, perspective and the lens; frames as in `kdscan.imaging.picture`.
    """

    bgr: U8
    page_to_photo: Callable[[F64], F64]


class Cover(Protocol):
    """Something that lies on a sheet when it is photographed, like those of
    `lab/benchmarks/coverings.py`."""

    def things(self, camera: Camera, page: PageMap) -> Sequence[Solid]: ...

    def finish(self, image: U8) -> None:
        """Paint covers without volume, such as glare. image: (H, W, 3), in place."""


@dataclass(frozen=True)
class Conditions:
    """How hard a level is.

    severity: 0..1, of bends, light, clutter and sensor artefacts.
    tilt_deg: range of the angle between the viewing direction and the sheet's normal.
    share: range of the grid's longer side, as a share of the photo's long side.
    turned: probability that the sheet has a random rotation instead of being nearly upright.
    """

    severity: float
    tilt_deg: tuple[float, float]
    share: tuple[float, float]
    turned: float


LEVELS: dict[Level, Conditions] = {
    "flat": Conditions(0.0, (0, 0), (0.6, 0.97), 0.0),
    "easy": Conditions(0.25, (0, 18), (0.36, 0.95), 0.4),
    "normal": Conditions(0.55, (0, 35), (0.3, 0.97), 0.7),
    "hard": Conditions(1.0, (0, 52), (0.23, 0.98), 0.85),
}
HAND_HELD: tuple[Level, ...] = ("easy", "normal", "hard")
"""Levels of photos, as people take them; `flat` is like a scan."""


def photograph(
    page_bgr: U8,
    page_mm: tuple[float, float],
    rng: Rng,
    *,
    level: Level,
    grid_mm: Rect,
    size_wh: Size,
    surfaces: Sequence[U8] = (),
    stiff: bool = False,
    cover: Cover | None = None,
    table: bool = True,
) -> Shot:
    """Photograph a sheet.

    page_bgr: (h, w, 3) uint8, the page seen flat; page point (x, y) mm lies at pixel
        x * w / page_mm[0] - 0.5 and likewise for y.
    page_mm: width and height of the page.
    grid_mm: x, y, width, height of the map's grid on the page. The whole grid is inside
        the photo; the page's margins may be cut off.
    surfaces: BGR textures used as table tops in addition to the procedural ones.
    stiff: the page is a board that does not bend. It is never photographed in grey, because its
        colours carry information.
    cover: something that lies on the sheet, over its grid; for all levels except `flat`.
    table: whether what lies around the sheet is rendered.
    """
    severity, camera, page_map = pose(rng, level, size_wh, page_mm, grid_mm, stiff)
    corners = page_map.page_to_photo(corners_of(grid_mm))
    paper = f32(page_bgr[::16, ::16].reshape(-1, 3).mean(0))
    if level == "flat":
        scenery = plain_scenery(rng)
    else:
        scenery = random_scenery(rng, camera, [(page_map, grid_mm)], severity, paper, surfaces)
    if cover is not None:
        scenery = replace(scenery, solids=(*scenery.solids, *cover.things(camera, page_map)))
    image = expose(rng, page_bgr, page_map, camera, scenery, severity, table=table)
    if cover is not None:
        cover.finish(image)
    detail = float(np.linalg.norm(corners[1] - corners[0])) / COLS
    if level == "flat":
        image = compress(image, int(rng.integers(70, 97)))
    else:
        image = develop(rng, image, severity, detail, colored=stiff)
    return Shot(image, page_map.page_to_photo)


def pose(
    rng: Rng,
    level: Level,
    size_wh: Size,
    page_mm: tuple[float, float],
    grid_mm: Rect,
    stiff: bool = False,
) -> tuple[float, Camera, PageMap]:
    """The severity, 0..1, of a photo; a sheet and a camera that sees its whole grid, with no part
    of the paper hidden. Arguments as of `photograph`."""
    conditions, is_flat = LEVELS[level], level == "flat"
    severity = conditions.severity * rng.uniform(0.45, 1)
    tilt = float(np.deg2rad(rng.uniform(*conditions.tilt_deg)))
    roll = float(
        rng.choice([0, 0, 0, 1, 2, 3]) * pi / 2 + np.deg2rad(rng.normal(0, 0.7 if is_flat else 6))
    )
    if rng.random() < conditions.turned:
        roll = rng.uniform(0, tau)
    focal = max(size_wh) * float(10 if is_flat else rng.uniform(0.7, 1.7))
    k1 = 0.0 if is_flat else rng.normal(0, 0.025)
    camera = Camera(np.zeros(3), aim(rng, tilt, roll), focal, size_wh, k1)
    share, spread = rng.uniform(*conditions.share), rng.uniform(0, 1)
    inside, at = net(grid_mm, 9), middle(grid_mm)
    for attempt in range(6):
        bend = severity * 0.6**attempt if attempt < 5 and not stiff else 0.0
        if stiff and attempt:  # a wide board may reach behind the camera: look more from above
            camera = replace(camera, axes=aim(rng, tilt * 0.7**attempt, roll))
        sheet = flat_sheet(page_mm, at) if bend == 0 else bent_sheet(page_mm, at, rng, bend)
        points = sheet.at(inside), sheet.at(corners_of(grid_mm))
        seen = frame(rng, camera, *points, share, 0.01, spread)
        page_map = PageMap.through(seen, sheet)
        if page_map.is_seen_whole():
            break
    return severity, seen, page_map
