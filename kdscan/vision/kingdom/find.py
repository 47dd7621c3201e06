"""Stages locate, classify and extent together: photo → the kingdoms in it, flat and upright."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kdscan.records import Photo, RectifiedSheet
from kdscan.vision.kingdom.classify import classify_squares
from kdscan.vision.kingdom.extent import CASTLE, EMPTY, window_of
from kdscan.vision.kingdom.locate import locate_kingdoms
from kdscan.vision.rectify import (
    FLAT_MARGIN,
    FLAT_PX,
    Floats,
    Network,
    flatten,
    lattice_to_photo,
    resolution,
)

SURELY_KINGDOM = 0.95
"""A find that is surer than this is no map of the other game,"""
LIKELY_KINGDOM = 0.6
"""nor is a less sure one, if dominoes can lie so."""

SEEN = 5.0
"""Where the locating network saw a square, a tile is so many times as probable as its picture
alone says; where it saw none, so many times less. Of the places on held-back lattices it sees
nearly all tiles and hardly any table, but its errors and the pictures' come together."""


@dataclass(frozen=True, eq=False)
class FoundKingdom:
    """A kingdom's window laid flat, what lies on its squares, and how many lie beyond it.

    flat: whether its squares lie where they were found the pictures tell. probs: (S, S, K).
    sure: how sure it is that this is a kingdom: mean probability of its squares, castle included.
    """

    flat: RectifiedSheet
    probs: Floats
    beyond: int

    @property
    def sure(self) -> float:
        best = self.probs.max(-1)
        taken = self.probs[..., EMPTY] < 0.5
        return float(best[taken].mean() * self.probs[..., CASTLE].max()) if taken.any() else 0.0


def find_kingdoms(
    photo: Photo, locating: Network, reading: Network, size: int | None = None
) -> tuple[FoundKingdom, ...]:
    """Find the kingdoms in a photo, the largest first; loose dominoes are none.

    size: squares that a kingdom may span, 5 or 7; None for what it does span.
    """
    found = []
    for patch in locate_kingdoms(photo, locating):
        around = _flat(photo, patch.centers_xy)
        probs = _with_votes(classify_squares(around, reading), patch.seen)
        window = window_of(patch, probs, (photo.width, photo.height), size)
        if window is not None:
            flat = _flat(photo, window.centers_xy)
            found.append(FoundKingdom(flat, window.probs, window.beyond))
    return tuple(found)


def _with_votes(probs: Floats, seen: NDArray[np.bool_]) -> Floats:
    """(R, C, K): what pictures and votes say together."""
    told = probs.copy()
    told[..., EMPTY] *= np.where(seen, 1 / SEEN, SEEN)
    return np.asarray(told / told.sum(-1, keepdims=True))


def _flat(photo: Photo, centers_xy: Floats) -> RectifiedSheet:
    rows, cols = centers_xy.shape[:2]
    right, bottom = cols - 0.5, rows - 0.5
    corners = np.array([[(-0.5, -0.5), (right, -0.5), (right, bottom), (-0.5, bottom)]])
    return RectifiedSheet(
        bgr=flatten(photo, centers_xy, FLAT_PX, FLAT_MARGIN),
        centers_xy=centers_xy,
        outline_xy=lattice_to_photo(centers_xy, corners)[0],
        px_per_cell=resolution(centers_xy),
        confidence=1.0,
    )
