"""Black and white without greys is distinguished from every other picture, and asks for a look."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from kdscan.imaging.bilevel import is_bilevel
from kdscan.imaging.photo import load_photos
from kdscan.imaging.picture import Photo
from kdscan.reader import read_photo
from kdscan.sheets.duel_map.model import MapReading
from lab.benchmarks.scanner import Scan, Settings, scan
from lab.synth.own import own_page
from lab.synth.scene import draw_page


@cache
def scanned(color: str, dpi: int = 150) -> Scan:
    rng = np.random.default_rng(1)
    settings = Settings(dpi=dpi, color=color)  # type: ignore[arg-type]
    return scan(rng, [draw_page(rng, page=own_page(dpi))], settings)


def outline(one: Scan) -> NDArray[np.float64]:
    return one.centers_xy[0][[0, 0, -1, -1], [0, -1, -1, 0]]


def app(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """As the apps that scan with a phone's camera make a photo black and white."""
    grey = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    how = (cv2.ADAPTIVE_THRESH_GAUSSIAN_C, cv2.THRESH_BINARY, 41, 12)
    bilevel = cv2.cvtColor(cv2.adaptiveThreshold(grey, 255, *how), cv2.COLOR_GRAY2BGR)
    return np.asarray(bilevel, np.uint8)


@pytest.mark.parametrize(("color", "bilevel"), [("bilevel", True), ("grey", False)])
def test_a_scan_in_text_mode_is_told(color: str, bilevel: bool) -> None:
    one = scanned(color)
    assert is_bilevel(Photo(one.bgr), outline(one)) is bilevel


@pytest.mark.parametrize("dpi", [150, 400])
@pytest.mark.parametrize("quality", [60, 90])
def test_an_apps_black_and_white_is_told_small_or_large(
    dpi: int, quality: int, tmp_path: Path
) -> None:
    one = scanned("color", dpi)
    even = one.bgr[: one.bgr.shape[0] & -2, : one.bgr.shape[1] & -2]  # others have no half
    cv2.imwrite(str(tmp_path / "a.jpg"), app(even), [cv2.IMWRITE_JPEG_QUALITY, quality])
    (photo,) = load_photos(tmp_path / "a.jpg")
    assert (photo.half is not None) is (dpi == 400)
    assert is_bilevel(photo, outline(one))


@pytest.mark.parametrize(("at", "bilevel"), [(0, False), (400, True)])
def test_of_a_large_photo_the_map_alone_is_judged(at: int, bilevel: bool) -> None:
    """Only its lower right quarter has no greys; its half has, at edges."""
    whole = np.full((800, 800, 3), 128, np.uint8)
    whole[401:, 401:] = np.where(np.indices((399, 399)).sum(0) // 16 % 2, 0, 255)[..., None]
    half = cv2.resize(whole, (400, 400), interpolation=cv2.INTER_AREA)
    corners = at + 10 + 380.0 * np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    assert is_bilevel(Photo.halved(np.asarray(half, np.uint8), lambda: whole), corners) is bilevel


def test_a_pdf_of_such_a_scan_is_told(tmp_path: Path) -> None:
    one = scanned("bilevel")
    picture = Image.fromarray(one.bgr).convert("1", dither=Image.Dither.NONE)
    picture.save(tmp_path / "a.pdf", resolution=150)
    (photo,) = load_photos(tmp_path / "a.pdf")
    assert (photo.width, photo.height) == picture.size
    assert is_bilevel(photo, outline(one))


def test_such_a_picture_is_read_but_asks_for_a_look() -> None:
    (sheet,) = read_photo(Photo(scanned("bilevel").bgr))
    assert isinstance(sheet, MapReading)
    assert sheet.review and "bilevel" in {one.code for one in sheet.problems}
    (grey,) = read_photo(Photo(scanned("grey").bgr))
    assert "bilevel" not in {one.code for one in grey.problems}
