"""Plain, decorated, saving: different appearances of the same sheet."""

from __future__ import annotations

import numpy as np
import pypdfium2
import pytest
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

from kdscan.paper.book import load_book
from kdscan.paper.layout import load_layout
from kdscan.paper.printing import Side, impose, render_page, sheet_pdf
from kdscan.paper.style import STYLES, PrintStyle, Style
from kdscan.rules.duel.board import CASTLE
from tests.paper.measure import Measured

LAYOUT = load_layout("kdscan-a5")
PX = 8.0


def page(style: Style) -> Measured:
    return Measured.of(render_page(LAYOUT, PX, PrintStyle(style=style)), PX)


@pytest.mark.parametrize("side", [LAYOUT, load_book("kdscan-a5-spellbook")])
@pytest.mark.parametrize("style", STYLES)
def test_every_style_is_vector_and_the_same_each_time(style: Style, side: Side) -> None:
    pdf = sheet_pdf(side, impose(side), look=PrintStyle(style=style))
    assert pdf == sheet_pdf(side, impose(side), look=PrintStyle(style=style))
    with pypdfium2.PdfDocument(pdf) as document:
        kinds = [part.type for part in document[0].get_objects()]
    assert FPDF_PAGEOBJ_IMAGE not in kinds


@pytest.mark.parametrize("style", STYLES)
def test_every_style_prints_the_grid_where_the_layout_says(style: Style) -> None:
    measured = page(style)
    (x, y), (w, h) = LAYOUT.grid_mm, LAYOUT.cell_mm
    ground = np.median(measured.dark[round(PX * (y + 1)) : round(PX * (y + h - 1))])
    darker = Measured(np.clip(measured.dark - ground - 0.04, 0, 1), PX)
    for col in range(1, 7):
        line = np.argmax(darker.window(x + col * w - 1, y + 2, x + col * w + 1, y + 4)[0].sum(0))
        assert line / PX - 1 == pytest.approx(0, abs=0.2)


def test_the_saving_style_spares_ink() -> None:
    plain, saving = page("plain"), page("saving")
    assert LAYOUT.markers is not None
    for measured in (plain, saving):  # the markers are as black in both
        for marker in LAYOUT.markers.places:
            x, y = marker.center_mm
            measured.window(x - 5, y - 5, x + 5, y + 5)[0][:] = 0
    assert saving.dark.sum() < 0.55 * plain.dark.sum()


def test_roofs_stay_blank_in_every_style() -> None:
    x, y = LAYOUT.center_mm(*CASTLE)
    for style in STYLES:
        measured = page(style)
        for roof in LAYOUT.castle.roofs:
            cx, cy = np.array(roof).mean(axis=0)
            assert measured.at(x + float(cx), y + float(cy)) < 0.04
