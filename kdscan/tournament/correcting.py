"""Corrections of a sheet of an event: which sheet is meant, and what it really shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.kinds.common.fields import WIZARD, CellField, ChoiceField, LineField, parse_field
from kdscan.records.results import Json
from kdscan.tournament.results import Result, results
from kdscan.tournament.store.corrections import add_correction, corrections, not_undone, undo
from kdscan.tournament.store.records import Event
from kdscan.tournament.store.rows import now

SHOWN = 5
"""So many sheets are named when a name fits several."""


def find_row(db: Connection, event: Event, name: str) -> Result:
    """The sheet that a name means: a file's name or its end, a code; `#2.1` for page 2, sheet 1.

    Raises UsageError when it is none, or several.
    """
    rows = [row for row in results(db, event.id) if row.sheet is not None]
    fitting = [row for row in rows if row.sheet and row.sheet.code == name]
    fitting = fitting or _of_file(rows, name, "")
    if not fitting and "#" in name:  # unless a file's own name has it
        fitting = _of_file(rows, *name.rsplit("#", 1))
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise UsageError(
            "{name}: {event} has no such sheet; names stand in the table of kdscan export",
            name=name,
            event=event.name,
        )
    known = ", ".join(f"{row.file.name}#{_place(row)}" for row in fitting[:SHOWN])
    raise UsageError("{name}: that may be any of {known}; name one of them", name=name, known=known)


def _of_file(rows: Sequence[Result], file: str, place: str) -> list[Result]:
    """The sheets of a file, by its whole name or else the end of it; place: only the one there."""
    here = [row for row in rows if not place or _place(row) == place]
    fitting = [row for row in here if row.file.name == file]
    return fitting or [row for row in here if row.file.name.endswith(f"/{file}")]


def _place(row: Result) -> str:
    return f"{row.page + 1}.{row.sheet.number + 1}" if row.sheet else ""


def say(db: Connection, row: Result, overrides: Mapping[str, Any], who: str) -> None:
    """Add corrections to a sheet: field → new value, as `store.corrections` names them."""
    assert row.sheet is not None
    event_id, sheet_id, at = row.sheet.event_id, row.sheet.id, now()
    for field, new in overrides.items():
        old = _old(row, field)
        add_correction(db, event_id, field, new, who, sheet_id=sheet_id, old=old, at=at)


def take_back(db: Connection, row: Result, who: str) -> None:
    """Undo the last correction of a sheet that still holds; raises UsageError without any."""
    assert row.sheet is not None
    held = not_undone(corrections(db, row.sheet.event_id, sheet_id=row.sheet.id))
    if not held:
        raise UsageError("{name}: nobody has said anything of this sheet", name=row.file.name)
    for one in reversed(held):
        if (one.at, one.who) == (held[-1].at, held[-1].who):
            undo(db, one.id, who)


def _old(row: Result, field: str) -> Any:
    """What the person saw there."""
    assert row.data is not None
    if parse_field(field) is not None:
        return value_of(row.data, field)[0]
    return asdict(row.place) if field == "place" else row.overrides.get(field)


def value_of(sheet: Json, field: str) -> tuple[Any, bool]:
    """What a sheet's JSON has for a field of corrections, and whether that is doubtful.

    Raises LookupError where the sheet has no such place.
    """
    match parse_field(field):
        case CellField(at):
            cell = {(c["row"], c["col"]): c for c in sheet["cells"]}[at]
            names = ("terrain", "crowns") if sheet["kind"] == "kingdom" else ("coat", "crosses")
            return {name: cell[name] for name in names}, cell["review"]
        case LineField(player, coat):
            line = sheet["players"][player]["lines"][coat]
            return {name: line[name] for name in ("filled", "struck", "used")}, line["review"]
        case ChoiceField(player):
            side = sheet["players"][player]
            return side["chosen_coat"], side["choice"]["review"]
    return sheet["chosen_coat" if field == WIZARD else field], False
