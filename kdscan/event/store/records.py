"""Rows of the store as frozen records, as `docs/store.md` describes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kdscan.files import Json


@dataclass(frozen=True)
class Event:
    """A tournament, or any pile of photos with a name. game: "duel" or "kingdomino"."""

    id: int
    name: str
    game: str
    details: Json
    created_at: datetime


@dataclass(frozen=True)
class Player:
    """A participant; names are unique in an event. active: False after dropping out."""

    id: int
    event_id: int
    name: str
    active: bool
    details: Json


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


@dataclass(frozen=True)
class Sheet:
    """A sheet of paper in a photo, according to its newest reading; corrections are separate.

    data: its element of `sheets` of the JSON. kept: see `ReadingRow`. code: text of its printed
    code. total: None for kinds without one. number: index in the reading.
    """

    id: int
    event_id: int
    photo_id: int
    page: int
    reading_id: int
    number: int
    kind: str
    code: str | None
    total: int | None
    confidence: float
    review: bool
    data: Json
    kept: Json | None

    @property
    def place(self) -> str:
        """Page and number on it, counted from 1, like 2.1."""
        return f"{self.page + 1}.{self.number + 1}"


@dataclass(frozen=True)
class PlannedGame:
    """Who plays whom: a table in a round. seats: player ids, in the order of the seats."""

    id: int
    event_id: int
    round: int
    table: int
    details: Json
    seats: tuple[int, ...]


@dataclass(frozen=True)
class Correction:
    """A person's correction or entry: of a sheet, of a game, or of the event as a whole.

    field: which value (see `corrections`). old, new: the value before and after. undoes: the id of
    the correction that this one undoes.
    """

    id: int
    event_id: int
    sheet_id: int | None
    game_id: int | None
    field: str
    old: Any
    new: Any
    who: str
    at: datetime
    undoes: int | None


def short_name(file: str) -> str:
    """A file's own name, because the folders of a batch should not be published on the network."""
    return file.replace("\\", "/").rsplit("/", 1)[-1]
