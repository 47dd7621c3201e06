"""What surrounds the sheet: table top, printed things on it, solids, light."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi, tau
from pathlib import Path

import cv2
import numpy as np

from lab.synth.fields import (
    F32,
    F64,
    SQUARE,
    U8,
    Color,
    Rng,
    any_of,
    color,
    f32,
    fill,
    fractal,
    lit,
    noise,
    rotation,
    shade,
    shrunk,
    to_u8,
    toward,
    u8,
    weighted,
)
from lab.synth.photo.clutter import Solid, finger, random_solid, skin_color
from lab.synth.photo.lens import Camera, PageMap, Rect, corners_of
from lab.synth.photo.light import Light, daylight, random_light
from lab.synth.textures import SIDE, TEXTURES

_LETTERS = np.array(list("aaabcdeeeeefghiiiklmnnooprrssttttuvwyz"))
_FACES = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
)


def random_print(rng: Rng) -> tuple[U8, tuple[float, float]]:
    """A picture (H, W, 3) uint8 BGR and its width and height in mm."""
    kind = any_of(rng, _KINDS)
    width = rng.uniform(60, 300)
    ratio = rng.uniform(0.65, 1.5)
    page = np.empty((round(420 * np.sqrt(ratio)), round(420 / np.sqrt(ratio)), 3), np.uint8)
    page[:] = np.round(
        color(rng, (0, 0.12), (0.75, 1)) if rng.random() < 0.7 else color(rng, (0, 0.8), (0.1, 1))
    )
    kind(rng, page)
    light = 1 + 0.04 * fractal(rng, page.shape[:2], 6, 3)
    return lit(page, light), (width, width * ratio)


def _ink(rng: Rng, page: U8) -> Color:
    dark = page[0, 0].mean() > 110
    return shade(rng, (0, 0.7), (0, 0.4) if dark else (0.7, 1.0))


def _put(
    page: U8, text: str, at: tuple[int, int], face: int, size: float, ink: Color, thick: int = 1
) -> None:
    cv2.putText(page, text, at, face, size, ink, thick, cv2.LINE_AA)


def _word(rng: Rng, letters: int) -> str:
    word = "".join(rng.choice(_LETTERS, max(1, letters)))
    return word.capitalize() if rng.random() < 0.25 else word


def _blank(rng: Rng, page: U8) -> None:
    if rng.random() < 0.4:  # ruled or squared
        h, w = page.shape[:2]
        step, ink = int(rng.integers(9, 26)), _ink(rng, page)
        for y in range(step, h, step):
            cv2.line(page, (0, y), (w, y), ink, 1)
        for x in range(step, w, step if rng.random() < 0.5 else w):
            cv2.line(page, (x, 0), (x, h), ink, 1)


def _text(rng: Rng, page: U8) -> None:
    h, w = page.shape[:2]
    columns, ink = int(rng.integers(1, 4)), _ink(rng, page)
    face, size = any_of(rng, _FACES), rng.uniform(0.25, 0.6)
    top = int(rng.uniform(0.04, 0.2) * h)
    _put(page, _word(rng, 8), (w // 12, top), face, 3 * size, ink, 2)
    wide = w * 0.94 / columns
    for c in range(columns):
        x = round(w * 0.03 + c * wide)
        for y in range(top + int(34 * size), h - 6, max(6, int(32 * size))):
            line = " ".join(_word(rng, int(k)) for k in rng.integers(2, 9, 3))
            fits = max(1, int(wide * 0.92 / (19 * size)))
            _put(page, line[:fits], (x, y), face, size, ink)
    if rng.random() < 0.5:
        x, y = int(rng.uniform(0, 0.5) * w), int(rng.uniform(0.2, 0.6) * h)
        cv2.rectangle(page, (x, y), (x + w // 3, y + h // 4), shade(rng), -1)


def _table(rng: Rng, page: U8) -> None:
    """Calendars, score pads, puzzles: rows and columns with things in the cells."""
    h, w = page.shape[:2]
    rows, cols = (int(v) for v in rng.integers(3, 13, 2))
    x0, y0 = int(rng.uniform(0.03, 0.15) * w), int(rng.uniform(0.03, 0.25) * h)
    cw, ch = (w - 2 * x0) / cols, (h - y0 - 0.04 * h) / rows
    ink, thick = _ink(rng, page), int(rng.integers(1, 4))
    what = rng.integers(0, 5)
    open_cells, gap = rng.random() < 0.3, rng.uniform(0, 0.12)
    for i in range(rows):
        for j in range(cols):
            a = (round(x0 + (j + gap) * cw), round(y0 + (i + gap) * ch))
            b = (round(x0 + (j + 1 - gap) * cw), round(y0 + (i + 1 - gap) * ch))
            middle = ((a[0] + b[0]) // 2, (a[1] + b[1]) // 2)
            r = max(2, int(min(cw, ch) * 0.3))
            if not open_cells:
                cv2.rectangle(page, a, b, ink, thick)
            if what == 0:
                number, left = str(i * cols + j + 1), (a[0] + 3, middle[1])
                _put(page, number, left, _FACES[0], min(cw, ch) / 60, ink)
            elif what == 1 and rng.random() < 0.6:
                cv2.circle(page, middle, r, ink, int(rng.choice([-1, 1, 2])), cv2.LINE_AA)
            elif what == 2 and (i + j) % 2:
                cv2.rectangle(page, a, b, ink, -1)
            elif what == 3 and rng.random() < 0.5:
                cv2.line(page, a, b, ink, 1, cv2.LINE_AA)
                cv2.line(page, (a[0], b[1]), (b[0], a[1]), ink, 1, cv2.LINE_AA)


def _keys(rng: Rng, page: U8) -> None:
    """A keyboard, a remote control, a pill box."""
    h, w = page.shape[:2]
    rows, cols = int(rng.integers(4, 9)), int(rng.integers(4, 16))
    cap = shade(rng, (0, 0.4), (0.1, 1))
    ch, cw, inset = h / rows, w / cols, rng.uniform(0.05, 0.2)
    ink = (20.0, 20.0, 20.0) if sum(cap) > 330 else (235.0, 235.0, 235.0)
    for i in range(rows):
        x = 0.0
        while x < w - 2:
            wide = cw * float(rng.choice([1, 1, 1, 1, 1.5, 2]))
            a = (round(x + inset * cw), round((i + inset) * ch))
            b = (round(min(x + wide, w) - inset * cw), round((i + 1 - inset) * ch))
            cv2.rectangle(page, a, b, cap, -1)
            letter, left = _word(rng, 1).upper(), (a[0] + 3, b[1] - 5)
            _put(page, letter, left, _FACES[0], min(cw, ch) / 70, ink)
            x += wide


def _cover(rng: Rng, page: U8) -> None:
    """A book's cover or a magazine: big letters and shapes."""
    h, w = page.shape[:2]
    for _ in range(rng.integers(1, 7)):
        ink = shade(rng)
        a, b = (rng.uniform(0, 1, (2, 2)) * (w, h)).astype(int)
        if rng.random() < 0.5:
            cv2.rectangle(page, a, b, ink, -1)
        else:
            cv2.circle(page, a, int(rng.uniform(0.05, 0.4) * w), ink, -1, cv2.LINE_AA)
    for _ in range(rng.integers(1, 5)):
        at = (int(rng.uniform(0, 0.3) * w), int(rng.uniform(0.1, 0.95) * h))
        size, text, face = rng.uniform(0.7, 3.5), _word(rng, 9).upper(), any_of(rng, _FACES)
        _put(page, text, at, face, size, _ink(rng, page), max(1, int(2 * size)))


