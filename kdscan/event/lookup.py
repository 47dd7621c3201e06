"""Which sheet or photo of an event a person means by a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kdscan.errors import UsageError
from kdscan.event.names import ambiguous

if TYPE_CHECKING:
    from kdscan.event.model import Event
    from kdscan.event.results import SheetResult


def photo_keys(event: Event) -> Iterator[tuple[str, str]]:
    """The names of photos and of their pages, each with its key, see `RemovePhoto`."""
    for file in event.files:
        photo = event.photos.get(file.photo_id or 0)
        if photo is None:
            yield file.name, f"file:{file.name}"
            continue
        yield file.name, f"photo:{photo.sha256}"
        for page in range(1, (photo.pages or 0) + 1):
            yield f"{file.name}#{page}", f"page:{photo.sha256}#{page}"


def removed_names(event: Event) -> list[str]:
    """The names of removed photos and pages."""
    return [name for name, key in photo_keys(event) if key in event.said.removed]


def photo_named(event: Event, name: str) -> tuple[str, str]:
    """The name and the key of a photo or page, by its name or the end of it; raises `UsageError` if
    there is none, or several."""
    keys = list(photo_keys(event))
    meant = [pair for pair in keys if pair[0] == name]
    meant = meant or [pair for pair in keys if pair[0].endswith(f"/{name}")]
    if not meant:
        raise UsageError("{name}: {event} has no photo of that name", name=name, event=event.name)
    if len({key for _, key in meant}) > 1:
        raise ambiguous(name, [whole for whole, _ in meant])
    return meant[0]


def sheet_named(event: Event, name: str) -> SheetResult:
    """The sheet that a name refers to: a file's name or its end, or a code; `#2.1` is page 2, sheet
    1. Raises `UsageError` if there is none, or several."""
    rows = event.sheet_rows
    file, _, place = name.rpartition("#")
    fitting = [row for row in rows if row.sheet.code == name]
    fitting = fitting or _on_photos(event, rows, name)
    # unless that is part of a file's name
    fitting = fitting or [r for r in _on_photos(event, rows, file) if r.sheet.place == place]
    if not fitting:
        raise UsageError(
            "{name}: {event} has no such sheet; kdscan export lists their names",
            name=name,
            event=event.name,
        )
    if len(fitting) > 1:
        raise ambiguous(name, [row.address for row in fitting])
    return fitting[0]


def _on_photos(event: Event, rows: Sequence[SheetResult], name: str) -> list[SheetResult]:
    """The sheets on photos with a file of that name, or one that ends with it."""
    named = [file for file in event.files if file.name == name]
    named = named or [file for file in event.files if name and file.name.endswith(f"/{name}")]
    ids = {file.photo_id for file in named}
    return [row for row in rows if row.photo.id in ids]
