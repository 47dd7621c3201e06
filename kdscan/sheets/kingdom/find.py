"""Stages `locate`, `classify` and `extent` together: photo → the kingdoms in it, rectified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from kdscan.imaging.picture import Floats, Network, Photo
from kdscan.imaging.rectify import RectifiedSheet, inside, overlap, rectify, resolution
from kdscan.rules.kingdomino.tiles import EMPTY
from kdscan.rules.kingdomino.variants import Variants
from kdscan.sheets.kingdom.classify import SIDE_PX, classify_squares
from kdscan.sheets.kingdom.clipping import MIN_VISIBLE, in_picture, visible_share
from kdscan.sheets.kingdom.extent import Window, windows_of
from kdscan.sheets.kingdom.lattice import Lattice
from kdscan.sheets.kingdom.locate import MIN_LATTICE, KingdomSearch
from kdscan.sheets.kingdom.model import KingdomEvidence
from kdscan.sheets.kingdom.surface import adjust_for_table, unlike_table

SURELY_KINGDOM = 0.95
"""A detection with more confidence is a kingdom, not a map of the other game."""
LIKELY_KINGDOM = 0.6
"""A detection with more confidence is a kingdom if dominoes can form it and nothing in the photo is
certainly a map."""
HARDLY_KINGDOM = 0.3
"""A detection with less confidence is dropped if dominoes cannot form it: a printed sudoku has
0.004, a score pad of pink squares 0.26. In 300 photos two detections, with 0.06, were no kingdoms;
one of 350 kingdoms had less than 0.4."""

DOUBTFUL = 0.9
"""A detection with less confidence may be due to an oblique view of the table."""

ENOUGH_PX = 36
"""Pixels per square; if a large photo has as many at half its size, it is not decoded in full."""

MAX_SHARED = 0.3
"""Largest share of a kingdom's squares that may overlap those of another one. Where kingdoms touch
and a lattice is not exact, a column of five, a fifth, may overlap."""

MIN_AGREEMENT = 0.5
"""Least share of a lattice's detected squares that the reading network does not classify as
table."""


@dataclass(frozen=True, eq=False)
class FoundKingdom:
    """What is known of a detected kingdom; confidence and lost are its `Window`'s."""

    evidence: KingdomEvidence
    confidence: float
    lost: bool = False


def find_kingdoms(
    photo: Photo, locating: Network, reading: Network, variants: Variants
) -> tuple[FoundKingdom, ...]:
    """Find the kingdoms in a photo, the largest first; loose dominoes are not reported.

    Overlapping detections are reduced by non-maximum suppression. Squares beside found kingdoms are
    grown into lattices of their own, and the table is searched again in a view rectified by the
    most confident kingdom. Lattices that follow a pattern of the table are classified as table;
    they are grown again without those squares.

    variants: if these do not say whether it is a great duel, each kingdom's limit is inferred.
    """
    search = KingdomSearch(photo, locating)
    size = None if variants.great_duel is None else variants.size
    reader = _Reader(photo, search, reading, size)
    windows = reader.windows(search.lattices())
    windows += reader.more(search.rest(_outlines(_suppress_overlaps(windows))))
    found = _suppress_overlaps(windows)
    if any(not window.lost for window in found):
        surest = max(found, key=lambda window: window.confidence)
        windows += reader.more(search.beside(surest.centers_xy, _outlines(found)))
        found = _suppress_overlaps(windows)
    confidences = [window.confidence for window in found if not window.lost]
    doubtful = min(confidences, default=0.0) < DOUBTFUL
    side = min((resolution(window.centers_xy) for window in found), default=0.0)
    if doubtful or search.many_left(_outlines(found), side):
        sure = _outlines([window for window in found if window.confidence >= DOUBTFUL])
        windows += reader.more((*search.suppressed(sure), *search.slanted(sure)))
        found = _suppress_overlaps(windows)
    found.sort(key=lambda window: -int((window.probs[..., EMPTY] < 0.5).sum()))
    return tuple(
        FoundKingdom(
            KingdomEvidence(
                _flat(photo, window.centers_xy, min(1.0, window.agreement / MIN_AGREEMENT)),
                window.probs,
                replace(variants, great_duel=len(window.probs) == 7),
                window.beyond,
                cut=window.cut,
                touching=window.touching,
                covered=window.covered,
            ),
            window.confidence,
            window.lost,
        )
        for window in found
    )


def _outlines(found: Sequence[Window]) -> list[Floats]:
    return [window.outline_xy for window in found]


