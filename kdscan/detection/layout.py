"""Stage: which layout is this? Looks for the corner markers where each layout has them."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.pyramid import finest_for
from kdscan.imaging.rectify import lattice_to_photo, resolution, sampled
from kdscan.records import Photo, RectifiedSheet
from kdscan.records.arrays import Floats
from kdscan.sheet.layout import Layout, layouts, load_layout

UNKNOWN = "unknown"
"""The layout's name of a design that was never described."""

_MARKER_PX = 48  # eight pixels a module of a 4 × 4 marker with its border
_ENOUGH_PX = 18  # three pixels a module: no large photo is decoded whole where half has so many
_WINDOW = 2.0  # side of the looked-at window, in markers: quiet zone and misplacement
_ACROSS = (1, 0, 3, 2)  # markers stand top left, top right, bottom right, bottom left
_STEP = 8  # pixels from one computed place to the next


@lru_cache(maxsize=1)
def known_layouts() -> tuple[Layout, ...]:
    """The built-in layouts that have markers."""
    return tuple(layout for layout in map(load_layout, layouts()) if layout.markers is not None)


def detect_layout(photo: Photo, sheet: RectifiedSheet) -> str:
    """Name of the built-in layout whose markers stand around the grid, or "unknown".

    One of the four markers in its own place is enough: a thumb or the photo's edge may hide the
    others. (Of 120 photos of our sheet, many of them close, 115 show one, 96 two; of 325 of other
    designs none.)
    """
    for layout in known_layouts():
        assert layout.markers is not None
        expected = set(enumerate(place.id for place in layout.markers.places))
        seen = _ids(_windows(photo, sheet, layout), layout.markers.dictionary)
        if expected & seen:
            return layout.name
    return UNKNOWN


def is_mirrored(photo: Photo, sheet: RectifiedSheet) -> bool:
    """Whether the built-in layouts' markers stand around the grid as a mirror shows them: each on
    the other side, and the wrong way round. One of the four is enough, as for `detect_layout`."""
    for layout in known_layouts():
        assert layout.markers is not None
        n = round(_WINDOW * _MARKER_PX)
        windows = _windows(photo, sheet, layout).reshape(n, -1, n)
        turned = np.ascontiguousarray(windows[:, :, ::-1]).reshape(n, -1)
        ids = [place.id for place in layout.markers.places]
        across = [ids[k] for k in _ACROSS]
        if set(enumerate(across)) & _ids(turned, layout.markers.dictionary):
            return True
    return False


def _windows(photo: Photo, sheet: RectifiedSheet, layout: Layout) -> NDArray[np.uint8]:
    """The neighbourhood of the four markers, upright, side by side."""
    assert layout.markers is not None
    n = round(_WINDOW * _MARKER_PX)
    away = (np.arange(0, n + _STEP, _STEP) + 0.5 - n / 2) / _MARKER_PX * layout.markers.size_mm
    marker = layout.markers.size_mm / layout.cell_mm[0]
    marker_px = resolution(sheet.centers_xy) * marker
    finest = finest_for(photo, marker_px, _ENOUGH_PX)
    tiles = []
    for place in layout.markers.places:
        on_grid = _at(layout, np.array(place.center_mm), away)
        where = lattice_to_photo(sheet.centers_xy, on_grid)
        tiles.append(sampled(photo, where, _STEP, (n, n), marker_px / _MARKER_PX, finest))
    return np.asarray(cv2.cvtColor(np.concatenate(tiles, 1), cv2.COLOR_BGR2GRAY), np.uint8)


def _at(layout: Layout, center_mm: Floats, step_mm: Floats) -> Floats:
    """Lattice coordinates (n, n, 2) of a square window around a point of the page."""
    page = np.stack(np.meshgrid(center_mm[0] + step_mm, center_mm[1] + step_mm), -1)
    return np.asarray((page - np.array(layout.grid_mm)) / np.array(layout.cell_mm) - 0.5)


def _ids(grey: NDArray[np.uint8], dictionary: str) -> set[tuple[int, int]]:
    """In which of the windows side by side, from 0, which markers stand."""
    family = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    corners, ids, _ = cv2.aruco.ArucoDetector(family).detectMarkers(grey)
    if not corners:
        return set()
    windows = np.concatenate(corners)[..., 0].mean(1) // grey.shape[0]
    return {(int(window), int(i)) for window, i in zip(windows, np.ravel(ids), strict=True)}
