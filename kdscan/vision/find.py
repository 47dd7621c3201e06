"""Stages locate and rectify together: photo → every map in it, flat and upright.

A thumbnail can mislead; the refining network notices, because its cells then don't
come to rest. So a doubtful find is tried again with the photo turned by a quarter,
and of several finds of one map the surest stays.
"""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.records import Photo, RectifiedSheet, SheetOutline
from kdscan.vision.edges import cut_sides
from kdscan.vision.identify import known_layouts
from kdscan.vision.locate import locate
from kdscan.vision.markers import pages_seen
from kdscan.vision.rectify import SURE, Network, lies_in, project, rectify

LIKELY, POSSIBLE = 0.3, 0.05
"""Probability that all cells are in place: above the first it is a map; above the second it is
shown, as doubtful, when there is nothing better in the photo."""


def find(photo: Photo, locating: Network, refining: Network) -> tuple[RectifiedSheet, ...]:
    """Find the maps in a photo, the largest first; see `locate` and `rectify`."""
    return find_all(photo, locating, refining)[0]


def find_all(
    photo: Photo, locating: Network, refining: Network
) -> tuple[tuple[RectifiedSheet, ...], tuple[SheetOutline, ...]]:
    """As `find`; with the outlines of what may be maps too, but are cut off by the picture."""
    found: list[RectifiedSheet] = []
    cut: list[SheetOutline] = []
    for quarter_turns in range(4):
        known = by_markers(photo) if quarter_turns == 0 else ()
        for outline in (*known, *locate(photo, locating, quarter_turns)):
            if any(sheet.confidence >= SURE and _holds(sheet, outline) for sheet in found):
                continue
            if quarter_turns == 0 and cut_sides(photo, outline):
                cut.append(outline)
            found = _surest(found, rectify(photo, outline, refining))
        if found and all(sheet.confidence >= SURE for sheet in found):
            break
    best = max((sheet.confidence for sheet in found), default=0.0)
    line = LIKELY if best >= LIKELY else max(best, POSSIBLE)
    kept = [sheet for sheet in found if sheet.confidence >= line]
    lost = tuple(one for one in cut if not any(_holds(sheet, one) for sheet in kept))
    return tuple(
        sorted(kept, key=lambda sheet: -cv2.contourArea(sheet.outline_xy.astype(np.float32)))
    ), lost


def surely_map(photo: Photo, locating: Network, refining: Network) -> bool:
    """Whether a first look finds a map that settles surely: tiles never did, in 142 photos."""
    outlines = locate(photo, locating, 0)
    return any(rectify(photo, outline, refining).confidence >= SURE for outline in outlines)


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


def _holds(sheet: RectifiedSheet, outline: SheetOutline) -> bool:
    """Whether the middle of an outline lies in a map that was found."""
    return lies_in(outline.corners_xy.mean(0), sheet.outline_xy)


def _surest(found: list[RectifiedSheet], new: RectifiedSheet) -> list[RectifiedSheet]:
    """The finds with a new one; of those that show the same map, the surest alone."""
    same = [sheet for sheet in found if _overlap(sheet, new)]
    others = [sheet for sheet in found if not _overlap(sheet, new)]
    return (
        [*others, max(*same, new, key=lambda sheet: sheet.confidence)] if same else [*others, new]
    )


def _overlap(a: RectifiedSheet, b: RectifiedSheet) -> bool:
    """Whether the middle of either lies in the other."""
    return lies_in(a.centers_xy[2, 3], b.outline_xy) or lies_in(b.centers_xy[2, 3], a.outline_xy)
