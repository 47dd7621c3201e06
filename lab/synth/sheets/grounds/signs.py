"""A country, and the signs of mapmakers on it: hills, trees, waves, houses, ships, roads.

Each sign is drawn at a point `at` (the middle of its foot, mm on the page), `size` mm high or wide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import pi, tau
from typing import Literal

import cv2
import numpy as np

from kdscan.paper.layout import Layout, Point
from lab.synth.fields import (
    F32,
    U8,
    WHITE,
    Canvas,
    Color,
    Rng,
    any_of,
    f32,
    fractal,
    log_uniform,
    points_at,
    u8,
)
from lab.synth.sheets.grounds.palette import Palette, mixed

Path = Sequence[tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Artist:
    """The style in which a page's signs are drawn.

    ink, mm: colour and width of lines. fill: colour of the signs' areas, None to leave them open.
    second: colour of sails, roofs, treetops. wobble: how far points stray, as a share of a sign.
    """

    canvas: Canvas
    rng: Rng
    ink: Color
    mm: float
    fill: Color | None
    second: Color | None
    wobble: float = 0.04

    def line(self, at: Point, size: float, path: Path, width: float = 1.0) -> None:
        """An open line; `path` in units of `size` around `at`, y down."""
        self.canvas.line(self._placed(at, size, path), self.ink, self.mm * width)

    def shape(self, at: Point, size: float, path: Path, fill: Color | None) -> None:
        """A closed outline, filled if it has a colour."""
        points = self._placed(at, size, path)
        if fill is not None:
            self.canvas.fill(points, fill)
        self.canvas.outline(points, self.ink, self.mm)

    def _placed(self, at: Point, size: float, path: Path) -> list[Point]:
        points = np.array(path) + self.rng.normal(0, self.wobble, (len(path), 2))
        return [(at[0] + size * float(x), at[1] + size * float(y)) for x, y in points]


Sign = Callable[[Artist, Point, float], None]


def _arc(radius_x: float, radius_y: float, start: float, end: float, n: int = 9) -> list[Point]:
    a = np.linspace(start, end, n)
    return [(float(radius_x * np.cos(t)), float(radius_y * np.sin(t))) for t in a]


def hill(artist: Artist, at: Point, size: float) -> None:
    """A round back with a few strokes of shade on one side."""
    high = artist.rng.uniform(0.5, 1.0)
    back = _arc(0.6, high, pi, tau)
    if artist.fill is not None:
        artist.canvas.fill([(at[0] + size * x, at[1] + size * y) for x, y in back], artist.fill)
    artist.line(at, size, back)
    for i in range(artist.rng.integers(0, 5)):
        x = 0.1 + 0.12 * i
        top = -high * float(np.sqrt(max(0.0, 1 - (x / 0.6) ** 2)))
        artist.line(at, size, [(x, top * 0.9), (x + 0.08, top * 0.35)], 0.7)


def mountain(artist: Artist, at: Point, size: float) -> None:
    """A peak, its shaded side hatched or filled."""
    left, right = (float(v) for v in artist.rng.uniform(0.35, 0.75, 2))
    tip = artist.rng.uniform(-0.08, 0.08)
    outline = [(-left, 0.0), (-left * 0.4, -0.55), (tip, -1.0), (right * 0.45, -0.5), (right, 0.0)]
    if artist.fill is not None:
        artist.canvas.fill([(at[0] + size * x, at[1] + size * y) for x, y in outline], artist.fill)
    artist.line(at, size, outline)
    if artist.second is not None and artist.rng.random() < 0.5:
        side = [(tip, -1.0), (right * 0.45, -0.5), (right, 0.0), (right * 0.3, 0.0)]
        artist.shape(at, size, side, artist.second)
        return
    for i in range(artist.rng.integers(2, 6)):
        t = (i + 0.5) / 6
        start = (tip + (right - tip) * t, -1.0 + t)
        artist.line(at, size, [start, (start[0] - 0.12, min(start[1] + 0.4, 0.0))], 0.7)


def round_tree(artist: Artist, at: Point, size: float) -> None:
    """A crown on a stem."""
    crown = [(x, y - 0.62) for x, y in _arc(0.34, 0.38, 0.0, 1.8 * pi, 8)]
    artist.shape(at, size, crown, artist.second)
    artist.line(at, size, [(0.0, -0.25), (0.0, 0.0)])
    if artist.rng.random() < 0.4:
        artist.line(at, size, [(0.12, -0.85), (0.22, -0.62), (0.12, -0.4)], 0.7)


def fir(artist: Artist, at: Point, size: float) -> None:
    """A cone of branches."""
    artist.shape(at, size, [(-0.3, -0.12), (0.0, -1.0), (0.3, -0.12)], artist.second)
    artist.line(at, size, [(0.0, -0.12), (0.0, 0.02)])


def tuft(artist: Artist, at: Point, size: float) -> None:
    """Grass or reeds."""
    for lean in (-0.3, 0.0, 0.3):
        artist.line(at, size, [(lean * 0.3, 0.0), (lean, -0.6)])


def wave(artist: Artist, at: Point, size: float) -> None:
    """One to three swells."""
    n = int(artist.rng.integers(1, 4))
    path: list[Point] = []
    for i in range(n):
        path += [(i - n / 2 + x / 2 + 0.5, y) for x, y in _arc(1.0, 0.28, pi, tau, 6)]
    artist.line(at, size * 0.7, path)


def ripple(artist: Artist, at: Point, size: float) -> None:
    """Short level strokes, one under the other."""
    for i in range(artist.rng.integers(1, 4)):
        half = artist.rng.uniform(0.2, 0.7)
        shift = artist.rng.normal(0, 0.2)
        artist.line(at, size, [(shift - half, 0.22 * i), (shift + half, 0.22 * i)])


def house(artist: Artist, at: Point, size: float) -> None:
    """A gable, sometimes with a tower."""
    artist.shape(at, size, [(-0.4, 0.0), (-0.4, -0.4), (0.4, -0.4), (0.4, 0.0)], artist.fill)
    artist.shape(at, size, [(-0.5, -0.4), (0.0, -0.8), (0.5, -0.4)], artist.second)
    if artist.rng.random() < 0.4:
        artist.shape(at, size, [(0.4, 0.0), (0.4, -0.9), (0.65, -0.9), (0.65, 0.0)], artist.fill)
        artist.shape(at, size, [(0.33, -0.9), (0.52, -1.25), (0.72, -0.9)], artist.second)


def ship(artist: Artist, at: Point, size: float) -> None:
    """A hull with one to three masts under sail."""
    hull = [(-0.6, -0.28), (-0.45, 0.0), (0.4, 0.0), (0.62, -0.36), (0.3, -0.22), (-0.3, -0.22)]
    masts = int(artist.rng.integers(1, 4))
    for i in range(masts):
        x = 0.0 if masts == 1 else -0.35 + 0.7 * i / (masts - 1)
        top = -1.0 if i == masts // 2 else -0.8
        artist.line(at, size, [(x, -0.2), (x, top)])
        belly = artist.rng.uniform(0.1, 0.3)
        sail = [(x, top + 0.05), (x + belly, top * 0.65), (x + 0.05, -0.32), (x - 0.2, top * 0.6)]
        artist.shape(at, size, sail, artist.second)
    artist.shape(at, size, hull, artist.fill)


def monster(artist: Artist, at: Point, size: float) -> None:
    """A serpent: humps out of the water, a neck, a head."""
    for i in range(artist.rng.integers(2, 5)):
        hump = [(0.45 * i + x, y) for x, y in _arc(0.2, 0.34, pi, tau, 7)]
        artist.shape(at, size, hump, artist.fill)
    neck = [(-0.3, 0.0), (-0.42, -0.4), (-0.3, -0.75), (-0.55, -0.8), (-0.72, -0.66), (-0.5, -0.62)]
    artist.shape(at, size, [*neck, (-0.28, -0.4), (-0.14, 0.0)], artist.fill)


def whale(artist: Artist, at: Point, size: float) -> None:
    """A round back, a fluke, a spout."""
    back = _arc(0.6, 0.45, pi, tau)
    artist.shape(at, size, [*back, (0.8, -0.3), (0.95, -0.45), (0.75, 0.0)], artist.fill)
    for lean in (-0.2, 0.0, 0.2):
        artist.line(at, size, [(-0.2, -0.45), (-0.2 + lean, -0.85)], 0.7)


def rose(artist: Artist, at: Point, size: float) -> None:
    """A compass rose of four to sixteen points, half of each dark."""
    points = int(artist.rng.choice([4, 8, 8, 16]))
    turn = float(artist.rng.choice([0.0, artist.rng.uniform(0, 1)]))
    for i in range(points):
        long = 0.5 if i % (points // 4) == 0 else 0.3
        a = turn + tau * i / points
        tip = (long * np.sin(a), -long * np.cos(a))
        for side, fill in ((1, artist.ink), (-1, artist.fill)):
            b = a + side * pi / points
            flank = (0.12 * np.sin(b), -0.12 * np.cos(b))
            artist.shape(at, size, [(0.0, 0.0), flank, tip], fill)
    if artist.rng.random() < 0.6:
        ring = artist.rng.uniform(0.3, 0.55)
        artist.canvas.circle(at, ring * size, artist.ink, artist.mm)


def painter(canvas: Canvas, rng: Rng, ink: Color, mm: float, fill: Color, second: Color) -> Artist:
    """An artist who fills what they draw, or leaves part of it bare."""
    bare = rng.random() < 0.15
    body = None if bare else mixed(fill, WHITE, rng.uniform(0, 0.4))
    return Artist(canvas, rng, ink, mm, body, None if rng.random() < 0.15 else second)


COARSE = 0.5
"""Resolution of areas as a share of the page's."""

