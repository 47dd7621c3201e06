"""Tables as text for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest


def aligned(
    rows: Sequence[Sequence[str]], *, left: Collection[int] = (), least: Sequence[int] = ()
) -> list[str]:
    """Rows of as many cells each as lines with their columns below one another.

    left: the columns that start below one another, the others end so. least: widths of the first
    columns that have no wider cell.
    """
    from rich.cells import cell_len

    found = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    widths = [max(both) for both in zip_longest(found, least, fillvalue=0)]

    def line(row: Sequence[str]) -> str:
        room = [" " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
        cells = [text + room[n] if n in left else room[n] + text for n, text in enumerate(row)]
        return "  ".join(cells).rstrip()

    return list(map(line, rows))
