"""A person's corrections of a map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kdscan.records import MapCorrections, MapEvidence, Marks
from kdscan.rules.grid import Cell
from kdscan.sheets.common.fields import WIZARD, cell_values
from kdscan.sheets.common.values import coat_from


def with_fields(evidence: MapEvidence, fields: Mapping[str, Any]) -> MapEvidence:
    """The store's fields: `cell:R,C`, `castle`, `value:chosen_coat`, `confirmed`."""
    wizard = fields.get(WIZARD)
    corrections = MapCorrections(
        cells={cell: marks_from(new) for cell, new in cell_values(fields).items()},
        castle=fields.get("castle"),
        wizard=(coat_from(wizard),) if WIZARD in fields else None,
        confirmed=fields.get("confirmed") is True,
    )
    return replace(evidence, corrections=evidence.corrections.merge(corrections))


def marks_from(value: Mapping[str, Any]) -> Marks:
    """A shield's marks from their JSON values."""
    return coat_from(value["coat"]), int(value["crosses"])


def cells_of(sheet: Mapping[str, Any]) -> dict[Cell, Marks]:
    """The content of each shield of a map, from its JSON."""
    return {(cell["row"], cell["col"]): marks_from(cell) for cell in sheet["cells"]}
