"""ArUco markers in a photo, detected once and cached for all stages.

Sheets that kdscan prints carry four ArUco markers. Reading a map does not need them, but two of
them are enough to know where a sheet is and which layout it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import cv2
import numpy as np

from kdscan.imaging.picture import Floats, Photo
from kdscan.imaging.pyramid import grey_at_most
from kdscan.paper.signs import Markers

DETECTION_PX = (1200, 1600)
"""Pixels: longer sides of the pictures in which markers are detected, in turn. The first takes half
the time and finds 94% of the markers of the second, which is only used if the first shows small
ones."""

MIN_SIDE_PX = 32
"""If all markers' sides have this many pixels in the first picture, the second shows no more."""

FAMILY = "DICT_4X4_50"
"""OpenCV's name for the dictionary of the markers on all built-in sheets."""

FLAT_PX = 8
"""Pixels per cell of a marker in the rectified picture that its bits are read from. On 30 photos of
tables 321 markers are read, and 309 with OpenCV's default of 4, in the same time; on 228 pictures
without markers, 5 and 3 are detected."""

COARSE_SIDE_PX, COARSE_WINDOW_PX = 24, 15
"""Pixels: side of an expected marker in the picture of the coarse search, and its threshold
window."""

_MAX_TILT = 0.5
"""Markers belong to one page if their estimates of its middle differ by less than this share of its
diagonal."""


@dataclass(frozen=True, eq=False)
class DetectedMarker:
    """id: as in its dictionary. corners_xy: (4, 2), photo frame, clockwise from its top left."""

    id: int
    corners_xy: Floats


_cache: WeakKeyDictionary[Photo, tuple[DetectedMarker, ...]] = WeakKeyDictionary()


def family() -> cv2.aruco.Dictionary:
    """`FAMILY` for OpenCV."""
    return cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, FAMILY))


def detect_markers(photo: Photo) -> tuple[DetectedMarker, ...]:
    """All markers of `FAMILY` in a photo."""
    if photo not in _cache:
        _cache[photo] = _detect(photo)
    return _cache[photo]


def rule_out(photo: Photo, side_px: float) -> None:
    """Note that a photo shows no markers if a coarse search finds none, in a picture reduced until
    markers are just large enough.

    side_px: side of the smallest expected marker in photo pixels. None of 43 photos of single
    sheets with markers and of 116 photos of tables was ruled out. The coarse search takes a fifth
    of the time of `DETECTION_PX`.
    """
    longer = round(COARSE_SIDE_PX / side_px * max(photo.width, photo.height))
    if photo not in _cache and longer < DETECTION_PX[0]:
        view, _ = grey_at_most(photo, longer)
        _, ids, _ = _detector(COARSE_WINDOW_PX).detectMarkers(view)
        if ids is None:
            _cache[photo] = ()  # type: ignore[unreachable]


def _detector(*windows_px: int) -> cv2.aruco.ArucoDetector:
    """A detector with one or two sizes of its threshold's window."""
    options = cv2.aruco.DetectorParameters()
    options.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    options.perspectiveRemovePixelPerCell = FLAT_PX
    options.adaptiveThreshWinSizeMin, options.adaptiveThreshWinSizeMax = (
        min(windows_px),
        max(windows_px),
    )
    options.adaptiveThreshWinSizeStep = max(1, max(windows_px) - min(windows_px))
    return cv2.aruco.ArucoDetector(family(), options)


def _detect(photo: Photo) -> tuple[DetectedMarker, ...]:
    # Two windows find as many markers as the usual three, 303 on 52 photos, in 70% of the time.
    detector = _detector(5, 25)
    seen: tuple[DetectedMarker, ...] = ()
    for longer in DETECTION_PX:
        view, scale = grey_at_most(photo, longer)
        corners, ids, _ = detector.detectMarkers(view)
        numbers = [] if ids is None else np.ravel(ids).tolist()  # type: ignore[redundant-expr]
        seen = tuple(
            DetectedMarker(int(i), (np.asarray(c, np.float64).reshape(4, 2) + 0.5) / scale - 0.5)
            for i, c in zip(numbers, corners, strict=True)
        )
        sides = [scale * float(np.hypot(*(m.corners_xy[1] - m.corners_xy[0]))) for m in seen]
        if not seen or min(sides) >= MIN_SIDE_PX:
            break
    return seen


def detect_pages(
    photo: Photo, markers: Markers, page_mm: tuple[float, float]
) -> list[tuple[Floats, Floats]]:
    """Point correspondences for every page that shows at least two of a layout's markers.

    Returns pairs of (K, 2) float64, four corners per marker: points in mm on the page and the same
    points in the photo. Several pages of one layout are separated by their positions.
    """
    places = {place.id: place for place in markers.places}
    half = markers.size_mm / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
    pages: list[dict[int, tuple[Floats, Floats]]] = []
    middles: list[tuple[Floats, float]] = []
    for marker in detect_markers(photo):
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
    """The page's middle as extrapolated from one marker, photo frame, and its tolerance in pixels.

    Extrapolates by a similarity: the perspective of a single marker is too imprecise.
    """
    similarity = np.asarray(cv2.estimateAffinePartial2D(mm, xy)[0], np.float64)
    at = similarity[:, :2] @ (np.array(page_mm) / 2) + similarity[:, 2]
    diagonal = float(np.hypot(*page_mm) * np.hypot(*similarity[:, 0]))
    return np.asarray(at), _MAX_TILT * diagonal


def _nearest(
    at: Floats,
    reach: float,
    number: int,
    pages: Sequence[dict[int, tuple[Floats, Floats]]],
    middles: Sequence[tuple[Floats, float]],
) -> int | None:
    """Index of the nearest page within reach that lacks this marker, or None."""
    gaps = [
        float(np.hypot(*(at - there))) if number not in page else np.inf
        for page, (there, _) in zip(pages, middles, strict=True)
    ]
    if not gaps:
        return None
    k = int(np.argmin(gaps))
    return k if gaps[k] < min(reach, middles[k][1]) else None
