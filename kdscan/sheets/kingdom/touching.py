"""One connected component of tiles → the adjacent kingdoms in it.

Every kingdom has one castle and fits its limit, so a component with several castles is divided
along rows and columns of the lattice, where the gap is widest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import product

import numpy as np

from kdscan.imaging.picture import Floats
from kdscan.rules.grid import Cell, component_of, components, in_square, span

MIN_GAP = 0.1
"""Sides. Rows that are this much further apart than their neighbours may belong to different
kingdoms. One in a hundred of 1,075 rows and columns within kingdoms was, and 30 of 43 between
kingdoms, or between a kingdom and loose dominoes, laid up to 0.3 sides apart."""
NEAR_LINES = (-2, -1, 1, 2)
"""Neighbouring rows, relative to it, with whose distance the distance of two rows is compared."""


@dataclass(frozen=True)
class Part:
    """A castle and the squares of its kingdom. doubtful: whether another division is possible in
    which no kingdom exceeds its limit."""

    cells: frozenset[Cell]
    doubtful: bool


def divide(
    cells: Set[Cell], castles: Sequence[Cell], centers_xy: Floats, limit: int
) -> dict[Cell, Part]:
    """The kingdom of each castle. cells: a component, its castles included. centers_xy: (R, C, 2)
    of the lattice. limit: squares that a kingdom may span."""
    if len(castles) == 1:
        return {castles[0]: Part(frozenset(component_of(castles[0], cells)), doubtful=False)}
    tiles = cells - set(castles)
    whole = [one for one in castles if _is_whole({*tiles, one}, limit)]
    if whole:  # no two finished kingdoms are so small: other castles are nobody's
        mine = {whole[0]: frozenset({*tiles, whole[0]})}
        alone = {one: frozenset({one}) for one in castles}
        return {one: Part(some, len(whole) > 1) for one, some in (alone | mine).items()}
    lines = [
        (_held(sides, castles, limit), gap(cells, centers_xy, axis, line), sides)
        for axis, line, sides in _lines(cells, castles)
    ]
    lines.sort(key=lambda one: one[:2], reverse=True)
    best, *others = [
        divide(low, _of(castles, low), centers_xy, limit)
        | divide(high, _of(castles, high), centers_xy, limit)
        for low, high in dict.fromkeys(sides for held, _, sides in lines if held == lines[0][0])
    ]
    return {
        castle: Part(
            one.cells, one.doubtful or any(other[castle].cells != one.cells for other in others)
        )
        for castle, one in best.items()
    }


def without_loose(
    cells: Set[Cell], castle: Cell, centers_xy: Floats, limit: int
) -> frozenset[Cell]:
    """The squares of a kingdom that spans more than its limit, without rows or columns that lie
    apart from it, as unused dominoes do; all of them if that does not suffice."""
    best: tuple[float, frozenset[Cell]] = MIN_GAP, frozenset(cells)
    for axis in (0, 1):
        for line in range(min(c[axis] for c in cells), max(c[axis] for c in cells)):
            beside = castle[axis] <= line
            kept = component_of(castle, {c for c in cells if (c[axis] <= line) == beside})
            apart = gap(cells, centers_xy, axis, line)
            if apart > best[0] and span(kept) <= limit:
                best = apart, frozenset(kept)
    return best[1]


def gap(cells: Set[Cell], centers_xy: Floats, axis: int, line: int) -> float:
    """How much further apart, in sides, rows (axis 0) or columns `line` and `line + 1` are than
    others nearby, measured on adjacent squares."""

    def steps(at: int) -> list[float]:
        pairs = [(c, (c[0] + 1 - axis, c[1] + axis)) for c in cells if c[axis] == at]
        xy = [centers_xy[two] - centers_xy[one] for one, two in pairs if two in cells]
        return [float(np.hypot(*step)) for step in xy]

    near = [step for off in NEAR_LINES for step in steps(line + off)]
    here = steps(line)
    return float(np.median(here) / np.median(near)) - 1 if near and here else 0.0


_Sides = tuple[frozenset[Cell], frozenset[Cell]]


def _lines(cells: Set[Cell], castles: Sequence[Cell]) -> Iterator[tuple[int, int, _Sides]]:
    """Each axis and row or column after which castles can be separated, and the squares before and
    after it."""
    for axis in (0, 1):
        places = [castle[axis] for castle in castles]
        for line in range(min(places), max(places)):
            low = frozenset(cell for cell in cells if cell[axis] <= line)
            yield axis, line, (low, frozenset(cells - low))


def _of(castles: Sequence[Cell], side: Set[Cell]) -> list[Cell]:
    return [castle for castle in castles if castle in side]


def _held(sides: _Sides, castles: Sequence[Cell], limit: int) -> int:
    """Number of squares that kingdoms within the limit can hold if these two sides are separated;
    an upper bound if one side has three or more castles."""
    return sum(_held_in(side, _of(castles, side), limit) for side in sides)


def _held_in(cells: Set[Cell], castles: Sequence[Cell], limit: int) -> int:
    if len(castles) == 1:
        return _held_around(castles[0], cells, limit)
    if len(castles) == 2:
        return max(_held(sides, castles, limit) for *_, sides in _lines(cells, castles))
    return len(cells)


def _held_around(castle: Cell, cells: Set[Cell], limit: int) -> int:
    """Number of squares connected with a castle within its limit."""
    mine = component_of(castle, cells)
    return max(
        sum(in_square(cell, corner, limit) for cell in mine)
        for corner in corners_around(castle, limit)
    )


def corners_around(castle: Cell, limit: int) -> Iterator[Cell]:
    """The upper left corners of the squares of that side that contain a castle, row-major."""
    tops, lefts = (range(at - limit + 1, at + 1) for at in castle)
    return product(tops, lefts)


def _is_whole(cells: Set[Cell], limit: int) -> bool:
    """Whether squares are connected and within the limit."""
    return span(cells) <= limit and len(components(cells)) == 1
