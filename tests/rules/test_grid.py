"""Cells, their names and their groups."""

from __future__ import annotations

from kdscan.rules import groups


def test_groups_are_in_row_major_order_however_they_hang_together() -> None:
    left, around = ((1, 0), (1, 1)), ((0, 1), (0, 2), (1, 2), (2, 1), (2, 2))
    assert groups(dict.fromkeys(left, "a") | dict.fromkeys(around, "b")) == [
        ("b", around),
        ("a", left),
    ]
