"""Which 5 × 5 or 7 × 7 squares a kingdom spans."""

from __future__ import annotations

import numpy as np
import pytest

from kdscan.imaging.rectify import lattice_points
from kdscan.rules.kingdomino.kingdom import Kingdom
from kdscan.rules.kingdomino.tiles import CASTLE, EMPTY, SQUARE_CLASSES
from kdscan.sheets.kingdom.extent import Window, windows_of
from kdscan.sheets.kingdom.lattice import Lattice

SIDE = 50.0


def windows(
    text: str,
    photo_wh: tuple[int, int] = (2000, 2000),
    origin: float = 500.0,
    size: int | None = None,
    hidden: bool = True,
) -> tuple[Window, ...]:
    """The windows of squares that lie on the table as the text says, with a ring around."""
    rows = [line.split() for line in text.strip().splitlines()]
    shape = len(rows) + 2, len(rows[0]) + 2
    probs = np.tile(np.eye(len(SQUARE_CLASSES))[EMPTY], (*shape, 1))
    for r, row in enumerate(rows):
        for c, token in enumerate(row):
            if token == "##":
                probs[r + 1, c + 1] = np.eye(len(SQUARE_CLASSES))[CASTLE]
            elif token in ("#?", "w?"):
                kind = CASTLE if token == "#?" else SQUARE_CLASSES.index(("wheat", 0))
                probs[r + 1, c + 1] = 0.8 * np.eye(len(SQUARE_CLASSES))[kind]
                probs[r + 1, c + 1, EMPTY] = 0.2
            elif token != ".":
                square = next(iter(Kingdom.parse(f"## {token}").squares.values()))
                kind = SQUARE_CLASSES.index((square.terrain.value, square.crowns))
                probs[r + 1, c + 1] = np.eye(len(SQUARE_CLASSES))[kind]
    centers = lattice_points(*shape) * SIDE + origin - SIDE / 2
    patch, unlike = Lattice(centers, probs[..., EMPTY] < 0.5), np.zeros(probs.shape[:2])
    return windows_of(patch, probs, unlike, photo_wh, size, hidden)


def window(
    text: str,
    photo_wh: tuple[int, int] = (2000, 2000),
    origin: float = 500.0,
    size: int | None = None,
) -> Window:
    """The only one."""
    (found,) = windows(text, photo_wh, origin, size)
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
    found = window("w w w w w\nw w w w w\nw w ## w w\nw w w w w", (250, 250), origin=0.0)
    np.testing.assert_allclose(found.centers_xy[0, 0], [25, 25])
    np.testing.assert_allclose(found.centers_xy[4, 4], [225, 225])


def test_what_spans_more_than_five_is_of_seven() -> None:
    found = window("w w w ## w w")
    assert found.probs.shape[:2] == (7, 7)
    assert found.beyond == 0
    assert window("w w ## w w", size=7).probs.shape[:2] == (7, 7)


def test_squares_beyond_the_limit_are_counted() -> None:
    assert window("w w w w ## w w w w").beyond == 2
    assert window("w w w ## w w", size=5).beyond == 1


def test_loose_dominoes_on_the_same_lattice_are_left_out() -> None:
    found = window("## w w . f\n.  . . . f")
    assert "f" not in held(found)


def test_pictures_of_squares_outside_the_photo_are_none() -> None:
    found = window("w w ## w w", (700, 2000))
    assert held(found).count("w") == 3


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


def shown(tiles: int, castle: float, sure: float = 1.0) -> Window:
    """A 7 × 7 in which so many squares hold wheat, so surely; one more may be the castle."""
    probs = np.tile(np.eye(len(SQUARE_CLASSES))[EMPTY], (49, 1))
    probs[:tiles] = sure * np.eye(len(SQUARE_CLASSES))[SQUARE_CLASSES.index(("wheat", 0))]
    probs[:tiles, SQUARE_CLASSES.index(("swamp", 0))] += 1 - sure
    probs[tiles] = castle * np.eye(len(SQUARE_CLASSES))[CASTLE] + (1 - castle) * probs[tiles]
    probs = probs.reshape(7, 7, -1)
    return Window(lattice_points(7, 7) * SIDE, probs, probs[..., EMPTY] < 1, 0)


def test_a_kingdom_with_its_castle_says_more_than_a_larger_one_without() -> None:
    """As the squares of a ruled table are more, and no castle is among them."""
    assert shown(24, 1.0).score > shown(48, 0.0).score


def test_a_whole_kingdom_with_a_strange_castle_says_more_than_what_is_half_seen() -> None:
    assert shown(41, 0.2).score > shown(23, 0.6).score


def test_sure_squares_say_more_than_half_as_many_again_that_may_be_something_else() -> None:
    assert shown(20, 1.0).score > shown(30, 1.0, sure=0.88).score


@pytest.mark.parametrize("text", ["w w w\nw w w", ". . ."])
def test_without_a_castle_there_is_no_kingdom(text: str) -> None:
    assert windows(text) == ()


def test_kingdoms_side_by_side_may_lie_on_one_lattice() -> None:
    one, two = windows("w w w . s s s\nw ## w . s ## s\nw w w . s s s")
    assert {"w"} == set(held(one)) - {"c", "e"} and held(one).count("w") == 8
    assert {"s"} == set(held(two)) - {"c", "e"} and held(two).count("s") == 8
    assert one.score == two.score == pytest.approx(9)


def test_a_castle_by_itself_is_no_further_kingdom() -> None:
    assert len(windows("w w w . . .\nw ## w . ## .\nw w w . . .")) == 1


def test_nothing_but_castles_at_the_corner_of_a_lattice_are_looked_at_once() -> None:
    """As markers or shields of a sheet of the other game may look."""
    probs = np.tile(np.eye(len(SQUARE_CLASSES))[CASTLE], (1, 2, 1))
    centers = lattice_points(1, 2) * SIDE + 500.0
    patch = Lattice(centers, np.ones((1, 2), bool))
    assert windows_of(patch, probs, np.zeros((1, 2)), (2000, 2000)) == ()


def test_what_looks_like_more_castles_is_no_part_of_the_kingdom() -> None:
    """As the squares of a cutting mat may."""
    found = window("w w w w w #? #?\nw w ## w w #? .\nf f f f f . .")
    assert found.probs.shape[:2] == (5, 5)
    assert found.beyond == 0


def test_a_doubtful_square_makes_no_kingdom_of_seven() -> None:
    found = window("w w w w w w?\nw w ## w w .\nf f f f f .")
    assert found.probs.shape[:2] == (5, 5)
    assert found.beyond == 1
    assert window("w w w w w w\nw w ## w w .\nf f f f f .").probs.shape[:2] == (7, 7)
