"""Rows of the store as frozen records, as `docs/store.md` describes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kdscan.files import Json


@dataclass(frozen=True)
class PhotoRow:
    """A file by its content. pages: None before it is opened; errors: why it cannot be opened."""

    id: int
    event_id: int
    sha256: str
    suffix: str
    size: int
    pages: int | None
    error_code: str | None
    error_message: str | None
    error_said: Json | None
    added_at: datetime


@dataclass(frozen=True)
class FileRow:
    """A name under which a photo came, once per name. photo_id: None if never read."""

    id: int
    event_id: int
    photo_id: int | None
    name: str
    source: str
    details: Json
    error_code: str | None
    error_message: str | None
    error_said: Json | None
    added_at: datetime


@dataclass(frozen=True)
class PrintRow:
    """A print that an event knows; `sha256` names its file beside the photos."""

    id: int
    event_id: int
    name: str
    sha256: str
    added_at: datetime


@dataclass(frozen=True)
class ReadingRow:
    """One page as one version of the models read it.

    entry: an element of `photos` of the JSON `kdscan/1`. kept: for each of its sheets the output of
    `pipeline.serialize`, or None for kinds that an older version did not store.
    """

    id: int
    photo_id: int
    page: int
    models: str
    entry: Json
    kept: list[Json | None]
    error_code: str | None
    seconds: float
    read_at: datetime
