"""Stage: a lattice's squares → the window of 5 × 5 or 7 × 7 that each kingdom on it spans.

A kingdom is the connected component of its castle; other squares on the lattice are loose dominoes.
A component with several castles is of adjacent kingdoms. Every one has one castle and fits its
limit, so it is divided along rows and columns of the lattice, where the gap is widest. As empty
rows and columns look the same on every side, the window is placed inside the photo if possible, and
then with the castle as central as possible.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kdscan.detection.locate import SIDES, edge_distances
from kdscan.imaging.picture import (
    Floats,
    fit_homography,
    lattice_points,
    lattice_to_photo,
    outline_of,
    project,
    resolution,
)
from kdscan.rules import Cell, component_of, components, in_square, neighbours, span
from kdscan.rules.kingdomino.kingdom import CASTLE, EMPTY
from kdscan.sheets.kingdom.lattice import Lattice
from kdscan.sheets.kingdom.model import ONE_HOT

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
MAX_SMALL = 25
"""Most squares, castle included, of a kingdom of 5 × 5, which without its loose dominoes may span
more. Of 300 kingdoms that were played at random on 7 × 7 none had fewer than 41."""
MIN_UNLIKE = 1.5
"""Least difference from the table, see `unlike_table`, of a bare place that may be covered."""

MIN_GAP = 0.1
"""Sides. Rows that are this much further apart than their neighbours may belong to different
kingdoms. One in a hundred of 1,075 rows and columns within kingdoms was, and 30 of 43 between
kingdoms, or between a kingdom and loose dominoes, laid up to 0.3 sides apart."""
NEAR_LINES = (-2, -1, 1, 2)
"""Neighbouring rows, relative to it, with whose distance the distance of two rows is compared."""

MAX_BEYOND = 0.2
"""Sides. A tile that reaches further beyond the picture is cut off. In 40 photos of whole kingdoms,
cropped closely, and 20 cut-out boards tiles seem to reach at most 0.15 sides beyond it, because
lattice and lens are not exact."""
MIN_VISIBLE = 0.25
"""Least share of a place inside the picture at which a tile on it can be recognised. Of 412 such
places in the same photos and in 30 cut-off kingdoms, no bare one was taken for a tile, and nine of
ten tiles were recognised; of places that show less, many bare ones were taken for tiles."""
MAX_SPAN = 7
"""Squares that any kingdom may span; squares further away are not part of it."""
POINTS = 10
"""Sample points along each side of a place for measuring its share inside the picture."""


@dataclass(frozen=True, eq=False)
class Window:
    """A kingdom's squares within its limit.

    centers_xy: (S, S, 2), photo frame. probs: (S, S, K). detected: (S, S), where the locating
    network detected a square. beyond: number of connected squares outside the limit. cut: sides of
    the picture beyond which it reaches, see `sides_reached`. lost: whether its castle lies there,
    outside the picture.
    touching: whether some squares may belong to another castle with which it is connected, see
    `divide`. covered: bare places that do not look like the table and may hide tiles of the
    kingdom, with their difference from it, at least `MIN_UNLIKE`.
    agreement: its lattice's, see `read_lattice`.
    """

    centers_xy: Floats
    probs: Floats
    detected: NDArray[np.bool_]
    beyond: int
    cut: tuple[str, ...] = ()
    lost: bool = False
    touching: bool = False
    covered: Mapping[Cell, float] = field(default_factory=dict)
    agreement: float = 1.0

    @cached_property
    def outline_xy(self) -> Floats:
        """(4, 2), photo frame."""
        return outline_of(self.centers_xy)

    @property
    def tiles(self) -> NDArray[np.bool_]:
        """(S, S): where a tile or the castle lies."""
        return np.asarray(self.probs[..., EMPTY] < 0.5)

    @property
    def confidence(self) -> float:
        """Confidence that this is a kingdom: mean probability of its tiles, times its castle's."""
        tiles = self.probs[self.tiles].max(-1)
        return float(tiles.mean() * self.probs[..., CASTLE].max()) if len(tiles) else 0.0

    @property
    def score(self) -> float:
        """Rank among overlapping windows: sum of the squared margins of its tiles' best kinds,
        times the castle's probability, times the share of detected squares that are tiles. A table
        with a pattern of squares has many squares but no castle; a misaligned lattice has ambiguous
        or empty squares; a lattice of half squares has more squares than exist."""
        margins = (np.maximum(2 * self.probs[self.tiles].max(-1) - 1, 0) ** 2).sum()
        castle = max(HIDDEN_CASTLE_WEIGHT, float(self.probs[..., CASTLE].max()))
        agreed = float(self.tiles[self.detected].mean()) if self.detected.any() else 1.0
        return float(margins * castle * agreed)


