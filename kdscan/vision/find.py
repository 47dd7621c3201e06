"""Stages locate and rectify together: photo → every map in it, flat and upright.

A thumbnail can mislead; the refining network notices, because its cells then don't
come to rest. So a doubtful find is tried again with the photo turned by a quarter,
and of several finds of one map the surest stays.
"""

from __future__ import annotations

import cv2
import numpy as np

from kdscan.records import Photo, RectifiedSheet
from kdscan.vision.locate import locate
from kdscan.vision.rectify import SURE, Network, rectify

LIKELY, POSSIBLE = 0.3, 0.05
"""Probability that all cells are in place: above the first it is a map; above the second it is
shown, as doubtful, when there is nothing better in the photo."""


def find(photo: Photo, locating: Network, refining: Network) -> tuple[RectifiedSheet, ...]:
    """Find the maps in a photo, the largest first; see `locate` and `rectify`."""
    found: list[RectifiedSheet] = []
    for quarter_turns in range(4):
        for outline in locate(photo, locating, quarter_turns):
            found = _surest(found, rectify(photo, outline, refining))
        if found and all(sheet.confidence >= SURE for sheet in found):
            break
    best = max((sheet.confidence for sheet in found), default=0.0)
    line = LIKELY if best >= LIKELY else max(best, POSSIBLE)
    kept = [sheet for sheet in found if sheet.confidence >= line]
    return tuple(sorted(kept, key=lambda sheet: -cv2.contourArea(_corners(sheet))))


def _surest(found: list[RectifiedSheet], new: RectifiedSheet) -> list[RectifiedSheet]:
    """The finds with a new one; of those that show the same map, the surest alone."""
    same = [sheet for sheet in found if _overlap(sheet, new)]
    others = [sheet for sheet in found if not _overlap(sheet, new)]
    return (
        [*others, max(*same, new, key=lambda sheet: sheet.confidence)] if same else [*others, new]
    )


def _overlap(a: RectifiedSheet, b: RectifiedSheet) -> bool:
    """Whether the middle of either lies in the other."""
    return any(
        cv2.pointPolygonTest(_corners(this), tuple(map(float, that.centers_xy[2, 3])), False) >= 0
        for this, that in ((a, b), (b, a))
    )


def _corners(sheet: RectifiedSheet) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return sheet.outline_xy.astype(np.float32)
