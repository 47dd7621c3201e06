"""Spellbooks are found and read: on a flat page, in a photo, and with doubts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kdscan.imaging.picture import Photo
from kdscan.inference.store import default_models
from kdscan.paper.book import load_book, marked_places
from kdscan.paper.printing import render_page
from kdscan.rules.duel.board import Coat
from kdscan.sheets.spellbook.read import PlacedBook, find_books, flatten_book, read_book
from lab.synth.hands.book import draw_spellbook, played_book
from lab.synth.photo.camera import photograph

BOOK = load_book("kdscan-a5-spellbook")
PX = 6.25
PLACES = list(marked_places(BOOK))
AT_MM = np.array([center for _, center, _ in PLACES])


def laid(page: np.ndarray, turn: int = 0) -> Photo:
    """A page with a desk around it, turned by quarters."""
    framed = np.pad(page, ((80, 80), (90, 90), (0, 0)), constant_values=90)
    return Photo(np.ascontiguousarray(np.rot90(framed, turn)))


@cache
def empty() -> tuple[Photo, PlacedBook]:
    """A page that nobody has drawn on, and where it is found."""
    photo = laid(render_page(BOOK, PX))
    (placed,) = find_books(photo)
    return photo, placed


@pytest.mark.parametrize("turn", range(4))
def test_a_flat_page_is_found_to_a_fraction_of_a_millimetre(turn: int) -> None:
    photo = laid(render_page(BOOK, PX), turn)
    (book,) = find_books(photo) if turn else empty()[1:]
    x, y = (AT_MM * PX - 0.5 + (90, 80)).T
    w, h = (photo.width, photo.height) if turn % 2 == 0 else (photo.height, photo.width)
    true = ((x, y), (y, w - 1 - x), (w - 1 - x, h - 1 - y), (h - 1 - y, x))[turn]
    assert np.abs(book.to_photo(AT_MM) - np.stack(true, 1)).max() < 0.2 * PX
    assert book.outline_xy.shape == (4, 2)


def test_curl_is_followed() -> None:
    rng = np.random.default_rng(3)
    page = render_page(BOOK, PX)
    shot = photograph(
        page, BOOK.page_mm, rng, level="normal", size_wh=(2016, 1512), grid_mm=(4, 5, 202, 138)
    )
    (book,) = find_books(Photo(shot.bgr))
    px = np.hypot(*(shot.page_to_photo(np.array([[110.0, 70], [100, 70]])) @ [[1, 0], [0, 1]]).T)
    scale = abs(float(np.diff(px)[0])) / 10 or 1.0
    miss = np.hypot(*(book.to_photo(AT_MM) - shot.page_to_photo(AT_MM)).T)
    assert np.median(miss) < 1.5 * max(scale, 1)
    flat = flatten_book(Photo(shot.bgr), book, 4.0)
    assert flat.shape == (592, 840, 3)


def test_there_is_no_book_where_there_is_none() -> None:
    assert find_books(Photo(np.full((400, 600, 3), 200, np.uint8))) == ()


@pytest.mark.parametrize("seed", [3, 4])
def test_a_played_book_is_read(seed: int) -> None:
    rng = np.random.default_rng(seed)
    played = played_book(rng)
    page, truth = draw_spellbook(
        render_page(BOOK, PX), BOOK, played, rng, px_per_mm=PX, messiness=0.1
    )
    photo = laid(page)
    (placed,) = find_books(photo)
    models = default_models()
    reading = read_book(photo, placed, models, risk=0.02)
    wrong = [m for m in reading.marks if m.marked != truth[str(m.place)]]
    assert not [m.place for m in wrong if not m.review]
    assert len(wrong) <= 1
    if not wrong:
        assert reading.book.lines == played.lines
    assert len(reading.marks) == len(PLACES) + 12
    assert 0 < reading.confidence <= 1


def test_an_empty_book_is_empty_and_sure() -> None:
    photo, placed = empty()
    models = default_models()
    reading = read_book(photo, placed, models, risk=0.02)
    assert not any(mark.marked for mark in reading.marks)
    assert not reading.review
    assert reading.chosen == (None, None)
    assert {line.filled for side in reading.book.lines for line in side.values()} == {0}


def test_a_page_looked_for_in_the_wrong_place_asks_for_a_look() -> None:
    photo, placed = empty()
    astray = PlacedBook(BOOK, placed.nodes_xy + (4.0 * PX, 3.0 * PX), placed.fit)
    models = default_models()
    reading = read_book(photo, astray, models, risk=0.02)
    assert reading.review
    assert reading.confidence < 0.5


def test_several_chosen_coats_are_none() -> None:
    rng = np.random.default_rng(0)
    page = render_page(BOOK, PX)
    for choice in BOOK.players[0].choices[:2]:
        x, y = (round(v * PX) for v in choice.center_mm)
        page[y - 14 : y + 14, x - 14 : x + 14] = rng.integers(0, 60, (28, 28, 1))
    photo = laid(page)
    (placed,) = find_books(photo)
    models = default_models()
    reading = read_book(photo, placed, models, risk=0.02)
    assert reading.chosen == (None, None)
    assert sum(mark.marked for mark in reading.marks) == 2
    assert reading.book.owner(Coat.FILLED) is None
