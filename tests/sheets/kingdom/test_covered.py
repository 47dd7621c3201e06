"""Objects on a kingdom's tiles: what they hide must not be missing silently."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kdscan.imaging.picture import Floats, Photo
from kdscan.imaging.rectify import lattice_points
from kdscan.inference.store import default_models
from kdscan.marks.boards import DEFAULT_RISK
from kdscan.rules.grid import Cell
from kdscan.rules.kingdomino.tiles import CASTLE, EMPTY, SQUARE_CLASSES, SquareKind
from kdscan.rules.kingdomino.variants import PLAIN
from kdscan.sheets.base import deserialize, serialize
from kdscan.sheets.kingdom import read as kingdom_read
from kdscan.sheets.kingdom.extent import windows_of
from kdscan.sheets.kingdom.find import FoundKingdom
from kdscan.sheets.kingdom.interpret import SURELY_COVERED, doubts, interpret
from kdscan.sheets.kingdom.lattice import Lattice
from kdscan.sheets.kingdom.model import KingdomCorrections, KingdomReading
from kdscan.sheets.kingdom.read import read_kingdoms
from kdscan.sheets.kingdom.surface import MIN_PLACES, unlike_table
from tests.readings import make_kingdom
from tests.sheets.kingdom.test_surface import GOLD, OAK, certainty, flat

BARE = (3, 2)
"""A place without a tile in the kingdoms of the tests."""
CLOSE = SURELY_COVERED - 0.5
RED = (40, 40, 200)
LAID = """
f   w   f+  f   g++
l+  ##  w   l+  l
.   f   g+  l   l+
f   l   .   l   w
l+  l   w   w+  m
"""
"""A kingdom of eleven dominoes, with two places without a tile."""
NOT_LAID = LAID.replace("g++", "s++")
"""One that no dominoes of the box make."""


def covered(unlike: float) -> KingdomReading:
    """A kingdom with a place that looks so unlike the table."""
    return interpret(replace(make_kingdom(LAID).evidence, covered={BARE: unlike}))


def unlike(looks: list[list[tuple[int, int, int]]], bare: list[list[bool]]) -> Floats:
    """How unlike the table places of these colours look; those that are not bare hold a tile."""
    here = np.array(bare)
    probs = certainty(np.where(here, 0.01, 0.99).tolist())
    return unlike_table(probs, flat(looks), here, here)


def test_what_looks_unlike_the_table_is_told_from_table() -> None:
    looks = [[OAK] * 5 for _ in range(5)]
    looks[1][1] = looks[1][2] = RED
    looks[3][3] = GOLD
    bare = [[True] * 5 for _ in range(5)]
    bare[3][3] = False
    far = unlike(looks, bare)
    assert far[1, 1] > SURELY_COVERED and far[1, 2] > SURELY_COVERED, "a thing over two places"
    assert far[3, 3] == 0, "a tile"
    far[1, 1:3] = 0
    assert far.max() < 0.5, "table"


def test_a_table_of_two_looks_is_table() -> None:
    assert unlike([[OAK, OAK, RED, RED, RED]] * 5, [[True] * 5] * 5).max() < 0.5


def test_without_enough_table_nothing_is_told() -> None:
    looks = [[OAK] * MIN_PLACES + [OAK, RED]]
    assert unlike(looks, [[True] * len(looks[0])])[0, -1] > SURELY_COVERED
    assert unlike([looks[0][1:]], [[True] * (len(looks[0]) - 1)])[0, -1] == 0


def test_a_window_holds_the_places_on_which_its_tiles_may_lie() -> None:
    """A kingdom of four columns: the fifth may lie on either side, and what lies further on is no
    part of it."""
    probs = np.tile(np.eye(len(SQUARE_CLASSES))[EMPTY], (7, 6, 1))
    probs[1:6, 1:5] = np.eye(len(SQUARE_CLASSES))[SQUARE_CLASSES.index(("wheat", 0))]
    probs[3, 2] = np.eye(len(SQUARE_CLASSES))[CASTLE]
    patch = Lattice(lattice_points(7, 6) * 50.0 + 500, probs[..., EMPTY] < 0.5)
    for col, where in ((0, (2, 0)), (5, (2, 4))):
        far = np.zeros((7, 6))
        far[3, col] = far[0, 2] = 9.0
        (window,) = windows_of(patch, probs, far, (2000, 2000))
        assert window.covered == {where: 9.0}
    (window,) = windows_of(patch, probs, np.zeros_like(far), (2000, 2000))
    assert not window.covered


def test_a_thing_where_a_tile_may_lie_asks_for_a_look_and_is_said() -> None:
    one = covered(SURELY_COVERED)
    assert one.review and one.confidence <= 0.5
    assert [problem.code for problem in one.problems] == ["tiles_covered"]
    assert one.problems[0].cells == (BARE,)
    (doubt,) = doubts(one)
    assert (doubt.cell.row, doubt.cell.col) == BARE and doubt.cell.confidence <= 0.5
    assert not doubt.others, "pixels know nothing of a covered tile"
    assert one.score == make_kingdom(LAID).score
    assert deserialize(serialize(one)).problems == one.problems


def test_it_asks_though_the_rules_make_a_tile_of_it() -> None:
    """Half of a tile shows beside the thing: pixels say table, the box's dominoes say tile."""
    probs = make_kingdom(LAID).probs.copy()
    probs[4, 4, EMPTY], probs[4, 4, SQUARE_CLASSES.index(("mine", 0))] = 0.6, 0.4
    evidence = replace(make_kingdom(LAID).evidence, probs=probs)
    assert interpret(evidence).squares[-1].terrain == "mine" and not interpret(evidence).review
    assert interpret(replace(evidence, covered={(4, 4): SURELY_COVERED})).review


