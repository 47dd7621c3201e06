from __future__ import annotations

import cv2
import numpy as np

from kdscan.detection.find import by_markers
from kdscan.detection.markers import detect_markers, detect_pages
from kdscan.imaging.picture import Photo
from kdscan.paper.book import load_book
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import render_page

BOOK, MAP = load_book("kdscan-a5-spellbook"), load_layout("kdscan-a5")
PX = 4.0


def on_desk(*pages: tuple[np.ndarray, float, float]) -> Photo:
    """Pages laid flat on a grey desk, each with its top left corner at x, y pixels."""
    desk = np.full((1400, 1900, 3), 120, np.uint8)
    for page, x, y in pages:
        h, w = page.shape[:2]
        desk[int(y) : int(y) + h, int(x) : int(x) + w] = page
    return Photo(desk)


def test_markers_are_seen_once_with_their_corners() -> None:
    photo = on_desk((render_page(BOOK, PX), 40, 30))
    assert sorted(m.id for m in detect_markers(photo)) == [4, 5, 6, 7]
    ((mm, xy),) = detect_pages(photo, BOOK.markers, BOOK.page_mm)
    assert np.abs(mm * PX - 0.5 + (40, 30) - xy).max() < 1


def test_two_pages_of_one_layout_are_told_apart() -> None:
    page = render_page(BOOK, PX)
    photo = on_desk((page, 20, 20), (page[::-1, ::-1], 1000, 700))
    pages = detect_pages(photo, BOOK.markers, BOOK.page_mm)
    assert [len(mm) for mm, _ in pages] == [16, 16]
    assert sorted(float(xy[:, 0].mean()) < 900 for _, xy in pages) == [False, True]


def test_our_maps_are_outlined_by_their_markers_even_upside_down() -> None:
    page = render_page(MAP, PX)
    photo = on_desk((np.ascontiguousarray(page[::-1, ::-1]), 100, 60))
    (outline,) = by_markers(photo)
    h, w = page.shape[:2]
    first = np.array([100 + w, 60 + h]) - np.array(MAP.grid_mm) * PX
    assert np.abs(outline.corners_xy[0] - first).max() < 1.5
    assert cv2.isContourConvex(outline.corners_xy.astype(np.float32))
