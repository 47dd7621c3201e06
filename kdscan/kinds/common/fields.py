"""Fields of corrections, as the store names them."""

from __future__ import annotations

from kdscan.game.grid import Cell


def cell_of(field: str) -> Cell:
    """(row, column) of a field `cell:R,C`; ValueError for another."""
    row, col = field.removeprefix("cell:").split(",")
    return int(row), int(col)
