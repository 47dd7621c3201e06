"""Squares are classified from as many views as needed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kdscan.imaging.rectify import RectifiedSheet
from kdscan.rules.kingdomino.tiles import EMPTY, SQUARE_CLASSES
from kdscan.sheets.kingdom.classify import ROTATIONS, SIDE_PX, classify_squares, predict_squares


def test_only_doubtful_squares_are_turned() -> None:
    batch = np.zeros((3, 3, 4, 4), np.float32)
    # In doubt: what is said of it hangs on how bright the corner is.
    batch[1, 0, 0, 0], batch[1, 0, 0, 3] = 1.0, 0.5
    batch[2] = 0.5
    shown = []

    def network(crops: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        shown.append(len(crops))
        lit = crops[:, 0, 0, 0]
        doubtful = crops[:, 0].max((1, 2)) == 1
        first = np.where(doubtful, lit, 20.0)
        return (np.stack([first, np.zeros(len(crops))], 1).astype(np.float32),)

    logits = predict_squares(batch, network)
    assert shown == [3] + [1] * (ROTATIONS - 1)
    np.testing.assert_allclose(logits[:, 0], [20, (1.0 + 0.5) / ROTATIONS, 20])


def test_sure_squares_are_looked_at_once() -> None:
    shown = []

    def network(crops: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        shown.append(len(crops))
        return (np.tile(np.array([[9.0, 0.0]], np.float32), (len(crops), 1)),)

    predict_squares(np.zeros((5, 3, 4, 4), np.float32), network)
    assert shown == [5]


def test_squares_beyond_the_photo_are_not_looked_at_and_a_doubt_may_be_ended_by_the_table() -> None:
    shown = np.array([[True, True, False]])
    side = round(1.25 * SIDE_PX)
    flat = RectifiedSheet(
        np.zeros((side, side + 2 * SIDE_PX, 3), np.uint8),
        np.zeros((1, 3, 2)),
        np.zeros((4, 2)),
        SIDE_PX,
        1.0,
    )
    counts = []

    def network(crops: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        counts.append(len(crops))
        return (np.zeros((len(crops), len(SQUARE_CLASSES)), np.float32),)

    def told(probs: NDArray[np.float64]) -> NDArray[np.float64]:
        known = probs.copy()
        known[0, 0] = np.eye(len(SQUARE_CLASSES))[5]
        return known

    probs = classify_squares(flat, network, shown, told)
    assert counts == [2] + [1] * (ROTATIONS - 1)
    assert probs[0, 0, 5] == 1 and probs[0, 2, EMPTY] == 1
    np.testing.assert_allclose(probs[0, 1], 1 / len(SQUARE_CLASSES))
