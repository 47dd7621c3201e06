"""Loads what is stored of any number of photos in a handful of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import Connection, select

from kdscan.event.apply_corrections import Overrides
from kdscan.event.multi_photo_games import MultiPhotoGames
from kdscan.event.names import Names, names_of
from kdscan.event.rules import Rules, overrides_of, rules_of
from kdscan.event.store import schema
from kdscan.event.store.corrections import effective_values
from kdscan.event.store.events import get_event, players
from kdscan.event.store.readings import readings, sheets
from kdscan.event.store.records import Correction, Event, FileRow, ReadingRow, Sheet
from kdscan.event.store.rows import all_of
from kdscan.files import Json

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Loaded:
    """newest: the newest reading of each page, by photo, in the order of the pages. files: by
    photo, the first one first. sheets: by photo and page. corrections: by sheet, the oldest first.
    """

    newest: Mapping[int, Collection[ReadingRow]]
    files: Mapping[int, list[FileRow]]
    sheets: Mapping[tuple[int, int], list[Sheet]]
    corrections: Mapping[int, list[Correction]]
    games: MultiPhotoGames
    names: Names
    rules: Rules

    def corrected(self, sheet: Sheet) -> Json:
        """The values in force that people corrected."""
        return effective_values(self.corrections.get(sheet.id, ()))

    def asked(self, sheet: Sheet) -> Overrides:
        """The corrections with which a sheet is to be interpreted."""
        return overrides_of(sheet, self.corrected(sheet), self.rules)


def load(
    db: Connection, event: Event, photo_ids: Collection[int], page: int | None = None
) -> Loaded:
    """page: the only one whose sheets are needed."""
    file, said, sheet = schema.file.c, schema.correction.c, schema.sheet.c
    names = select(schema.file).where(file.event_id == event.id, file.photo_id.in_(photo_ids))
    here = select(sheet.id).where(sheet.photo_id.in_(photo_ids))
    words = select(schema.correction).where(said.event_id == event.id, said.sheet_id.in_(here))
    newest: dict[int, dict[int, ReadingRow]] = defaultdict(dict)
    for row in readings(db, photo_ids):
        newest[row.photo_id][row.page] = row
    return Loaded(
        {photo: pages.values() for photo, pages in newest.items()},
        _by(all_of(db, FileRow, names.order_by(file.id)), lambda one: one.photo_id or 0),
        _by(sheets(db, event.id, photo_ids, page), lambda one: (one.photo_id, one.page)),
        _by(all_of(db, Correction, words.order_by(said.id)), lambda one: one.sheet_id or 0),
        MultiPhotoGames(db, event.id),
        names_of(players(db, event.id)),
        rules_of(get_event(db, event.id) or event),  # they may change while the page is open
    )


def _by(rows: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    found: dict[K, list[T]] = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    return dict(found)
