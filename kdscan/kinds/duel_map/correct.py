"""A map with a person's corrections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kdscan.game.duel.coats import Coat
from kdscan.kinds.common.fields import WIZARD, cell_values
from kdscan.kinds.duel_map.interpret import interpret
from kdscan.records import MapCorrections, Marks, SheetReading


def correct(sheet: SheetReading, corrections: MapCorrections, risk: float) -> SheetReading:
    """See `kdscan.kinds`. The pixels' own result stays visible in `CellReading.seen`."""
    after = sheet.evidence.corrections.merge(corrections)
    return interpret(replace(sheet.evidence, corrections=after), risk)


def correct_fields(sheet: SheetReading, fields: Mapping[str, Any], risk: float) -> SheetReading:
    """`correct` by the store's fields: `cell:R,C`, `castle`, `value:chosen_coat`, `confirmed`."""
    wizard = fields.get(WIZARD)
    corrections = MapCorrections(
        cells={cell: marks_from(new) for cell, new in cell_values(fields).items()},
        castle=fields.get("castle"),
        wizard=(Coat(wizard) if wizard else None,) if WIZARD in fields else None,
        confirmed=fields.get("confirmed") is True,
    )
    return correct(sheet, corrections, risk)


def marks_from(value: Mapping[str, Any]) -> Marks:
    """A shield's marks from their JSON values."""
    return (Coat(value["coat"]) if value["coat"] else None), int(value["crosses"])
