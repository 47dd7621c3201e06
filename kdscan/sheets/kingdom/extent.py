"""Stage: a lattice's squares → the window of 5 × 5 or 7 × 7 that each kingdom on it spans.

A kingdom is the connected component of its castle; other squares on the lattice are loose dominoes.
As empty rows and columns look the same on every side, the window is placed inside the photo if
possible, and then with the castle as central as possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import Floats
from kdscan.imaging.rectify import fit_homography, lattice_points, outline_of, project, resolution
from kdscan.rules.grid import Cell, component_of, components, in_square, span
from kdscan.rules.kingdomino.tiles import CASTLE, EMPTY, SQUARE_CLASSES
from kdscan.sheets.kingdom.clipping import MAX_SPAN, fills, in_picture, sides_reached
from kdscan.sheets.kingdom.lattice import Lattice
from kdscan.sheets.kingdom.touching import Part, corners_around, divide, without_loose

MIN_CASTLE = 0.2
"""Least probability of a castle on a lattice that is a kingdom; see `MIN_SURE_TILES`."""
SURE_TILE, MIN_SURE_TILES = 0.7, 10
"""A lattice with this many tiles of at least this probability is a kingdom even without a castle:
something may hide it, and the reading is marked for review."""
HIDDEN_CASTLE_WEIGHT = 0.5
"""Factor of a window's score if its castle is hidden."""
MIN_OTHER_CASTLE, MIN_OTHER_SQUARES = 0.9, 3
"""Least probability of a further castle on a lattice, as of two adjacent kingdoms, and the least
squares of its component: the castle and a domino."""

LIKELY_CASTLE = 0.5
"""Least probability of a further castle in a component that is larger than any kingdom."""

MAX_CASTLES = 5
"""Most castles in one component that count as kingdoms: the maximum number of players. Sheets of
other games seem to show twenty; dividing those in every way would take half a minute."""

MIN_LOST = 5
"""Least number of connected tiles without a castle, cut off by the picture's edge, that count as a
kingdom whose castle is beyond it."""

MIN_OUTER = 0.9
"""Least probability of a tile that extends a kingdom to 7 × 7; a less probable one lies beyond the
limit, and the reading is marked for review."""

MIN_UNLIKE = 1.5
"""Least difference from the table, see `unlike_table`, of a bare place that may be covered."""


@dataclass(frozen=True, eq=False)
class Window:
    """A kingdom's squares within its limit.

    centers_xy: (S, S, 2), photo frame. probs: (S, S, K). seen: (S, S) bool, where the locating
    network detected a square. beyond: number of connected squares outside the limit. cut: sides of
    the picture beyond which it reaches, see `sides_reached`. lost: whether its castle lies there,
    outside the picture.
    divided: whether it is connected with another castle, see `divide`; touching: whether some
    squares may then belong to the other one. covered: bare places that do not look like the table
    and may hide tiles of the kingdom, with their difference from the table, at least
    `MIN_UNLIKE`. agreement: its lattice's, see `find._ReadLattice`.
    """

    centers_xy: Floats
    probs: Floats
    seen: NDArray[np.bool_]
    beyond: int
    cut: tuple[str, ...] = ()
    lost: bool = False
    divided: bool = False
    touching: bool = False
    covered: Mapping[Cell, float] = field(default_factory=dict)
    agreement: float = 1.0

    @cached_property
    def outline_xy(self) -> Floats:
        """(4, 2), photo frame."""
        return outline_of(self.centers_xy)

    @property
    def confidence(self) -> float:
        """Confidence that this is a kingdom: mean probability of its tiles, times its castle's."""
        taken = self.probs[self.probs[..., EMPTY] < 0.5].max(-1)
        return float(taken.mean() * self.probs[..., CASTLE].max()) if len(taken) else 0.0

    @property
    def score(self) -> float:
        """Rank among overlapping windows: sum of the squared margins of its tiles' best kinds,
        times the castle's probability, times the share of detected squares that are tiles. A table
        with a pattern of squares has many squares but no castle; a misaligned lattice has ambiguous
        or empty squares; a lattice of half squares has more squares than exist."""
        taken = self.probs[..., EMPTY] < 0.5
        margins = (np.maximum(2 * self.probs[taken].max(-1) - 1, 0) ** 2).sum()
        castle = max(HIDDEN_CASTLE_WEIGHT, float(self.probs[..., CASTLE].max()))
        agreed = float(taken[self.seen].mean()) if self.seen.any() else 1.0
        return float(margins * castle * agreed)


