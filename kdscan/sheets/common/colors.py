"""The colours of domains, and the cells that problems name, for everything that draws a board."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from kdscan.rules.grid import Cell, neighbours

if TYPE_CHECKING:
    from kdscan.records import AnyReading

MAX_NAMED = 8
"""A problem that names more cells concerns the map as a whole; its cells are not marked."""


def flagged_cells(found: AnyReading) -> set[Cell]:
    """The cells that problems name."""
    named = (problem.cells for problem in found.problems if len(problem.cells) <= MAX_NAMED)
    return {cell for cells in named for cell in cells}


def domain_colors(domains: Iterable[Collection[Cell]], colors: int) -> dict[Cell, int]:
    """A colour index below `colors` for each cell of these domains; neighbouring ones differ.

    Greedy graph colouring. domains: the cells of each that is worth something.
    """
    chosen: dict[Cell, int] = {}
    used = [0] * colors
    for cells in domains:
        around = {near for cell in cells for near in neighbours(cell)}
        taken = {chosen[cell] for cell in around if cell in chosen}
        free = [n for n in range(colors) if n not in taken] or list(range(colors))
        color = min(free, key=lambda n: (used[n], n))
        used[color] += 1
        chosen.update(dict.fromkeys(cells, color))
    return chosen
