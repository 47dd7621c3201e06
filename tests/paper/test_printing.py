from __future__ import annotations

import numpy as np
import pypdfium2
import pytest
from msgspec.structs import replace
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

from kdscan.errors import LayoutError
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import impose, render_page, sheet_pdf
from kdscan.paper.style import NO_TICKET, Paper
from kdscan.rules.duel.board import CELLS
from tests.paper.measure import DPI_300, Measured

LAYOUT = load_layout("kdscan-a5")


@pytest.fixture(scope="module")
def page() -> Measured:
    return Measured.of(render_page(LAYOUT, DPI_300), DPI_300)


def test_grid_corners_lie_where_the_layout_says(page: Measured) -> None:
    (x0, y0), (w, h) = LAYOUT.grid_mm, LAYOUT.cell_mm
    x1, y1 = x0 + 7 * w, y0 + 5 * h
    for x, inside_x in ((x0, 1), (x1, -1)):
        for y, inside_y in ((y0, 1), (y1, -1)):
            a, b = sorted((x + inside_x * 0.5, x + inside_x * 1.5))
            assert page.level_line(y, a, b) == pytest.approx(y, abs=0.15)
            a, b = sorted((y + inside_y * 0.5, y + inside_y * 1.5))
            assert page.upright_line(x, a, b) == pytest.approx(x, abs=0.15)


def test_pdf_is_vector_at_true_scale() -> None:
    with pypdfium2.PdfDocument(sheet_pdf(LAYOUT, impose(LAYOUT))) as document:
        assert len(document) == 1
        sheet = document[0]
        assert sheet.get_size() == pytest.approx((210 * 72 / 25.4, 148 * 72 / 25.4), abs=0.01)
        kinds = [part.type for part in sheet.get_objects()]
        assert len(kinds) > 300
        assert FPDF_PAGEOBJ_IMAGE not in kinds


@pytest.mark.parametrize(
    ("paper", "size", "copies"),
    [("a4", (210, 297), 2), ("letter", (215.9, 279.4), 1), ("a5", (210, 148), 1)],
)
def test_copies_fill_the_paper_around_its_middle(
    paper: Paper, size: tuple[float, float], copies: int
) -> None:
    plan = impose(LAYOUT, paper)
    assert plan.paper_mm == size
    assert len(plan.places) == copies
    (left, top), (w, h) = plan.places[0], LAYOUT.page_mm
    right, bottom = (plan.places[-1][i] + (w, h)[i] for i in range(2))
    assert left == pytest.approx(size[0] - right)
    assert top == pytest.approx(size[1] - bottom)
    assert min(left, top) >= 0


@pytest.mark.parametrize(("count", "pages"), [(1, 1), (2, 1), (3, 2), (8, 4)])
def test_count_of_maps_makes_pages(count: int, pages: int) -> None:
    pdf = sheet_pdf(LAYOUT, impose(LAYOUT, "a4"), [NO_TICKET] * count)
    with pypdfium2.PdfDocument(pdf) as document:
        assert len(document) == pages


def test_a_page_larger_than_the_paper_is_refused() -> None:
    large = replace(LAYOUT, page_mm=(300.0, 200.0))
    with pytest.raises(LayoutError, match=r"300 × 200 mm does not fit on A4"):
        impose(large, "a4")


def test_two_maps_on_a_letter_page_at_true_scale() -> None:
    half = load_layout("kdscan-half-letter")
    assert half.ruler is not None and half.markers is not None
    plan = impose(half, "letter")
    assert plan.places == ((0.0, 0.0), (0.0, 139.7))
    with pypdfium2.PdfDocument(sheet_pdf(half, plan, [NO_TICKET] * 2)) as document:
        assert document[0].get_size() == pytest.approx((8.5 * 72, 11 * 72), abs=0.01)
        picture = document[0].render(scale=300 / 72).to_numpy()[:, :, :3]
    paper = Measured.of(np.asarray(picture, np.uint8), DPI_300)
    for left, top in plan.places:
        x, y = half.ruler.start_mm[0] + left, half.ruler.start_mm[1] + top
        first, last = (paper.upright_line(at, y - 1.8, y - 1.5) for at in (x, x + 50))
        assert last - first == pytest.approx(50, abs=0.1)
        for row, col in CELLS:
            cx, cy = half.center_mm(row, col)
            for dx, dy in half.circles:
                at = (cx + dx + left, cy + dy + top)
                found = paper.circle(*at, half.circle_radius_mm)
                assert found == pytest.approx((*at, half.circle_radius_mm), abs=0.15), (row, col)
    # What most printers leave white is left white.
    rim = 6.35
    assert paper.window(0, 0, 215.9, rim)[0].max() < 0.1
    assert paper.window(0, 0, rim, 130)[0].max() < 0.1
    assert paper.window(0, 279.4 - rim, 215.9, 279.4)[0].max() < 0.1