Kind = Literal["sea", "shore", "meadow", "wood", "hill"]
SHORE, HILL = 0.16, 1.0
"""Heights where shores end and hills begin; the sea ends at 0."""


@dataclass(frozen=True, eq=False)
class Terrain:
    """Fields over a page.

    height: (H, W) float32, of about unit variance; the sea is below 0.
    wet: (H, W) float32, of about unit variance; woods grow where it is above `wooded`.
    px_per_mm: of the fields, coarser than the page's.
    """

    height: F32
    wet: F32
    wooded: float
    px_per_mm: float

    def where(self, kind: Kind) -> U8:
        """(H, W) uint8, 1 where the terrain is of a kind."""
        h, wooded = self.height, self.wet >= self.wooded
        if kind == "sea":
            found = h < -0.05
        elif kind == "shore":
            found = (h > 0) & (h < SHORE)
        elif kind == "hill":
            found = h >= HILL
        else:
            found = (h > SHORE) & (h < HILL) & (wooded == (kind == "wood"))
        return u8(found)

    def lines(self, height: float = 0.0) -> list[list[Point]]:
        """Contour lines at a height, in mm on the page, closed unless they leave it."""
        above = u8(self.height > height)
        found, _ = cv2.findContours(above, cv2.RETR_LIST, cv2.CHAIN_APPROX_TC89_L1)
        last = np.array(above.shape[::-1]) - 1
        out: list[list[Point]] = []
        for contour in found:
            points = contour[:, 0].astype(np.float64)
            if len(points) < 4:
                continue
            inside = np.asarray(((points > 0) & (points < last)).all(1), np.bool_)
            if not inside.all():  # begin where it leaves the page, drop what runs along its edge
                start = int(np.argmin(inside))
                points, inside = np.roll(points, -start, 0), np.roll(inside, -start)
            closed = bool(inside.all())
            for run in np.split(np.arange(len(points)), np.flatnonzero(~inside)):
                kept = run[inside[run]]
                if len(kept) > 2:
                    path = (points[kept] + 0.5) / self.px_per_mm
                    if closed:
                        path = np.concatenate([path, path[:1]])
                    out.append([(float(x), float(y)) for x, y in path])
        return out

    def spots(self, rng: Rng, kind: Kind, apart_mm: float, most: int) -> list[Point]:
        """Up to `most` places of a kind, in mm, mostly `apart_mm` from each other, top first."""
        step = max(1, round(apart_mm * self.px_per_mm))
        there = self.where(kind)
        h, w = there.shape
        rows, cols = np.mgrid[step // 2 : h : step, step // 2 : w : step]
        at = (
            np.stack([cols.ravel(), rows.ravel()], 1)
            + rng.uniform(-0.4, 0.4, (rows.size, 2)) * step
        )
        near = np.clip(at.astype(int), 0, (w - 1, h - 1))
        at = at[there[near[:, 1], near[:, 0]] > 0]
        if len(at) > most:
            at = at[np.sort(rng.permutation(len(at))[:most])]
        return [(float(x), float(y)) for x, y in (at + 0.5) / self.px_per_mm]


def random_terrain(
    rng: Rng, layout: Layout, scale: float, sea: float | None = None, coarse: float = COARSE
) -> Terrain:
    """A random country for a page of `scale` pixels per mm; sea: share under water, random if
    None."""
    px_per_mm, page_mm = scale * coarse, layout.page_mm
    shape = (round(page_mm[1] * px_per_mm), round(page_mm[0] * px_per_mm))
    bumps, rough = log_uniform(rng, 1.5, 9), rng.uniform(0.42, 0.66)
    height = fractal(rng, shape, bumps, 6, gain=rough)
    if sea is None:
        sea = float(rng.choice([0.0, rng.uniform(0.05, 0.85)], p=[0.12, 0.88]))
    level = float(np.quantile(height[::4, ::4], sea)) if sea else float(height.min()) - SHORE
    wet = fractal(rng, shape, rng.uniform(3, 20), 4, gain=0.6)
    return Terrain(
        f32((height - level) * rng.uniform(0.7, 1.5)), wet, rng.uniform(-0.6, 1.6), px_per_mm
    )


def tinted(height: F32, stops: list[tuple[float, Color]]) -> U8:
    """Map heights from -3 to 3 to a scale of colours: (H, W) to (H, W, 3) uint8. stops: heights in
    ascending order and their BGR; colours between them are interpolated."""
    low, high, steps = -3, 3, 2048
    at = np.linspace(low, high, steps)
    places = [stop for stop, _ in stops]
    table = np.stack([np.interp(at, places, [shade[i] for _, shade in stops]) for i in range(3)], 1)
    index = np.clip((height - low) * ((steps - 1) / (high - low)), 0, steps - 1).astype(np.int16)
    return np.asarray(u8(np.round(table))[index])


_SORTS = {
    "woods": 0.8,
    "hills": 0.7,
    "waves": 0.65,
    "houses": 0.5,
    "creatures": 0.7,
    "roads": 0.6,
    "rivers": 0.5,
    "roses": 0.5,
}
"""How often a map has signs of each sort."""


def populate(
    artist: Artist, terrain: Terrain, layout: Layout, palette: Palette, rich: float
) -> None:
    """Draw roads, and over them random numbers of signs that grow with `rich`, 0..1."""
    rng, cell = artist.rng, min(layout.cell_mm)
    size = log_uniform(rng, 0.08, 0.24) * cell
    many = {
        sort: rng.uniform(0.1, 1.0) * rich if rng.random() < often else 0.0
        for sort, often in _SORTS.items()
    }
    page = layout.page_mm
    area = page[0] * page[1] / cell**2
    land: tuple[Kind, ...] = ("meadow", "wood", "shore")
    places = [p for kind in land for p in terrain.spots(rng, kind, 0.8 * cell, 200)]
    for _ in range(round(4 * many["rivers"])):
        _way(artist, places, palette.sea, 0.05 * cell, river=True)
    for _ in range(round(5 * many["roads"])):
        shade = palette.hill if rng.random() < 0.5 else artist.ink
        _way(artist, places, shade, rng.uniform(0.02, 0.05) * cell, river=False)
    wood = fir if rng.random() < 0.5 else round_tree
    rise = hill if rng.random() < 0.5 else mountain
    swell = wave if rng.random() < 0.5 else ripple
    _crowd(artist, terrain, "sea", swell, 0.9 * size, many["waves"], area)
    _crowd(artist, terrain, "hill", rise, 2.2 * size, many["hills"], area)
    green = replace(artist, second=None if artist.second is None else palette.wood)
    _crowd(green, terrain, "wood", wood, 1.2 * size, many["woods"], area)
    if rng.random() < 0.3:
        _crowd(green, terrain, "meadow", tuft, 0.7 * size, 0.5 * many["woods"], area)
    for at in _pick(rng, places, round(8 * many["houses"])):
        house(artist, at, size * rng.uniform(1.2, 2.2))
    sea = terrain.spots(rng, "sea", 1.5 * cell, 60)
    beasts: tuple[Sign, ...] = (ship, ship, monster, whale)
    for at in _pick(rng, sea, round(6 * many["creatures"])):
        any_of(rng, beasts)(artist, at, cell * rng.uniform(0.25, 0.7))
    for _ in range(round(1.6 * many["roses"])):
        at = (rng.uniform(0, page[0]), rng.uniform(0, page[1]))
        rose(artist, at, cell * rng.uniform(0.5, 1.6))


def _crowd(
    artist: Artist, terrain: Terrain, kind: Kind, sign: Sign, size: float, many: float, area: float
) -> None:
    """Signs of one sort all over their part of the country."""
    if not many:
        return
    rng = artist.rng
    most = min(round(6 * area * many), 260)
    for at in terrain.spots(rng, kind, size * rng.uniform(0.75, 1.6), most):
        sign(artist, at, size * rng.uniform(0.75, 1.2))


def _way(
    artist: Artist, places: list[Point], shade: tuple[float, float, float], mm: float, river: bool
) -> None:
    if len(places) < 4:
        return
    rng = artist.rng
    stops = _pick(rng, places, int(rng.integers(2, 5)))
    stops.sort(key=lambda p: p[0] + 0.3 * p[1])
    faded = mixed(shade, WHITE, rng.uniform(0, 0.3))
    dashed = not river and rng.random() < 0.5
    points = np.array(stops, np.float64)
    t = np.linspace(0, len(points) - 1, 14 * (len(points) - 1) + 1)
    path = points_at(points, t)
    reach = float(np.linalg.norm(np.diff(points, axis=0), axis=1).mean())
    bend = np.cumsum(artist.rng.normal(0, 0.05, path.shape), 0)
    bend -= np.linspace(0, 1, len(path))[:, None] * bend[-1]
    path += reach * bend
    line = [(float(x), float(y)) for x, y in path]
    if dashed:
        for a, b in zip(line[::2], line[1::2], strict=False):
            artist.canvas.line([a, b], faded, mm)
    elif river:
        for i, (a, b) in enumerate(pairwise(line)):
            artist.canvas.line([a, b], faded, mm * (0.5 + i / len(line)))
    else:
        if artist.rng.random() < 0.4:
            artist.canvas.line(line, artist.ink, mm + 2 * artist.mm)
        artist.canvas.line(line, faded, mm)


def _pick(rng: Rng, places: list[Point], count: int) -> list[Point]:
    chosen = rng.permutation(len(places))[: min(count, len(places))]
    return [places[int(i)] for i in chosen]
