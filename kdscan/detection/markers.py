"""Printed markers in a photo, looked for once for all who ask.

Sheets that kdscan prints carry four of OpenCV's markers. They are not needed to read a
map, but two of them tell at once where a sheet lies and which it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import cv2
import numpy as np

from kdscan.imaging.pyramid import grey_at_most
from kdscan.records import Photo
from kdscan.records.arrays import Floats
from kdscan.sheet.parts import Markers

LOOKS_PX = (1200, 1600)
"""Longer sides of the pictures in which markers are looked for, one after the other: the first
takes half the time and finds 94% of the others' markers, so that the second is only needed
where some are there and small."""

LARGE_PX = 32
"""Sides of markers, in the first picture, from which a second one shows no more of them."""

_MAX_TILT = 0.5
"""Markers belong together when they agree on the page's middle to this share of its diagonal."""


@dataclass(frozen=True, eq=False)
class SeenMarker:
    """A marker in a photo: its number and its corners (4, 2), photo frame, from its top left."""

    id: int
    corners_xy: Floats


_seen: WeakKeyDictionary[Photo, dict[str, tuple[SeenMarker, ...]]] = WeakKeyDictionary()


def seen_markers(photo: Photo, dictionary: str) -> tuple[SeenMarker, ...]:
    """All markers of one of OpenCV's dictionaries in a photo."""
    known = _seen.setdefault(photo, {})
    if dictionary not in known:
        known[dictionary] = _detected(photo, dictionary)
    return known[dictionary]


def _detected(photo: Photo, dictionary: str) -> tuple[SeenMarker, ...]:
    family = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    options = cv2.aruco.DetectorParameters()
    options.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    # Two windows find as many markers as the usual three, 303 on 52 photos, in 70% of the time.
    options.adaptiveThreshWinSizeMin, options.adaptiveThreshWinSizeMax = 5, 25
    options.adaptiveThreshWinSizeStep = 20
    detector = cv2.aruco.ArucoDetector(family, options)
    seen: tuple[SeenMarker, ...] = ()
    for longer in LOOKS_PX:
        view, scale = grey_at_most(photo, longer)
        corners, ids, _ = detector.detectMarkers(view)
        numbers = [] if ids is None else np.ravel(ids).tolist()  # type: ignore[redundant-expr]
        seen = tuple(
            SeenMarker(int(i), (np.asarray(c, np.float64).reshape(4, 2) + 0.5) / scale - 0.5)
            for i, c in zip(numbers, corners, strict=True)
        )
        sides = [scale * float(np.hypot(*(m.corners_xy[1] - m.corners_xy[0]))) for m in seen]
        if not seen or min(sides) >= LARGE_PX:
            break
    return seen


def pages_seen(
    photo: Photo, markers: Markers, page_mm: tuple[float, float]
) -> list[tuple[Floats, Floats]]:
    """For each page with these markers on it: places in mm and where they are in the photo.

    Returns pairs of (K, 2) float64, four corners a marker, for pages of which two markers
    or more are seen; two pages of one layout are told apart by where they lie.
    """
    places = {place.id: place for place in markers.places}
    half = markers.size_mm / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
    pages: list[dict[int, tuple[Floats, Floats]]] = []
    middles: list[tuple[Floats, float]] = []
    for marker in seen_markers(photo, markers.dictionary):
        if marker.id not in places:
            continue
        mm = half + np.array(places[marker.id].center_mm)
        at, reach = _middle(mm, marker.corners_xy, page_mm)
        k = _nearest(at, reach, marker.id, pages, middles)
        if k is None:
            pages.append({})
            middles.append((at, reach))
            k = len(pages) - 1
        pages[k][marker.id] = (mm, marker.corners_xy)
    return [
        (np.concatenate([mm for mm, _ in p.values()]), np.concatenate([xy for _, xy in p.values()]))
        for p in pages
        if len(p) > 1
    ]


def _middle(mm: Floats, xy: Floats, page_mm: tuple[float, float]) -> tuple[Floats, float]:
    """Where a marker puts its page's middle, and how far off that may be, in pixels.

    By a similarity: the perspective of a single marker is too unsure to go that far.
    """
    turn = np.asarray(cv2.estimateAffinePartial2D(mm, xy)[0], np.float64)
    at = turn[:, :2] @ (np.array(page_mm) / 2) + turn[:, 2]
    diagonal = float(np.hypot(*page_mm) * np.hypot(*turn[:, 0]))
    return np.asarray(at), _MAX_TILT * diagonal


def _nearest(
    at: Floats,
    reach: float,
    number: int,
    pages: Sequence[dict[int, tuple[Floats, Floats]]],
    middles: Sequence[tuple[Floats, float]],
) -> int | None:
    """The nearest page that this marker can belong to and that lacks it."""
    gaps = [
        float(np.hypot(*(at - there))) if number not in page else np.inf
        for page, (there, _) in zip(pages, middles, strict=True)
    ]
    k = int(np.argmin(gaps)) if gaps else 0
    return k if gaps and gaps[k] < min(reach, middles[k][1]) else None
