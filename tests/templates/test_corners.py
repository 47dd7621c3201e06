import cv2
import numpy as np
import pytest

from kdscan.errors import LayoutError
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import CENTERS, lattice_to_photo_homography, project
from kdscan.inference.store import default_models
from kdscan.rules.duel.board import COLS, ROWS
from kdscan.templates.corners import centers_within, rectify_by_corners, shifted_to
from kdscan.templates.describe import with_corners
from kdscan.templates.known import PRINT_MARGIN, PRINT_PX
from kdscan.templates.learn import learn_print
from tests.templates.pads import PAINTED, blank, learned

AT = (PRINT_MARGIN + np.array([(0, 0), (COLS, 0), (COLS, ROWS), (0, ROWS)])) * PRINT_PX - 0.5
"""(4, 2): where a print's grid has its corners in its own picture."""


def true_corners() -> np.ndarray:
    """(4, 2): the corners of the blank's grid in its photo."""
    true = blank(PAINTED).centers_xy
    cells = [(0, 0), (0, COLS - 1), (ROWS - 1, COLS - 1), (ROWS - 1, 0)]
    inner = np.array([true[at] for at in cells])
    lattice = np.array([(c, r) for r, c in cells], np.float64)
    out = np.array([(-0.5, -0.5), (6.5, -0.5), (6.5, 4.5), (-0.5, 4.5)])
    h = cv2.getPerspectiveTransform(lattice.astype(np.float32), inner.astype(np.float32))
    return project(h.astype(np.float64), out)


@pytest.mark.slow
def test_a_person_says_where_the_grid_lies() -> None:
    models = default_models()
    photo = Photo(blank(PAINTED).bgr, "blank.jpg")
    corners = true_corners()
    # Half a cell to the right, where no finder would look for it: the geometry goes along.
    step = (corners[1] - corners[0]) / COLS / 2
    aside = learn_print([photo], "pad", models, unmarked=True, corners_xy=corners + step)
    found = learned(PAINTED)
    away = np.abs(aside.bgr.astype(int) - found.bgr).mean()
    assert away > 5
    back = with_corners(aside, AT - (PRINT_PX / 2, 0))
    inside = np.s_[64:-64, 128:-64]
    assert np.abs(back.bgr.astype(int) - found.bgr)[inside].mean() < away / 2
    assert np.array(back.cell.circles) == pytest.approx(np.array(found.cell.circles), abs=0.04)


def test_a_print_is_put_right_in_its_own_picture() -> None:
    known = learned(PAINTED)
    same = with_corners(known, AT)
    assert np.abs(same.bgr.astype(int) - known.bgr).mean() < 3
    assert np.array(same.cell.circles) == pytest.approx(np.array(known.cell.circles), abs=0.02)
    assert same.known.mean() > 0.98
    moved = with_corners(known, AT + (40, 0))
    assert moved.known[:, -3:].max() < 0.1 and moved.known[:, :-8].min() > 0.9


def test_corners_outside_the_photo_are_refused() -> None:
    photo = Photo(np.zeros((300, 400, 3), np.uint8))
    corners = np.array([(10, 10), (401, 10), (390, 290), (10, 290)], np.float64)
    with pytest.raises(LayoutError, match="400 × 300"):
        rectify_by_corners(photo, corners)


def test_corners_that_no_sheet_has_are_refused() -> None:
    with pytest.raises(LayoutError, match="clockwise"):
        centers_within(AT[[0, 2, 1, 3]])
    with pytest.raises(LayoutError, match="clockwise"):
        centers_within(AT[::-1])
    with pytest.raises(LayoutError, match="too close"):
        centers_within(AT / 20)


def test_what_is_measured_lies_on_average_where_a_person_said() -> None:
    said = project(lattice_to_photo_homography(AT), CENTERS)
    noise = np.random.default_rng(1).normal(0, 1, said.shape)
    off = shifted_to(said + noise + (7, -4), said) - said
    assert np.abs(off.reshape(-1, 2).mean(0)).max() < 0.05
    assert np.abs(off).max() > 1
