"""Synthetic kingdoms: the truth agrees with the picture."""

from __future__ import annotations

import csv
import json
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from kdscan.rules import neighbours
from kdscan.rules.kingdomino.kingdom import CASTLE, SQUARE_CLASSES, TILES
from lab.synth.kingdoms.scene import (
    KingdomPhoto,
    Manner,
    make_kingdom_photo,
    played_kingdoms,
)
from lab.synth.kingdoms.tiles import SQUARE_PX, Bank, Board, load_boards, load_photos

COLORS = np.random.default_rng(5).permutation(np.linspace(20, 235, len(SQUARE_CLASSES))).round()
"""A grey for each kind: no tile looks like that, but a test can tell them apart."""


def board(kingdom: str = "0") -> Board:
    """Every kind once, in plain colours."""
    kinds = np.arange(len(SQUARE_CLASSES)).reshape(3, 6)
    grey = COLORS[kinds].repeat(SQUARE_PX, 0).repeat(SQUARE_PX, 1)
    return Board("x", kingdom, np.dstack([grey] * 3).astype(np.uint8), kinds)


BANK = Bank([board()])


@cache
def photo(seed: int, wild: bool = False, whole: bool = False) -> KingdomPhoto:
    """A neat table: tiles of the bank's own colours, a little askew."""
    return make_kingdom_photo(seed, None, BANK, wild=wild, whole=whole, manner=Manner(askew=0.03))


@pytest.mark.parametrize("size", [5, 7])
def test_a_played_kingdom_is_laid_as_the_rules_allow(size: int) -> None:
    both = played_kingdoms(np.random.default_rng(size), size)
    for castle, *dominoes in both:
        assert castle.kinds == (CASTLE,)
        cells = [cell for d in dominoes for cell in d.cells]
        assert len(set(cells)) == len(cells)
        assert all(two in neighbours(one) for one, two in (d.cells for d in dominoes))
        rows, cols = zip(*cells, (0, 0), strict=True)
        assert max(np.ptp(rows), np.ptp(cols)) < size
    used = Counter(tuple(sorted(d.kinds)) for kingdom in both for d in kingdom[1:])
    box = Counter(
        tuple(sorted(SQUARE_CLASSES.index((s.terrain.value, s.crowns)) for s in tile.squares))
        for tile in TILES
    )
    assert used <= box, "both are laid from one box"


def test_squares_lie_in_a_photo_where_the_truth_says() -> None:
    """Two photos that differ in the colours of the tiles alone differ on the tiles alone."""
    negative = Bank([replace(board(), bgr=255 - board().bgr)])
    for seed in range(3):
        made, other = (
            make_kingdom_photo(seed, "easy", bank, size_wh=(640, 480), manner=Manner())
            for bank in (BANK, negative)
        )
        seen = np.abs(made.bgr.astype(int) - other.bgr).max(2) > 12
        truth = np.zeros(seen.shape, np.uint8)
        cv2.fillPoly(truth, list(made.corners_xy.round().astype(np.int32)), 1)
        assert (seen & (truth > 0)).sum() > 0.92 * (seen | (truth > 0)).sum()


def test_boards_with_a_table_of_squares(tmp_path: Path) -> None:
    given = board("7")
    (tmp_path / "boards").mkdir()
    cv2.imwrite(str(tmp_path / "boards" / "x.jpg"), given.bgr)
    with (tmp_path / "tiles.csv").open("w") as file:
        table = csv.writer(file)
        table.writerow(["board", "kingdom", "row", "col", "terrain", "crowns"])
        for (row, col), kind in np.ndenumerate(given.kinds):
            table.writerow(["x", "7", row, col, *SQUARE_CLASSES[kind]])
    (read,) = load_boards(tmp_path)
    assert (read.name, read.kingdom) == ("x", "7")
    np.testing.assert_array_equal(read.kinds, given.kinds)


def test_photos_with_what_kdscan_said_of_them(tmp_path: Path) -> None:
    given = board()
    wide = cv2.copyMakeBorder(given.bgr, 40, 40, 60, 60, cv2.BORDER_CONSTANT)
    cv2.imwrite(str(tmp_path / "table.jpg"), wide)
    cells = [
        {
            "row": row,
            "col": col,
            "terrain": SQUARE_CLASSES[kind][0],
            "crowns": SQUARE_CLASSES[kind][1],
            "center": [60 + 100 * col + 49.5, 40 + 100 * row + 49.5],
        }
        for (row, col), kind in np.ndenumerate(given.kinds)
    ]
    said = {"photos": [{"sheets": [{"kind": "duel_map"}, {"kind": "kingdom", "cells": cells}]}]}
    (tmp_path / "table.json").write_text(json.dumps(said))
    (read,) = load_photos(tmp_path)
    np.testing.assert_array_equal(read.kinds, given.kinds)
    assert np.abs(read.bgr.astype(int) - given.bgr).mean() < 3
