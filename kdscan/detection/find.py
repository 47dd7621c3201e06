"""Stages `locate` and `register` together: photo → every map in it, rectified and upright.

An outline located on a thumbnail can be wrong. The refining network notices, because the grid then
does not converge. So as long as a candidate is doubtful, or something that seems to be a map has no
grid, the photo is searched again, rotated by multiples of 45°. Of several candidates for one map
the most confident is kept (non-maximum suppression).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from kdscan.detection.clipping import cut_sides
from kdscan.detection.locate import Located, SheetOutline, locate, locate_beside, locate_turned
from kdscan.detection.markers import detect_pages, rule_out
from kdscan.detection.register import MIN_CONFIDENCE, follow_paper, register
from kdscan.imaging.picture import Floats, Network, Photo
from kdscan.imaging.rectify import RectifiedSheet, lies_in, outline_of, overlap, project, rectify
from kdscan.paper.signs import signs
from kdscan.rules.duel.board import COLS, ROWS

LIKELY, POSSIBLE = 0.8, 0.6
"""Probability that all cells are in place. Above the first a candidate is a map; above the second
it is reported as doubtful if the photo has nothing better. In 30 photos of tables and 100 of our
sheet, maps had 0.998 or more and other things at most 0.75; one of 1,000 pages of text had 0.85.
None of 222 photos of painted, engraved and pale maps had less than 0.89; of 68 photos of other
games, forms and puzzles, thirteen had between 0.05 and 0.54."""

MIN_OUTLINE = 0.9
"""If no outline has at least this confidence, the photo is searched for kingdoms of tiles first. Of
112 photos of maps three had no such outline."""

SEVERAL = 3
"""From so many maps on, more are looked for beside them. Of the maps in twelve pictures of four
test photos each, and of six, 48 of 48 and 60 of 72 are found, 40 and 37 without this. Beside two
maps a third is rare, and in 24 photos of tables two more would be found, where there is none."""

TURNS = tuple(np.pi / 4 * eighths for eighths in (0, 1, 3, 5, 7, 2, 4, 6))
"""Radians. Rotations of the photo that are tried in turn as long as a candidate is doubtful: the
network works best on upright sheets. With multiples of 90° alone 10 of 1,000 grids stayed doubtful,
and 5 maps were not found."""
MAX_FOLLOWED = 4
"""If every rotation leaves doubts, `follow_paper` starts from this many of the most confident
candidates."""


def find(photo: Photo, locating: Network, refining: Network) -> tuple[RectifiedSheet, ...]:
    """Find the maps in a photo, the largest first; see `locate` and `register`."""
    return MapSearch(photo, locating, refining).finish()[0]


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A possible map: cell centres, (5, 7, 2) photo frame, and the probability that all are in
    place."""

    centers_xy: Floats
    confidence: float

    @property
    def confident(self) -> bool:
        return self.confidence >= MIN_CONFIDENCE

    @cached_property
    def outline_xy(self) -> Floats:
        return outline_of(self.centers_xy)

    def shows(self, other: _Candidate) -> bool:
        """Whether both show the same map."""
        return overlap(self.outline_xy, other.outline_xy)