def windows_of(
    patch: Lattice,
    probs: Floats,
    unlike: Floats,
    photo_wh: tuple[int, int],
    size: int | None = None,
    hidden: bool = True,
) -> tuple[Window, ...]:
    """The windows of a lattice's kingdoms; without a castle, at most one that the picture cuts off.

    probs: (R, C, K) for each square of `patch`, also where its centre lies outside the picture.
    unlike: (R, C), see `unlike_table`. size: 5 or 7; None for the smaller that contains all
    squares. hidden: whether the castle may be hidden.
    """
    inside = in_picture(patch.centers_xy, photo_wh)
    tiles = probs[..., EMPTY] < 0.5
    probs = np.where(np.expand_dims(inside, -1), probs, np.eye(len(SQUARE_CLASSES))[EMPTY])
    is_tile = probs[..., CASTLE + 1 :].sum(-1) > 0.5
    taken = _cells(is_tile)
    many = hidden and int((probs[..., CASTLE + 1 :].max(-1) > SURE_TILE).sum()) >= MIN_SURE_TILES
    p_castle = probs[..., CASTLE]
    if p_castle.max() < MIN_CASTLE:
        lost = _without_castle(patch, probs, tiles, photo_wh)
        if lost or not many:
            return lost
    castles = _sure_castles(p_castle, taken)
    taken |= castles
    parts = _parts(patch, taken, castles, p_castle, size)
    found: list[Window] = []
    for castle, mine, part in _claims(p_castle, taken, parts):
        kept, limit = _limited(mine, castle, patch, probs, size)
        covered = _covered(kept, unlike, limit)
        top, left = corner = _corner(tuple(sorted(kept)), castle, patch, limit, photo_wh, covered)
        one = _crop_window(patch, probs, kept, taken, corner, limit)
        found.append(
            replace(
                one,
                beyond=one.beyond + len(mine) - len(kept),
                cut=_cut(patch, tiles, kept, one, photo_wh),
                divided=part is not None,
                touching=part is not None and part.doubtful,
                covered={
                    (cell[0] - top, cell[1] - left): far
                    for cell, far in covered.items()
                    if in_square(cell, corner, limit)
                },
            )
        )
    return tuple(found)


def _claims(
    p_castle: Floats, taken: set[Cell], parts: Mapping[Cell, Part]
) -> Iterator[tuple[Cell, frozenset[Cell], Part | None]]:
    """Castles and the squares connected with them, the most probable castle first; no square
    belongs to two castles.

    p_castle: (R, C), probability of a castle on each square. taken: squares with tiles or castles;
    a less probable castle is added to it when its turn comes. parts: of castles that share a
    component.
    """
    others: set[Cell] = set()
    claimed = False
    for place in np.argsort(-p_castle, axis=None, kind="stable").tolist():
        castle = divmod(place, p_castle.shape[1])
        if claimed and p_castle[castle] < MIN_OTHER_CASTLE and castle not in parts:
            return
        if castle in others:
            continue
        taken.add(castle)
        part = parts.get(castle)
        mine = part.cells if part else frozenset(component_of(castle, taken - others))
        others |= mine
        if (not claimed and part is None) or len(mine) >= MIN_OTHER_SQUARES:
            claimed = True
            yield castle, mine, part


def _sure_castles(p_castle: Floats, taken: set[Cell]) -> set[Cell]:
    """The castles on a lattice. p_castle: as for `_claims`. taken: squares with tiles."""
    sure, likely = _cells(p_castle >= MIN_OTHER_CASTLE), _cells(p_castle >= LIKELY_CASTLE)
    for cells in components(taken | likely):
        if span(cells) > MAX_SPAN:
            sure |= likely.intersection(cells)
    return sure


def _parts(
    patch: Lattice, taken: set[Cell], castles: set[Cell], p_castle: Floats, size: int | None
) -> dict[Cell, Part]:
    """The kingdoms of castles that share a component of tiles. p_castle: as for `_claims`."""
    parts: dict[Cell, Part] = {}
    for cells in components(taken):
        likely = castles.intersection(cells)
        surest = sorted(likely, key=lambda at: (-p_castle[at], at))[:MAX_CASTLES]
        if len(some := sorted(surest)) > 1:
            for limit in (size,) if size else (5, 7):
                these = divide(set(cells), some, patch.centers_xy, limit)
                if all(span(part.cells) <= limit for part in these.values()):
                    break
            parts |= these
    return parts


