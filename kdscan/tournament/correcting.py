"""A person puts a sheet of an event right: which sheet is meant, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.kinds.common.fields import CellField, ChoiceField, LineField, parse_field
from kdscan.tournament.results import Result, results
from kdscan.tournament.store.corrections import add_correction, corrections, undo
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
    """Undo what was said last of a sheet and still holds; raise UsageError if there is nothing."""
    assert row.sheet is not None
    rows = corrections(db, row.sheet.event_id, sheet_id=row.sheet.id)
    undone = {one.undoes for one in rows}
    held = [one for one in rows if one.undoes is None and one.id not in undone]
    if not held:
        raise UsageError("{name}: nobody has said anything of this sheet", name=row.file.name)
    for one in reversed(held):
        if (one.at, one.who) == (held[-1].at, held[-1].who):
            undo(db, one.id, who)


def _old(row: Result, field: str) -> Any:
    """What the person saw there."""
    assert row.data is not None
    match parse_field(field):
        case CellField(at):
            cell = next(c for c in row.data["cells"] if (c["row"], c["col"]) == at)
            names = ("terrain", "crowns") if row.data["kind"] == "kingdom" else ("coat", "crosses")
            return {name: cell[name] for name in names}
        case LineField(player, coat):
            line = row.data["players"][player]["lines"][coat]
            return {name: line[name] for name in ("filled", "struck", "used")}
        case ChoiceField(player):
            return row.data["players"][player]["chosen_coat"]
    if field == "place":
        return {"round": row.place.round, "table": row.place.table, "player": row.place.player}
    return row.overrides.get(field)
