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

from kdscan.errors import UsageError
from kdscan.rules.grid import neighbours
from kdscan.rules.kingdomino.tiles import CASTLE, EMPTY, SQUARE_CLASSES, TILES
from lab.synth.kingdoms.scene import LOOSE, KingdomPhoto, make_kingdom_photo, played_kingdoms
from lab.synth.kingdoms.tabletop import HALF, TABLE_PX, Manner
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


def test_the_bank_has_all_kinds_but_castle_and_empty_to_lay() -> None:
    assert set(BANK.kinds) == set(range(len(SQUARE_CLASSES))) - {EMPTY, CASTLE}


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


@pytest.mark.parametrize("seed", range(4))
def test_squares_lie_where_the_truth_says(seed: int) -> None:
    made = photo(seed, wild=True)
    first = [i for i, s in enumerate(made.squares) if s.kingdom == 0]
    assert len(first) > 8
    for i in first:
        x, y = made.corners_xy[i].mean(0).round().astype(int)
        patch = made.bgr[y - 8 : y + 9, x - 8 : x + 9]
        assert abs(float(np.median(patch)) - COLORS[made.squares[i].kind]) < 3


@pytest.mark.parametrize("seed", range(3))
def test_corners_and_cells_go_the_same_way_as_the_kingdom(seed: int) -> None:
    """The first kingdom lies upright: rows go down, and corners begin at the top left."""
    made = photo(seed)
    mine = [i for i, s in enumerate(made.squares) if s.kingdom == 0]
    corners, cells = made.corners_xy[mine], np.array([made.squares[i].cell for i in mine])
    middles = corners.mean(1)
    away = (middles - middles[0]) / TABLE_PX - (cells - cells[0])[:, ::-1]
    assert np.abs(away).max() < 0.2
    assert np.abs((corners - middles[:, None]) / TABLE_PX - HALF).max() < 0.15


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


def test_other_kingdoms_and_dominoes_keep_off() -> None:
    beside = 0
    for seed in range(12):
        made = photo(seed)
        middles = made.corners_xy.mean(1)
        mine = np.array([s.kingdom == 0 for s in made.squares])
        if not mine.all():
            beside += any(s.kingdom == LOOSE for s in made.squares)
            away = np.linalg.norm(middles[mine][:, None] - middles[~mine][None], axis=-1)
            assert away.min() > TABLE_PX
    assert beside


def test_at_times_two_kingdoms_lie_whole_on_the_table() -> None:
    made_ones = [photo(seed) for seed in range(12)]
    assert any(sum(s.kingdom == 1 for s in made.squares) > 8 for made in made_ones)
    for made in made_ones:
        assert (made.corners_xy > 0).all()
        assert (made.corners_xy < made.bgr.shape[1]).all()


def test_a_board_in_one_piece_lies_as_it_was_photographed() -> None:
    made = photo(1, whole=True)
    mine = [i for i, s in enumerate(made.squares) if s.kingdom == 0]
    assert len(mine) == len(SQUARE_CLASSES) - 1, "all kinds but for no tile"
    for i in mine:
        x, y = made.corners_xy[i].mean(0).round().astype(int)
        patch = made.bgr[y - 8 : y + 9, x - 8 : x + 9]
        assert abs(float(np.median(patch)) - COLORS[made.squares[i].kind]) < 3
    (free,) = np.argwhere(BANK.boards[0].kinds == EMPTY)
    at = made.corners_xy[mine][0].mean(0) + (free - made.squares[mine[0]].cell)[::-1] * TABLE_PX
    x, y = at.round().astype(int)
    patch = made.bgr[y - 8 : y + 9, x - 8 : x + 9]
    assert abs(float(np.median(patch)) - COLORS[EMPTY]) > 3, "not the table of its own picture"


def test_another_print_keeps_what_is_where_and_changes_colours() -> None:
    neat, worn = (
        make_kingdom_photo(2, None, BANK, manner=manner)
        for manner in (
            Manner(),
            Manner(tints=0.5 * np.tile(np.eye(3, dtype=np.float32), (18, 1, 1))),
        )
    )
    np.testing.assert_array_equal(neat.corners_xy, worn.corners_xy)
    x, y = neat.corners_xy[3].mean(0).round().astype(int)
    assert abs(float(neat.bgr[y, x].mean()) / 2 - float(worn.bgr[y, x].mean())) < 2


def test_a_castle_that_stands_hides_its_tile() -> None:
    bare, built = (
        make_kingdom_photo(4, None, BANK, manner=Manner(castle=castle)) for castle in (0.0, 1.0)
    )
    x, y = bare.corners_xy[0].mean(0).round().astype(int)
    part = np.s_[y - 20 : y + 21, x - 20 : x + 21]
    assert np.abs(bare.bgr[part].astype(int) - built.bgr[part]).mean() > 5


def test_a_photographed_kingdom_is_wholly_in_view() -> None:
    for seed in range(3):
        made = make_kingdom_photo(seed, "hard", BANK, size_wh=(480, 360))
        mine = [i for i, s in enumerate(made.squares) if s.kingdom == 0]
        middles = made.corners_xy[mine].mean(1)
        assert ((middles > 0) & (middles < (480, 360))).all()


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


def test_slips_are_explained(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="table of squares"):
        load_boards(tmp_path)
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(UsageError, match="no such picture"):
        load_photos(tmp_path)
    cv2.imwrite(str(tmp_path / "a.jpg"), np.zeros((8, 8, 3), np.uint8))
    with pytest.raises(UsageError, match="score --json"):
        load_photos(tmp_path)


def test_kinds_that_no_picture_shows_are_laid_as_others() -> None:
    """A club's own photos need not show every kind."""
    full = board()
    few = Board("x", "0", full.bgr[:, : 5 * SQUARE_PX], full.kinds[:, :5])
    missing = set(BANK.kinds) - set(Bank([few]).kinds)
    assert missing
    for seed in range(6):
        shown = {s.kind for s in make_kingdom_photo(seed, None, Bank([few])).squares}
        assert shown and not shown & missing
    assert Bank([few], [full]).kinds == BANK.kinds


def test_boards_that_stand_in_add_no_pictures_of_kinds_that_are_there() -> None:
    dark = replace(board(), bgr=np.zeros_like(board().bgr))
    bank = Bank([board()], [dark])
    assert all(bank.pick(np.random.default_rng(0), kind).any() for kind in bank.kinds)
    assert len(bank.boards) == 1


def test_what_a_castle_may_hide_is_no_picture_of_a_tile_where_another_is() -> None:
    wheat, lake = SQUARE_CLASSES.index(("wheat", 0)), SQUARE_CLASSES.index(("lake", 0))
    kinds = np.array([[wheat, lake, CASTLE], [EMPTY, wheat, wheat]])
    bgr = np.zeros((2 * SQUARE_PX, 3 * SQUARE_PX, 3), np.uint8)
    bgr[SQUARE_PX:, SQUARE_PX:] = bgr[:SQUARE_PX, SQUARE_PX : 2 * SQUARE_PX] = 200
    bank, rng = Bank([Board("x", "0", bgr, kinds)]), np.random.default_rng(0)
    shown = {kind: {int(bank.pick(rng, kind).max()) for _ in range(9)} for kind in bank.kinds}
    assert shown == {wheat: {0, 200}, lake: {200}}
    kinds[1, 1] = EMPTY
    bank = Bank([Board("x", "0", bgr, kinds)])
    assert {int(bank.pick(rng, wheat).max()) for _ in range(9)} == {0}