class MapSearch:
    """An incremental search for the maps in a photo: it runs only as far as its caller needs."""

    def __init__(self, photo: Photo, locating: Network, refining: Network) -> None:
        self._photo, self._locating, self._refining = photo, locating, refining
        self._expected = 1
        self._others: Sequence[Floats] = ()
        self._found: list[_Candidate] = []
        self._cut: list[SheetOutline] = []
        self._steps = self._search()

    def first_is_confident(self) -> bool:
        """Whether some outline is likely and the very first registration is confident; that never
        happened on 142 photos of tiles."""
        if all(outline.confidence < MIN_OUTLINE for outline in self._located.outlines):
            return False
        next(self._steps, None)
        return self._any_confident

    def any_confident(self) -> bool:
        """Whether any outline can be registered confidently; runs the whole search if necessary."""
        return self._any_confident or any(self._any_confident for _ in self._steps)

    @property
    def _any_confident(self) -> bool:
        return any(one.confident for one in self._found)

    def _search(self) -> Iterator[None]:
        """Register every outline, in one rotation of the photo after another until enough maps
        are found. Failing that, follow the paper from the best ones. Yields after each step."""
        tried: list[_Candidate] = []
        for turn in TURNS:
            for outline in self._outlines(turn):
                if self._is_known(outline.corners_xy.mean(0)):
                    continue
                others = self._found
                for registered in register(self._photo, outline, self._refining):
                    best = _Candidate(*registered)
                    self._found = _suppress_overlaps(others, best)
                    yield
                tried.append(best)
            if self._settled():
                return
            yield
        tried.sort(key=lambda one: -one.confidence)
        for one in tried[:MAX_FOLLOWED]:
            if not any(known.confident and known.shows(one) for known in self._found):
                again = _Candidate(*follow_paper(self._photo, one.centers_xy, self._refining))
                # beside a confident map clutter can reach 0.82
                if again.confident or not self._any_confident:
                    self._found = _suppress_overlaps(self._found, again)
                    yield

    def _outlines(self, turn: float) -> Iterator[SheetOutline]:
        """Outlines in the photo rotated by `turn` radians; unrotated, those by markers come
        first."""
        if turn:
            yield from locate_turned(self._photo, self._locating, turn)
            return
        if any(outline.confidence >= MIN_OUTLINE for outline in self._located.outlines):
            yield from by_markers(self._photo, min(map(_cell_px, self._located.outlines)))
        else:
            yield from by_markers(self._photo)
        for outline in self._located.outlines:
            if cut_sides(self._photo, outline):
                self._cut.append(outline)
            yield outline

    def _settled(self) -> bool:
        """Whether enough maps are found, and nothing else seems to be one.

        Of 172 photos of two or three maps, 26 used to miss one. In 12 of these something else
        seems to be a map, and continuing the search finds it. In 169 photos of one map nothing
        else does.
        """
        enough = sum(one.confident for one in self._found) >= self._expected
        return enough and all(self._is_known(at) for at in self._located.middles)

    def _is_known(self, at: Floats) -> bool:
        """Whether a point (2,) of the photo lies in a confident map, or in another sheet."""
        maps = (one.outline_xy for one in self._found if one.confident)
        return any(lies_in(at, outline) for outline in (*maps, *self._others))

    @cached_property
    def _located(self) -> Located:
        found = locate(self._photo, self._locating)
        if len(found.outlines) < SEVERAL:
            return found
        return locate_beside(self._photo, self._locating, found)

    def finish(
        self, expected: int = 1, others: Sequence[Floats] = ()
    ) -> tuple[tuple[RectifiedSheet, ...], tuple[SheetOutline, ...]]:
        """Search until so many confident candidates are found and nothing else seems to be a map,
        or every rotation was tried. others: outlines (4, 2) of other sheets in the photo.

        Returns the maps, the largest first, and the outlines of possible maps that were not read
        because the picture cuts them off.
        """
        self._expected, self._others = expected, others
        for _ in self._steps:
            pass
        best = max((one.confidence for one in self._found), default=0.0)
        threshold = LIKELY if best >= LIKELY else max(best, POSSIBLE)
        kept = [one for one in self._found if one.confidence >= threshold]
        kept.sort(key=lambda one: -cv2.contourArea(one.outline_xy.astype(np.float32)))
        lost = tuple(
            one
            for one in self._cut
            if not any(lies_in(one.corners_xy.mean(0), found.outline_xy) for found in kept)
        )
        return tuple(rectify(self._photo, one.centers_xy, one.confidence) for one in kept), lost


def by_markers(photo: Photo, cell_px: float | None = None) -> tuple[SheetOutline, ...]:
    """Outlines of maps with built-in layouts, computed from the markers around their grids.

    cell_px: pixels per cell of the smallest located map. All sheets are on one table, so markers
    of this scale are looked for first; but not if that map would extend far beyond the picture,
    because then it is mostly not a map.
    """
    outlines = []
    for layout in signs():
        if cell_px and cell_px * COLS <= max(photo.width, photo.height):
            side_px = cell_px * layout.markers.size_mm / layout.cell_mm[0]
            rule_out(photo, side_px)
        for mm, xy in detect_pages(photo, layout.markers, layout.page_mm):
            h, _ = cv2.findHomography(mm, xy, 0)
            (x, y), (w, h_mm) = layout.grid_mm, layout.cell_mm
            x1, y1 = x + COLS * w, y + ROWS * h_mm
            grid = np.array([(x, y), (x1, y), (x1, y1), (x, y1)])
            if h is not None:
                outlines.append(SheetOutline(project(np.asarray(h, np.float64), grid), 1.0))
    return tuple(outlines)


def _cell_px(outline: SheetOutline) -> float:
    """Photo pixels per cell, across."""
    top, _, bottom, _ = np.linalg.norm(
        np.roll(outline.corners_xy, -1, 0) - outline.corners_xy, axis=1
    )
    return float(top + bottom) / (2 * COLS)


def _suppress_overlaps(found: list[_Candidate], new: _Candidate) -> list[_Candidate]:
    """Candidates that do not overlap. A new one is among them unless it overlaps one that is at
    least as confident. (It may span two maps: then neither of them yields to the other.)"""
    same = [one for one in found if one.shows(new)]
    if any(one.confidence >= new.confidence for one in same):
        return found
    return [one for one in found if one not in same] + [new]
