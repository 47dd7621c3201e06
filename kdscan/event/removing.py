"""Photos and pages that are removed from an event: they neither count nor show, and can be
restored.

Everything stays stored, also in the event's archive: file, readings, corrections.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from sqlalchemy import Connection

from kdscan.errors import UsageError
from kdscan.event.names import SHOWN, ambiguous, with_file_name
from kdscan.event.store.corrections import add_correction, corrections, effective
from kdscan.event.store.photos import files, photos
from kdscan.event.store.records import Correction, Event, FileRow, PhotoRow


@dataclass(frozen=True)
class Removed:
    """What is removed. photos: SHA-256 of their content; pages: `SHA256#PAGE`, from 1; files: names
    that were never read."""

    photos: frozenset[str]
    pages: frozenset[str]
    files: frozenset[str]

    def has(self, sha256: str, page: int) -> bool:
        """Whether a page is removed, by itself or with its photo; pages count from 0."""
        return sha256 in self.photos or f"{sha256}#{page + 1}" in self.pages


def removed_from(rows: Iterable[Correction]) -> Removed:
    """What is currently removed from an event; rows: all of its corrections."""
    held = _in_force(rows)

    def of(kind: str) -> frozenset[str]:
        return frozenset(f.removeprefix(kind) for f in held if f.startswith(kind))

    return Removed(of("photo:"), of("page:"), of("file:"))


def _in_force(rows: Iterable[Correction]) -> set[str]:
    """The event's fields that are true."""
    of_event = (row for row in rows if row.sheet_id is None and not row.game_id)
    return {field for field, row in effective(of_event).items() if row.new is True}


def removed_files(db: Connection, event: Event) -> list[str]:
    """The names of the photos that are removed as a whole."""
    gone = removed_from(corrections(db, event.id)).photos
    lost = {photo.id for photo in photos(db, event.id) if photo.sha256 in gone}
    return [file.name for file in files(db, event.id) if file.photo_id in lost]


def set_removed(
    db: Connection, event: Event, name: str, who: str, *, removed: bool = True
) -> list[str]:
    """Remove a photo by its file's name or the end of it, or restore it; returns all its names.

    `NAME#7` is only page 7. Raises `UsageError` for a name that no photo of the event has, or
    several have, and for one to restore that was not removed.
    """
    known, called = files(db, event.id), attrgetter("name")
    photo_of = {photo.id: photo for photo in photos(db, event.id)}
    fields = {one.id: _fields(one, photo_of.get(one.photo_id or 0)) for one in known}
    meant, page = with_file_name(known, name, called), ""
    if not meant and "#" in name:  # unless it is part of a file's name
        file, _, number = name.rpartition("#")
        page = f"#{number}"
        meant = [one for one in with_file_name(known, file, called) if page in fields[one.id]]
    if not meant:
        raise UsageError("{name}: {event} has no photo of that name", name=name, event=event.name)
    those = {fields[one.id][page] for one in meant}
    if len(those) > 1:
        raise ambiguous(name, [one.name + page for one in meant])
    field = those.pop()
    gone = _in_force(corrections(db, event.id))
    if not removed and field not in gone:
        names = [f.name + place for f in known for place, of in fields[f.id].items() if of in gone]
        raise UsageError(
            "{name} was not removed; removed from {event}: {known}",
            name=name,
            event=event.name,
            known=", ".join(names[:SHOWN]) or "–",
        )
    add_correction(db, event.id, field, removed, who, old=not removed)
    return [one.name + page for one in known if field in fields[one.id].values()]


def _fields(file: FileRow, photo: PhotoRow | None) -> dict[str, str]:
    """The fields of corrections that remove a file as a whole (""), or a page of it ("#7")."""
    if photo is None:
        return {"": f"file:{file.name}"}
    pages = {f"#{n}": f"page:{photo.sha256}#{n}" for n in range(1, (photo.pages or 0) + 1)}
    return {"": f"photo:{photo.sha256}"} | pages
