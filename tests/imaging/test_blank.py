"""Backs of sheets: blank or showing through, never read as a map; and no map is taken for a
back."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from kdscan.imaging.blank import FAINT, darkness, is_blank, shows_through
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import FLAT_MARGIN, FLAT_PX, RectifiedSheet, flatten
from lab.benchmarks.scanner import Scan, Settings, scan
from lab.synth.own import own_page
from lab.synth.scene import draw_page


def front(seed: int = 1) -> Scan:
    rng = np.random.default_rng(seed)
    return scan(rng, [draw_page(rng, page=own_page(100))], Settings(dpi=100))


def back(strength: float) -> np.ndarray:
    """The same page from behind: mirrored, and as pale as the paper makes it."""
    rng = np.random.default_rng(2)
    paper = scan(rng, [], Settings(dpi=100)).bgr.astype(float)
    through = 255 - front().bgr[:, ::-1].astype(float)
    return np.clip(paper - strength * through, 0, 255).astype(np.uint8)


def rectified(bgr: np.ndarray, centers_xy: np.ndarray) -> RectifiedSheet:
    flat = flatten(Photo(bgr), centers_xy, FLAT_PX, FLAT_MARGIN)
    return RectifiedSheet(flat, centers_xy, np.zeros((4, 2)), 64.0, 1.0)


@pytest.mark.parametrize("lid", [255, 30])
@pytest.mark.parametrize("color", ["color", "grey"])
def test_a_blank_page_is_blank(lid: int, color: str) -> None:
    settings = Settings(dpi=100, color=color, lid=lid, skew_deg=1)  # type: ignore[arg-type]
    assert is_blank(Photo(scan(np.random.default_rng(3), [], settings).bgr))


@pytest.mark.parametrize("strength", [0.03, 0.08, 0.12])
def test_a_back_with_its_front_showing_through_is_blank_and_no_map(strength: float) -> None:
    bgr = back(strength)
    assert is_blank(Photo(bgr))
    mirrored = front().centers_xy[0][:, ::-1] * (-1, 1) + (bgr.shape[1] - 1, 0)
    assert shows_through(rectified(bgr, mirrored))


def test_a_map_is_neither() -> None:
    page = front()
    assert not is_blank(Photo(page.bgr))
    assert not shows_through(rectified(page.bgr, page.centers_xy[0]))


def test_punched_holes_and_specks_leave_a_page_blank_a_line_of_text_does_not() -> None:
    bgr = scan(np.random.default_rng(4), [], Settings(dpi=100)).bgr.copy()
    for y in (500, 700):
        cv2.circle(bgr, (40, y), 12, (40, 40, 40), -1)
    for x, y in np.random.default_rng(5).integers(100, 700, (15, 2)):
        cv2.circle(bgr, (int(x), int(y)), 1, (90, 90, 90), -1)
    assert is_blank(Photo(bgr))
    cv2.putText(bgr, "see the other side for the map", (120, 400), 0, 1.0, (60, 60, 60), 2)
    assert not is_blank(Photo(bgr))


def test_a_dark_picture_is_no_blank_page() -> None:
    assert not is_blank(Photo(np.full((300, 200, 3), 90, np.uint8)))


def test_what_leaves_bare_paper_in_every_window_is_dark_throughout() -> None:
    page = np.full((300, 400, 3), 240, np.uint8)
    page[100:200, 150:250] = 30
    dark = darkness(page, 160)
    assert dark[105:195, 155:245].min() > 0.8
    assert dark[:80].max() < 0.01


def test_darkness_does_not_see_uneven_light() -> None:
    light = np.linspace(120, 250, 400)[None, :, None]
    page = np.broadcast_to(light, (300, 400, 3)).astype(np.uint8).copy()
    page[100:110, 200:203] = 30
    dark = darkness(page, 30)
    assert dark[105, 201] > 0.7
    dark[95:115, 195:208] = 0
    assert dark.max() < FAINT


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (300, 1), (40, 3000), (99, 99)])
def test_a_picture_of_any_size_is_blank_or_not(size: tuple[int, int]) -> None:
    is_blank(Photo(np.full((*size, 3), 240, np.uint8), "tiny"))
