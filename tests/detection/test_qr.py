"""Codes of printed sheets are read from photos; nothing else is mistaken for one."""

from __future__ import annotations

from functools import cache, lru_cache

import cv2
import numpy as np
import pypdfium2
import pytest
from numpy.typing import NDArray

from kdscan.detection.qr import read_card_codes, read_code
from kdscan.imaging.picture import Photo, RectifiedSheet
from kdscan.paper.book import load_book
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import Card, impose, render_page, sheet_pdf
from kdscan.paper.style import PrintStyle, Style, Ticket
from kdscan.sheets.kingdom.read import assign_card_codes
from kdscan.sheets.spellbook.read import find_books, read_book_code
from lab.synth.photo.camera import Level
from lab.synth.scene import Page, SynthPhoto, make_photo
from tests.readings import make_kingdom

LAYOUT = load_layout("kdscan-a5")
CORNERS = np.s_[[0, 0, -1, -1], [0, -1, -1, 0]]
LONG = "KINGDOM-2026/3/123/PL-117"


@lru_cache(maxsize=4)
def page(code: str, style: Style = "plain") -> Page:
    px_per_mm = 9.0
    return (
        LAYOUT,
        render_page(LAYOUT, px_per_mm, PrintStyle(style=style), Ticket(code=code)),
        px_per_mm,
    )


@cache
def photo(seed: int, level: Level, code: str, style: Style = "plain") -> SynthPhoto:
    return make_photo(seed, level, page=page(code, style), size_wh=(1600, 1200), messiness=0.2)


def placed(centers_xy: NDArray[np.float64], outline_xy: NDArray[np.float64]) -> RectifiedSheet:
    return RectifiedSheet(np.zeros((336, 464, 3), np.uint8), centers_xy, outline_xy, 100, 1.0)


def read(synth: SynthPhoto, layout: str = "kdscan-a5") -> str | None:
    return read_code(Photo(synth.bgr), placed(synth.centers_xy, synth.nodes_xy[CORNERS]), layout)


@pytest.mark.parametrize(
    ("code", "seed", "level"),
    [
        ("W/1/2/A", 6, "flat"),
        ("W/1/2/A", 2, "normal"),
        (LONG, 3, "easy"),
        (LONG, 36, "normal"),  # the lens blurred these
        (LONG, 42, "normal"),
        (LONG, 9, "easy"),
    ],
)
def test_codes_are_read_from_photos(code: str, seed: int, level: Level) -> None:
    assert read(photo(seed, level, code)) == code


def test_a_sheet_without_a_code_has_no_id() -> None:
    assert read(photo(3, "easy", "")) is None


def test_other_codes_are_no_ids() -> None:
    assert read(photo(3, "easy", "HELLO WORLD")) is None
    assert read(photo(3, "easy", LONG), "another-design") is None


def test_a_code_is_found_without_the_markers() -> None:
    assert read(photo(3, "easy", LONG), "unknown") == LONG


def flat(code: str) -> tuple[NDArray[np.uint8], RectifiedSheet]:
    """The page itself as a photo."""
    layout, picture, px_per_mm = page(code)
    cols, rows = np.meshgrid(np.arange(7), np.arange(5))
    xy = np.stack([cols + 0.5, rows + 0.5], -1) * layout.cell_mm + layout.grid_mm
    corners = np.array([(0, 0), (7, 0), (7, 5), (0, 5)]) * layout.cell_mm + layout.grid_mm
    return picture.copy(), placed(xy * px_per_mm - 0.5, corners * px_per_mm - 0.5)


BOOK = load_book("kdscan-a5-spellbook")


@pytest.mark.parametrize("style", ["plain", "decorated"])
def test_the_code_of_a_spellbook_is_read(style: Style) -> None:
    sheet = render_page(BOOK, 8.0, PrintStyle(style=style), Ticket("Ada", "Bob", "CUP/2/4/", "Cup"))
    h, w = sheet.shape[:2]
    turn = cv2.getPerspectiveTransform(
        np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float32),
        np.array([(210, 130), (1490, 90), (1560, 1040), (150, 980)], np.float32),
    )
    table = (90, 110, 120)
    bgr = np.asarray(cv2.warpPerspective(sheet, turn, (1700, 1150), borderValue=table), np.uint8)
    photo = Photo(bgr)
    (place,) = find_books(photo)
    assert read_book_code(photo, place) == "CUP/2/4/"


def card(code: str, width: int) -> NDArray[np.uint8]:
    pdf = sheet_pdf(Card(), impose(Card()), [Ticket("Zażółć", code=code, caption="Cup · round 1")])
    (page,) = pypdfium2.PdfDocument(pdf)
    return np.asarray(page.render(scale=width / page.get_width()).to_numpy()[:, :, :3], np.uint8)


def test_cards_name_the_kingdoms_that_they_lie_beside() -> None:
    bgr = np.full((900, 1600, 3), (60, 90, 110), np.uint8)
    for x, code in ((30, "CUP/1/2/A"), (900, "CUP/1/2/B"), (1250, "HELLO WORLD")):
        one = card(code, 300)
        bgr[20 : 20 + one.shape[0], x : x + one.shape[1]] = one
    photo = Photo(bgr)
    assert {text for text, _ in read_card_codes(photo, 108)} == {"CUP/1/2/A", "CUP/1/2/B"}
    right, left = make_kingdom(origin_xy=(1000, 300)), make_kingdom(origin_xy=(100, 300))
    assert [one.sheet_id for one in assign_card_codes([right, left], photo)] == [
        "CUP/1/2/B",
        "CUP/1/2/A",
    ]
    of_one = assign_card_codes([right, left], Photo(bgr[:, :800]))
    assert [one.sheet_id for one in of_one] == [None, "CUP/1/2/A"]
    alone = assign_card_codes([make_kingdom(origin_xy=(100, 300))], photo)
    assert [one.sheet_id for one in alone] == ["CUP/1/2/A"]


@pytest.mark.parametrize("angle", [0, 35, 200])
def test_cards_are_read_turned_and_in_noise(angle: int) -> None:
    """Noise must cost no time either: detectors that try all pairs of its specks take minutes."""
    one = card(LONG, 330)
    turn = cv2.getRotationMatrix2D((165, 115), angle, 1.0)
    turn[:, 2] += (500, 400)
    desk = np.full((1200, 1600, 3), (70, 90, 110), np.uint8)
    cv2.warpAffine(one, turn, desk.shape[1::-1], desk, borderMode=cv2.BORDER_TRANSPARENT)
    noise = np.random.default_rng(angle).normal(0, 7, desk.shape)
    bgr = np.clip(cv2.GaussianBlur(desk, (0, 0), 0.9) + noise, 0, 255).astype(np.uint8)
    ((text, corners),) = read_card_codes(Photo(bgr), 119.0)
    assert text == LONG
    middle = turn @ (165, 27.5 / 105 * 330, 1)
    np.testing.assert_allclose(corners.mean(0), middle, atol=3)