class ReadLattice(NamedTuple):
    """A lattice in a photo of that width and height, and its squares' probabilities, (R, C, K).

    unlike: (R, C), see `unlike_table`. agreement: share of the detected squares that the reading
    network classifies as tiles; low for a lattice that follows a pattern of the floor.
    """

    lattice: Lattice
    probs: Floats
    unlike: Floats
    agreement: float
    photo_wh: tuple[int, int]


class Part(NamedTuple):
    """The squares of a castle's kingdom. doubtful: whether another division is possible in which
    no kingdom exceeds its limit."""

    cells: frozenset[Cell]
    doubtful: bool


def windows_of(
    read: ReadLattice, size: int | None = None, *, hidden: bool = False
) -> tuple[Window, ...]:
    """The windows of a lattice's kingdoms; without a castle, at most one that the picture cuts off.

    size: 5 or 7; None for 5 unless there are more squares, on which 7 are spanned. hidden: whether
    the castle may be hidden.
    """
    lattice, probs, unlike, photo_wh = read.lattice, read.probs, read.unlike, read.photo_wh
    centers_xy = lattice.centers_xy
    tiles = probs[..., EMPTY] < 0.5
    probs = np.where(in_picture(centers_xy, photo_wh)[..., None], probs, ONE_HOT[EMPTY])
    p_castle, p_terrains = probs[..., CASTLE], probs[..., CASTLE + 1 :]
    taken, certain = _cells(p_terrains.sum(-1) > 0.5), _cells(p_terrains.max(-1) > SURE_TILE)

    if p_castle.max() < MIN_CASTLE:
        part = max(components(certain), key=len, default=())
        cut = sides_reached(centers_xy, tiles, set(part), photo_wh) if len(part) >= MIN_LOST else ()
        if cut:  # the castle may lie beyond the picture
            corner = _best_corner(part, part[len(part) // 2], centers_xy, 5, photo_wh)
            outside = sum(not in_square(cell, corner, 5) for cell in part)
            crop = _crop(lattice, probs, certain - set(part), corner, 5)
            return (Window(*crop, outside, cut, lost=True, agreement=read.agreement),)
        if not hidden or len(certain) < MIN_SURE_TILES:
            return ()

    parts, castles = _parts_of(taken, p_castle, centers_xy, size)
    taken |= castles
    windows: list[Window] = []
    claimed: set[Cell] = set()
    for place in np.argsort(-p_castle, axis=None, kind="stable").tolist():
        castle = divmod(place, p_castle.shape[1])
        divided = parts.get(castle)
        if windows and not divided and p_castle[castle] < MIN_OTHER_CASTLE:
            break
        if castle in claimed:
            continue
        taken.add(castle)
        connected = divided.cells if divided else component_of(castle, taken - claimed)
        claimed.update(connected)
        if len(connected) < MIN_OTHER_SQUARES and (windows or divided):
            continue
        kingdom = frozenset(connected)
        sure = _cells(probs[..., EMPTY] < 1 - MIN_OUTER) | {castle}
        if size != 7 and span(kingdom & sure) > 5:
            kingdom = without_loose(kingdom, castle, centers_xy)
        small = span(kingdom & sure) <= 5 or len(kingdom & sure) <= MAX_SMALL
        limit = size or (5 if small else 7)
        bare = sorted(_cells(unlike >= MIN_UNLIKE))
        covered = [cell for cell in bare if span([*kingdom, cell]) <= limit]
        top, left = corner = _best_corner(kingdom, castle, centers_xy, limit, photo_wh, covered)
        crop = _crop(lattice, probs, taken - kingdom, corner, limit)
        cut_out = fills(outline_of(crop[0]), photo_wh, resolution(centers_xy))
        windows.append(
            Window(
                *crop,
                beyond=len(connected) - sum(in_square(cell, corner, limit) for cell in kingdom),
                cut=() if cut_out else sides_reached(centers_xy, tiles, kingdom, photo_wh, limit),
                touching=divided is not None and divided.doubtful,
                covered={
                    (cell[0] - top, cell[1] - left): float(unlike[cell])
                    for cell in covered
                    if in_square(cell, corner, limit)
                },
                agreement=read.agreement,
            )
        )
    return tuple(windows)


def _cells(mask: NDArray[np.bool_]) -> set[Cell]:
    """Where an array (R, C) is true."""
    return {(int(row), int(col)) for row, col in np.argwhere(mask)}


def _parts_of(
    tiles: Set[Cell], p_castle: Floats, centers_xy: Floats, size: int | None
) -> tuple[dict[Cell, Part], set[Cell]]:
    """The kingdoms of castles that share a component of tiles, and all castles. size: see
    `windows_of`."""
    castles, likely = _cells(p_castle >= MIN_OTHER_CASTLE), _cells(p_castle >= LIKELY_CASTLE)
    for cells in components(tiles | likely):
        if span(cells) > MAX_SPAN:
            castles |= likely.intersection(cells)
    parts: dict[Cell, Part] = {}
    for cells in components(tiles | castles):
        surest = sorted(castles.intersection(cells), key=lambda at: (-p_castle[at], at))
        if len(surest) > 1:
            for limit in (size,) if size else (5, 7):
                division = divide(set(cells), sorted(surest[:MAX_CASTLES]), centers_xy, limit)
                if all(span(part.cells) <= limit for part in division.values()):
                    break
            parts |= division
    return parts, castles


def _best_corner(
    kingdom: Collection[Cell],
    castle: Cell,
    centers_xy: Floats,
    limit: int,
    photo_wh: tuple[int, int],
    covered: Collection[Cell] = (),
) -> Cell:
    """Row and column of the window's corner that maximises, in this order, the kingdom's squares
    inside it, the covered places inside it, its places inside the photo, and the castle's
    centrality."""
    plane = fit_homography(centers_xy)

    def rank(corner: Cell) -> tuple[int, ...]:
        contained = (
            sum(in_square(cell, corner, limit) for cell in cells) for cells in (kingdom, covered)
        )
        xy = project(plane, lattice_points(limit, limit) + corner[::-1])
        off = sum(abs(low + limit // 2 - at) for low, at in zip(corner, castle, strict=True))
        return *contained, int(in_picture(xy, photo_wh).sum()), -off

    return max(_corners_around(castle, limit), key=rank)


def _corners_around(castle: Cell, limit: int) -> Iterator[Cell]:
    """The upper left corners of the squares of that side that contain a castle, row-major."""
    tops, lefts = (range(at - limit + 1, at + 1) for at in castle)
    return product(tops, lefts)


def _crop(
    lattice: Lattice, probs: Floats, others: Set[Cell], corner: Cell, limit: int
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Centres, probabilities and detected squares of a window, see `Window`; other kingdoms'
    squares are empty."""
    top, left = corner
    plane = fit_homography(lattice.centers_xy)
    centers = project(plane, lattice_points(limit, limit) + (left, top))
    inner = np.tile(ONE_HOT[EMPTY], (limit, limit, 1))
    detected = np.zeros((limit, limit), np.bool_)
    for cell in np.ndindex(probs.shape[0], probs.shape[1]):
        if in_square(cell, corner, limit):
            at = (cell[0] - top, cell[1] - left)
            centers[at], detected[at] = lattice.centers_xy[cell], lattice.detected[cell]
            if cell not in others:
                inner[at] = probs[cell]
    return centers, inner, detected


def divide(
    cells: Set[Cell], castles: Sequence[Cell], centers_xy: Floats, limit: int
) -> dict[Cell, Part]:
    """The kingdom of each castle among the cells. cells: those of a component. centers_xy:
    (R, C, 2) of the lattice. limit: squares that a kingdom may span."""
    castles = sorted(cells & set(castles))
    if len(castles) == 1:
        return {castles[0]: Part(frozenset(component_of(castles[0], cells)), doubtful=False)}
    tiles = frozenset(cells - set(castles))
    whole = [
        castle
        for castle in castles
        if span(tiles | {castle}) <= limit and len(components(tiles | {castle})) == 1
    ]
    if whole:  # no two finished kingdoms are so small: other castles are nobody's
        own = {castle: frozenset({castle}) for castle in castles}
        own[whole[0]] |= tiles
        return {castle: Part(squares, len(whole) > 1) for castle, squares in own.items()}
    splits = []
    for axis in (0, 1):
        places = [castle[axis] for castle in castles]
        for line in range(min(places), max(places)):
            low = frozenset(cell for cell in cells if cell[axis] <= line)
            sides = low, frozenset(cells - low)
            apart = gap(cells, centers_xy, axis, line)
            splits.append((_capacity(sides, castles, limit), apart, sides))
    ranked = sorted(splits, key=lambda split: split[:2], reverse=True)
    best, *others = [
        divide(low, castles, centers_xy, limit) | divide(high, castles, centers_xy, limit)
        for low, high in dict.fromkeys(
            sides for capacity, _, sides in ranked if capacity == ranked[0][0]
        )
    ]
    return {
        castle: Part(
            part.cells, part.doubtful or any(other[castle].cells != part.cells for other in others)
        )
        for castle, part in best.items()
    }


def _capacity(sides: Iterable[Set[Cell]], castles: Sequence[Cell], limit: int) -> int:
    """Number of squares that kingdoms within the limit can hold if these sides are separated; an
    upper bound if one has several castles."""
    total = 0
    for cells in sides:
        own = sorted(cells & set(castles))
        if len(own) == 1:
            connected = component_of(own[0], cells)
            total += max(
                sum(in_square(cell, corner, limit) for cell in connected)
                for corner in _corners_around(own[0], limit)
            )
        else:
            total += len(cells)
    return total


def without_loose(cells: Set[Cell], castle: Cell, centers_xy: Floats) -> frozenset[Cell]:
    """The squares of a kingdom that spans more than 5 × 5, without rows or columns that lie
    apart from it, as unused dominoes do; all of them if that does not suffice."""
    best: tuple[float, frozenset[Cell]] = MIN_GAP, frozenset(cells)
    for axis in (0, 1):
        for line in range(min(c[axis] for c in cells), max(c[axis] for c in cells)):
            low = castle[axis] <= line
            near = component_of(castle, {c for c in cells if (c[axis] <= line) == low})
            apart = gap(cells, centers_xy, axis, line)
            if apart > best[0] and span(near) <= 5:
                best = apart, frozenset(near)
    return best[1]


def gap(cells: Set[Cell], centers_xy: Floats, axis: int, line: int) -> float:
    """How much further apart, in sides, rows (axis 0) or columns `line` and `line + 1` are than
    others nearby, measured on adjacent squares."""

    def steps(at: int) -> list[float]:
        pairs = [(c, (c[0] + 1 - axis, c[1] + axis)) for c in cells if c[axis] == at]
        xy = [centers_xy[after] - centers_xy[cell] for cell, after in pairs if after in cells]
        return [float(np.hypot(*step)) for step in xy]

    nearby = [step for off in NEAR_LINES for step in steps(line + off)]
    across = steps(line)
    return float(np.median(across) / np.median(nearby)) - 1 if nearby and across else 0.0


def in_picture(xy: Floats, wh: tuple[int, int]) -> NDArray[np.bool_]:
    """(...): which of the points (..., 2), photo frame, lie in the picture."""
    return np.asarray(((xy > 0) & (xy < wh)).all(-1))


def visible_share(centers_xy: Floats, wh: tuple[int, int]) -> Floats:
    """(R, C): share of each place of a lattice, (R, C, 2) photo frame, that lies in the picture."""
    rows, cols = centers_xy.shape[:2]
    at = (lattice_points(rows * POINTS, cols * POINTS) + 0.5) / POINTS - 0.5
    visible = in_picture(lattice_to_photo(centers_xy, at), wh)
    return np.asarray(visible.reshape(rows, POINTS, cols, POINTS).mean((1, 3)))


def sides_reached(
    centers_xy: Floats,
    tiles: NDArray[np.bool_],
    kingdom: Set[Cell],
    wh: tuple[int, int],
    limit: int = 0,
) -> tuple[str, ...]:
    """The sides of the picture beyond which a kingdom reaches, or may reach unseen; missing tiles
    must not go unreported.

    centers_xy: (R, C, 2), photo frame, places of a lattice. tiles: (R, C), where a tile is visible,
    even if its centre is outside the picture. kingdom: its squares. limit: squares that it may
    span; 0 to ignore unseen places.
    """
    rows, cols = tiles.shape
    distances = edge_distances(wh, centers_xy.reshape(-1, 2)).reshape(rows, cols, 4)
    corners = lattice_to_photo(centers_xy, lattice_points(rows + 1, cols + 1) - 0.5)
    reach = edge_distances(wh, corners.reshape(-1, 2)).reshape(rows + 1, cols + 1, 4)
    reach = np.minimum(
        np.minimum(reach[:-1, :-1], reach[1:, :-1]), np.minimum(reach[:-1, 1:], reach[1:, 1:])
    )
    unseen = visible_share(centers_xy, wh) < MIN_VISIBLE
    beyond = np.zeros(4, np.bool_)
    for cell in kingdom:
        beyond |= reach[cell] < -MAX_BEYOND * resolution(centers_xy)
        for near in neighbours(cell):
            if near in kingdom or not (0 <= near[0] < rows and 0 <= near[1] < cols):
                continue
            across = span([*kingdom, near])
            if (tiles[near] and across <= MAX_SPAN) or (unseen[near] and across <= limit):
                beyond |= distances[near] < 0
    return tuple(side for side, cut in zip(SIDES, beyond, strict=True) if cut)


def fills(outline_xy: Floats, wh: tuple[int, int], side: float) -> bool:
    """Whether an outline (4, 2) leaves hardly any table on each side of the picture, as in a
    cut-out picture of a kingdom. side: pixels per square."""
    return bool((edge_distances(wh, outline_xy).min(0) < MIN_VISIBLE * side).all())
