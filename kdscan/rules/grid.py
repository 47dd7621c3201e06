"""Grids for both games: neighbours, groups of equal ones, names of cells, text."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T", bound=Hashable)

Cell = tuple[int, int]
"""Row and column, counted from 0 at the top left."""


def cell_name(cell: Cell) -> str:
    """A cell's name for people: column letter and row number, `A1` at the top left, castle `D3`.

    After column Z comes AA.
    """
    row, col = cell
    letters = ""
    while col >= 0:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[col % 26] + letters
        col = col // 26 - 1
    return f"{letters}{row + 1}"


@lru_cache(maxsize=4096)
def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """The four cells that share a side with `cell`, on the grid or off it."""
    row, col = cell
    return (row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col)


def groups(values: Mapping[Cell, T]) -> list[tuple[T, tuple[Cell, ...]]]:
    """Split cells into groups of equal values connected edge to edge.

    Returns each group's value with its cells in row-major order; the groups are
    ordered by their first cell. Diagonal contact does not connect.
    """
    result: list[tuple[T, tuple[Cell, ...]]] = []
    left = dict(values)
    for start in sorted(left):
        if start not in left:
            continue
        value = left.pop(start)
        group = [start]
        for cell in group:
            for near in neighbours(cell):
                if near in left and left[near] == value:
                    del left[near]
                    group.append(near)
        group.sort()
        result.append((value, tuple(group)))
    return result


def components(cells: Iterable[Cell]) -> tuple[tuple[Cell, ...], ...]:
    """Connected components of cells, by shared edges; see `groups`."""
    return tuple([group for _, group in groups(dict.fromkeys(cells))])


def component_of(cell: Cell, cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """The connected component that contains one of the cells; see `components`."""
    return next(group for group in components(cells) if cell in group)


def alone(cells: Collection[Cell]) -> tuple[Cell, ...]:
    """The cells without another one beside them, row-major."""
    return tuple(cell for cell in sorted(cells) if not any(n in cells for n in neighbours(cell)))


def span(cells: Collection[Cell]) -> int:
    """The side of the smallest square that contains some cells."""
    rows, cols = {row for row, _ in cells}, {col for _, col in cells}
    return max(max(rows) - min(rows), max(cols) - min(cols)) + 1


def in_square(cell: Cell, corner: Cell, side: int) -> bool:
    """Whether a cell lies in a square of that side; corner: its upper left cell."""
    return 0 <= cell[0] - corner[0] < side and 0 <= cell[1] - corner[1] < side


def grid_text(shape: tuple[int, int], castle: Cell, squares: Mapping[Cell, object]) -> str:
    """Rows of tokens, one per square, with their columns aligned: `##` for the castle, `.` for an
    empty square. shape: rows and columns."""
    tokens = {cell: str(square) for cell, square in squares.items()} | {castle: "##"}
    width = max(map(len, tokens.values()))
    rows = ((tokens.get((r, c), ".") for c in range(shape[1])) for r in range(shape[0]))
    return "\n".join(" ".join(t.ljust(width) for t in row).rstrip() for row in rows)


def split_blocks(text: str) -> list[str]:
    """The blocks between blank lines; lines that begin with `# ` are comments."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.startswith("# "):
            continue
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]
