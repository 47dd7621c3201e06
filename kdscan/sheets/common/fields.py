"""Names of correction fields in the store; only this module formats and parses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kdscan.rules.duel.coats import Coat
from kdscan.rules.grid import Cell

WIZARD = "value:chosen_coat"
"""Field: the coat for which the filled coat's wizard pays."""

VARIANTS = "variants"
"""Field: the extra rules by which a kingdom is scored."""


@dataclass(frozen=True)
class CellField:
    """Field: the content of a cell of a map or a kingdom."""

    cell: Cell

    def __str__(self) -> str:
        return f"cell:{self.cell[0]},{self.cell[1]}"


@dataclass(frozen=True)
class LineField:
    """Field: a line of a spellbook; player: 0 for the left side, 1 for the right."""

    player: int
    coat: Coat

    def __str__(self) -> str:
        return f"line:{self.player},{self.coat}"


@dataclass(frozen=True)
class ChoiceField:
    """Field: the coat that a side of a spellbook names."""

    player: int

    def __str__(self) -> str:
        return f"choice:{self.player}"


PlaceField = CellField | LineField | ChoiceField


def parse_field(field: str) -> PlaceField | None:
    """The place that a field names, or None for other fields; ValueError for a malformed place."""
    name, _, where = field.partition(":")
    parts = where.split(",")
    match name, parts:
        case "cell", [row, col]:
            return CellField((int(row), int(col)))
        case "line", [player, coat]:
            return LineField(int(player), Coat(coat))
        case "choice", [player]:
            return ChoiceField(int(player))
        case "cell" | "line" | "choice", _:
            raise ValueError(f"no place of a sheet: {field!r}")
    return None


def cell_values(fields: Mapping[str, Any]) -> dict[Cell, Any]:
    """Values of the fields that name a cell, by cell; ValueError for a malformed field."""
    places = ((parse_field(field), value) for field, value in fields.items())
    return {at.cell: value for at, value in places if isinstance(at, CellField)}
