"""Photos that are taken out of an event: they count and show nowhere, and can be put back.

What was kept of them stays: file, readings, corrections; and so in the event's archive.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.tournament.names import of_file, several
from kdscan.tournament.store.corrections import add_correction, corrections, effective
from kdscan.tournament.store.photos import files, get_photo
from kdscan.tournament.store.records import Event, FileRow


@dataclass(frozen=True)
class Out:
    """What is taken out. photos: SHA-256 of their content; files: names that were never read."""

    photos: frozenset[str]
    files: frozenset[str]


def taken_out(db: Connection, event_id: int) -> Out:
    """What is taken out of an event now."""
    rows = [row for row in corrections(db, event_id) if row.sheet_id is None and not row.game_id]
    held = {field for field, row in effective(rows).items() if row.new is True}

    def of(kind: str) -> frozenset[str]:
        return frozenset(f.removeprefix(kind) for f in held if f.startswith(kind))

    return Out(of("photo:"), of("file:"))


def take_out(
    db: Connection, event: Event, name: str, who: str, *, out: bool = True
) -> list[FileRow]:
    """Take a photo out by its file's name or the end of it, or put it back; returns its names.

    Raises `UsageError` for a name that no photo of the event has, or several.
    """
    meant = of_file(files(db, event.id), name, lambda one: one.name)
    if not meant:
        raise UsageError("{name}: {event} has no photo of that name", name=name, event=event.name)
    fields = {_field(db, one) for one in meant}
    if len(fields) > 1:
        raise several(name, [one.name for one in meant])
    add_correction(db, event.id, fields.pop(), out, who, old=not out)
    return meant


def _field(db: Connection, file: FileRow) -> str:
    photo = get_photo(db, file.photo_id) if file.photo_id is not None else None
    return f"file:{file.name}" if photo is None else f"photo:{photo.sha256}"
