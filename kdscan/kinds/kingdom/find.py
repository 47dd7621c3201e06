"""Stages locate, classify and extent together: photo → the kingdoms in it, flat and upright."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kdscan.imaging.rectify import overlap, rectify, resolution
from kdscan.kinds.kingdom.classify import SIDE_PX, classify_squares
from kdscan.kinds.kingdom.extent import Window, windows_of
from kdscan.kinds.kingdom.lattice import Lattice
from kdscan.kinds.kingdom.locate import LEAST_REST, KingdomSearch
from kdscan.kinds.kingdom.squares import EMPTY
from kdscan.kinds.kingdom.surface import with_table
from kdscan.records import Photo, RectifiedSheet
from kdscan.records.arrays import Floats, Network

SURELY_KINGDOM = 0.95
"""A find that is surer than this is no map of the other game,"""
LIKELY_KINGDOM = 0.6
"""nor is a less sure one, if dominoes can lie so and nothing in the photo surely is a map."""
HARDLY_KINGDOM = 0.3
"""A find that is less sure than this is none if dominoes cannot lie so: a printed sudoku is
0.004, a score pad of pink squares 0.26. In 300 photos two finds were no kingdoms, 0.06 sure,
of 350 kingdoms one was less sure than 0.4."""

DOUBTFUL = 0.9
"""A photo with a find that is less sure may show the table at a slant."""

ENOUGH_PX = 36
"""A large photo is not decoded whole where half of it has so many pixels along a square."""

AGREE = 0.5
"""Of the squares that the locating network saw on a lattice, such a share at least is no table."""


@dataclass(frozen=True, eq=False)
class FoundKingdom:
    """A kingdom's window laid flat, what lies on its squares, and how many lie beyond it.

    flat: its confidence is that squares lie where they were found. probs: (S, S, K).
    sure: how sure it is that this is a kingdom, see `Window.sure`.
    """

    flat: RectifiedSheet
    probs: Floats
    beyond: int
    sure: float


def find_kingdoms(
    photo: Photo, locating: Network, reading: Network, size: int | None = None
) -> tuple[FoundKingdom, ...]:
    """Find the kingdoms in a photo, the largest first; loose dominoes are none.

    One that lies nearly on another's lattice is seen on both: where it says more counts. What
    was seen beside those that are found is asked again by itself, and looked for with the table
    laid flat as they lie.

    A lattice that follows the lines of a table is mostly read as table; what is left when its
    squares are refused may be the kingdom's own.

    size: squares that a kingdom may span, 5 or 7; None for what it does span.
    """
    search = KingdomSearch(photo, locating)
    ask = partial(_windows, photo, search, reading, size)
    windows = ask(search.lattices())
    windows += ask(search.rest(_outlines(_without_overlaps(windows))), again=True)
    found = _without_overlaps(windows)
    if found:
        surest = max(found, key=lambda one: one[0].sure)[0]
        windows += ask(search.beside(surest.centers_xy, _outlines(found)), again=True)
        found = _without_overlaps(windows)
    doubtful = min((window.sure for window, _ in found), default=0.0) < DOUBTFUL
    side = min((resolution(window.centers_xy) for window, _ in found), default=0.0)
    if doubtful or search.many_left(_outlines(found), side):
        sure = _outlines([one for one in found if one[0].sure >= DOUBTFUL])
        windows += ask((*search.passed(sure), *search.slanted(sure)), again=True)
        found = _without_overlaps(windows)
    found.sort(key=lambda one: -int((one[0].probs[..., EMPTY] < 0.5).sum()))
    return tuple(
        FoundKingdom(
            _flat(photo, window.centers_xy, min(1.0, agreed / AGREE)),
            window.probs,
            window.beyond,
            window.sure,
        )
        for window, agreed in found
    )


_Found = list[tuple[Window, float]]
"""Windows, and how far the networks agree on the lattice of each."""


def _outlines(found: _Found) -> list[Floats]:
    return [window.outline_xy for window, _ in found]


def _windows(
    photo: Photo,
    search: KingdomSearch,
    reading: Network,
    size: int | None,
    lattices: Sequence[Lattice],
    again: bool = False,
) -> _Found:
    """The windows of the kingdoms on lattices.

    Kingdoms side by side that grew into one lattice hardly lie on it: where it goes on beyond
    one, what was seen of that one is asked again by itself. What is asked again has its castle
    in sight.
    """
    windows: _Found = []
    for patch in lattices:
        read = _read(photo, patch, reading)
        if read.agreed < AGREE:
            rivals = [_read(photo, other, reading) for other in search.others(read.refused)]
            read = max([read, *rivals], key=lambda one: (min(one.agreed, AGREE), one.tiles))
        wh = (photo.width, photo.height)
        hidden = not again and not search.looks_bare(read.patch)
        these = windows_of(read.patch, read.probs, wh, size, hidden)
        windows += [(window, read.agreed) for window in these]
        seen = read.patch.seen.sum()
        if not again and any(seen - window.seen.sum() >= LEAST_REST for window in these):
            own = [one for window in these for one in search.within(window.outline_xy)]
            windows += _windows(photo, search, reading, size, own, again=True)
    return windows


def _without_overlaps(windows: _Found) -> _Found:
    """Of windows that overlap the one that says most, that one first. The networks agree on most
    squares of a lattice in place, and on few of one that follows the lines of a floor: there, what
    is no whole tile is read as none."""
    found: _Found = []
    for window, agreed in sorted(windows, key=lambda one: -one[0].certainty):
        if not any(overlap(window.outline_xy, one.outline_xy) for one, _ in found):
            found.append((window, agreed))
    return found


@dataclass(frozen=True, eq=False)
class _Read:
    """A lattice and what lies on its squares, (R, C, K).

    agreed: share of the squares seen there on which both networks see a tile. tiles: how many
    those are. refused: (N, 2), photo frame, squares that were seen on it and that the reading
    network says are table.
    """

    patch: Lattice
    probs: Floats
    agreed: float
    tiles: int
    refused: Floats


def _read(photo: Photo, patch: Lattice, reading: Network) -> _Read:
    around = _flat(photo, patch.centers_xy)
    wh = (photo.width, photo.height)
    shown = np.all((patch.centers_xy > 0) & (patch.centers_xy < wh), axis=-1)
    unseen = shown & ~patch.seen
    probs = classify_squares(
        around, reading, shown, lambda pictures: with_table(pictures, around, unseen)
    )
    empty = probs[..., EMPTY] >= 0.5
    return _Read(
        patch,
        probs,
        _agreed(probs[shown & patch.seen]),
        int((shown & patch.seen & ~empty).sum()),
        patch.centers_xy[patch.seen & empty],
    )


def _agreed(probs: Floats) -> float:
    """Share of the squares that one network saw, (N, K), which the other takes for no table."""
    return float((probs[:, EMPTY] < 0.5).mean()) if len(probs) else 0.0


def _flat(photo: Photo, centers_xy: Floats, confidence: float = 1.0) -> RectifiedSheet:
    return rectify(photo, centers_xy, confidence, SIDE_PX, ENOUGH_PX)
