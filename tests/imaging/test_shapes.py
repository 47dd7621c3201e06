"""Records refuse arrays of other shapes, and nobody can write to theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from kdscan.detection.locate import SheetOutline
from kdscan.imaging.picture import Photo
from kdscan.imaging.rectify import Ink, RectifiedSheet
from kdscan.marks.crops import CellCrops
from kdscan.marks.network import MarkProbs
from kdscan.rules.duel.board import CELLS
from kdscan.rules.duel.coats import COATS
from tests.readings import make_kingdom


def floats(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


RECTIFIED = RectifiedSheet(
    np.zeros((60, 80, 3), np.uint8), floats(5, 7, 2), floats(4, 2), 64.0, 1.0
)
OUTLINE = SheetOutline(floats(4, 2), 1.0)
CROPS = CellCrops(floats(35, 1, 8, 8), floats(35, 3, 4, 4))
PROBS = MarkProbs(floats(len(CELLS), len(COATS)), floats(len(CELLS), 5), 0.5, 1.0)
INK = Ink(floats(60, 80), (0.1, 0.1, 0.1))
KINGDOM = make_kingdom()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Photo(np.zeros((9, 9), np.uint8)),
        lambda: Photo(np.zeros((9, 9, 4), np.uint8)),
        lambda: Photo(floats(9, 9, 3)),
        lambda: replace(OUTLINE, corners_xy=floats(4, 3)),
        lambda: replace(OUTLINE, corners_xy=floats(5, 2)),
        lambda: replace(RECTIFIED, centers_xy=floats(35, 2)),
        lambda: replace(RECTIFIED, centers_xy=floats(5, 7, 3)),
        lambda: replace(CROPS, ink=floats(34, 1, 8, 8)),
        lambda: replace(CROPS, coarse=floats(34, 3, 4, 4)),
        lambda: replace(CROPS, ink=floats(35, 1, 8, 8, dtype=np.float64)),
        lambda: replace(PROBS, coat=floats(35, len(COATS))),
        lambda: replace(PROBS, crosses=floats(len(CELLS), 4)),
        lambda: replace(INK, probability=floats(60, 80, 1)),
        lambda: replace(INK, probability=floats(60, 80, dtype=np.float64)),
        lambda: replace(KINGDOM.evidence, probs=KINGDOM.probs[1:]),
        lambda: replace(KINGDOM, squares=KINGDOM.squares[1:]),
    ],
)
def test_arrays_of_other_shapes_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"not|shape"):
        make()


def test_nobody_writes_to_a_photo() -> None:
    half = Photo.halved(np.zeros((2, 3, 3), np.uint8), lambda: np.zeros((4, 6, 3), np.uint8), "a")
    assert (half.name, half.page, half.width, half.height) == ("a", 0, 6, 4)
    assert half.half is not None
    for array in (half.half, half.bgr, Photo(np.zeros((4, 6, 3), np.uint8)).bgr):
        assert not array.flags.writeable
