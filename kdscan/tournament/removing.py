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
from kdscan.tournament.names import SHOWN, of_file, several
from kdscan.tournament.store.corrections import add_correction, corrections, effective
from kdscan.tournament.store.photos import files, get_photo, photos
from kdscan.tournament.store.records import Correction, Event, FileRow, PhotoRow


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


def removed_from(said: Iterable[Correction]) -> Removed:
    """What is currently removed from an event; said: all of its corrections."""
    held = _held(said)

    def of(kind: str) -> frozenset[str]:
        return frozenset(f.removeprefix(kind) for f in held if f.startswith(kind))

    return Removed(of("photo:"), of("page:"), of("file:"))


def _held(said: Iterable[Correction]) -> set[str]:
    """The event's fields that are true."""
    rows = (row for row in said if row.sheet_id is None and not row.game_id)
    return {field for field, row in effective(rows).items() if row.new is True}


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
    known, file_name = files(db, event.id), attrgetter("name")
    meant, page = of_file(known, name, file_name), ""
    if not meant and "#" in name:  # unless it is part of a file's name
        name_alone, _, page = name.rpartition("#")
        meant = [one for one in of_file(known, name_alone, file_name) if page in _pages(db, one)]
        page = f"#{page}"
    if not meant:
        raise UsageError("{name}: {event} has no photo of that name", name=name, event=event.name)
    fields = {_field(db, one, page) for one in meant}
    if len(fields) > 1:
        raise several(name, [one.name + page for one in meant])
    field = fields.pop()
    if not removed:
        _check_removed(db, event, field, name, known)
    add_correction(db, event.id, field, removed, who, old=not removed)
    ids = {one.photo_id for one in meant} - {None}
    return [one.name + page for one in known if one in meant or one.photo_id in ids]


def _check_removed(
    db: Connection, event: Event, field: str, name: str, known: Iterable[FileRow]
) -> None:
    gone = _held(corrections(db, event.id))
    if field in gone:
        return
    names = [
        one.name + page
        for one in known
        for page in ("", *(f"#{n}" for n in _pages(db, one)))
        if _field(db, one, page) in gone
    ]
    raise UsageError(
        "{name} was not removed; removed from {event}: {known}",
        name=name,
        event=event.name,
        known=", ".join(names[:SHOWN]) or "–",
    )


def _photo(db: Connection, file: FileRow) -> PhotoRow | None:
    return get_photo(db, file.photo_id) if file.photo_id is not None else None


def _pages(db: Connection, file: FileRow) -> list[str]:
    photo = _photo(db, file)
    return [str(n) for n in range(1, (photo.pages or 0) + 1)] if photo else []


def _field(db: Connection, file: FileRow, page: str) -> str:
    photo = _photo(db, file)
    if photo is None:
        return f"file:{file.name}"
    return f"page:{photo.sha256}{page}" if page else f"photo:{photo.sha256}"
