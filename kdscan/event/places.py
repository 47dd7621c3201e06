"""Whose sheet it is: round, table and player, from a person, a printed code or the photo's file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from kdscan.event.apply_corrections import Overrides
from kdscan.event.games import CUT
from kdscan.event.store.corrections import corrections, effective_values
from kdscan.event.store.photos import files
from kdscan.event.store.records import FileRow, Sheet
from kdscan.paper.ids import MOST_LETTERS, SheetId


@dataclass(frozen=True)
class Place:
    """Whose sheet it is, as far as known.

    player: according to a person; code, event: according to the printed code, if no person says
    whose it is. event ends with `CUT` if its name may be longer than the code had room for.
    """

    round: int | None = None
    table: int | None = None
    player: str | None = None
    code: str | None = None
    event: str | None = None

    @property
    def who(self) -> str | None:
        """The player's name, from whichever source."""
        return self.player or self.code


FirstNames = Mapping[int, tuple[int, FileRow]]
"""For each photo its first name, and the index of that among the event's names."""


def first_names(rows: Iterable[FileRow]) -> dict[int, tuple[int, FileRow]]:
    """See `FirstNames`; any of a photo's names may give the round. rows: files by name."""
    named: dict[int, tuple[int, FileRow]] = {}
    for order, file in enumerate(rows):
        if file.photo_id is not None:
            first, one = named.get(file.photo_id, (order, file))
            named[file.photo_id] = first, replace(one, details=file.details | one.details)
    return named


def place_now(db: Connection, sheet: Sheet) -> Place:
    """Whose sheet it is, from all sources."""
    held = effective_values(corrections(db, sheet.event_id, sheet_id=sheet.id, field="place"))
    _, file = first_names(files(db, sheet.event_id, sheet.photo_id))[sheet.photo_id]
    return place_of(sheet.code, held, file)


def place_of(code: str | None, overrides: Overrides, file: FileRow | None = None) -> Place:
    """Whose sheet it is: according to a person, else the printed code, else the file."""
    if isinstance(overrides.get("place"), dict):
        place = overrides["place"]
        return Place(*(place.get(one) for one in ("round", "table", "player", "code")))
    given = file.details.get("round") if file else None
    printed = SheetId.parse(code) if code else None
    if code is None or printed is None:
        return Place(round=given)
    round_ = given if printed.round is None else printed.round
    full = len(code) >= MOST_LETTERS - 1  # no word ends with a hyphen
    event = printed.event + CUT if full else printed.event
    return Place(round_, printed.table, code=printed.player or None, event=event)