def test_a_place_that_looks_a_little_unlike_counts_only_where_dominoes_cannot_be_laid() -> None:
    assert not covered(CLOSE).review
    not_laid = make_kingdom()
    assert not not_laid.review
    close = interpret(replace(not_laid.evidence, covered={(2, 4): CLOSE}))
    assert close.problems[-1].code == "tiles_covered"


def test_a_place_that_tiles_enclose_may_be_covered_where_dominoes_cannot_be_laid() -> None:
    """A hand that reaches beyond the kingdom looks like the table."""
    assert not make_kingdom(LAID).problems
    one = make_kingdom(NOT_LAID)
    assert one.review and one.problems[-1].code == "tiles_covered"
    assert one.problems[-1].cells == ((2, 0), BARE)
    bare: dict[Cell, SquareKind] = dict.fromkeys(one.problems[-1].cells, ("empty", 0))
    seen = interpret(replace(one.evidence, corrections=KingdomCorrections(bare)))
    assert not seen.review and [p.code for p in seen.problems] == ["not_laid_lawfully"]


@pytest.mark.parametrize("kind", [("empty", 0), ("wheat", 0)])
def test_what_a_person_said_of_a_covered_place_holds(kind: tuple[str, int]) -> None:
    said = KingdomCorrections({BARE: kind})
    one = interpret(replace(covered(SURELY_COVERED).evidence, corrections=said))
    assert not any(BARE in p.cells for p in one.problems if p.code == "tiles_covered")
    assert one.review == (kind != ("empty", 0)), "a tile too many cannot be laid"


def test_a_kingdom_is_one_whatever_lies_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = covered(9.0)
    found = FoundKingdom(one.evidence, 0.5)
    monkeypatch.setattr(kingdom_read, "find_kingdoms", lambda *_: (found,))
    photo = Photo(np.full((600, 800, 3), 200, np.uint8))
    (read,), confidence, _ = read_kingdoms(
        photo, default_models(), PLAIN, DEFAULT_RISK, named=False
    )
    assert read.review and confidence > 0.95
