"""Stages locate and settle together: photo → every map in it, flat and upright.

A thumbnail can mislead; the refining network notices, because its cells then don't
come to rest. So a doubtful find is tried again with the photo turned by an eighth,
and of several finds of one map the surest stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from kdscan.detection.clipping import cut_sides
from kdscan.detection.layout import known_layouts
from kdscan.detection.locate import locate
from kdscan.detection.markers import pages_seen
from kdscan.detection.register import SURE, follow_paper, register
from kdscan.imaging.rectify import lies_in, outline_of, overlap, project, rectify
from kdscan.records import Photo, RectifiedSheet, SheetOutline
from kdscan.records.arrays import Floats, Network

LIKELY, POSSIBLE = 0.8, 0.6
"""Probability that all cells are in place: above the first it is a map; above the second it is
shown, as doubtful, when there is nothing better in the photo. In 30 photos of tables and 100 of
our sheet maps came to 0.998 and more, other things to 0.75; a page of text in 1,000 to 0.85. Of
222 photos of painted, engraved and pale maps none came to less than 0.89, of 68 of other games,
forms and puzzles thirteen to between 0.05 and 0.54."""

LIKE_A_MAP = 0.9
"""A photo in which no outline is so sure is asked for kingdoms of tiles first. Of 112 photos of
maps three had none so sure."""

TURNS = tuple(np.pi / 4 * eighths for eighths in (0, 1, 3, 5, 7, 2, 4, 6))
"""Radians by which a photo is turned, one after the other, as long as a find is doubtful: a sheet
that lies askew is best seen upright. With quarters alone 10 of 1,000 grids stayed unsure, and 5
maps were not found."""
FOLLOWED = 4
"""Where all of these leave doubts, the paper is followed from so many of the surest places."""


def find(photo: Photo, locating: Network, refining: Network) -> tuple[RectifiedSheet, ...]:
    """Find the maps in a photo, the largest first; see `locate` and `register`."""
    return MapSearch(photo, locating, refining).finish()[0]


@dataclass(frozen=True, eq=False)
class _Find:
    """Where the cells of a map may lie, (5, 7, 2) in the photo, and how sure that is."""

    centers_xy: Floats
    confidence: float

    @property
    def sure(self) -> bool:
        return self.confidence >= SURE

    @cached_property
    def outline_xy(self) -> Floats:
        return outline_of(self.centers_xy)

    def shows(self, other: _Find) -> bool:
        """Whether both are of one map."""
        return overlap(self.outline_xy, other.outline_xy)


class MapSearch:
    """Looks for the maps in a photo, one outline after the other, as far as it is asked to."""

    def __init__(self, photo: Photo, locating: Network, refining: Network) -> None:
        self._photo, self._locating, self._refining = photo, locating, refining
        self._found: list[_Find] = []
        self._cut: list[SheetOutline] = []
        self._steps = self._search()

    def glance(self) -> bool:
        """Whether an outline looks like a map's, and the first one settles at once and surely;
        tiles of 142 photos never did."""
        if all(outline.confidence < LIKE_A_MAP for outline in self._upright):
            return False
        next(self._steps, None)
        return self._sure

    def surely(self) -> bool:
        """Whether some outline settles surely, however long it takes to know."""
        return self._sure or any(self._sure for _ in self._steps)

    @property
    def _sure(self) -> bool:
        return any(one.sure for one in self._found)

    def _search(self) -> Iterator[None]:
        """Lay flat what is outlined; again with the photo turned, until all is sure; where it
        never is, follow the paper from where it came nearest."""
        tried: list[_Find] = []
        for turn in TURNS:
            for outline in self._outlines(turn):
                if any(one.sure and _holds(one, outline) for one in self._found):
                    continue
                others = self._found
                for settled in register(self._photo, outline, self._refining):
                    best = _Find(*settled)
                    self._found = _surest(others, best)
                    yield
                tried.append(best)
            if self._found and all(one.sure for one in self._found):
                return
            yield
        tried.sort(key=lambda one: -one.confidence)
        for one in tried[:FOLLOWED]:
            if not any(known.sure and known.shows(one) for known in self._found):
                again = _Find(*follow_paper(self._photo, one.centers_xy, self._refining))
                if again.sure or not self._sure:  # beside a sure map clutter can come to 0.82
                    self._found = _surest(self._found, again)
                    yield

    def _outlines(self, turn: float) -> Iterator[SheetOutline]:
        """What may be maps in the photo turned by so many radians, by their markers first."""
        if turn:
            yield from locate(self._photo, self._locating, turn)
            return
        yield from by_markers(self._photo)
        for outline in self._upright:
            if cut_sides(self._photo, outline):
                self._cut.append(outline)
            yield outline

    @cached_property
    def _upright(self) -> tuple[SheetOutline, ...]:
        """What may be maps in the photo as it is."""
        return locate(self._photo, self._locating, 0)

    def finish(self) -> tuple[tuple[RectifiedSheet, ...], tuple[SheetOutline, ...]]:
        """Look until all finds are sure or all sides were tried.

        Returns the maps, the largest first, and the outlines of what may be maps too, but is
        cut off by the picture.
        """
        for _ in self._steps:
            pass
        best = max((one.confidence for one in self._found), default=0.0)
        line = LIKELY if best >= LIKELY else max(best, POSSIBLE)
        kept = [one for one in self._found if one.confidence >= line]
        kept.sort(key=lambda one: -cv2.contourArea(one.outline_xy.astype(np.float32)))
        lost = tuple(one for one in self._cut if not any(_holds(find, one) for find in kept))
        return tuple(rectify(self._photo, one.centers_xy, one.confidence) for one in kept), lost


def by_markers(photo: Photo) -> tuple[SheetOutline, ...]:
    """Outlines of maps of built-in layouts, from the markers around their grids."""
    outlines = []
    for layout in known_layouts():
        assert layout.markers is not None
        for mm, xy in pages_seen(photo, layout.markers, layout.page_mm):
            h, _ = cv2.findHomography(mm, xy, 0)
            (x, y), (w, h_mm) = layout.grid_mm, layout.cell_mm
            x1, y1 = x + layout.cols * w, y + layout.rows * h_mm
            grid = np.array([(x, y), (x1, y), (x1, y1), (x, y1)])
            if h is not None:
                outlines.append(SheetOutline(project(np.asarray(h, np.float64), grid), 1.0))
    return tuple(outlines)


def _holds(find: _Find, outline: SheetOutline) -> bool:
    """Whether the middle of an outline lies in a map that was found."""
    return lies_in(outline.corners_xy.mean(0), find.outline_xy)


def _surest(found: list[_Find], new: _Find) -> list[_Find]:
    """The finds with a new one; of those that show the same map, the surest alone."""
    same = [one for one in found if one.shows(new)]
    others = [one for one in found if one not in same]
    return [*others, max(*same, new, key=lambda one: one.confidence)] if same else [*others, new]
