"""The prints of our own sheets."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.imaging.picture import Photo, rectify
from kdscan.inference.store import default_models
from kdscan.marks.network import refine_crops
from kdscan.paper.layout import layouts
from kdscan.rules.duel.board import COATS, COLS, ROWS, Coat
from kdscan.templates.own_print import own_template, with_own_ink
from kdscan.templates.template import OWN_CENTERS


@pytest.mark.parametrize("name", layouts())
def test_ink_on_our_own_print_is_read_and_what_is_no_print_left_alone(name: str) -> None:
    models = default_models()
    template = own_template(name)
    assert template.cell.is_certain and len(template.cell.circles) == 4
    bgr = template.bgr.copy()
    x, y = np.round(OWN_CENTERS[1, 2]).astype(int)
    bgr[y - 12 : y + 12, x - 24 : x] = 40  # a dot in the middle of a shield left of its circles
    for picture, is_print in ((bgr, True), (np.full_like(bgr, 255), False)):
        photo = Photo(picture)
        sheet, views = refine_crops(photo, rectify(photo, OWN_CENTERS, 1.0), models.marks)
        of_photo = next(views)
        logits = with_own_ink(of_photo, photo, sheet, name, models.ink_reader)
        assert (logits is not of_photo) is is_print
        if is_print:
            coats = logits[0][0].argmax(-1).tolist()
            assert coats.count(COATS.index(None)) == ROWS * COLS - 2
            assert coats[9] == COATS.index(Coat.DOT)