@dataclass(frozen=True, eq=False)
class _Reader:
    """Reads the squares of a photo's lattices. size: see `windows_of`."""

    photo: Photo
    search: KingdomSearch
    reading: Network
    size: int | None

    def windows(self, lattices: Sequence[Lattice]) -> list[Window]:
        """The windows of the kingdoms on lattices.

        Adjacent kingdoms that were merged into one lattice do not fit it well: if a lattice extends
        beyond a window, the squares inside the window are grown by themselves too.
        """
        found: list[Window] = []
        for patch in lattices:
            read = self._read(patch)
            these = self._windows_of(read, hidden=not self.search.looks_bare(read.patch))
            found += these
            seen = read.patch.seen.sum()
            if any(seen - window.seen.sum() >= MIN_LATTICE for window in these):
                found += [one for window in these for one in self._grown_alone(window)]
        return found

    def _grown_alone(self, window: Window) -> list[Window]:
        edge = window.outline_xy
        alone = self.more(self.search.within(edge), edge if window.divided else None)
        return [replace(one, touching=window.touching) for one in alone]

    def more(self, lattices: Sequence[Lattice], outline: Floats | None = None) -> list[Window]:
        """The windows of further kingdoms, none of them with a hidden castle. outline: (4, 2);
        everything outside is of another kingdom."""
        read = map(self._read, lattices)
        return [window for one in read for window in self._windows_of(one, outline)]

    def _windows_of(
        self, read: _ReadLattice, outline: Floats | None = None, *, hidden: bool = False
    ) -> list[Window]:
        wh = (self.photo.width, self.photo.height)
        probs = read.probs if outline is None else _within(read, outline)
        found = windows_of(read.patch, probs, read.unlike, wh, self.size, hidden)
        return [replace(window, agreement=read.agreement) for window in found]

    def _read(self, patch: Lattice) -> _ReadLattice:
        """A lattice; if it follows a pattern of the table, the best that is grown without it."""
        read = _read_lattice(self.photo, patch, self.reading)
        if read.agreement >= MIN_AGREEMENT:
            return read
        others = self.search.others(read.rejected)
        rivals = [_read_lattice(self.photo, other, self.reading) for other in others]
        return max([read, *rivals], key=lambda one: (min(one.agreement, MIN_AGREEMENT), one.tiles))


def _within(read: _ReadLattice, outline: Floats) -> Floats:
    """The probabilities of a lattice's squares; outside an outline (4, 2) all are empty."""
    rows, cols, kinds = read.probs.shape
    held = inside(read.patch.centers_xy.reshape(-1, 2), [outline]).reshape(rows, cols, 1)
    return np.where(held, read.probs, np.eye(kinds)[EMPTY])


def _suppress_overlaps(windows: Sequence[Window]) -> list[Window]:
    """Non-maximum suppression by `Window.score`, windows whose castle is visible come first."""
    found: list[Window] = []
    for window in sorted(windows, key=lambda window: (window.lost, -window.score)):
        if not any(_are_same(window, one) for one in found):
            found.append(window)
    return found


def _are_same(one: Window, other: Window) -> bool:
    """Whether two windows cannot both be right: a square is part of one kingdom only."""
    if overlap(one.outline_xy, other.outline_xy):
        return True
    mine, its = (window.centers_xy[window.probs[..., EMPTY] < 0.5] for window in (one, other))
    away = np.linalg.norm(mine[:, None] - its[None], axis=-1).min(1, initial=np.inf)
    return bool(len(mine) and (away < 0.5 * resolution(other.centers_xy)).mean() > MAX_SHARED)


@dataclass(frozen=True, eq=False)
class _ReadLattice:
    """A lattice and its squares' probabilities, (R, C, K).

    unlike: (R, C), see `unlike_table`. agreement: share of the detected squares that the reading
    network classifies as tiles; low for a lattice that follows a pattern of the floor. tiles: their
    number. rejected: (N, 2), photo frame, detected squares that it classifies as table.
    """

    patch: Lattice
    probs: Floats
    unlike: Floats
    agreement: float
    tiles: int
    rejected: Floats


def _read_lattice(photo: Photo, patch: Lattice, reading: Network) -> _ReadLattice:
    around = _flat(photo, patch.centers_xy)
    wh = (photo.width, photo.height)
    shown = in_picture(patch.centers_xy, wh)
    detected, undetected = shown & patch.seen, shown & ~patch.seen
    legible = shown | (visible_share(patch.centers_xy, wh) > MIN_VISIBLE)
    probs = classify_squares(
        around, reading, legible, lambda probs: adjust_for_table(probs, around, undetected)
    )
    empty = probs[..., EMPTY] >= 0.5
    tiles = int((detected & ~empty).sum())
    return _ReadLattice(
        patch,
        probs,
        unlike_table(probs, around, undetected, shown & empty),
        tiles / max(int(detected.sum()), 1),
        tiles,
        patch.centers_xy[patch.seen & empty],
    )


def _flat(photo: Photo, centers_xy: Floats, confidence: float = 1.0) -> RectifiedSheet:
    """The rectified window. Beyond the picture's edge the picture is mirrored, so that a cut-off
    square still looks like tile or table, whichever it is."""
    return rectify(photo, centers_xy, confidence, SIDE_PX, ENOUGH_PX, cv2.BORDER_REFLECT_101)
