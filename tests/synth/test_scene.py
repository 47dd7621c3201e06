"""Whole synthetic photos: their truth is reliable."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.game.duel.coats import Coat
from kdscan.game.duel.scoring import score_board
from kdscan.records import CELLS
from kdscan.synth.own import own_page
from kdscan.synth.photo.camera import Level
from kdscan.synth.scene import make_photo, wild_board

SMALL = (800, 600)


@pytest.mark.parametrize("level", ["flat", "easy", "normal", "hard"])
def test_all_cells_lie_in_the_photo(level: Level) -> None:
    photo = make_photo(5, level, size_wh=SMALL)
    assert photo.bgr.shape == (600, 800, 3)
    assert (photo.centers_xy > 0).all()
    assert (photo.centers_xy < SMALL).all()


def test_truth_names_what_a_check_needs() -> None:
    photo = make_photo(12, "easy", size_wh=SMALL)
    truth = photo.truth()
    assert truth["score"] == score_board(photo.board).domain_points > 0
    assert len(truth["pixels"]) == 34
    assert all(Coat(coat) and 0 <= n <= 4 for coat, n in truth["board"].values())
    assert truth["size"] == [800, 600]


def test_a_mark_is_where_truth_says() -> None:
    """The same photo with and without a board differs in the cells that truth names."""
    layout, blank, scale = own_page(60)
    photo = make_photo(3, "flat", page=(layout, blank, scale), size_wh=SMALL, messiness=0)
    ink = 255 - photo.bgr.mean(-1)
    pitch = np.linalg.norm(photo.centers_xy[0, 6] - photo.centers_xy[0, 0]) / 6
    dark: dict[bool, list[float]] = {True: [], False: []}
    for at in CELLS:
        x, y = photo.centers_xy[at].astype(int)
        r = int(pitch * 0.3)
        dark[at in photo.board].append(float(ink[y - r : y + r, x - r : x + r].max()))
    assert len(dark[True]) >= 1
    assert np.mean(dark[True]) > np.mean(dark[False] or [0]) + 5


def test_wild_boards_hold_crosses_beyond_the_circles_but_fewer() -> None:
    rng = np.random.default_rng(0)
    for circles in (2, 3, 4):
        boards = [wild_board(rng, circles)[0] for _ in range(40)]
        counts = np.bincount([s.crosses for board in boards for s in board.values()], minlength=5)
        assert len(counts) == 5
        beyond = counts[circles + 1 :]
        assert (beyond > 0).all() and (beyond < counts[circles]).all()
