"""Backs of sheets, pictures without greys and blurred ones are told from good photos of maps."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan import MapCorrections, correct, load_photos, read_photo
from kdscan.imaging.picture import FLAT_MARGIN, FLAT_PX, Photo, RectifiedSheet, flatten
from kdscan.imaging.quality import is_bilevel, is_blank, shows_through
from lab.synth.scene import draw_page, own_page
from lab.tests.scanner import Scan, Settings, scan


@cache
def page(dpi: int = 100, **settings: object) -> Scan:
    rng = np.random.default_rng(1)
    return scan(rng, [draw_page(rng, page=own_page(dpi))], Settings(dpi=dpi, **settings))  # type: ignore[arg-type]


def empty(**settings: object) -> NDArray[np.uint8]:
    return scan(np.random.default_rng(3), [], Settings(dpi=100, **settings)).bgr  # type: ignore[arg-type]


def rectified(bgr: NDArray[np.uint8], centers_xy: NDArray[np.float64]) -> RectifiedSheet:
    flat = flatten(Photo(bgr), centers_xy, FLAT_PX, FLAT_MARGIN)
    return RectifiedSheet(flat, centers_xy, np.zeros((4, 2)), 64.0, 1.0)


@pytest.mark.parametrize("lid", [255, 30])
@pytest.mark.parametrize("color", ["color", "grey"])
def test_a_blank_page_is_blank(lid: int, color: str) -> None:
    assert is_blank(Photo(empty(color=color, lid=lid, skew_deg=1)))


@pytest.mark.parametrize("strength", [0.03, 0.12])
def test_a_back_with_its_front_showing_through_is_blank_and_no_map(strength: float) -> None:
    through = 255 - page().bgr[:, ::-1].astype(float)
    bgr = np.clip(empty().astype(float) - strength * through, 0, 255).astype(np.uint8)
    assert is_blank(Photo(bgr))
    mirrored = page().centers_xy[0][:, ::-1] * (-1, 1) + (bgr.shape[1] - 1, 0)
    assert shows_through(rectified(bgr, mirrored))


def test_a_map_is_neither_blank_nor_shows_through() -> None:
    assert not is_blank(Photo(page().bgr))
    assert not shows_through(rectified(page().bgr, page().centers_xy[0]))


def test_punched_holes_and_specks_leave_a_page_blank_a_line_of_text_does_not() -> None:
    bgr = empty().copy()
    for y in (500, 700):
        cv2.circle(bgr, (40, y), 12, (40, 40, 40), -1)
    for x, y in np.random.default_rng(5).integers(100, 700, (15, 2)):
        cv2.circle(bgr, (int(x), int(y)), 1, (90, 90, 90), -1)
    assert is_blank(Photo(bgr))
    cv2.putText(bgr, "see the other side for the map", (120, 400), 0, 1.0, (60, 60, 60), 2)
    assert not is_blank(Photo(bgr))
    assert not is_blank(Photo(np.full((300, 200, 3), 90, np.uint8)))


@pytest.mark.parametrize(("color", "bilevel"), [("bilevel", True), ("grey", False)])
def test_a_scan_in_text_mode_asks_for_a_look(color: str, bilevel: bool) -> None:
    photo = Photo(page(150, color=color).bgr)
    (sheet,) = read_photo(photo)
    assert is_bilevel(photo, sheet.outline_xy) is bilevel
    assert ("bilevel" in {problem.code for problem in sheet.problems}) is bilevel
    assert sheet.review or not bilevel


@pytest.mark.parametrize("dpi", [150, 400])
def test_an_apps_black_and_white_is_told_small_or_large(dpi: int, tmp_path: Path) -> None:
    sheet = page(dpi, color="color")
    even = sheet.bgr[: sheet.bgr.shape[0] & -2, : sheet.bgr.shape[1] & -2]  # others have no half
    grey = cv2.cvtColor(even, cv2.COLOR_BGR2GRAY)
    how = (cv2.ADAPTIVE_THRESH_GAUSSIAN_C, cv2.THRESH_BINARY, 41, 12)
    cv2.imwrite(str(tmp_path / "a.jpg"), cv2.adaptiveThreshold(grey, 255, *how), [1, 60])
    (photo,) = load_photos(tmp_path / "a.jpg")
    assert (photo.half is not None) is (dpi == 400)
    assert is_bilevel(photo, sheet.centers_xy[0][[0, 0, -1, -1], [0, -1, -1, 0]])


def test_a_blurred_photo_is_told_while_it_asks() -> None:
    (photo,) = load_photos(Path("samples/01.jpg"))
    (sharp,) = read_photo(photo)
    (sheet,) = read_photo(Photo(np.asarray(cv2.GaussianBlur(photo.bgr, (0, 0), 6), np.uint8)))
    confirmed = correct(sheet, MapCorrections(confirmed=True))
    blurred = ["blurred" in {p.code for p in s.problems} for s in (sharp, sheet, confirmed)]
    assert sheet.review and blurred == [False, True, False]
