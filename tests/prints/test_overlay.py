from pathlib import Path

import numpy as np

from kdscan import load_photos, read_photo
from kdscan.prints.overlay import draw_inks, ink_of
from kdscan.records import Ink, maps_of
from tests.readings import with_evidence

SAMPLE = Path(__file__).parent.parent.parent / "samples/02.jpg"


def test_a_map_of_unknown_print_shows_its_ink_where_coats_are() -> None:
    (sheet,) = maps_of(read_photo(next(iter(load_photos(SAMPLE)))))
    ink = ink_of(sheet)
    assert ink.probability.shape == sheet.rectified.bgr.shape[:2]
    assert not ink.known.any()
    drawn: list[float] = []
    empty: list[float] = []
    for cell in sheet.reading.cells:
        y, x = cell.row * 128 + 16, cell.col * 128 + 16
        share = float(ink.probability[y : y + 128, x : x + 128].mean())
        (drawn if cell.coat else empty).append(share)
    assert min(np.median(drawn), 1) > 0.01
    assert not empty or np.median(empty) < np.median(drawn)


def test_known_ink_is_drawn_in_the_pens_colour_on_white() -> None:
    (sheet,) = maps_of(read_photo(next(iter(load_photos(SAMPLE)))))
    probability = np.zeros(sheet.rectified.bgr.shape[:2], np.float32)
    probability[:10] = 1
    ink = Ink(probability, (0.8, 0.2, 0.2), np.ones((1, 1), np.float32))
    picture = draw_inks([with_evidence(sheet, ink=ink), with_evidence(sheet, ink=ink)])
    assert picture is not None
    assert picture[0, 0].tolist() == [204, 51, 51]
    assert picture[20, 0].tolist() == [255, 255, 255]
    assert picture.shape[0] == 2 * len(probability) + 24
    assert draw_inks([]) is None
