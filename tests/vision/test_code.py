"""Codes of printed sheets are read from photos; nothing else is taken for one."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.records import Photo, RectifiedSheet
from kdscan.sheet.layout import load_layout
from kdscan.sheet.look import Look, Style, Ticket
from kdscan.sheet.raster import render_page
from kdscan.synth.scene import Level, Page, SynthPhoto, make_photo
from kdscan.vision.code import read_code

LAYOUT = load_layout("kdscan-a5")
CORNERS = np.s_[[0, 0, -1, -1], [0, -1, -1, 0]]
LONG = "KINGDOM-2026/3/123/PL-117"


@lru_cache(maxsize=4)
def page(code: str, style: Style = "plain") -> Page:
    px_per_mm = 9.0
    return LAYOUT, render_page(LAYOUT, px_per_mm, Look(style=style), Ticket(code=code)), px_per_mm


def photo(seed: int, level: Level, of: Page) -> SynthPhoto:
    return make_photo(seed, level, page=of, size_wh=(1600, 1200), mess=0.2)


def placed(centers_xy: NDArray[np.float64], outline_xy: NDArray[np.float64]) -> RectifiedSheet:
    return RectifiedSheet(np.zeros((336, 464, 3), np.uint8), centers_xy, outline_xy, 100, 1.0)


def read(synth: SynthPhoto, layout: str = "kdscan-a5") -> str | None:
    return read_code(Photo(synth.bgr), placed(synth.centers_xy, synth.nodes_xy[CORNERS]), layout)


@pytest.mark.parametrize("code", ["W/1/2/A", LONG])
@pytest.mark.parametrize(("seed", "level"), [(4, "flat"), (2, "easy"), (5, "normal")])
def test_codes_are_read_from_photos(code: str, seed: int, level: Level) -> None:
    assert read(photo(seed, level, page(code))) == code


def test_a_sheet_without_a_code_has_no_id() -> None:
    assert read(photo(2, "easy", page(""))) is None


def test_other_codes_are_no_ids() -> None:
    assert read(photo(2, "easy", page("HELLO WORLD"))) is None


def test_a_code_is_found_without_the_markers() -> None:
    assert read(photo(2, "easy", page(LONG)), "unknown") == LONG


def test_sheets_of_other_designs_are_not_looked_at() -> None:
    assert read(photo(2, "easy", page(LONG)), "another-design") is None


@pytest.mark.parametrize("style", ["decorated", "saving"])
def test_codes_are_read_in_every_style(style: Style) -> None:
    assert read(photo(2, "easy", page(LONG, style))) == LONG


def flat(code: str) -> tuple[NDArray[np.uint8], RectifiedSheet]:
    """The page itself as a photo."""
    layout, picture, px_per_mm = page(code)
    cols, rows = np.meshgrid(np.arange(7), np.arange(5))
    xy = np.stack([cols + 0.5, rows + 0.5], -1) * layout.cell_mm + layout.grid_mm
    corners = np.array([(0, 0), (7, 0), (7, 5), (0, 5)]) * layout.cell_mm + layout.grid_mm
    return picture.copy(), placed(xy * px_per_mm - 0.5, corners * px_per_mm - 0.5)


@pytest.mark.parametrize("ink", [20, 90])
def test_a_pen_stroke_across_the_code_does_no_harm(ink: int) -> None:
    picture, sheet = flat("W/1/2/A")
    cv2.line(picture, (1600, 120), (1720, 75), (ink, ink, ink), 4, cv2.LINE_AA)
    assert read_code(Photo(picture), sheet, "kdscan-a5") == "W/1/2/A"


def test_a_code_that_was_cut_off_says_nothing() -> None:
    picture, sheet = flat("W/1/2/A")
    picture[:110] = 255
    assert read_code(Photo(picture), sheet, "kdscan-a5") is None
