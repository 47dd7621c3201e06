"""ArUco markers in a photo, detected once and cached for all stages, and the layout that they tell.

Sheets that kdscan prints carry four ArUco markers. Reading a map does not need them, but two of
them are enough to know where a sheet is and which layout it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.picture import (
    Floats,
    Photo,
    finest_for,
    grey_at_most,
    lattice_to_photo,
    resolution,
    sample,
)
from kdscan.paper.layout import Layout, Markers, own_layouts

DETECTION_PX = (1200, 1600)
"""Pixels: longer sides of the pictures in which markers are detected, in turn. The first takes half
the time and finds 94% of the markers of the second, which is only used if the first shows small
ones."""

MIN_SIDE_PX = 32
"""If all markers' sides have this many pixels in the first picture, the second shows no more."""

FAMILY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
"""The dictionary of the markers on all built-in sheets."""

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


def detect_markers(photo: Photo) -> tuple[DetectedMarker, ...]:
    """All markers of `FAMILY` in a photo."""
    # Two windows find as many markers as the usual three, 303 on 52 photos, in 70% of the time.
    detector = _detector(5, 25)
    for longer in () if photo in _cache else DETECTION_PX:
        view, scale = grey_at_most(photo, longer)
        corners, ids, _ = detector.detectMarkers(view)
        numbers = [] if ids is None else np.ravel(ids).tolist()  # type: ignore[redundant-expr]
        _cache[photo] = tuple(
            DetectedMarker(int(i), (np.asarray(c, np.float64).reshape(4, 2) + 0.5) / scale - 0.5)
            for i, c in zip(numbers, corners, strict=True)
        )
        across = [marker.corners_xy[1] - marker.corners_xy[0] for marker in _cache[photo]]
        if not across or scale * min(np.hypot(*side) for side in across) >= MIN_SIDE_PX:
            break
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
    return cv2.aruco.ArucoDetector(FAMILY, options)


def detect_pages(
    photo: Photo, markers: Markers, page_mm: tuple[float, float]
) -> list[tuple[Floats, Floats]]:
    """Point correspondences for every page that shows at least two of a layout's markers.

    Returns pairs of (K, 2) float64, four corners per marker: points in mm on the page and the same
    points in the photo. Several pages of one layout are separated by their positions.
    """
    places = {place.id: place for place in markers.places}
    half = markers.size_mm / 2 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
    pages: list[tuple[Floats, float, dict[int, tuple[Floats, Floats]]]] = []
    for marker in detect_markers(photo):
        if marker.id not in places:
            continue
        mm = half + np.array(places[marker.id].center_mm)
        # The page's middle and its tolerance in pixels, extrapolated by a similarity: the
        # perspective of a single marker is too imprecise.
        similarity = np.asarray(cv2.estimateAffinePartial2D(mm, marker.corners_xy)[0], np.float64)
        middle = similarity[:, :2] @ (np.array(page_mm) / 2) + similarity[:, 2]
        reach = _MAX_TILT * float(np.hypot(*page_mm) * np.hypot(*similarity[:, 0]))
        gaps = [
            (float(np.hypot(*(middle - other))), number)
            for number, (other, _, points) in enumerate(pages)
            if marker.id not in points
        ]
        gap, nearest = min(gaps, default=(np.inf, 0))
        if not gaps or gap >= min(reach, pages[nearest][1]):
            nearest = len(pages)
            pages.append((middle, reach, {}))
        pages[nearest][2][marker.id] = (mm, marker.corners_xy)
    shown = (points.values() for _, _, points in pages if len(points) > 1)
    return [
        (np.concatenate([mm for mm, _ in s]), np.concatenate([xy for _, xy in s])) for s in shown
    ]


# Which layout a sheet has: each of its markers is looked for where it belongs.

UNKNOWN_LAYOUT = "unknown"
"""The layout of a sheet whose design is neither built in nor learned, as in the JSON."""


_MARKER_PX = 48  # eight pixels per module of a 4 × 4 marker with its border
_ENOUGH_PX = 18  # three pixels per module; if a large photo's half has as many, the half is used
_WINDOW = 2.0  # side of the searched window, in markers: quiet zone and misplacement
_MIRRORED = (1, 0, 3, 2)  # markers are in the order top left, top right, bottom right, bottom left
_STEP = 8  # pixels between computed sampling points; the rest is interpolated


def detect_layout(photo: Photo, centers_xy: Floats) -> str:
    """Name of the built-in layout whose markers are around a grid, or "unknown".

    centers_xy: (5, 7, 2) photo frame, its cells' centres.

    One of the four markers in its own place is enough: a thumb or the photo's edge may hide the
    others. (Of 120 photos of our sheet, many of them close-ups, 115 show one and 96 two; none of
    325 photos of other designs shows any.)
    """
    for layout, markers in own_layouts():
        expected = set(enumerate(place.id for place in markers.places))
        if expected & _ids(_windows(photo, centers_xy, layout, markers)):
            return layout.name
    return UNKNOWN_LAYOUT


def is_mirrored(photo: Photo, centers_xy: Floats) -> bool:
    """Whether a built-in layout's markers appear mirrored around the grid: each on the other side
    and itself reversed. One of the four is enough, as for `detect_layout`."""
    for layout, markers in own_layouts():
        windows = _windows(photo, centers_xy, layout, markers)
        apart = windows.reshape(len(windows), -1, len(windows))[..., ::-1]
        flipped = np.ascontiguousarray(apart).reshape(windows.shape)
        ids = [place.id for place in markers.places]
        expected = {(window, ids[k]) for window, k in enumerate(_MIRRORED)}
        if expected & _ids(flipped):
            return True
    return False


def _windows(
    photo: Photo, centers_xy: Floats, layout: Layout, markers: Markers
) -> NDArray[np.uint8]:
    """(n, 4 n) uint8, grey: the neighbourhoods of the four markers, rectified, side by side."""
    n = round(_WINDOW * _MARKER_PX)
    offsets_mm = (np.arange(0, n + _STEP, _STEP) + 0.5 - n / 2) / _MARKER_PX * markers.size_mm
    marker = markers.size_mm / layout.cell_mm[0]
    marker_px = resolution(centers_xy) * marker
    finest = finest_for(photo, marker_px, _ENOUGH_PX)
    middles = [place.center_mm for place in markers.places]
    page = [np.stack(np.meshgrid(x + offsets_mm, y + offsets_mm), -1) for x, y in middles]
    lattice = (np.concatenate(page, 1) - np.array(layout.grid_mm)) / np.array(layout.cell_mm) - 0.5
    where = lattice_to_photo(centers_xy, lattice)
    wide = n + _STEP  # what lies between two windows is sampled too, and left out
    flat = sample(photo, where, _STEP, (len(middles) * wide, n), marker_px / _MARKER_PX, finest)
    grey = np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), np.uint8)
    return np.concatenate([grey[:, k * wide : k * wide + n] for k in range(len(middles))], 1)


def _ids(grey: NDArray[np.uint8]) -> set[tuple[int, int]]:
    """The markers found: (number of the window, from 0; the marker's id)."""
    corners, ids, _ = cv2.aruco.ArucoDetector(FAMILY).detectMarkers(grey)
    if not corners:
        return set()
    windows = np.concatenate(corners)[..., 0].mean(1) // grey.shape[0]
    return {(int(window), int(i)) for window, i in zip(windows, np.ravel(ids), strict=True)}
