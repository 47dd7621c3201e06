"""Looks at a sheet: how its crops are shown to the network, and when."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from numpy.typing import NDArray

from kdscan.imaging.rectify import FLAT_PX
from kdscan.marks.classify import VIEWS, View, apply_view, classify, predict
from kdscan.marks.crops import COARSE_PX, INPUT_PX
from kdscan.records import CellCrops

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


def test_the_first_look_is_at_the_crops_as_they_are() -> None:
    sheet = spot(40, 60)
    assert apply_view(sheet, VIEWS[0]) is sheet
    assert len(set(VIEWS)) == len(VIEWS) == 4


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("upside_down", [False, True])
def test_mirrored_and_upside_down_lose_nothing(mirrored: bool, upside_down: bool) -> None:
    crops = some_crops().coarse
    grid = np.insert(crops[:34], 17, crops[34], 0).reshape(5, 7, *crops.shape[1:])
    whole = grid[:: -1 if upside_down else 1, :: -1 if mirrored else 1]
    whole = whole[..., :: -1 if upside_down else 1, :: -1 if mirrored else 1]
    whole = whole.reshape(35, *crops.shape[1:])
    turned = np.append(np.delete(whole, 17, 0), whole[17:18], 0)
    assert np.array_equal(apply_view(crops, View(mirrored, upside_down)), turned)


def test_what_is_said_of_a_shield_is_its_own_in_every_view() -> None:
    numbers = np.arange(35, dtype=np.float32)[:, None, None, None]
    crops = CellCrops(np.zeros((35, 1, INPUT_PX, INPUT_PX), np.float32) + numbers, COARSE - numbers)

    def network(ink: Batch, coarse: Batch) -> tuple[Batch, ...]:
        number = ink[None, :, 0, 80, 80]
        assert (coarse[None, :, 2, 40, 40] == -number).all()
        shields, off = number[:, :34, None], np.repeat(number[..., None], 2, 2)
        return shields, -shields, number[:, 34:], off

    for (coat, crosses, castle, off), view in zip(predict(crops, network), VIEWS, strict=True):
        assert (coat[0, :, 0] == np.arange(34)).all() and (crosses == -coat).all()
        assert castle == pytest.approx(34)
        assert (off[0, :, 0] == np.arange(35) * view.sign[0]).all()


def test_how_far_a_cell_lies_off_is_told_as_if_the_sheet_were_seen_as_it_is() -> None:
    """A spot 16 pixels right of the crop's middle and 8 above it."""
    middle = (INPUT_PX - 1) / 2

    def network(ink: Batch, _: Batch) -> tuple[Batch, ...]:
        x, y = brightest(ink)
        off = [[((x - middle) / FLAT_PX, (y - middle) / FLAT_PX)] * 35]
        nothing = np.zeros((1, 34, 7), np.float32), np.zeros((1, 34, 5), np.float32)
        return *nothing, np.zeros((1, 1), np.float32), np.array(off, np.float32)

    crops = CellCrops(spot(round(middle + 16), round(middle - 8)), COARSE)
    for *_, off in predict(crops, network):
        assert off[0, 20] * FLAT_PX == pytest.approx((16.5, -7.5))


def test_looks_are_taken_one_by_one_and_their_mean_is_believed() -> None:
    asked: list[Batch] = []

    def network(ink: Batch, _: Batch) -> tuple[Batch, ...]:
        asked.append(ink)
        coat = np.zeros((1, 34, 7), np.float32)
        coat[..., 3] = len(asked) == 1
        coat[..., 4] = 3 * (len(asked) == 2)
        rest = (1, 34, 5), (1, 1), (1, 35, 2)
        return coat, *(np.zeros(shape, np.float32) for shape in rest)

    one = classify(some_crops(), network)
    assert len(asked) == 1 and (one.coat.argmax(1) == 3).all()
    asked.clear()
    both = classify(some_crops(), network, views=2)
    assert len(asked) == 2 and (both.coat.argmax(1) == 4).all()
    assert len(list(islice(predict(some_crops(), network), 99))) == len(VIEWS)
