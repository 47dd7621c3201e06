"""Corrections of an event's sheets: finding the sheet, and storing its true content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.event.names import ambiguous, with_file_name
from kdscan.event.places import place_now
from kdscan.event.results import Result, SheetResult, results
from kdscan.event.store.corrections import (
    add_correction,
    corrections,
    effective_values,
    last_act,
    undo,
)
from kdscan.event.store.records import Event, Sheet
from kdscan.event.store.rows import now
from kdscan.sheets.common import WIZARD, CellField, ChoiceField, LineField, parse_field

BESIDE = ("confirmed", "ignored", "same_as")
"""Fields that concern a sheet as a whole, not what is on it."""


def find_row(db: Connection, event: Event, name: str) -> SheetResult:
    """The sheet that a name refers to: a file's name or its end, or a code; `#2.1` is page 2, sheet
    1.

    Raises UsageError if there is none, or several.
    """
    every = list(results(db, event.id))
    fitting = [row for row in every if isinstance(row, SheetResult) and row.sheet.code == name]
    fitting = fitting or _on_photos(every, name)
    if not fitting and "#" in name:  # unless it is part of a file's name
        file, place = name.rsplit("#", 1)
        there = _on_photos(every, file)
        fitting = [row for row in there if row.sheet.place == place]
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise UsageError(
            "{name}: {event} has no such sheet; kdscan export lists their names",
            name=name,
            event=event.name,
        )
    raise ambiguous(name, [row.address for row in fitting])


def _on_photos(every: Sequence[Result], name: str) -> list[SheetResult]:
    """The sheets on photos with a file of that name; every: the rows of all files."""
    named = with_file_name(every, name, attrgetter("file.name"))
    ids = {row.photo.id for row in named if row.photo is not None}
    return [row for row in every if isinstance(row, SheetResult) and row.photo.id in ids]


def correct_sheet(
    db: Connection,
    sheet: Sheet,
    fields: Mapping[str, Any],
    who: str,
    shown: Mapping[str, Any] | None = None,
    *,
    again: bool = True,
) -> None:
    """Add corrections to a sheet: field → new value, named as in `store.corrections`.

    shown: the sheet's JSON as the person saw it, for fields about what is on the paper; raises
    LookupError if it has no such place. again: whether values that are already current and not
    doubtful are stored too.
    """
    held, at = effective_values(corrections(db, sheet.event_id, sheet_id=sheet.id)), now()
    for field, new in fields.items():
        old: Any
        if field == "place":
            old, doubtful = asdict(place_now(db, sheet)), False
        elif field in BESIDE:
            old, doubtful = held.get(field), False
        else:
            old, doubtful = value_of(shown or {}, field)
        if again or doubtful or old != new:
            add_correction(db, sheet.event_id, field, new, who, sheet_id=sheet.id, old=old, at=at)


def undo_last(db: Connection, sheet: Sheet, who: str) -> bool:
    """Undo the last correction of a sheet that is in force; False if there is none."""
    rows = last_act(corrections(db, sheet.event_id, sheet_id=sheet.id))
    for row in reversed(rows):
        undo(db, row.id, who)
    return bool(rows)


def value_of(shown: Mapping[str, Any], field: str) -> tuple[Any, bool]:
    """The value of a corrections field in a sheet's JSON, and whether it is doubtful.

    Raises LookupError if the sheet has no such place.
    """
    match parse_field(field):
        case CellField(at):
            cell = {(c["row"], c["col"]): c for c in shown["cells"]}[at]
            names = ("terrain", "crowns") if shown["kind"] == "kingdom" else ("coat", "crosses")
            return {name: cell[name] for name in names}, cell["review"]
        case LineField(player, coat):
            line = shown["players"][player]["lines"][coat]
            return {name: line[name] for name in ("filled", "struck", "used")}, line["review"]
        case ChoiceField(player):
            side = shown["players"][player]
            return side["chosen_coat"], side["choice"]["review"]
    return shown["chosen_coat" if field == WIZARD else field], False
