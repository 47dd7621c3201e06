"""A map with what a person says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kdscan.game.duel.coats import Coat
from kdscan.game.grid import Cell
from kdscan.kinds.common.fields import WIZARD, cell_of
from kdscan.kinds.duel_map.interpret import interpret
from kdscan.marks.decode import DEFAULT_RISK
from kdscan.records import MapCorrections, Marks, SheetReading


def correct(
    sheet: SheetReading, corrections: Mapping[Cell, Marks], *, risk: float = DEFAULT_RISK
) -> SheetReading:
    """The sheet with shields as a person says they are; the rest follows.

    What the pixels had said stays visible in `CellReading.seen`.
    """
    before = sheet.evidence.corrections
    cells = {**before.cells, **corrections}
    evidence = replace(sheet.evidence, corrections=replace(before, cells=cells))
    return interpret(evidence, risk)


def correct_fields(sheet: SheetReading, fields: Mapping[str, Any], risk: float) -> SheetReading:
    """`correct` by fields of a store: `cell:R,C`, `castle`, `value:chosen_coat`, `confirmed`."""
    wizard = fields.get(WIZARD)
    corrections = MapCorrections(
        cells={cell_of(f): marks_from(new) for f, new in fields.items() if f.startswith("cell:")},
        castle=fields.get("castle"),
        wizard=(Coat(wizard) if wizard else None,) if WIZARD in fields else None,
        confirmed=fields.get("confirmed") is True,
    )
    return interpret(replace(sheet.evidence, corrections=corrections), risk)


def marks_from(value: Mapping[str, Any]) -> Marks:
    """A shield's marks from their plain values."""
    return (Coat(value["coat"]) if value["coat"] else None), int(value["crosses"])
