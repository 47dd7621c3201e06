"""Stage: a lattice's squares → the square of 5 × 5 or 7 × 7 that each kingdom on it spans.

A kingdom is what hangs together with its castle; other squares on the same lattice are
loose dominoes. The window lies inside the photo where it can, and has the castle in the
middle where that is open: rims without tiles look the same on every side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kdscan.game.grid import Cell, groups
from kdscan.imaging.rectify import fit_homography, lattice, outline_of, project
from kdscan.kinds.kingdom.lattice import Lattice
from kdscan.kinds.kingdom.squares import CASTLE, EMPTY
from kdscan.records import KINDS
from kdscan.records.arrays import Floats

LIKELY_CASTLE = 0.2
"""A lattice on which no square is a castle with more than this probability is no kingdom,"""
SURELY_TILE, MANY_TILES = 0.7, 10
"""but for one with so many sure tiles: something hides its castle, and a person is asked."""
HIDDEN_CASTLE = 0.5
"""What is said of a kingdom whose castle hardly shows counts so much of what it would with one."""
ANOTHER, ANOTHER_SQUARES = 0.9, 3
"""A further castle on a lattice, as of two kingdoms laid side by side, is more probable than this,
and at least a domino lies at it."""

WIDER = 0.9
"""A square that is taken with no larger probability does not make a kingdom one of 7 x 7; it
lies beyond the limit then, and a person is asked."""


@dataclass(frozen=True, eq=False)
class Window:
    """A kingdom's squares within its limit.

    centers_xy: (S, S, 2), photo frame. probs: (S, S, K). seen: (S, S) bool, where the locating
    network saw a square. beyond: squares that hang together with the castle but lie outside the
    limit.
    """

    centers_xy: Floats
    probs: Floats
    seen: NDArray[np.bool_]
    beyond: int

    @cached_property
    def outline_xy(self) -> Floats:
        """(4, 2), photo frame."""
        return outline_of(self.centers_xy)

    @property
    def sure(self) -> float:
        """How sure it is that this is a kingdom: the mean of its squares, by its castle."""
        taken = self.probs[self.probs[..., EMPTY] < 0.5].max(-1)
        return float(taken.mean() * self.probs[..., CASTLE].max()) if len(taken) else 0.0

    @property
    def certainty(self) -> float:
        """How much is surely said: by how much what is most probable on its taken squares outdoes
        all else, its squares added up, by how surely one of them is the castle, and by the share
        of squares seen that are taken. A table ruled in squares has many squares and no castle; a
        lattice that lies askew has many that may be anything, or nothing, and one of half
        squares has more than there are."""
        taken = self.probs[..., EMPTY] < 0.5
        sure = (np.maximum(2 * self.probs[taken].max(-1) - 1, 0) ** 2).sum()
        castle = max(HIDDEN_CASTLE, float(self.probs[..., CASTLE].max()))
        agreed = float(taken[self.seen].mean()) if self.seen.any() else 1.0
        return float(sure * castle * agreed)


def windows_of(
    patch: Lattice,
    probs: Floats,
    photo_wh: tuple[int, int],
    size: int | None = None,
    hidden: bool = True,
) -> tuple[Window, ...]:
    """Choose the windows of a lattice's kingdoms; none when there is no castle.

    probs: (R, C, K), what lies on each square of `patch`. size: 5 or 7; None for the
    smaller of them that holds all. hidden: whether there may be a castle that nobody sees.
    """
    inside = np.all((patch.centers_xy > 0) & (patch.centers_xy < photo_wh), axis=-1)
    probs = np.where(np.expand_dims(inside, -1), probs, np.eye(len(KINDS))[EMPTY])
    is_tile = probs[..., CASTLE + 1 :].sum(-1) > 0.5
    taken = {(int(r), int(c)) for r, c in np.argwhere(is_tile)}
    many = hidden and int((probs[..., CASTLE + 1 :].max(-1) > SURELY_TILE).sum()) >= MANY_TILES
    free = probs[..., CASTLE].copy()
    others: set[Cell] = set()
    found: list[Window] = []
    while True:
        row, col = np.unravel_index(int(np.argmax(free)), free.shape)
        castle = int(row), int(col)
        if free[castle] < (ANOTHER if found else LIKELY_CASTLE) and (found or not many):
            return tuple(found)
        free[castle] = 0
        taken.add(castle)
        left = taken - others
        mine = next(cells for _, cells in groups(dict.fromkeys(left, 1)) if castle in cells)
        others |= set(mine)
        if not found or len(mine) >= ANOTHER_SQUARES:
            sure = [cell for cell in mine if probs[cell][EMPTY] < 1 - WIDER or cell == castle]
            span = np.ptp(np.array(sure), axis=0).max() + 1
            limit = size or (5 if span <= 5 else 7)
            corner = _corner(mine, castle, patch, limit, photo_wh)
            found.append(_cut(patch, probs, set(mine), taken, corner, limit))


def _corner(
    mine: tuple[Cell, ...], castle: Cell, patch: Lattice, limit: int, photo_wh: tuple[int, int]
) -> Cell:
    """Row and column where the window begins: as much of the kingdom inside as possible, then
    as much of the photo, then the castle in the middle."""
    plane = fit_homography(patch.centers_xy)
    best: tuple[tuple[int, int, int], Cell] | None = None
    for top in range(castle[0] - limit + 1, castle[0] + 1):
        for left in range(castle[1] - limit + 1, castle[1] + 1):
            held = sum(top <= r < top + limit and left <= c < left + limit for r, c in mine)
            xy = project(plane, lattice(limit, limit) + (left, top))
            shown = int(((xy > 0) & (xy < photo_wh)).all(-1).sum())
            off = abs(top + limit // 2 - castle[0]) + abs(left + limit // 2 - castle[1])
            rank = (held, shown, -off)
            if best is None or rank > best[0]:
                best = rank, (top, left)
    assert best is not None
    return best[1]


def _cut(
    patch: Lattice, probs: Floats, mine: set[Cell], taken: set[Cell], corner: Cell, limit: int
) -> Window:
    top, left = corner
    plane = fit_homography(patch.centers_xy)
    centers = project(plane, lattice(limit, limit) + (left, top))
    out = np.tile(np.eye(len(KINDS))[EMPTY], (limit, limit, 1))
    seen = np.zeros((limit, limit), np.bool_)
    for row, col in np.ndindex(probs.shape[0], probs.shape[1]):
        at = (row - top, col - left)
        if 0 <= at[0] < limit and 0 <= at[1] < limit:
            centers[at], seen[at] = patch.centers_xy[row, col], patch.seen[row, col]
            if (row, col) in mine or (row, col) not in taken:
                out[at] = probs[row, col]
    held = sum(0 <= r - top < limit and 0 <= c - left < limit for r, c in mine)
    return Window(centers, out, seen, len(mine) - held)
