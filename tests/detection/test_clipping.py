"""Maps cut off by the picture's edge."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from kdscan.detection.locate import (
    CUT_OFF,
    SIDES,
    SheetOutline,
    clipped_cells,
    cut_sides,
    edges_text,
    legible_cells,
)
from kdscan.i18n import words
from kdscan.imaging.photo import load_photos
from kdscan.imaging.picture import Photo
from kdscan.reader import read_photo
from kdscan.rules.duel.board import CELLS
from kdscan.sheets.duel_map.model import MapReading
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
    assert edges_text(["left", "right", "top"]) == "edges"


def test_edges_are_named_in_every_language() -> None:
    german = words("de")
    for sides in (s for n in range(1, 5) for s in combinations(SIDES, n)):
        assert german.t(edges_text(sides)) != edges_text(sides)


@pytest.mark.parametrize("side, share", [("left", 0.16), ("top", 0.4), ("right", 0.3)])
def test_what_a_photo_shows_of_a_map_is_read_and_the_rest_is_named(side: str, share: float) -> None:
    (sample,) = load_photos("samples/03.jpg")
    (whole,) = read_photo(sample)
    (x0, y0), (x1, y1) = whole.outline_xy.min(0), whole.outline_xy.max(0)
    left = round(x0 + share * (x1 - x0)) if side == "left" else 0
    top = round(y0 + share * (y1 - y0)) if side == "top" else 0
    right = round(x1 - share * (x1 - x0)) if side == "right" else sample.width
    part = Photo(np.ascontiguousarray(sample.bgr[top:, left:right]))

    (cut,) = read_photo(part)

    assert isinstance(whole, MapReading) and isinstance(cut, MapReading)
    moved = whole.rectified.centers_xy - (left, top)
    legible = legible_cells(part, moved, whole.rectified.px_per_cell)
    assert set(cut.clipped) == {cell for cell in CELLS if not legible[cell]}
    (problem,) = [p for p in cut.problems if p.code == CUT_OFF]
    assert problem.severity == "error" and problem.cells == cut.clipped
    assert cut.review and cut.confidence == 0
    boards = ({c.at: c.content[0] for c in one.cells} for one in (whole, cut))
    there, here = ({at: coat for at, coat in b.items() if at not in cut.clipped} for b in boards)
    assert here == there


def test_a_grid_that_ends_inside_the_picture_is_not_cut_off() -> None:
    """As of other games and puzzles, whose lattice is not that of a map."""
    corners = np.array([(-60.0, 20), (300, 20), (300, 300), (-60, 300)])
    for left, sides in ((5.0, ("left",)), (40.0, ())):
        votes = np.array([(left, 30.0), (290, 290)])
        assert cut_sides(photo(400, 400), SheetOutline(corners, 1.0, votes)) == sides
