"""Places the signs on a map: trees in the woods, ships at sea, roads between them."""

from __future__ import annotations

from dataclasses import replace

from kdscan.paper.parts import Layout, Point
from lab.synth.fields import WHITE, Rng, any_of, log_uniform
from lab.synth.sheets.grounds import signs
from lab.synth.sheets.grounds.palette import Palette, mixed
from lab.synth.sheets.grounds.signs import Artist, Sign
from lab.synth.sheets.grounds.terrain import Kind, Terrain

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
