"""The order of the sheets of one photo."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from kdscan.records import AnyReading

F = TypeVar("F", bound="AnyReading")


def in_reading_order(found: Iterable[F]) -> tuple[F, ...]:
    """Readings of one photo as people number them: row by row from the top, each from the left. A
    sheet is in the row of the highest one if its middle is above that one's lower edge."""
    rows: list[list[F]] = []
    for one in sorted(found, key=lambda one: float(one.outline_xy[:, 1].mean())):
        if rows and one.outline_xy[:, 1].mean() < rows[-1][0].outline_xy[:, 1].max():
            rows[-1].append(one)
        else:
            rows.append([one])
    for row in rows:
        row.sort(key=lambda one: float(one.outline_xy[:, 0].mean()))
    return tuple(one for row in rows for one in row)
