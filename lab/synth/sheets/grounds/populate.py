"""Places the signs on a map: trees in the woods, ships at sea, roads between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np

from kdscan.paper.parts import Layout, Point
from lab.synth.fields import F32, U8, WHITE, Color, Rng, any_of, f32, fractal, log_uniform, u8
from lab.synth.sheets.grounds import signs
from lab.synth.sheets.grounds.palette import Palette, mixed
from lab.synth.sheets.grounds.signs import Artist, Sign

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
    """Map heights from -3 to 3 to a scale of colours: (H, W) to (H, W, 3) uint8.

    stops: heights in ascending order and their BGR; colours between them are interpolated.
    """
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
    wood = signs.fir if rng.random() < 0.5 else signs.round_tree
    rise = signs.hill if rng.random() < 0.5 else signs.mountain
    swell = signs.wave if rng.random() < 0.5 else signs.ripple
    _crowd(artist, terrain, "sea", swell, 0.9 * size, many["waves"], area)
    _crowd(artist, terrain, "hill", rise, 2.2 * size, many["hills"], area)
    green = replace(artist, second=None if artist.second is None else palette.wood)
    _crowd(green, terrain, "wood", wood, 1.2 * size, many["woods"], area)
    if rng.random() < 0.3:
        _crowd(green, terrain, "meadow", signs.tuft, 0.7 * size, 0.5 * many["woods"], area)
    for at in _pick(rng, places, round(8 * many["houses"])):
        signs.house(artist, at, size * rng.uniform(1.2, 2.2))
    sea = terrain.spots(rng, "sea", 1.5 * cell, 60)
    beasts: tuple[Sign, ...] = (signs.ship, signs.ship, signs.monster, signs.whale)
    for at in _pick(rng, sea, round(6 * many["creatures"])):
        any_of(rng, beasts)(artist, at, cell * rng.uniform(0.25, 0.7))
    for _ in range(round(1.6 * many["roses"])):
        at = (rng.uniform(0, page[0]), rng.uniform(0, page[1]))
        signs.rose(artist, at, cell * rng.uniform(0.5, 1.6))


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
    signs.road(artist, stops, faded, mm, not river and rng.random() < 0.5, river)


def _pick(rng: Rng, places: list[Point], count: int) -> list[Point]:
    chosen = rng.permutation(len(places))[: min(count, len(places))]
    return [places[int(i)] for i in chosen]
