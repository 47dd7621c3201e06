"""Maps that the picture's edge cuts off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdscan.detection.clipping import CUT_OFF, clipped_cells, cut_sides, edges_text
from kdscan.errors import NoSheetFound
from kdscan.imaging.photo import load_photos
from kdscan.kinds import correct
from kdscan.kinds.duel_map.interpret import interpret
from kdscan.pipeline.read import read_photo
from kdscan.records import Photo, SheetOutline
from tests.readings import make_sheet

SHEET = make_sheet(origin_xy=(0.0, 100.0), pitch=80.0)


def photo(width: int, height: int) -> Photo:
    return Photo(np.zeros((height, width, 3), np.uint8))


def test_shields_at_the_edge_are_unseen() -> None:
    whole, narrow = photo(600, 600), photo(500, 600)
    assert clipped_cells(whole, SHEET.rectified) == ()
    assert clipped_cells(narrow, SHEET.rectified) == tuple((row, 6) for row in range(5))


def test_outlines_say_at_which_sides_they_are_cut() -> None:
    corners = np.array([(-60.0, 20), (300, -70), (310, 300), (-50, 310)])
    assert cut_sides(photo(400, 400), SheetOutline(corners, 1.0)) == ("left", "top")
    assert cut_sides(photo(400, 400), SheetOutline(corners + 100, 1.0)) == ()
    assert edges_text(["left"]) == "left edge"
    assert edges_text(["left", "top"]) == "left and top edges"


@pytest.fixture(scope="module")
def sample() -> Photo:
    (one,) = load_photos("samples/01.jpg")
    return one


def test_a_photo_that_cuts_off_shields_says_so(sample: Photo) -> None:
    whole = read_photo(sample)[0]
    x = whole.outline_xy[:, 0]
    left, right = float(x.min()), float(x.max())
    at = int(right - 0.16 * (right - left))
    try:
        cut = read_photo(Photo(np.ascontiguousarray(sample.bgr[:, :at])))
    except NoSheetFound as error:
        assert "a map reaches beyond the" in str(error)
        return
    (problem,) = [p for p in cut[0].problems if p.code == CUT_OFF]
    assert problem.severity == "error" and problem.cells
    assert cut[0].review and cut[0].confidence == 0


def test_a_person_may_say_what_was_cut_off() -> None:
    hidden = interpret(replace(make_sheet().evidence, clipped=((0, 6), (1, 6))))
    one = correct(hidden, {(0, 6): (None, 0)})
    assert [p.cells for p in one.problems if p.code == CUT_OFF] == [((1, 6),)]
    assert one.review
    both = correct(hidden, {(0, 6): (None, 0), (1, 6): (None, 0)})
    assert not [p for p in both.problems if p.code == CUT_OFF]
