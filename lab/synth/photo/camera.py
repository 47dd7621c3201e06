"""A simulated camera: turns a flat picture of a printed and filled sheet into a photo of it.

The sheet is bent, laid on a table among other things, lit, and seen through a lens and a
phone's sensor. All steps draw from one generator, so a seed always gives the same photo, byte for
byte. `Shot.page_to_photo` uses the same mesh that the picture was rendered with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import numpy as np

from kdscan.rules.duel.board import COLS
from lab.synth.fields import F64, U8, Rng, f32
from lab.synth.photo.clutter import Solid
from lab.synth.photo.exposure import expose
from lab.synth.photo.lens import Camera, PageMap, Rect, aim, corners_of, frame, middle, net
from lab.synth.photo.paper import bent_sheet, flat_sheet
from lab.synth.photo.scenery import plain_scenery, random_scenery
from lab.synth.photo.sensor import compress, develop

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
    size_wh: tuple[int, int],
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
    size_wh: tuple[int, int],
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
        rng.choice([0, 0, 0, 1, 2, 3]) * np.pi / 2
        + np.deg2rad(rng.normal(0, 0.7 if is_flat else 6))
    )
    if rng.random() < conditions.turned:
        roll = rng.uniform(0, 2 * np.pi)
    focal = max(size_wh) * float(10 if is_flat else rng.uniform(0.7, 1.7))
    k1 = 0.0 if is_flat else rng.normal(0, 0.025)
    camera = Camera(np.zeros(3), aim(rng, tilt, roll), focal, size_wh, k1)
    share, spread = float(rng.uniform(*conditions.share)), rng.uniform(0, 1)
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
