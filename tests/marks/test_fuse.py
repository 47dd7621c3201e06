"""Several photos of one sheet: distinguished from other sheets, and read better together."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kdscan.marks.boards import SheetView, fuse, group, likeness
from kdscan.marks.network import MarkProbs
from kdscan.rules.duel.board import CELLS, COATS, MAX_CROSSES, Shield
from lab.synth.scene import random_board

Marks = Mapping[tuple[int, int], Shield]


def seen(board: Marks, rng: np.random.Generator, blur: float = 0.3) -> MarkProbs:
    """What a network may say of a board: right by far where its photo is sharp."""
    coat = rng.normal(0, 0.5, (len(CELLS), len(COATS)))
    crosses = rng.normal(0, 0.5, (len(CELLS), MAX_CROSSES + 1))
    for i, at in enumerate(CELLS):
        shield = board.get(at)
        coat[i, COATS.index(shield.coat if shield else None)] += 8 * (1 - blur)
        crosses[i, shield.crosses if shield else 0] += 8 * (1 - blur)
    coat, crosses = (np.exp(a) / np.exp(a).sum(1, keepdims=True) for a in (coat, crosses))
    return MarkProbs(coat, crosses, 0.8, 0.95)


def board_of(seed: int) -> dict[tuple[int, int], Shield]:
    """A played board that is at least half full."""
    rng = random.Random(seed)
    while len(board := random_board(rng)[0]) < 17:
        pass
    return dict(board.items())


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_two_photos_of_one_board_agree_two_boards_do_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = board_of(seed), board_of(seed + 1)
    assert likeness(seen(one, rng), seen(one, rng)).same
    assert not likeness(seen(one, rng), seen(other, rng)).same


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_one_shield_that_differs_tells_nearly_equal_boards_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = board_of(seed)
    at = list(one)[seed % len(one)]
    other = {cell: shield for cell, shield in one.items() if cell != at}
    sharp = [seen(board, rng, blur=0) for board in (one, other)]
    assert not likeness(*sharp).same


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_likeness_is_symmetric(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = seen(board_of(seed), rng), seen(board_of(seed // 2), rng)
    there, back = likeness(one, two), likeness(two, one)
    assert there.log_ratio == pytest.approx(back.log_ratio)
    assert there.worst == pytest.approx(back.worst)


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_the_surer_photo_decides_and_the_order_does_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    board = board_of(seed)
    views = [seen(board, rng, blur) for blur in (0, 0.9)]
    together, turned = fuse(views), fuse(views[::-1])
    assert np.allclose(together.coat, turned.coat)
    assert np.allclose(together.coat.sum(1), 1)
    assert np.allclose(together.crosses.sum(1), 1)
    assert (together.coat.argmax(1) == views[0].coat.argmax(1)).all()
    assert 0.95 < together.placed <= 1


def test_agreement_makes_surer_than_the_surest_but_less_than_independent_witnesses() -> None:
    view = seen(board_of(3), np.random.default_rng(3), blur=0.7)
    fused = fuse([view, replace(view, placed=0.9)])
    alone, together = view.coat.max(1), fused.coat.max(1)
    independent = view.coat**2 / (view.coat**2).sum(1, keepdims=True)
    assert (together > alone).all()
    assert (together < independent.max(1)).all()
    assert 0.8 < fused.castle_used < 0.8**2 / (0.8**2 + 0.2**2)


def test_a_picture_given_twice_proves_no_more_than_once() -> None:
    rng = np.random.default_rng(3)
    view, other = (seen(board_of(3), rng, blur=0.7) for _ in range(2))
    assert fuse([view, replace(view)]) is view
    assert np.array_equal(fuse([view, other, view]).coat, fuse([view, other]).coat)
    for part in ("coat", "crosses", "castle_used", "placed"):
        unlike = replace(other, castle_used=0.7, placed=0.9)
        assert fuse([view, replace(view, **{part: getattr(unlike, part)})]) is not view


def test_views_are_grouped_by_sheet() -> None:
    rng = np.random.default_rng(4)
    a, b, c = (board_of(seed) for seed in (11, 12, 13))
    order = [(0, a), (0, b), (1, b), (1, a), (2, c), (3, a)]
    views = [SheetView(photo, seen(board, rng)) for photo, board in order]
    assert group(views) == ((0, 3, 5), (1, 2))
    assert group([]) == ()
    assert group(views[:1]) == ()


def test_printed_codes_decide_unless_a_shield_surely_differs() -> None:
    rng = np.random.default_rng(6)
    board, empty = board_of(31), seen({}, rng)
    one, two = seen(board, rng), seen(board, rng)
    assert group([SheetView(0, one, "A"), SheetView(1, two, "B")]) == ()
    assert group([SheetView(0, one, "A"), SheetView(1, two, None)]) == ((0, 1),)
    assert group([SheetView(0, empty, "A"), SheetView(1, empty, "A")]) == ((0, 1),)
    assert group([SheetView(0, empty, "A"), SheetView(1, one, "A")]) == ()
