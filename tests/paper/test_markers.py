from __future__ import annotations

import cv2
import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray

from kdscan.paper.layout import load_layout
from kdscan.paper.printing import impose, render_page, sheet_pdf
from kdscan.paper.style import NO_TICKET
from tests.paper.measure import DPI_300

LAYOUT = load_layout("kdscan-a5")


def detect(bgr: NDArray[np.uint8]) -> list[tuple[int, NDArray[np.float64]]]:
    """Each marker's id with its (4, 2) corners, clockwise from its top left, pixel edges."""
    assert LAYOUT.markers is not None
    family = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, LAYOUT.markers.dictionary))
    settings = cv2.aruco.DetectorParameters()
    settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, ids, _ = cv2.aruco.ArucoDetector(family, settings).detectMarkers(bgr)
    found = np.ravel(ids).tolist() if corners else []  # no markers, no array of ids
    return [
        (int(number), np.asarray(quad, np.float64).reshape(4, 2) + 0.5)
        for number, quad in zip(found, corners, strict=True)
    ]


@pytest.mark.parametrize("scale", [0.92, 1.0, 1.04])
def test_markers_are_detected_where_the_layout_says(scale: float) -> None:
    assert LAYOUT.markers is not None
    found = dict(detect(render_page(LAYOUT, DPI_300 * scale)))
    half = LAYOUT.markers.size_mm / 2
    square = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    assert sorted(found) == sorted(marker.id for marker in LAYOUT.markers.places)
    for marker in LAYOUT.markers.places:
        measured = found[marker.id] / (DPI_300 * scale)
        np.testing.assert_allclose(measured, square + marker.center_mm, atol=0.15)


@pytest.mark.parametrize("scale", [0.92, 1.0, 1.04])
def test_both_maps_of_a_printed_a4_page_show_all_their_markers(scale: float) -> None:
    pdf = sheet_pdf(LAYOUT, impose(LAYOUT, "a4"), [NO_TICKET] * 2)
    with pypdfium2.PdfDocument(pdf) as document:
        paper = document[0].render(scale=scale * 150 / 72).to_numpy()
    ids = sorted(number for number, _ in detect(np.ascontiguousarray(paper)))
    assert ids == [0, 0, 1, 1, 2, 2, 3, 3]


def test_markers_tell_which_way_is_up() -> None:
    upside_down = np.ascontiguousarray(render_page(LAYOUT, 6.0)[::-1, ::-1])
    for _, corners in detect(upside_down):
        top_left, bottom_right = corners[0], corners[2]
        assert (top_left > bottom_right).all()
