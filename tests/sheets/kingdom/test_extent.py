"""Which 5 × 5 or 7 × 7 squares a kingdom spans, beside others and at the picture's edge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kdscan.imaging.picture import lattice_points
from kdscan.rules.kingdomino.kingdom import CASTLE, EMPTY, SQUARE_CLASSES, Square
from kdscan.sheets.kingdom.extent import ReadLattice, Window, sides_reached, windows_of
from kdscan.sheets.kingdom.lattice import Lattice
from kdscan.sheets.kingdom.model import ONE_HOT

SIDE = 50.0


def windows(
    text: str,
    photo_wh: tuple[int, int] = (2000, 2000),
    origin: float = 500.0,
    hidden: bool = True,
) -> tuple[Window, ...]:
    """The windows of squares that lie on the table as the text says, with a ring around."""
    rows = [line.split() for line in text.strip().splitlines()]
    shape = len(rows) + 2, len(rows[0]) + 2
    probs = np.tile(ONE_HOT[EMPTY], (*shape, 1))
    for r, row in enumerate(rows):
        for c, token in enumerate(row):
            if token == "##":
                probs[r + 1, c + 1] = ONE_HOT[CASTLE]
            elif token in ("#?", "w?"):
                kind = CASTLE if token == "#?" else SQUARE_CLASSES.index(("wheat", 0))
                probs[r + 1, c + 1] = 0.8 * ONE_HOT[kind]
                probs[r + 1, c + 1, EMPTY] = 0.2
            elif token != ".":
                kind = SQUARE_CLASSES.index((Square.parse(token).terrain.value, 0))
                probs[r + 1, c + 1] = ONE_HOT[kind]
    centers = lattice_points(*shape) * SIDE + origin - SIDE / 2
    lattice = Lattice(centers, probs[..., EMPTY] < 0.5)
    read = ReadLattice(lattice, probs, np.zeros(shape), 1.0, photo_wh)
    return windows_of(read, hidden=hidden)


def window(text: str, *where: Any) -> Window:
    """The only one; where: as in `windows`."""
    (found,) = windows(text, *where)
    return found


def held(found: Window) -> list[str]:
    return [SQUARE_CLASSES[k][0][0] for k in found.probs.argmax(-1).ravel()]


def test_a_full_kingdom_is_its_own_window() -> None:
    found = window("\n".join(["w w w w w"] * 2 + ["w w ## w w"] + ["w w w w w"] * 2))
    assert found.probs.shape[:2] == (5, 5)
    assert "e" not in held(found)
    np.testing.assert_allclose(found.centers_xy[0, 0], [525, 525])


def test_rims_lie_so_that_the_castle_is_in_the_middle() -> None:
    found = window("## w w\nf f .")
    assert found.probs.shape[:2] == (5, 5)
    assert SQUARE_CLASSES[found.probs[2, 2].argmax()] == ("castle", 0)


def test_rims_stay_inside_the_photo() -> None:
    """As in a board that was cut out with an empty row."""
    found = window("w w w w w\nw w w w w\nw w ## w w\nw w w w w", (250, 250), 0.0)
    np.testing.assert_allclose(found.centers_xy[0, 0], [25, 25])
    np.testing.assert_allclose(found.centers_xy[4, 4], [225, 225])


def test_loose_dominoes_on_the_same_lattice_are_left_out() -> None:
    found = window("## w w . f\n.  . . . f")
    assert "f" not in held(found)


def test_a_kingdom_with_few_squares_is_not_of_a_great_duel() -> None:
    """A discarded domino lies close to it, in line."""
    rows = ["f f . . .", "w w w w w", "w w w w w", "w w ## w w", "w w w w w", "w w . . ."]
    found = window("\n".join(rows))
    assert (len(found.probs), found.beyond) == (5, 2)
    assert len(window("\n".join([*rows, "w w . . ."])).probs) == 7


@pytest.mark.parametrize(("wide", "cut"), [(1000, ()), (735, ("right",)), (725, ("right",))])
def test_the_edge_of_the_picture_cuts_off_a_kingdom(wide: int, cut: tuple[str, ...]) -> None:
    assert window("w w ## w w\nw . . f f", (wide, 2000)).cut == cut


def test_tiles_at_the_edge_may_be_a_kingdom_whose_castle_lies_beyond_it() -> None:
    tiles = "w w w\nw f f"
    (lost,) = windows(tiles, (640, 2000))
    assert lost.lost and lost.cut == ("right",)
    assert windows(tiles) == ()
    (lost,) = windows("w w w w w\nw w w w w", (740, 2000), hidden=True)
    assert lost.lost, "a castle beyond the edge is not hidden by a thing"


def test_many_tiles_are_a_kingdom_though_nobody_sees_the_castle() -> None:
    many = "w w w w w\nw w w w w"
    assert window(many).probs.shape[:2] == (5, 5)
    assert windows(many, hidden=False) == (), "on a table that looks bare from afar"


@pytest.mark.parametrize("text", ["w w w\nw w w", ". . ."])
def test_without_a_castle_there_is_no_kingdom(text: str) -> None:
    assert windows(text) == ()


def test_kingdoms_side_by_side_may_lie_on_one_lattice() -> None:
    one, two = windows("w w w . s s s\nw ## w . s ## s\nw w w . s s s")
    assert {"w"} == set(held(one)) - {"c", "e"} and held(one).count("w") == 8
    assert {"s"} == set(held(two)) - {"c", "e"} and held(two).count("s") == 8
    assert one.score == two.score == pytest.approx(9)


def test_two_castles_in_one_component_are_two_kingdoms() -> None:
    row = "w w w w w s s s s s"
    both = windows("\n".join([row, row, "w w ## w w s s ## s s", row, row]))
    assert [one.probs.shape[:2] for one in both] == [(5, 5)] * 2
    assert {frozenset(held(one)) for one in both} == {frozenset("wc"), frozenset("sc")}
    assert all(one.beyond == 0 and not one.touching for one in both)


PLACES = lattice_points(6, 6) * SIDE + 25
"""Places with a ring around, the first of which begins at the picture's corner."""


MINE = {(r, c) for r in range(1, 5) for c in range(1, 5)}


def sides(shift: tuple[float, float], limit: int = 5, tile: bool = False) -> tuple[str, ...]:
    """Those that cut off a kingdom of 4 x 4 that begins one square from the corner, shifted so many
    squares. tile: whether a tile is seen above it, beside the picture."""
    tiles = np.zeros((6, 6), np.bool_)
    tiles[1:-1, 1:-1] = True
    tiles[0, 1] = tile
    return sides_reached(PLACES + np.array(shift) * SIDE, tiles, MINE, (500, 500), limit)


@pytest.mark.parametrize(
    ("shift", "cut"),
    [
        ((1, 1), ()),
        ((-0.5, -0.5), ()),
        ((-1.4, 1), ("left",)),
        ((1, -1.4), ("top",)),
        ((5.4, 5.4), ("right", "bottom")),
    ],
)
def test_a_tile_beyond_the_edge_is_cut_off(shift: tuple[float, float], cut: tuple[str]) -> None:
    assert sides(shift) == cut


def test_a_column_that_may_lie_unseen_beyond_the_edge_is_asked_about() -> None:
    assert sides((-0.9, 1)) == ("left",)
    assert sides((-0.9, 1), limit=4) == (), "no more than four squares fit"
    assert sides((-0.6, 1)) == (), "table is seen there"
