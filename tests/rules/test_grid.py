"""Cells, their names and their groups."""

from __future__ import annotations

import pytest

from kdscan.rules.grid import cell_name, groups


@pytest.mark.parametrize(
    ("cell", "name"),
    [((0, 0), "A1"), ((2, 25), "Z3"), ((0, 26), "AA1"), ((0, 52), "BA1"), ((9, 702), "AAA10")],
)
def test_columns_go_on_after_z(cell: tuple[int, int], name: str) -> None:
    assert cell_name(cell) == name


def test_groups_are_in_row_major_order_however_they_hang_together() -> None:
    left, around = ((1, 0), (1, 1)), ((0, 1), (0, 2), (1, 2), (2, 1), (2, 2))
    assert groups(dict.fromkeys(left, "a") | dict.fromkeys(around, "b")) == [
        ("b", around),
        ("a", left),
    ]
