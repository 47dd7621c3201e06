"""Stage: the layout of a sheet, recognised by its markers, each searched for where it belongs."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.detection.markers import family
from kdscan.imaging.picture import Floats, Photo
from kdscan.imaging.pyramid import finest_for
from kdscan.imaging.rectify import RectifiedSheet, lattice_to_photo, resolution, sample
from kdscan.paper.signs import Signs, signs

UNKNOWN_LAYOUT = "unknown"
"""The layout of a sheet whose design is neither built in nor learned, as in the JSON."""


_MARKER_PX = 48  # eight pixels per module of a 4 × 4 marker with its border
_ENOUGH_PX = 18  # three pixels per module; if a large photo's half has as many, the half is used
_WINDOW = 2.0  # side of the searched window, in markers: quiet zone and misplacement
_MIRRORED = (1, 0, 3, 2)  # markers are in the order top left, top right, bottom right, bottom left
_STEP = 8  # pixels between computed sampling points; the rest is interpolated


def detect_layout(photo: Photo, sheet: RectifiedSheet) -> str:
    """Name of the built-in layout whose markers are around the grid, or "unknown".

    One of the four markers in its own place is enough: a thumb or the photo's edge may hide the
    others. (Of 120 photos of our sheet, many of them close-ups, 115 show one and 96 two; none of
    325 photos of other designs shows any.)
    """
    for layout in signs():
        expected = set(enumerate(place.id for place in layout.markers.places))
        seen = _ids(_windows(photo, sheet, layout))
        if expected & seen:
            return layout.name
    return UNKNOWN_LAYOUT


def is_mirrored(photo: Photo, sheet: RectifiedSheet) -> bool:
    """Whether a built-in layout's markers appear mirrored around the grid: each on the other side
    and itself reversed. One of the four is enough, as for `detect_layout`."""
    for layout in signs():
        n = round(_WINDOW * _MARKER_PX)
        windows = _windows(photo, sheet, layout).reshape(n, -1, n)
        flipped = np.ascontiguousarray(windows[:, :, ::-1]).reshape(n, -1)
        ids = [place.id for place in layout.markers.places]
        expected = {(window, ids[k]) for window, k in enumerate(_MIRRORED)}
        if expected & _ids(flipped):
            return True
    return False


def _windows(photo: Photo, sheet: RectifiedSheet, layout: Signs) -> NDArray[np.uint8]:
    """(n, 4 n) uint8, grey: the neighbourhoods of the four markers, rectified, side by side."""
    n = round(_WINDOW * _MARKER_PX)
    offsets_mm = (
        (np.arange(0, n + _STEP, _STEP) + 0.5 - n / 2) / _MARKER_PX * layout.markers.size_mm
    )
    marker = layout.markers.size_mm / layout.cell_mm[0]
    marker_px = resolution(sheet.centers_xy) * marker
    finest = finest_for(photo, marker_px, _ENOUGH_PX)
    middles = [np.array(place.center_mm) for place in layout.markers.places]
    on_grid = [_window_in_lattice(layout, middle, offsets_mm) for middle in middles]
    where = lattice_to_photo(sheet.centers_xy, np.concatenate(on_grid, 1))
    wide = n + _STEP  # what lies between two windows is sampled too, and left out
    flat = sample(photo, where, _STEP, (len(middles) * wide, n), marker_px / _MARKER_PX, finest)
    grey = np.asarray(cv2.cvtColor(flat, cv2.COLOR_BGR2GRAY), np.uint8)
    return np.concatenate([grey[:, k * wide : k * wide + n] for k in range(len(middles))], 1)


def _window_in_lattice(layout: Signs, center_mm: Floats, step_mm: Floats) -> Floats:
    """Lattice coordinates (n, n, 2) of a square window around a point of the page."""
    page = np.stack(np.meshgrid(center_mm[0] + step_mm, center_mm[1] + step_mm), -1)
    return np.asarray((page - np.array(layout.grid_mm)) / np.array(layout.cell_mm) - 0.5)


def _ids(grey: NDArray[np.uint8]) -> set[tuple[int, int]]:
    """The markers found: (number of the window, from 0; the marker's id)."""
    corners, ids, _ = cv2.aruco.ArucoDetector(family()).detectMarkers(grey)
    if not corners:
        return set()
    windows = np.concatenate(corners)[..., 0].mean(1) // grey.shape[0]
    return {(int(window), int(i)) for window, i in zip(windows, np.ravel(ids), strict=True)}
