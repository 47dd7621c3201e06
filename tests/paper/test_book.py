from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from msgspec.structs import replace
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

from kdscan.errors import LayoutError
from kdscan.paper.book import BookLayout, books, load_book, marked_places
from kdscan.paper.layout import Layout, layouts, load_layout
from kdscan.paper.printing import impose, render_page, sheet_pdf
from kdscan.paper.style import LANGUAGES, NO_TICKET, dictionary
from kdscan.rules.duel.board import SQUARES, Coat
from tests.paper.measure import DPI_300, Measured

BOOK = load_book("kdscan-a5-spellbook")

OURS = pytest.mark.parametrize("name", ["kdscan-a5", "kdscan-half-letter"])


def test_a_book_for_each_paper_is_built_in() -> None:
    assert books() == ("kdscan-a5-spellbook", "kdscan-half-letter-spellbook")


def test_built_in_books_are_as_strictly_checked_as_others() -> None:
    for path in Path("kdscan/paper/spellbooks").glob("*.toml"):
        assert load_book(path) == load_book(path.stem)


@OURS
def test_our_book_has_the_squares_of_the_game(name: str) -> None:
    book = load_book(f"{name}-spellbook")
    for side in book.players:
        assert {line.coat: len(line.squares) for line in side.lines} == SQUARES
    assert {spell.coat for spell in book.spells if spell.at_once} == {Coat.FILLED, Coat.CHECKED}


def test_every_page_of_ours_has_markers_of_its_own() -> None:
    pages: list[Layout | BookLayout] = [*map(load_layout, layouts()), *map(load_book, books())]
    ids = [place.id for page in pages if page.markers for place in page.markers.places]
    assert len(ids) == 4 * len(pages) == len(set(ids))


@OURS
def test_our_book_speaks_every_language(name: str) -> None:
    for text in load_book(f"{name}-spellbook").texts():
        assert set(dictionary()[text]) == set(LANGUAGES) - {"en"}, text


@OURS
def test_what_players_mark_is_printed_where_the_layout_says_and_left_white(name: str) -> None:
    book = load_book(f"{name}-spellbook")
    page = Measured.of(render_page(book, DPI_300), DPI_300)
    for key, (x, y), reach in marked_places(book):
        assert page.at(x, y) == 0, key
        left = page.upright_line(x - reach, y - 0.5, y + 0.5)
        right = page.upright_line(x + reach, y - 0.5, y + 0.5)
        assert (left, right) == pytest.approx((x - reach, x + reach), abs=0.15), key
    for spell in book.spells:
        x, y, w, h = spell.box_mm
        lightning = page.at(x + w - 2.4, y + h / 2) > 0.3
        assert lightning == spell.at_once, spell.coat


def test_the_pdf_is_vector_and_the_back_follows_its_front() -> None:
    front = load_layout("kdscan-a5")
    pdf = sheet_pdf(front, impose(front, "a4"), [NO_TICKET] * 3, back=BOOK)
    with pypdfium2.PdfDocument(pdf) as document:
        texts = [page.get_textpage().get_text_range() for page in document]
        kinds = {part.type for page in document for part in page.get_objects()}
    assert ["SPELLBOOK" in text for text in texts] == [False, True, False, True]
    assert FPDF_PAGEOBJ_IMAGE not in kinds


def test_the_back_of_a_half_filled_page_lies_behind_its_copy() -> None:
    """On paper turned over its long edge, the only copy keeps its row."""
    front = load_layout("kdscan-a5")
    with pypdfium2.PdfDocument(sheet_pdf(front, impose(front, "a4"), back=BOOK)) as document:
        inks = [(page.render(scale=0.5).to_numpy()[..., 0] < 128).sum(axis=1) for page in document]
    half = len(inks[0]) // 2
    for ink in inks:
        assert ink[:half].sum() > 0
        assert ink[half + 8 :].sum() == 0


def test_a_back_of_another_size_is_refused() -> None:
    small, front = replace(BOOK, page_mm=(200.0, 148.0)), load_layout("kdscan-a5")
    with pytest.raises(LayoutError, match="both sides must be the same size"):
        sheet_pdf(front, impose(front), back=small)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("square_mm = 9", "square_mm = 12", r"squares\[0\]` and .* overlap"),
        ("square_mm = 9", "square_mm = 0", r"at `\$.square_mm`"),
        ('coat = "line", used', 'coat = "dot", used', "each of the six coats once"),
        ("used = [79, 31.5]", "used = [2, 31.5]", "dot.used` reaches beyond the page"),
        (
            "id = 4, center_mm = [11, 12]",
            "id = 4, center_mm = [25, 31]",
            r"and `markers.places\[0\]` overlap",
        ),
        ("id = 4,", "id = 5,", "a unique id"),
        ("square_mm =", "unit = 1\nsquare_mm =", "unknown field"),
    ],
)
def test_a_broken_book_says_where(old: str, new: str, message: str, tmp_path: Path) -> None:
    source = Path("kdscan/paper/spellbooks/kdscan-a5-spellbook.toml").read_text("utf-8")
    assert old in source
    path = tmp_path / "club.toml"
    path.write_text(source.replace(old, new, 1), "utf-8")
    with pytest.raises(LayoutError, match=message):
        load_book(path)
