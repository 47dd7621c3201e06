"""Fields of corrections, as the store names them."""

from __future__ import annotations

from kdscan.game.grid import Cell

WIZARD = "value:chosen_coat"
"""The field that says for which coat the filled coat's wizard pays."""

VARIANTS = "variants"
"""The field that says which extra rules a kingdom is scored by."""


def cell_of(field: str) -> Cell:
    """(row, column) of a field `cell:R,C`; ValueError for another."""
    row, col = field.removeprefix("cell:").split(",")
    return int(row), int(col)
