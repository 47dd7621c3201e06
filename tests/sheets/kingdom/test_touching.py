"""Kingdoms, castles and loose dominoes so close together that they seem connected."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kdscan.imaging.rectify import lattice_points
from kdscan.rules.grid import Cell
from kdscan.sheets.base import deserialize, serialize
from kdscan.sheets.kingdom import extent
from kdscan.sheets.kingdom.interpret import interpret
from kdscan.sheets.kingdom.touching import Part, divide, without_loose
from tests.readings import make_kingdom
from tests.sheets.kingdom.test_extent import held, windows

SIDE = 50.0


def square(rows: range, cols: range) -> set[Cell]:
    return {(row, col) for row in rows for col in cols}


def centers(
    gap_after: int = 0, gap: float = 0.0
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Places of a lattice of 5 x 12 with a gap, in sides, after that many columns."""
    xy = lattice_points(5, 12) * SIDE
    xy[:, gap_after:] += (gap * SIDE, 0)
    return xy


def test_kingdoms_that_fill_their_limit_can_be_divided_in_one_way_only() -> None:
    parts = divide(square(range(5), range(10)), [(2, 2), (2, 7)], centers(), 5)
    assert parts[2, 2].cells == square(range(5), range(5))
    assert parts[2, 7].cells == square(range(5), range(5, 10))
    assert not parts[2, 2].doubtful


@pytest.mark.parametrize("wide", [4, 5])
def test_kingdoms_are_divided_where_the_gap_is_and_doubted_if_another_one_is_possible(
    wide: int,
) -> None:
    parts = divide(square(range(5), range(9)), [(2, 2), (2, 6)], centers(wide, 0.2), 5)
    assert parts[2, 2].cells == square(range(5), range(wide))
    assert parts[2, 2].doubtful and parts[2, 6].doubtful


def test_three_kingdoms_side_by_side() -> None:
    cells = (
        square(range(5), range(5)) | square(range(5), range(5, 9)) | square(range(5), range(9, 12))
    )
    parts = divide(cells, [(0, 0), (0, 6), (0, 11)], centers(), 5)
    assert {len(part.cells) for part in parts.values()} <= {10, 15, 20, 25}
    assert frozenset().union(*(part.cells for part in parts.values())) == cells


def test_four_kingdoms_may_be_parted_in_either_order() -> None:
    cells = square(range(10), range(10))
    castles = [(2, 2), (2, 7), (7, 2), (7, 7)]
    parts = divide(cells, castles, lattice_points(10, 10) * SIDE, 5)
    assert all(len(part.cells) == 25 and not part.doubtful for part in parts.values())


def test_a_castle_beside_a_whole_kingdom_is_nobody_s() -> None:
    cells = square(range(5), range(5)) | {(2, 5)}
    parts = divide(cells, [(2, 2), (2, 5)], centers(), 5)
    assert parts[2, 2].cells == square(range(5), range(5)) and not parts[2, 2].doubtful
    assert parts[2, 5].cells == {(2, 5)}


@pytest.mark.parametrize(("gap", "left"), [(0.2, 25), (0.0, 27)])
def test_dominoes_apart_from_a_kingdom_are_loose(gap: float, left: int) -> None:
    cells = square(range(5), range(5)) | {(1, 5), (1, 6)}
    assert len(without_loose(cells, (2, 2), centers(5, gap), 5)) == left


def test_two_castles_in_one_component_are_two_kingdoms() -> None:
    row = "w w w w w s s s s s"
    both = windows("\n".join([row, row, "w w ## w w s s ## s s", row, row]))
    assert [one.probs.shape[:2] for one in both] == [(5, 5)] * 2
    assert {frozenset(held(one)) for one in both} == {frozenset("wc"), frozenset("sc")}
    assert all(one.divided and one.beyond == 0 and not one.touching for one in both)


def test_a_castle_that_is_less_sure_divides_what_is_larger_than_any_kingdom() -> None:
    row = "w w w w w s s s s s"
    both = windows("\n".join([row, row, "w w ## w w s s #? s s", row, row]))
    assert [one.beyond for one in both] == [0, 0]


def test_no_more_castles_than_players_are_tried_in_every_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On other games' sheets twenty squares may look like castles."""
    tried: list[int] = []

    def counted(cells: set[Cell], castles: list[Cell], *rest: Any) -> dict[Cell, Part]:
        tried.append(len(castles))
        return divide(cells, castles, *rest)

    monkeypatch.setattr(extent, "divide", counted)
    windows("\n".join(["## w ## w ## w ## w", "w ## w ## w ## w ##"] * 2))
    assert tried and set(tried) == {extent.MAX_CASTLES}


def test_a_spare_castle_at_the_rim_makes_no_kingdom_of_seven() -> None:
    (found,) = windows("w w w w w .\nw w ## w w ##\nw w w w w .\nw w w w w .\nw w w w w .")
    assert found.probs.shape[:2] == (5, 5) and held(found).count("c") == 1


def test_a_kingdom_that_touches_another_castle_s_asks_for_a_look() -> None:
    touching = interpret(replace(make_kingdom().evidence, touching=True))
    assert touching.review and touching.confidence <= 0.5
    assert touching.problems[-1].code == "kingdoms_touch"
    assert deserialize(serialize(touching)).problems == touching.problems
