from dataclasses import replace
from pathlib import Path

import numpy as np

from kdscan import load_photos, read_photo
from kdscan.imaging.rectify import Ink, lattice_to_flat
from kdscan.sheets.base import maps_of
from kdscan.sheets.overlay import draw_inks, ink_of
from kdscan.templates.drawing import GRID_BGR, draw_print
from kdscan.templates.known import PRINT_MARGIN, PRINT_PX
from tests.readings import with_evidence
from tests.templates.made import made_print

SAMPLE = Path(__file__).parent.parent.parent / "samples/02.jpg"


def test_a_map_of_unknown_print_shows_its_ink_where_coats_are() -> None:
    (sheet,) = maps_of(read_photo(next(iter(load_photos(SAMPLE)))))
    ink = ink_of(sheet)
    assert ink.probability.shape == sheet.rectified.bgr.shape[:2]
    drawn: list[float] = []
    empty: list[float] = []
    for cell in sheet.reading.cells:
        y, x = cell.row * 128 + 16, cell.col * 128 + 16
        share = float(ink.probability[y : y + 128, x : x + 128].mean())
        (drawn if cell.coat else empty).append(share)
    assert min(np.median(drawn), 1) > 0.01
    assert not empty or np.median(empty) < np.median(drawn)


def test_the_middle_of_a_cell_is_seen_on_a_print_of_its_colour() -> None:
    known = made_print()
    known = replace(known, bgr=np.full_like(known.bgr, GRID_BGR), known=np.ones_like(known.known))
    picture = draw_print(known)
    x, y = (round(float(v)) for v in lattice_to_flat(np.zeros(2), PRINT_PX, PRINT_MARGIN))
    assert picture[y, x].tolist() == list(GRID_BGR)
    assert (picture[y - 8 : y + 9, x - 8 : x + 9] == 255).all(axis=2).any()


def test_known_ink_is_drawn_in_the_pens_colour_on_white() -> None:
    (sheet,) = maps_of(read_photo(next(iter(load_photos(SAMPLE)))))
    probability = np.zeros(sheet.rectified.bgr.shape[:2], np.float32)
    probability[:10] = 1
    ink = Ink(probability, (0.8, 0.2, 0.2))
    picture = draw_inks([with_evidence(sheet, ink=ink), with_evidence(sheet, ink=ink)])
    assert picture is not None
    assert picture[0, 0].tolist() == [204, 51, 51]
    assert picture[20, 0].tolist() == [255, 255, 255]
    assert picture.shape[0] == 2 * len(probability) + 24
    assert draw_inks([]) is None