def _limited(
    mine: frozenset[Cell], castle: Cell, patch: Lattice, probs: Floats, size: int | None
) -> tuple[frozenset[Cell], int]:
    """A kingdom without the loose dominoes beside it, and its limit; size: see `windows_of`."""
    if size != 7 and _span(mine, castle, probs) > 5:
        mine = without_loose(mine, castle, patch.centers_xy, 5)
    return mine, size or (5 if _span(mine, castle, probs) <= 5 else 7)


def _span(cells: Collection[Cell], castle: Cell, probs: Floats) -> int:
    """Number of squares that the more probable squares of a kingdom span."""
    return span([cell for cell in cells if probs[cell][EMPTY] < 1 - MIN_OUTER or cell == castle])


def _covered(mine: Set[Cell], unlike: Floats, limit: int) -> dict[Cell, float]:
    """The places within a kingdom's limit that do not look like the table; see `windows_of`."""
    some = sorted(_cells(unlike >= MIN_UNLIKE))
    return {cell: float(unlike[cell]) for cell in some if span([*mine, cell]) <= limit}


def _cells(mask: NDArray[np.bool_]) -> set[Cell]:
    """Where an array (R, C) is true."""
    return {(int(row), int(col)) for row, col in np.argwhere(mask)}


def _cut(
    patch: Lattice, tiles: NDArray[np.bool_], mine: Set[Cell], one: Window, wh: tuple[int, int]
) -> tuple[str, ...]:
    """The sides of the picture that cut off a kingdom; none for a cut-out picture, which its
    window fills."""
    if fills(one.outline_xy, wh, resolution(patch.centers_xy)):
        return ()
    return sides_reached(patch.centers_xy, tiles, mine, wh, len(one.probs))


def _without_castle(
    patch: Lattice, probs: Floats, tiles: NDArray[np.bool_], wh: tuple[int, int]
) -> tuple[Window, ...]:
    """The window of tiles that may be a kingdom whose castle is beyond the picture."""
    sure = _cells(probs[..., CASTLE + 1 :].max(-1) > SURE_TILE)
    mine = max(components(sure), key=len, default=())
    if len(mine) < MIN_LOST or not (cut := sides_reached(patch.centers_xy, tiles, set(mine), wh)):
        return ()
    corner = _corner(mine, mine[len(mine) // 2], patch, 5, wh)
    one = _crop_window(patch, probs, set(mine), sure, corner, 5)
    return (replace(one, cut=cut, lost=True),)


def _corner(
    mine: tuple[Cell, ...],
    castle: Cell,
    patch: Lattice,
    limit: int,
    photo_wh: tuple[int, int],
    covered: Collection[Cell] = (),
) -> Cell:
    """Row and column of the window's corner that maximises, in this order, the kingdom's squares
    inside it, the covered places inside it, its places inside the photo, and the castle's
    centrality."""
    plane = fit_homography(patch.centers_xy)

    def rank(corner: Cell) -> tuple[int, int, int, int]:
        held, maybe = (
            sum(in_square(cell, corner, limit) for cell in some) for some in (mine, covered)
        )
        xy = project(plane, lattice_points(limit, limit) + corner[::-1])
        shown = int(in_picture(xy, photo_wh).sum())
        off = sum(abs(low + limit // 2 - at) for low, at in zip(corner, castle, strict=True))
        return held, maybe, shown, -off

    return max(corners_around(castle, limit), key=rank)


def _crop_window(
    patch: Lattice, probs: Floats, mine: Set[Cell], taken: Set[Cell], corner: Cell, limit: int
) -> Window:
    top, left = corner
    plane = fit_homography(patch.centers_xy)
    centers = project(plane, lattice_points(limit, limit) + (left, top))
    out = np.tile(np.eye(len(SQUARE_CLASSES))[EMPTY], (limit, limit, 1))
    seen = np.zeros((limit, limit), np.bool_)
    for cell in np.ndindex(probs.shape[0], probs.shape[1]):
        if in_square(cell, corner, limit):
            at = (cell[0] - top, cell[1] - left)
            centers[at], seen[at] = patch.centers_xy[cell], patch.seen[cell]
            if cell in mine or cell not in taken:
                out[at] = probs[cell]
    held = sum(in_square(cell, corner, limit) for cell in mine)
    return Window(centers, out, seen, len(mine) - held)
