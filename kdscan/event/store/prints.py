"""The prints that an event knows: rows in the store, and files beside the photos, by content.

Every worker finds them there, on this machine or in a cluster.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, select

from kdscan.errors import ReaderDied
from kdscan.event.store import schema
from kdscan.event.store.connect import Store
from kdscan.event.store.print_files import load_prints
from kdscan.event.store.readings import readings
from kdscan.event.store.records import PrintRow, ReadingRow
from kdscan.event.store.rows import all_with, insert, now, set_detail
from kdscan.files import Json
from kdscan.paper.layout import layouts
from kdscan.templates.library import Damaged, StoredTemplate, to_stored
from kdscan.templates.template import SUFFIX, Template, folded, named, same_name

_PRINTS, _OFF = "prints-", "pads_by_hand"


def event_prints(db: Connection, event_id: int) -> list[PrintRow]:
    """The prints that an event knows, by name."""
    rows = all_with(db, PrintRow, schema.known_print, event_id=event_id)
    return sorted(rows, key=lambda row: folded(row.name))


def add_print(store: Store, db: Connection, event_id: int, one: StoredTemplate) -> PrintRow:
    """Add a print to an event, replacing one of the same name."""
    sha256 = store.photos.put(one.data, SUFFIX)
    for row in event_prints(db, event_id):
        if same_name(row.name, one.name):
            if row.sha256 == sha256:
                return row
            db.execute(schema.known_print.delete().where(schema.known_print.c.id == row.id))
    values: Json = {"event_id": event_id, "name": one.name, "sha256": sha256, "added_at": now()}
    return PrintRow(id=insert(db, schema.known_print, values), **values)


def add_new_prints(
    store: Store, db: Connection, event_id: int, prints: Iterable[StoredTemplate]
) -> None:
    """Add these prints to an event, except those whose names it already has."""
    known = {folded(row.name) for row in event_prints(db, event_id)}
    for one in prints:
        if folded(one.name) not in known:
            add_print(store, db, event_id, one)


@dataclass(frozen=True)
class EventPrints:
    """An event's prints, with the interface of `Library` and, for automatic learning, of
    `SheetPool`."""

    store: Store
    event_id: int

    def rows(self) -> list[PrintRow]:
        """The rows of all prints, by name."""
        with self.store.read() as db:
            return event_prints(db, self.event_id)

    def load(self, damaged: Damaged = lambda _: None) -> tuple[StoredTemplate, ...]:
        """All prints, by name; missing or damaged ones are reported and skipped."""
        hashes = [row.sha256 for row in self.rows()]
        return load_prints(self.store.photos.root, hashes, damaged)

    def get(self, name: str) -> StoredTemplate:
        """The print of a name; raises LayoutError if there is none."""
        return named(self.load(), name)

    def save(self, known: Template) -> StoredTemplate:
        """Save a print, replacing one of the same name."""
        one = to_stored(known)
        with self.store.write() as db:
            add_print(self.store, db, self.event_id, one)
        return one

    def forget(self, *names: str) -> None:
        """Forget prints; raises LayoutError, and forgets none, if there is none of one name. Their
        files stay, like the photos of removed sheets."""
        with self.store.write() as db:
            rows = event_prints(db, self.event_id)
            gone = [named(rows, name).id for name in names]
            db.execute(schema.known_print.delete().where(schema.known_print.c.id.in_(gone)))

    def learns(self) -> bool:
        """Whether prints are learned automatically from the sheets of this event."""
        at = schema.event.c
        with self.store.read() as db:
            row = db.execute(select(at.game, at.details).where(at.id == self.event_id)).first()
        return row is not None and row.game == "duel" and not row.details.get(_OFF, False)

    @property
    def size(self) -> tuple[int, int]:
        """Number of sheets kept for learning, and their bytes: none, because an event has its
        photos."""
        return 0, 0

    def switch(self, on: bool) -> None:
        """Switch the automatic learning of prints on or off."""
        with self.store.write() as db:
            set_detail(db, self.event_id, _OFF, None if on else True)


def reading_version(models: str, prints: Iterable[str]) -> str:
    """The name under which readings with these models and prints (SHA-256) are stored: after a
    print was learned, a photo is read again."""
    together = "".join(sorted(prints))
    if not together:
        return models
    return f"{models} {_PRINTS}{hashlib.sha256(together.encode()).hexdigest()[:12]}"


def is_of_models(name: str, models: str) -> bool:
    """Whether a reading with a name from `reading_version` was made with these models."""
    return name == models or name.startswith(f"{models} {_PRINTS}")


def pages_read(
    db: Connection, photo_id: int, models: str, prints: Iterable[str]
) -> dict[int, str | None]:
    """The pages of a photo that need not be read again with these models and prints (see
    `reading_version`), each with its error's code if any: these were the last to read it, or other
    prints would not change it, because it shows no map of a design other than kdscan's.

    A page that killed the reading process is not included: it may be tried again.
    """
    name = reading_version(models, prints)
    newest = {row.page: row for row in readings(db, [photo_id])}
    return {
        page: row.error_code
        for page, row in newest.items()
        if row.error_code != ReaderDied.code and (row.models == name or _settled(row, models))
    }


def _settled(row: ReadingRow, models: str) -> bool:
    """Whether these models read a page, and other prints would not change what they read."""
    return is_of_models(row.models, models) and not any(map(is_of_pad, row.entry["sheets"]))


def is_of_pad(sheet: Json) -> bool:
    """Whether a sheet, as an element of `sheets` of the JSON, is a map of a print other than
    kdscan's own, known or not."""
    return sheet["kind"] == "duel_map" and sheet["layout"] not in layouts()
