"""Views of a sheet: how its crops are shown to the network, and when."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.picture import FLAT_PX
from kdscan.marks.crops import COARSE_PX, INPUT_PX, CellCrops
from kdscan.marks.network import average, predict, to_probs, upside_down

Batch = NDArray[np.float32]


COARSE = np.zeros((35, 3, COARSE_PX, COARSE_PX), np.float32)


def some_crops(seed: int = 0) -> CellCrops:
    rng = np.random.default_rng(seed)
    return CellCrops(
        rng.random((35, 1, INPUT_PX, INPUT_PX), np.float32), rng.random(COARSE.shape, np.float32)
    )


def spot(x: int, y: int) -> Batch:
    ink = np.zeros((35, 1, INPUT_PX, INPUT_PX), np.float32)
    ink[:, :, y, x] = 1
    return ink


def brightest(ink: Batch) -> tuple[int, int]:
    y, x = np.unravel_index(int(ink[20, 0].argmax()), ink.shape[2:])
    return int(x), int(y)


def test_a_sheet_that_is_turned_loses_nothing() -> None:
    crops = some_crops().coarse
    grid = np.insert(crops[:34], 17, crops[34], 0).reshape(5, 7, *crops.shape[1:])
    whole = grid[::-1, ::-1, ..., ::-1, ::-1].reshape(35, *crops.shape[1:])
    turned = np.append(np.delete(whole, 17, 0), whole[17:18], 0)
    assert np.array_equal(upside_down(crops), turned)


def test_how_far_a_cell_lies_off_is_told_as_if_the_sheet_were_seen_as_it_is() -> None:
    """A spot 16 pixels right of the crop's middle and 8 above it."""
    middle = (INPUT_PX - 1) / 2

    def network(ink: Batch, _: Batch) -> tuple[Batch, ...]:
        x, y = brightest(ink)
        off = [[((x - middle) / FLAT_PX, (y - middle) / FLAT_PX)] * 35]
        nothing = np.zeros((1, 34, 7), np.float32), np.zeros((1, 34, 5), np.float32)
        return *nothing, np.zeros((1, 1), np.float32), np.array(off, np.float32)

    crops = CellCrops(spot(round(middle + 16), round(middle - 8)), COARSE)
    for turned in (False, True):
        *_, off = predict(crops, network, turned)
        assert off[0, 20] * FLAT_PX == pytest.approx((16.5, -7.5))


def test_the_mean_of_looks_is_believed() -> None:
    def look(coat: int, logit: float) -> tuple[Batch, ...]:
        coats = np.zeros((1, 34, 7), np.float32)
        coats[..., coat] = logit
        return coats, *(np.zeros(shape, np.float32) for shape in ((1, 34, 5), (1, 1), (1, 35, 2)))

    one, plain = look(3, 1), np.array([1.0, 0.0])
    assert (to_probs(one, 1.0, plain).coat.argmax(1) == 3).all()
    assert (to_probs(average([one, look(4, 3)]), 1.0, plain).coat.argmax(1) == 4).all()