def _cards(rng: Rng, page: U8) -> None:
    """Cards, dominoes or tokens laid out in a grid."""
    h, w = page.shape[:2]
    n = int(rng.integers(2, 6))
    step = w / n
    for i in range(int(h / step)):
        for j in range(n):
            card = shade(rng, (0, 0.7), (0.2, 1))
            a = (round((j + 0.07) * step), round((i + 0.07) * step))
            b = (round((j + 0.93) * step), round((i + 0.93) * step))
            cv2.rectangle(page, a, b, card, -1)
            spot = (int(rng.integers(a[0], b[0])), int(rng.integers(a[1], b[1])))
            radius = max(2, int(step * rng.uniform(0.05, 0.3)))
            cv2.circle(page, spot, radius, shade(rng), -1, cv2.LINE_AA)


_KINDS: tuple[Callable[[Rng, U8], None], ...] = (
    _blank,
    _text,
    _text,
    _table,
    _table,
    _keys,
    _cover,
    _cards,
)


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


def random_desk(rng: Rng, severity: float, paper_bgr: F32, surfaces: Sequence[U8] = ()) -> Desk:
    """A random table top: one of `surfaces` (BGR uint8) or a procedural one. paper_bgr: (3,) mean
    colour of the sheet; some tables have nearly the same colour."""
    angle = float(
        rng.choice([0.0, pi / 2]) + rng.normal(0, 0.3)
        if rng.random() < 0.6
        else rng.uniform(0, tau)
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
            tile = shrunk(tile, size)
        mix = np.eye(3) * rng.uniform(0.6, 1.2) + rng.normal(0, 0.08, (3, 3))
        if rng.random() < 0.15:
            mix = mix[rng.permutation(3)]
        tile = u8(cv2.transform(tile, f32(np.hstack([mix, rng.normal(0, 10, (3, 1))]))))
        return Desk(tile, float(10 ** rng.uniform(-0.6, 0.35)), angle, rng.uniform(0, 1))
    if rng.random() < 0.06 + 0.06 * severity:  # a table like paper
        like = np.clip(paper_bgr * rng.uniform(0.88, 1.08) + rng.normal(0, 4, 3), 0, 255)
        tile = to_u8(f32(like) + 2 * noise(rng, (SIDE, SIDE), 200)[..., None])
        return Desk(tile, 1.0, angle, rng.uniform(0, 1))
    kind = weighted(rng, {name: weight for name, (_, weight) in TEXTURES.items()})
    tile = to_u8(TEXTURES[kind][0](rng))
    if rng.random() < 0.3:
        h, w = tile.shape[:2]
        tone = 1 + rng.uniform(0.03, 0.2) * fractal(rng, (h, w), rng.uniform(1.5, 8), 3)
        tile = lit(tile, tone)
    glossy = 3.0 if kind == "dark" else rng.choice([0.1, 0.5, 1.5])
    return Desk(
        tile, float(10 ** rng.uniform(-0.35, 0.35)), angle, float(glossy * rng.uniform(0.5, 1.5))
    )


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
    desk = Desk(np.full((8, 8, 3), np.round(lid), np.uint8), 1.0, 0.0, 0.0)
    return Scenery(desk, None, daylight(), (), (), rng.uniform(0.85, 1.1))


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
    exposure = rng.uniform(0.4, 1.0) if rng.random() < 0.5 else rng.uniform(0.65, 1.0)
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
    angle = rng.uniform(0, tau)
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
    for _ in range(rng.integers(0, 2 + round(3 * severity))):
        for _ in range(4):
            at = camera.desk_at(np.array(camera.size_wh) * rng.uniform(-0.03, 1.03, 2))
            solid = random_solid(rng).lifted().moved(at)
            if _covers(solid, camera, grid) <= 0:
                out.append(solid)
                break
    if rng.random() < 0.05 + 0.2 * severity:
        skin = skin_color(rng)
        for _ in range(rng.integers(1, 4)):
            # a finger at a random place on the paper's edge
            page = sheets[0][0]
            edge = page.sheet.outline()
            at = edge[rng.integers(0, len(edge))]
            middle = page.sheet.xyz[page.sheet.xyz.shape[0] // 2, page.sheet.xyz.shape[1] // 2]
            outwards = at[:2] - middle[:2]
            angle = np.arctan2(outwards[1], outwards[0]) + rng.normal(0, 0.4)
            along = toward(angle)
            tip = at - np.array([*along, 0]) * rng.uniform(-4, 10)
            solid = finger(rng, skin, tip, along)
            if _covers(solid, camera, grid) <= allowed:
                out.append(solid)
    return tuple(sorted(out, key=lambda s: -float(np.linalg.norm(s.faces[0].mean(0) - camera.eye))))


def _covers(solid: Solid, camera: Camera, grid: U8) -> float:
    points = np.concatenate(solid.faces)
    if ((camera.eye - points) @ -camera.axes[2]).min() < 40:
        return np.inf  # too close to the lens
    hull = cv2.convexHull(f32(camera.project(points) / 8))[:, 0]
    return float(cv2.bitwise_and(grid, fill(grid.shape, hull.astype(float))).sum())
